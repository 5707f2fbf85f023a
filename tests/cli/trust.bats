#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Whether figures can be trusted: order, precision, disturbances, warnings, doctor. Nothing here
# expects a quiet machine, since tests may run on a busy one.

# Variables come from common.bash; bats runs every test in a subshell and calls functions by name.
# shellcheck disable=SC2030,SC2031,SC2154,SC2317

load common

teardown() {
  # Only what this test started.
  [ -z "${load_pid-}" ] || kill "$load_pid" 2>/dev/null || true
  [ -z "${group-}" ] || leave_group
}

# A process that wants a processor for itself, for a minute at most.
start_load() {
  timeout 60 sh -c 'while :; do :; done' 3>&- &
  load_pid=$!
}

warned_of() {
  grep -q "^futex-bench: warning: \[$1\] .*; fix: " <<<"$err" || fail "no warning [$1]"
}

@test "--order latin keeps modes of one thread count together and turns them" {
  run_bench lock --runtime 0.01 --repeat 3 --warmup 0 --retry-disturbed 0 --threads 1,2 \
    --mode null,wait,spin --order latin --format jsonl --quiet
  expect_status 0
  [ "$(head -1 <<<"$out" | jq -r .order)" = latin ] || fail "order not recorded"
  # Blocks of three trials have one thread count; each mode is first once per thread count.
  jq -se '[.[] | select(.type == "trial")] | length == 18 and
    ([range(0; 18; 3) as $i | .[$i:$i + 3] | map(.threads) | unique | length] | all(. == 1)) and
    ([range(0; 18; 3) as $i | .[$i] | "\(.mode) \(.threads)"] | unique | length == 6)' \
    <<<"$out" >/dev/null || fail "no latin square"
}

@test "--order sequential is the order of the report" {
  run_bench lock "${twice[@]}" --threads 1,2 --mode null,wait \
    --order sequential --format jsonl --quiet
  [ "$(jq -r 'select(.type == "trial") | "\(.mode)\(.threads)"' <<<"$out" | tr '\n' ' ')" = \
    "null1 null2 wait1 wait2 null1 null2 wait1 wait2 " ] || fail "order"
}

@test "--precision goes on until --max-repeat and names what did not get there" {
  run_bench lock --runtime 0.01 --repeat 6 --warmup 0 --threads 1,2 --precision 0.01 \
    --max-repeat 8 --retry-disturbed 0 --format json
  expect_status 0
  jq -e '.points | all(.trials | length == 8)' <<<"$out" >/dev/null || fail "not 8 trials"
  warned_of precision
  jq -e '.warnings | any(.id == "precision")' <<<"$out" >/dev/null || fail "not in JSON"
}

@test "--precision stops when it is reached" {
  run_bench lock --runtime 0.01 --repeat 6 --warmup 0 --threads 1 --precision 100 \
    --retry-disturbed 0 --format json
  jq -e '(.points[0].trials | length == 6) and (.warnings | all(.id != "precision"))' <<<"$out" \
    >/dev/null || fail "went on"
}

@test "--max-time ends what --precision prolongs" {
  run_bench lock --runtime 0.01 --repeat 6 --warmup 0 --threads 2 --precision 0.01 \
    --max-repeat 10000 --max-time 1 --retry-disturbed 0 --format json
  expect_status 0
  jq -e '(.points[0].trials | length >= 6) and .duration_seconds < 30' <<<"$out" >/dev/null ||
    fail "did not stop"
  grep -q "within --max-time" <<<"$err" || fail "no reason"
}

@test "options of precision are refused where they mean nothing" {
  for options in "--max-repeat 5" "--max-time 5" "--precision 1 --repeat 9 --max-repeat 8" \
    "--precision 0" "--order roman" "--retry-disturbed 101"; do
    # shellcheck disable=SC2086
    run_bench lock --threads 1 $options
    expect_status 2
    [ "$(wc -l <<<"$err")" -eq 1 ] || fail "$options: not one line"
  done
}

@test "a competing process is found, named, and its trials are flagged and measured again" {
  start_load
  # As many threads as processors: the load must take from one of them or use what would be idle.
  run_bench lock --threads "$(nproc)" --runtime 0.3 --repeat 2 --warmup 0 --format json
  expect_status 0
  warned_of busy
  warned_of disturbed
  jq -e '.points[0] | (.trials | length > 2) and (.verdict.flags | index("disturbed") != null) and
    (.trials[0] | .disturbed and .status == "ok" and .values.throughput > 0 and
      (.note | test("other processes used [0-9.]+ of [0-9]+ CPUs")) and
      .circumstances.foreign_cpu_seconds > 0.03)' <<<"$out" >/dev/null || fail "not flagged"
  run_bench lock --threads "$(nproc)" --runtime 0.3 --repeat 2 --warmup 0 --retry-disturbed 0
  grep -q "threads: .* 2 disturbed" <<<"$out" || fail "nothing behind the line"
}

@test "--quiet has warnings in JSON only" {
  start_load
  run_bench lock --threads "$(nproc)" --runtime 0.2 --repeat 1 --warmup 0 --format json --quiet
  [ -z "$err" ] || fail "stderr"
  jq -e '.warnings | any(.id == "busy" and .text != "" and .fix != "")' <<<"$out" >/dev/null ||
    fail "not in JSON"
}

@test "information is printed with --verbose only, but always in JSON" {
  threads=$(($(nproc) + 1))
  run_bench lock "${short[@]}" --threads "$threads" --format json
  [[ $err != *oversubscribed* ]] || fail "printed"
  jq -e '.warnings | any(.id == "oversubscribed")' <<<"$out" >/dev/null || fail "not in JSON"
  run_bench lock "${short[@]}" --threads "$threads" --verbose
  warned_of oversubscribed
}

# A cgroup of its own with a fifth of a processor, less than is left beside any load, for the
# shell that calls it. Fails if none can be made.
make_group() {
  local top_v1 top_v2
  top_v1=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ { print $2; exit }' /proc/mounts)
  top_v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
  group=
  if [ -n "$top_v1" ]; then
    mkdir "$top_v1/futex-bench-test-$$" 2>/dev/null || return 1
    group=$top_v1/futex-bench-test-$$
    echo 100000 >"$group/cpu.cfs_period_us" && echo 20000 >"$group/cpu.cfs_quota_us"
  elif [ -n "$top_v2" ]; then
    mkdir "$top_v2/futex-bench-test-$$" 2>/dev/null || return 1
    group=$top_v2/futex-bench-test-$$
    echo "20000 100000" >"$group/cpu.max"
  fi && [ -n "$group" ]
}

leave_group() {
  rmdir "$group" 2>/dev/null || true
}

@test "throttling by a quota of a fifth of a processor is named" {
  make_group 2>/dev/null || skip "cannot make a cgroup with a CPU quota here"
  status=0
  sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$group" \
    "$bench" lock --threads 2 --runtime 0.5 --repeat 2 --warmup 0 --format json \
    >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(cat "$scratch/out")
  err=$(cat "$scratch/err")
  expect_status 0
  warned_of throttled
  warned_of quota
  jq -e '.points[0].trials[0] | .disturbed and (.note | test("throttled")) and
    .circumstances.throttled_periods > 0' <<<"$out" >/dev/null || fail "not flagged"
}

@test "doctor shows environment, operations, limits and checks" {
  run_bench doctor
  [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail "status"
  for part in "# Environment" "kernel" "# Futex operations" "futex_waitv" "# Threads" \
    "1024 threads" "# Others, watched for 0.5 s" "# Checks"; do
    grep -qF "$part" <<<"$out" || fail "$part missing"
  done
}

@test "doctor --format json says the same, and its status agrees" {
  run_bench doctor --format json
  jq -e '.environment.kernel.value != "" and (.capabilities | length > 5) and
    .threads.asked == 1024 and .look.seconds == 0.5' <<<"$out" >/dev/null || fail "content"
  if jq -e .quiet <<<"$out" >/dev/null; then expect_status 0; else expect_status 3; fi
  run_bench doctor --format csv
  expect_status 2
}

@test "doctor finds a competing process" {
  start_load
  run_bench doctor
  expect_status 3
  grep -q "WARN \[busy\]" <<<"$out" || fail "not found"
}

@test "doctor finds a limit that 1024 threads would hit" {
  is_sanitized && skip "sanitizers cannot live with a limit on address space"
  status=0
  out=$(ulimit -v 60000 && "$bench" doctor 2>&1) || status=$?
  expect_status 3
  grep -q "WARN \[thread-limit\] 1024 threads do not fit" <<<"$out" || fail "not found"
}
