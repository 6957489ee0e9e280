# shellcheck shell=bash
# Source this file in bash, after scripts/run or scripts/test has made everything ready:
#   source scripts/env.sh
# Then `python3` has rclpy and robot_memory.srv, `memory` and `memory_node` are found, and
# `cargo build|test|clippy --features ros` work.

_robot_memory_env() {
  local root install shell_options=$- filter
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
  install=$root/install/robot_memory
  if [ ! -e "$root/build/.complete" ] || [ ! -e "$install/share/robot_memory/interface_hash" ]; then
    echo "robot_memory is not built: run scripts/run or scripts/test first" >&2
    return 1
  fi

  # The setup files of ROS and colcon read variables that may be unset.
  set +u
  # shellcheck source=/dev/null
  source "$root/install/setup.bash"
  [[ $shell_options != *u* ]] || set -u

  case ":$PATH:" in
    *":$install/lib/robot_memory:"*) ;;
    *) export PATH="$install/lib/robot_memory:$PATH" ;;
  esac

  # r2r generates again when its environment changes, so the built interfaces are part of it.
  filter=$(sed -n 's/^IDL_PACKAGE_FILTER *= *"\(.*\)"$/\1/p' "$root/.cargo/config.toml")
  IDL_PACKAGE_FILTER="$filter;interfaces_$(<"$install/share/robot_memory/interface_hash")"
  export IDL_PACKAGE_FILTER
  export ROBOT_MEMORY_CACHE=${ROBOT_MEMORY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/robot_memory}
}

if [ -n "${BASH_VERSION:-}" ] && _robot_memory_env; then
  unset -f _robot_memory_env
else
  [ -n "${BASH_VERSION:-}" ] || echo "scripts/env.sh is for bash: start one first" >&2
  unset -f _robot_memory_env
  return 1
fi
