#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wake-latency as a user drives it: options, outputs, killed sides.

# Variables come from common.bash; bats runs every test in a subshell and calls functions by name.
# shellcheck disable=SC2030,SC2031,SC2154,SC2317

load common

once=(--warmup 0 --retry-disturbed 0)
few=(--sleep-us 10 --samples 13 --warmup-samples 2 --repeat 2 "${once[@]}")

# An allowed processor, and one that no machine has.
some_cpu() {
  local list
  list=$(taskset -cp $$)
  list=${list##*: }
  echo "${list%%[,-]*}"
}

refused() {
  local wanted=$1
  shift
  run_bench wake-latency "$@"
  expect_status 2
  [ -z "$out" ] || fail "something on stdout"
  [[ $err == *"$wanted"* ]] || fail "expected: $wanted"
}

@test "bad options are refused before anything starts" {
  refused "--method" --method smoke
  refused "--sleep-us: 'x' in '1,x'" --sleep-us 1,x
  refused "--sleep-us: '0'" --sleep-us random:0
  refused "--samples" --samples 0
  refused "--between" --between friends
  refused "--sched: 'rr'" --sched rr
  refused "--sched" --sched fifo:0
  refused "--cpus" --cpus 1
  refused "--cpus and --pair" --cpus 0,0 --pair same-cpu
  refused "--pair" --pair near
  refused "--runtime" --runtime 1
}

@test "processors outside the allowed set are refused" {
  refused 65535 --cpus 0,65535
  cpu=$(some_cpu)
  status=0
  err=$(taskset -c "$cpu" "$bench" wake-latency --cpus "$cpu,$((cpu + 1))" "${few[@]}" 2>&1) || status=$?
  expect_status 2
}

@test "one allowed processor is enough" {
  cpu=$(some_cpu)
  taskset -c "$cpu" "$bench" wake-latency "${few[@]}" --method sem --pair same-cpu --format json \
    >"$scratch/out"
  jq -e '.points[0].parameters.pair == "same-cpu"' "$scratch/out" >/dev/null ||
    fail "no pair in the result"
  status=0
  err=$(taskset -c "$cpu" "$bench" wake-latency "${few[@]}" --pair smt 2>&1) || status=$?
  expect_status 2
  [[ $err == *"no two of the allowed processors"* ]] || fail "no reason"
  taskset -c "$cpu" "$bench" wake-latency "${few[@]}" --pair all >"$scratch/out"
  grep -q "^ *CPU $cpu  *[0-9]" "$scratch/out" || fail "no matrix"
}

@test "what is not permitted is refused with a hint" {
  command -v setpriv >/dev/null || skip "needs setpriv"
  [ "$(id -u)" -eq 0 ] || skip "needs root to become somebody else"
  chmod a+rx "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR" 2>/dev/null || true
  nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all)
  "${nobody[@]}" "$bench" list >/dev/null 2>&1 || skip "the binary is out of reach for others"
  status=0
  err=$("${nobody[@]}" "$bench" wake-latency "${few[@]}" --sched fifo:50 2>&1) || status=$?
  expect_status 2
  [[ $err == *"ulimit -r 50"* ]] || fail "no hint"
  # Leaving SCHED_IDLE takes a limit on niceness that allows for it.
  status=0
  err=$(ulimit -e 0 && chrt -i 0 "${nobody[@]}" "$bench" wake-latency "${few[@]}" --sched other 2>&1) || status=$?
  expect_status 2
  [[ $err == *"--sched other: EPERM; "*"ulimit -e 20"* ]] || fail "no hint"
  if [ -e /dev/cpu_dma_latency ]; then
    status=0
    err=$("${nobody[@]}" "$bench" wake-latency "${few[@]}" --dma-latency 0 2>&1) || status=$?
    expect_status 2
    [[ $err == *"needs root"* ]] || fail "no hint"
  fi
  "${nobody[@]}" "$bench" wake-latency "${few[@]}" --method all >/dev/null 2>&1 || [ $? -eq 3 ]
}

# Not about speed: a side that did not let the other have their processor made each wake wait for tens
# of milliseconds. Whoever is next in line under SCHED_FIFO waits for nobody else.
@test "under a real-time policy both sides of one processor get to run" {
  local cpu
  cpu=$(some_cpu)
  chrt -f 1 true 2>/dev/null || skip "SCHED_FIFO is not permitted here"
  run_bench wake-latency --method sem,mutex --cpus "$cpu,$cpu" --sched fifo:1 --sleep-us 1000 --samples 30 \
    --warmup-samples 0 --repeat 1 "${once[@]}" --format json
  expect_status 0
  jq -e '.points | length == 2 and all(.parameters.sched == "fifo:1" and
    .trials[0].values.latency < 10000)' <<<"$out" >/dev/null ||
    fail "$(jq -c '[.points[].trials[0].values.latency]' <<<"$out")"
}

@test "an idle latency that is held is recorded, and compare warns of the difference" {
  [ -w /dev/cpu_dma_latency ] || skip "/dev/cpu_dma_latency is not there or not ours"
  run_bench wake-latency "${few[@]}" --method pipe --dma-latency 20 --output "$scratch/held.json"
  expect_status 0
  grep -q 'idle latency held at 20 us$' <<<"$out" || fail "not said"
  "$bench" wake-latency "${few[@]}" --method pipe --output "$scratch/free.json" >/dev/null 2>&1
  run_bench compare "$scratch/held.json" "$scratch/free.json"
  grep -q 'limit on the latency of idle states differs: held at 20 us' <<<"$err" || fail "no warning"
}

@test "samples add up, and every one is in the log" {
  run_bench wake-latency "${few[@]}" --method pipe --log --output "$scratch/r.json"
  expect_status 0
  grep -q '^# idle driver' <<<"$out" || fail "no circumstances"
  grep -q 'sleep us *mean +-sd *min *median *%99' <<<"$out" || fail "no historical columns"
  [ "$(grep -c '^# samples of' <<<"$out")" -eq 2 ] || fail "not two trials"
  jq -e '[.points[].trials[].values | .samples + .not_blocked + .backwards] | add == 13' \
    "$scratch/r.json" >/dev/null || fail "not 13 samples"
  jq -e '[.points[].trials[].series.latency_us | length] | add == 13' "$scratch/r.json" \
    >/dev/null || fail "not 13 in the log"
  jq -e '.points[0].trials[0].distributions.latency_us' "$scratch/r.json" >/dev/null ||
    fail "no distribution"
}

@test "compare works on its results, lower being better" {
  "$bench" wake-latency "${few[@]}" --method eventfd --output "$scratch/a.json" >/dev/null 2>&1
  "$bench" wake-latency "${few[@]}" --method eventfd --output "$scratch/b.json" >/dev/null 2>&1
  run_bench compare "$scratch/a.json" "$scratch/b.json"
  expect_status 0
  grep -q eventfd <<<"$out" || fail "no row"
}

# The two processes of a running trial, the notifier first.
members() {
  local trial
  trial=$(pgrep -P "$pid") && sides=$(pgrep -P "$trial") && [ "$(wc -w <<<"$sides")" -eq 2 ]
}

trial_is_there() {
  trial=$(pgrep -P "$pid") && [ -n "$trial" ]
}

gone() {
  ! kill -0 "$1" 2>/dev/null
}

# killed SIDE METHOD [SIGNAL]: within a second the trial is over, with a line that says why.
killed() {
  local began signal=${3:-KILL}
  start wake-latency --method "$2" --sleep-us 10000 --samples 100000 --repeat 1 "${once[@]}"
  wait_for 30 members
  sleep 0.1
  # shellcheck disable=SC2086 # two words
  set -- $1 $sides
  began=$(date +%s%N)
  if [ "$1" = notifier ]; then kill -"$signal" "$2"; else kill -"$signal" "$3"; fi
  until gone "$2" && gone "$3"; do
    [ $((($(date +%s%N) - began) / 1000000)) -lt 1000 ] || fail "not over within a second"
  done
  collect
  expect_status 3
  [[ $out$err == *SIG$signal* ]] || fail "no word of the kill"
}

@test "a killed notifier ends the trial" {
  for method in futex mutex pipe-cond busy-wait; do killed notifier "$method"; done
}

@test "a killed waiter ends the trial" {
  for method in futex futex-pi signal socketpair cond; do killed waiter "$method"; done
  killed waiter sem TERM
}

@test "a trial of threads that is killed leaves nothing" {
  start wake-latency --between threads --sleep-us 10000 --samples 100000 --repeat 1 "${once[@]}"
  wait_for 30 trial_is_there
  sleep 0.1
  kill -TERM "$trial"
  collect
  expect_status 3
  [[ $out$err == *SIGTERM* ]] || fail "no word of the kill"
}

@test "SIGINT keeps the trials that were finished" {
  start wake-latency --repeat 1000 --samples 20000 --sleep-us 100 "${once[@]}" --format jsonl
  wait_for 30 grep -q '"type": *"trial"' "$scratch/out"
  wait_for 30 members
  kill -INT "$pid"
  collect
  expect_status 130
  jq -se 'last | .type == "end" and .complete == false' <<<"$out" >/dev/null || fail "no end record"
  for side in $sides; do wait_for 5 gone "$side" || fail "a side is still there"; done
}

@test "SIGINT keeps the samples of a trial that had not finished" {
  start wake-latency --repeat 1 --samples 1M --sleep-us 100 --warmup-samples 0 "${once[@]}" --log --format jsonl
  wait_for 30 members
  sleep 0.5
  kill -INT "$pid"
  collect
  expect_status 130
  # Also in the summary, as there is no other.
  jq -se '(map(select(.type == "trial")) | length == 1 and (.[0] | .status == "cut_short" and
      (.note | test("^interrupted after [0-9]+ of 1000000 samples")) and .values.samples > 0 and
      .distributions.latency_us.count == .values.samples and
      (.series.latency_us | length) >= .values.samples)) and
    any(.[]; .type == "point" and .summary.latency.count == 1) and (last | .complete == false)' \
    <<<"$out" >/dev/null || fail "samples lost"
}
