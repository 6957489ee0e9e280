# shellcheck shell=bash
# What the parts of the set-up share: where things are, and how they speak. Sourced.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cache=${ROBOT_MEMORY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/robot_memory}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd -P)
export ROBOT_MEMORY_CACHE=$cache

# Standard output is the node's.
say() { printf '[set-up] %s\n' "$*" >&2; }

# stop LINE...: says why the set-up ends and what to do, and ends it.
stop() {
  printf '[set-up] stopped: %s\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '[set-up]   %s\n' "$@" >&2
  exit 1
}

# quietly LOG COMMAND...: runs a command with its output in the file LOG; shows the end of it and
# returns its status when it fails.
quietly() {
  local log=$1 status=0
  shift
  mkdir -p "${log%/*}"
  "$@" >"$log" 2>&1 || status=$?
  [ "$status" -eq 0 ] || { tail -n 40 "$log" | sed 's/^/    /' && say "the whole output: $log"; } >&2
  return "$status"
}

# locked FILE COMMAND...: runs a function alone among all set-ups that use the same file.
locked() {
  local file=$1
  shift
  (
    flock -n 9 || { say "another set-up is at work here, waiting for it" && flock 9; }
    "$@"
  ) 9>"$file"
}

took() { say "done in $((SECONDS / 60)) min $((SECONDS % 60)) s"; }
