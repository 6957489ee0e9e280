# shellcheck shell=bash
# A ROS 2 to build and run with: the one that is sourced, else the one in /opt/ros, else the wheels
# of ros-jazzy-cp311.txt in the cache. Sourced after say.sh and system.sh.

prefix=$cache/ros-jazzy

# message_packages: prints those of the node, from the list that r2r reads.
message_packages() {
  sed -n 's/^IDL_PACKAGE_FILTER *= *"\(.*\)"$/\1/p' "$root/.cargo/config.toml" | tr ';' '\n' | grep -vx robot_memory
}

# in_ament_path FILE: whether a prefix in AMENT_PREFIX_PATH has FILE.
in_ament_path() {
  local folder prefixes
  IFS=: read -ra prefixes <<<"${AMENT_PREFIX_PATH:-}"
  for folder in "${prefixes[@]}"; do
    [ -e "$folder/$1" ] && return
  done
  return 1
}

ros_is_sourced() { [ -n "${ROS_DISTRO:-}" ] && in_ament_path share/rcl/package.xml; }

# source_ros FILE: the setup files of ROS and colcon read variables that may be unset.
source_ros() {
  set +u
  # shellcheck disable=SC1090
  source "$1"
  set -u
}

# enter_ros: after it ROS 2, colcon and a Python that has rclpy are in the environment.
enter_ros() {
  if ! ros_is_sourced && [ -e /opt/ros/jazzy/setup.bash ]; then
    source_ros /opt/ros/jazzy/setup.bash
  fi
  if ros_is_sourced && ! [[ :$AMENT_PREFIX_PATH: == *":$prefix:"* ]]; then
    complete_sourced_ros
    return
  fi
  wheels_are_complete || locked "$cache/.ros-jazzy.lock" make_wheels_prefix
  source_ros "$prefix/setup.bash"
}

# complete_sourced_ros: the Debian packages that a ROS installation may lack.
complete_sourced_ros() {
  local package missing=()
  say "ROS 2 $ROS_DISTRO is sourced"
  [ "$ROS_DISTRO" = jazzy ] || say "only jazzy is tested, $ROS_DISTRO may work"
  for package in $(message_packages) rosidl_default_generators ament_cmake rclpy; do
    in_ament_path "share/$package/package.xml" || missing+=("ros-$ROS_DISTRO-${package//_/-}")
  done
  command -v colcon >/dev/null || missing+=(python3-colcon-common-extensions)
  python3 -c 'import pytest' 2>/dev/null || missing+=(python3-pytest)
  install_packages "${missing[@]}"
}

# The prefix holds absolute paths, and is what the lists and these functions make of it: another
# place, another list or another repair is another prefix.
wheels_stamp() {
  {
    echo "$prefix"
    cat "$root"/scripts/ros-jazzy-*.txt
    declare -f install_wheels repair_wheels write_prefix_setup
  } | sha256sum | cut -c1-32
}

wheels_are_complete() {
  [ "$(cat "$prefix/.complete" 2>/dev/null)" = "$(wheels_stamp)" ] && "$prefix/bin/python3" -c '' 2>/dev/null
}

# python_311: prints the path of a CPython 3.11 that can make environments and compile extensions,
# never that of an environment, which may be the very one to be replaced.
python_311() {
  local candidate
  for candidate in "${PYTHON:-}" python3.11 python3 /usr/bin/python3.11; do
    [ -n "$candidate" ] && "$candidate" - 2>/dev/null <<'PY' && return
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
if sys.version_info[:2] != (3, 11) or not os.path.exists(header):
    sys.exit(1)
print(sys._base_executable)
PY
  done
  return 1
}

make_wheels_prefix() {
  wheels_are_complete && return
  [ "$(uname -sm)" = "Linux x86_64" ] ||
    stop "no ROS 2 is sourced, and its Python wheels exist for Linux on x86-64 only" \
      "install ROS 2 Jazzy (https://docs.ros.org/en/jazzy/Installation.html), source its setup.bash, start again"
  local python
  if ! python=$(python_311); then
    apt-cache show python3.11-venv >/dev/null 2>&1 || [ "$(id -u)" -eq 0 ] ||
      stop "no ROS 2 is sourced, and its Python wheels need CPython 3.11 with headers" \
        "source ROS 2 Jazzy, or install Python 3.11 (pyenv, uv) and set PYTHON to it, and start again"
    install_packages python3.11 python3.11-venv python3.11-dev
    python=$(python_311) || stop "Python 3.11 was installed but does not work as it should" "set PYTHON to another one"
  fi

  SECONDS=0
  say "fetching ROS 2 Jazzy as Python wheels into $prefix (about 1 minute, 90 MB)"
  rm -rf "$prefix"
  quietly "$cache/log/venv.log" "$python" -m venv "$prefix" || stop "$python cannot make an environment in $prefix"
  install_wheels ros-jazzy-build.txt
  install_wheels ros-jazzy-cp311.txt --no-build-isolation --no-binary=empy
  repair_wheels
  write_prefix_setup
  wheels_stamp >"$prefix/.complete"
  took
}

# install_wheels LIST OPTION...
install_wheels() {
  local list=$1 log=$cache/log/pip.log
  shift
  quietly "$log" "$prefix/bin/python3" -m pip install --no-deps --require-hashes --only-binary=:all: "$@" \
    --retries 5 --disable-pip-version-check --no-input -r "$root/scripts/$list" && return
  # Nothing of a failed try is used by the next one.
  rm -rf "$prefix"
  if grep -q 'DO NOT MATCH THE HASHES' "$log"; then
    stop "a downloaded archive is not the one that was pinned" \
      "a proxy or mirror may have changed it: see the end of the output above, and do not use that mirror"
  fi
  stop "pip could not fetch $list" \
    "this machine must reach pypi.org, or a mirror: PIP_INDEX_URL=https://.../simple" \
    "behind a proxy: HTTPS_PROXY=http://host:port, and PIP_CERT=/path/to/ca.pem if it re-signs" \
    "then start again; what was fetched so far is kept by pip"
}

# repair_wheels: what the wheels get wrong for anything but Python.
repair_wheels() {
  local python=$prefix/bin/python3 include numpy_include packages
  include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
  numpy_include=$("$python" -c 'import numpy; print(numpy.get_include())')
  packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

  # The CMake exports name the Python of the machine that built them.
  { grep -rlZ --include='*.cmake' /opt/python/cp "$prefix/share" || true; } |
    xargs -0 -r sed -Ei "s#/opt/python/[^\";]*/numpy/_core/include#$numpy_include#g
      s#/opt/python/[^\";]*/include/python3[.0-9]*#$include#g"

  # The private libraries of a wheel are on no library path.
  local library
  for library in "$packages"/ros_*.libs/*; do
    ln -sfn "$library" "$prefix/lib/${library##*/}"
  done

  # rcl is linked to Fast DDS itself, but programs ask for the switch between middlewares.
  ln -sfn librmw_fastrtps_cpp.so "$prefix/lib/librmw_implementation.so"

  # rcl needs the Python converters of some messages, which no program without a Python can load.
  local name needed
  for name in rcl rcl_action rcl_lifecycle; do
    library=$prefix/lib/lib$name.so
    for needed in $("$prefix/bin/patchelf" --print-needed "$library" | grep '__rosidl_generator_py\.so$'); do
      "$prefix/bin/patchelf" --remove-needed "$needed" "$library"
    done
  done
}

# write_prefix_setup: so that colcon chains this prefix as it does /opt/ros/jazzy.
write_prefix_setup() {
  cat >"$prefix/setup.sh" <<SETUP
export ROS_DISTRO=jazzy ROS_VERSION=2 ROS_PYTHON_VERSION=3
case ":\$AMENT_PREFIX_PATH:" in *":$prefix:"*) ;; *) export AMENT_PREFIX_PATH="$prefix\${AMENT_PREFIX_PATH:+:\$AMENT_PREFIX_PATH}";; esac
case ":\$CMAKE_PREFIX_PATH:" in *":$prefix:"*) ;; *) export CMAKE_PREFIX_PATH="$prefix\${CMAKE_PREFIX_PATH:+:\$CMAKE_PREFIX_PATH}";; esac
case ":\$LD_LIBRARY_PATH:" in *":$prefix/lib:"*) ;; *) export LD_LIBRARY_PATH="$prefix/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}";; esac
case ":\$PATH:" in *":$prefix/bin:"*) ;; *) export PATH="$prefix/bin:\$PATH";; esac
# The wheels' own hook would start every Python twice to set the variables above.
export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1
SETUP
  local name
  for name in setup.bash local_setup.sh local_setup.bash; do
    cp "$prefix/setup.sh" "$prefix/$name"
  done
}
