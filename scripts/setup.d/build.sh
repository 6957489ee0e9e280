# shellcheck shell=bash
# The interfaces and the node, built and installed into build/ and install/. Sourced after ros.sh.

# Everything that the installed package is made of. Also a file that the program includes by
# include_str! must be below one of these.
build_inputs=(.cargo CMakeLists.txt Cargo.lock Cargo.toml LICENSE action build.rs config crates launch msg package.xml
  python scripts/assets scripts/assets-{export,model,onnxruntime}.txt scripts/export_model.py src srv)

# Underlays are part of what is built: without the own install folder, which may be sourced or not.
underlays() {
  tr ':' '\n' <<<"$AMENT_PREFIX_PATH" | { grep -v "^$root/install" || true; }
}

# origin: this checkout, its ROS and its version. CMake and r2r remember them by path.
origin() {
  local underlay
  echo "$root"
  for underlay in $(underlays); do
    echo "$underlay"
    cat "$underlay/.complete" "$underlay/share/rcl/package.xml" 2>/dev/null || true
  done
}

inputs_hash() {
  (
    cd "$root"
    origin
    rustc --version
    echo "${RUSTFLAGS:-}"
    { find "${build_inputs[@]}" -type f ! -name '*.pyc' -print0 2>/dev/null || true; } | sort -z | xargs -0 sha256sum
  ) | sha256sum | cut -c1-32
}

# build_stamp: what install/ was made of, and that it is still what was made.
build_stamp() {
  inputs_hash
  stat -c '%y %s' "$root/install/robot_memory/lib/robot_memory/memory_node" 2>/dev/null
}

build_is_current() { [ "$(build_stamp)" = "$(cat "$root/build/.complete" 2>/dev/null)" ]; }

# build_package: wants ROS entered.
build_package() {
  mkdir -p "$root/build"
  build_is_current && return
  locked "$root/build/.lock" build_package_alone
}

build_package_alone() {
  build_is_current && return
  rm -f "$root/build/.complete"
  if [ "$(origin)" != "$(cat "$root/build/.origin" 2>/dev/null)" ]; then
    rm -rf "$root/build/robot_memory" "$root/install"
    origin >"$root/build/.origin"
  fi

  SECONDS=0
  say "fetching the Rust packages"
  local host
  host=$(rustc -vV | sed -n 's/^host: //p')
  (cd "$root" && quietly build/log/fetch.log cargo fetch --locked --target "$host") ||
    stop "cargo could not fetch the Rust packages" \
      "this machine must reach crates.io, or a mirror (source replacement in ~/.cargo/config.toml)" \
      "behind a proxy: HTTPS_PROXY=http://host:port, and CARGO_HTTP_CAINFO=/path/to/ca.pem if it re-signs" \
      "then start again; what was fetched so far is kept by cargo"

  if [ -d "$root/build/robot_memory/cargo" ]; then
    say "building the package (what changed; 4 minutes when it is an interface)"
  else
    say "building the package (the first time: about 7 minutes on two cores)"
  fi
  local hash_file=$root/install/robot_memory/share/robot_memory/interface_hash interfaces_before
  interfaces_before=$(cat "$hash_file" 2>/dev/null || true)
  quietly "$root/build/log/colcon.log" colcon --log-base "$root/build/log" build \
    --base-paths "$root" --packages-select robot_memory \
    --build-base "$root/build" --install-base "$root/install" --event-handlers console_direct+ console_cohesion- \
    --cmake-args -DBUILD_NODE=ON -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
    "-DPython3_EXECUTABLE=$(command -v python3)" ||
    stop "the build failed"
  # The cache of r2r in the folder of plain cargo: see CMakeLists.txt.
  if [ "$interfaces_before" != "$(cat "$hash_file")" ]; then
    rm -rf "$root"/target/*/build/{r2r,r2r_msg_gen}-*
  fi
  build_stamp >"$root/build/.complete"
  took
}
