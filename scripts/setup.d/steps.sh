# shellcheck shell=bash
# The steps of scripts/test: each has a log, a result, and a line in the table at the end. Sourced.

logs=target/test-logs
steps=()
begun=()
failed=0

log_of() { echo "$logs/${1// /-}.$2"; }

# run_step NAME COMMAND...: its time and its result go beside its log.
run_step() {
  local name=$1 TIMEFORMAT='%0R %0U %0S' result=ok
  shift
  { time "$@" 2>&1; } 2>"$(log_of "$name" time)" || result=FAILED
  echo $result >"$(log_of "$name" result)"
  [ $result = ok ]
}

# step NAME COMMAND...: shows the output as it comes.
step() {
  steps+=("$1")
  printf '\n== %s\n' "$1"
  run_step "$@" | tee "$(log_of "$1" log)" || { failed=1 && return 1; }
}

# begin NAME COMMAND...: runs beside the steps that follow, in silence and in a process group of its own.
begin() {
  steps+=("$1")
  set -m
  run_step "$@" >"$(log_of "$1" log)" </dev/null &
  set +m
  begun+=("$!" "$1")
}

# Without this, what was begun outlives an interrupt.
interrupted() {
  local i
  for ((i = 0; i < ${#begun[@]}; i += 2)); do
    kill -TERM -- "-${begun[i]}"
  done
  exit 130
}
trap interrupted INT TERM

# finish: waits for what was begun, and shows its output.
finish() {
  local pid name
  while [ ${#begun[@]} -gt 0 ]; do
    pid=${begun[0]} name=${begun[1]}
    begun=("${begun[@]:2}")
    wait "$pid" || failed=1
    printf '\n== %s\n' "$name"
    cat "$(log_of "$name" log)"
  done
}

# why_failed: of each test that failed, what it said, from the logs of the steps that failed; at most so many lines.
why_failed() {
  local name
  for name in "${steps[@]}"; do
    [ "$(cat "$(log_of "$name" result)")" = FAILED ] || continue
    printf '\n== why %s failed\n' "$name"
    # Of a Rust test what stands below "---- name stdout ----"; of pytest its lines "E" and its short summary.
    awk '/^---- .* stdout ----$/ { lines = 30 } lines-- > 0 { print substr($0, 1, 400); next }
         /^(E  |FAILED |ERROR |error(\[|:)|thread .* panicked)/ { print substr($0, 1, 400) }' "$(log_of "$name" log)" |
      head -n 120
  done
}

# conclude: ends with the line that each test runner ends with, and the table.
conclude() {
  local name secs user system
  finish
  why_failed
  printf '\n== result\n'
  grep -hE '^test result: |^=+ .* in [0-9.]+s.* =+$' "$logs"/*.log
  printf '%-28s %-7s %6s %10s\n' step result clock processor
  for name in "${steps[@]}"; do
    read -r secs user system <"$(log_of "$name" time)"
    printf '%-28s %-7s %4d s %8d s\n' "$name" "$(cat "$(log_of "$name" result)")" "$secs" $((user + system))
  done
  printf '%-28s %-7s %4d s\n' "all" "" $SECONDS
  exit $failed
}
