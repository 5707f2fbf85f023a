# SPDX-License-Identifier: GPL-2.0-only
# What every .bats file here loads. FUTEX_BENCH names the binary, so that sanitizer builds run the
# same tests.

# shellcheck disable=SC2034,SC2154  # used by the files that load this; set by bats

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
bench=${FUTEX_BENCH:-$top/build/futex-bench}

# The shortest run that still is one.
short=(--runtime 0.01 --repeat 1 --warmup 0 --retry-disturbed 0)
twice=(--runtime 0.01 --repeat 2 --warmup 0 --retry-disturbed 0)

setup() {
  scratch=$BATS_TEST_TMPDIR
}

# What a test that failed has left running.
teardown() {
  if [ -n "${pid-}" ]; then kill -KILL "$pid" 2>/dev/null || true; fi
}

# Runs the binary with stdout and stderr apart: $status, $out, $err.
run_bench() {
  status=0
  "$bench" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(cat "$scratch/out")
  err=$(cat "$scratch/err")
}

# fail TEXT...: ends the test with a message and what the last run_bench printed.
fail() {
  printf '%s\n' "$*" "status: ${status-}" "stdout: ${out-}" "stderr: ${err-}" >&2
  return 1
}

expect_status() {
  [ "$status" -eq "$1" ] || fail "expected exit status $1"
}

# Whether this is a build with a sanitizer, which cannot live with limits on address space.
is_sanitized() {
  [ "$("$bench" lock "${short[@]}" --threads 1 --format json | jq -r .environment.sanitizer.value)" != none ]
}

# wait_for SECONDS COMMAND...: until the command succeeds; fails when the time is over.
wait_for() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.02
  done
}

# start ARGUMENT...: the binary in the background as $pid, stdout and stderr in files. A shell without
# job control starts background commands with SIGINT ignored, and the tool respects that, so the
# disposition is set back first. Descriptor 3 is bats's, which waits for all that have it.
start() {
  env --default-signal=INT,HUP "$bench" "$@" >"$scratch/out" 2>"$scratch/err" 3>&- &
  pid=$!
}

# The same in a process group of its own, as a shell at a terminal does it: kill -INT -- "-$pid" is Ctrl-C.
# (setsid would make it a scheduling group of its own, too, beside which this shell hardly runs.)
start_group() {
  set -m
  start "$@"
  set +m
}

# collect: waits for what start has started, and reads what it has printed.
collect() {
  status=0
  wait "$pid" || status=$?
  pid=
  out=$(cat "$scratch/out")
  err=$(cat "$scratch/err")
}
