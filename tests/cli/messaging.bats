#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# `futex-bench messaging`: options, limits, and that nothing is left running whatever happens.

# Variables come from common.bash; bats runs every test in a subshell and calls functions by name.
# shellcheck disable=SC2030,SC2031,SC2154,SC2317

load common

# Many processes that will not end by themselves within the test.
endless=(messaging --warmup 0 --retry-disturbed 0 --format jsonl)
few=(--pairs 3 --messages 50 --warmup 0 --retry-disturbed 0)

# The trial's process and its members in $trial and $members, once there are $1 of them and they run.
have_members() {
  trial=$(pgrep -P "$pid") && mapfile -t members < <(pgrep -P "$trial") &&
    [ "${#members[@]}" -eq "$1" ] && grep -q '^voluntary_ctxt_switches:.[0-9]\{3\}' "/proc/${members[0]}/status"
}

nothing_left() {
  local each
  for each in "$trial" "${members[@]}"; do
    [ ! -e "/proc/$each" ] || grep -q '^State:.Z' "/proc/$each/status" 2>/dev/null || return 1
  done
}

# It takes less than a second; a machine under load and a sanitizer get some more.
ended_soon() {
  wait_for 3 nothing_left || fail "still running: $(ps -o pid,stat,comm -p "${members[*]}")"
}

@test "every way, between processes and between threads" {
  local between
  for between in processes threads; do
    run_bench messaging "${few[@]}" --over all --between "$between" --format json
    expect_status 0
    jq -e '.points | length == 5 and all(.[]; .trials[0] |
      .status == "ok" and .distributions.message_us.count == 150 and .values.running_at_once >= 1 and
      .values.min <= .values.p10 and .values.p50 <= .values.p90 and .values.p99_9 <= .values.max and
      .values.first_finished <= .values.duration)' <<<"$out" >/dev/null || fail "$between"
  done
}

@test "the text has the historical line and what it hides" {
  run_bench messaging "${few[@]}" --over pipe --kernel-label 'next one'
  expect_status 0
  grep -qE '^min:[0-9.]+ms\|avg:[0-9.]+-[0-9.]+ms\|mid:[0-9.]+ms\|max:[0-9.]+ms\|duration:[0-9.]+s$' \
    <<<"$out" || fail "historical line"
  grep -q '^2\*3 processes over pipe, 50 messages per pair$' <<<"$out" || fail "heading"
  grep -qE 'messages/s .* p99.9 .* per message and pair' <<<"$out" || fail "second line"
  grep -qE 'pairs finished after .* [1-3] of 3 at once' <<<"$out" || fail "third line"
  grep -q '^# kernel label: next one$' <<<"$out" || fail "label"
}

@test "lists go together point by point; the historical six without options" {
  run_bench messaging --dry-run
  expect_status 0
  [ "$(grep -cE '^(pipe|cond) +(200|100|40) threads$' <<<"$out")" -eq 6 ] || fail "six points"
  run_bench messaging --pairs 2,1 --messages 20,40 --warmup 0 --over futex --format json
  expect_status 0
  [ "$(jq -c '[.points[].parameters | .pairs + "x" + .messages]' <<<"$out")" = '["2x20","1x40"]' ] ||
    fail "points"
}

@test "what cannot be done is said before anything starts" {
  local -a bad
  while IFS='|' read -r arguments words; do
    read -ra bad <<<"$arguments"
    run_bench messaging "${bad[@]}"
    expect_status 2
    grep -qF -- "$words" <<<"$err" || fail "$arguments: not said: $words"
  done <<'END'
--pairs 1,2,3 --messages 1,2|2 numbers do not go with 3
--pairs 0|--pairs
--pairs 5,5 --messages 10|given twice
--over tcp|--over
--fds 3|without --groups
--groups 2 --pairs 3|cannot go with --groups
--groups 2 --over cond|needs pipe or socketpair
--full --messages 3|--full
--runtime 1|--runtime
--size 0|--size
END
}

@test "too few descriptors: exit 2 with the number; a soft limit alone is raised" {
  status=0
  (ulimit -n 100 && exec "$bench" messaging --pairs 50 --messages 10) >"$scratch/out" 2>"$scratch/err" ||
    status=$?
  out=$(cat "$scratch/out") err=$(cat "$scratch/err")
  expect_status 2
  grep -qE 'RLIMIT_NOFILE: 2[12][0-9] file descriptors are needed.*hard limit is 100' <<<"$err" ||
    fail "number"
  status=0
  (ulimit -Sn 100 && exec "$bench" messaging --pairs 50 --messages 10 --warmup 0 --over pipe) \
    >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(cat "$scratch/out") err=$(cat "$scratch/err")
  expect_status 0
  grep -q 'soft limit of 100 is raised' <<<"$err" || fail "not said"
}

@test "a scheduling policy: used, or refused before anything starts" {
  run_bench messaging "${few[@]}" --over pipe --sched batch --format json
  expect_status 0
  [ "$(jq -r '.points[0].parameters.sched' <<<"$out")" = batch ] || fail "not recorded"
  [ "$(id -u)" -eq 0 ] || skip "needs root to give up its rights"
  status=0
  (ulimit -r 0 && exec setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice "$bench" messaging \
    "${few[@]}" --over pipe --sched fifo:1) >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(cat "$scratch/out") err=$(cat "$scratch/err")
  expect_status 2
  grep -q -- '--sched fifo:1: EPERM; needs root, CAP_SYS_NICE or' <<<"$err" || fail "not said"
}

@test "warnings advise options that there are" {
  # advised WHAT ARGUMENT...: with a precision that hardly anybody reaches, and too short to mean anything.
  advised() {
    run_bench "${@:2}" --precision 0.01 --repeat 3 --max-repeat 3 --warmup 0 --retry-disturbed 0
    [[ $err == *"[precision]"*"a larger --max-repeat, or $1"* ]] || fail "no advice"
    [[ $err != *--runtime* && $err != *--iterations* ]] || fail "an option of another benchmark"
  }
  advised "more --messages" messaging --pairs 2 --messages 50
  advised "more --samples" wake-latency --samples 30 --sleep-us 1
}

@test "hackbench's form" {
  local between
  for between in processes threads; do
    run_bench messaging --groups 2 --fds 3 --messages 20 --over pipe,socketpair --between "$between" \
      --warmup 0 --retry-disturbed 0 --format json
    expect_status 0
    # 2 groups x 3 x 3 x 20 messages.
    jq -e 'all(.points[]; .threads == 12 and (.trials[0].values |
      (.throughput * .duration | round) == 360 and .first_finished <= .duration and .duration <= .joined))' <<<"$out" >/dev/null ||
      fail "$between"
  done
}

# Whatever it waits in or holds; a condition variable, for one, remembers who waits.
@test "a member that is killed ends the trial at once, and the run goes on" {
  local over signal
  for over in pipe cond futex; do
    # Not only the signal that nobody can hold back.
    signal=KILL
    if [ "$over" = futex ]; then signal=TERM; fi
    start "${endless[@]}" --pairs 30 --messages 1M,20 --over "$over" --between processes --order sequential
    wait_for 20 have_members 60
    kill -"$signal" "${members[7]}"
    ended_soon
    collect
    expect_status 3
    jq -se --arg signal "SIG$signal" 'map(select(.type == "trial")) | .[0].status == "failed" and
      (.[0].note | test("process 8 of 60 was killed by " + $signal + ", after [0-9]+ of 30000000 messages")) and
      .[1].status == "ok"' <<<"$out" >/dev/null || fail "trials over $over"
  done
}

@test "the trial's process killed: its members go with it" {
  local signal
  for signal in KILL TERM; do
    start "${endless[@]}" --pairs 30 --messages 1M --over socketpair
    wait_for 20 have_members 60
    kill -"$signal" "$trial"
    ended_soon
    collect
    expect_status 3
    jq -se --arg signal "SIG$signal" 'any(.[]; .type == "trial" and (.note // "" | contains($signal)))' <<<"$out" \
      >/dev/null || fail "$signal not named"
  done
}

# interrupted_by SIGNAL STATUS [start_group]: the parent alone, or its whole process group.
interrupted_by() {
  "${3-start}" "${endless[@]}" --pairs 30 --messages 20,1M --over pipe --order sequential
  wait_for 20 have_members 60
  kill -"$1" -- "${3:+-}$pid"
  ended_soon
  collect
  expect_status "$2"
  # What was finished is kept, the one in the middle named.
  jq -se '(map(select(.type == "trial")) | .[0].status == "ok" and .[1].status == "cut_short" and
    .[1].values.throughput > 0 and .[1].values.duration == null and .[1].circumstances == {} and
    (.[1].note | test("^interrupted after [0-9]+ of 30000000 messages"))) and
    (last | .type == "end" and .complete == false)' <<<"$out" >/dev/null || fail "results"
}

@test "SIGINT: nothing left, finished points kept" { interrupted_by INT 130; }
@test "SIGTERM: nothing left, finished points kept" { interrupted_by TERM 143; }

@test "SIGINT from the terminal, which all processes get, is the same" { interrupted_by INT 130 start_group; }

@test "SIGKILL of the parent leaves nothing running" {
  start "${endless[@]}" --pairs 30 --messages 1M --over pipe
  wait_for 20 have_members 60
  kill -KILL "$pid"
  wait "$pid" || true
  ended_soon
}

@test "threads: an interrupted point is named, the process gone" {
  start "${endless[@]}" --pairs 20 --messages 1M --over cond
  wait_for 20 pgrep -P "$pid"
  trial=$(pgrep -P "$pid") members=()
  sleep 0.3
  kill -INT "$pid"
  wait_for 3 nothing_left || fail "still there"
  collect
  expect_status 130
  jq -se 'any(.[]; .type == "trial" and (.note // "" | test("interrupted after")))' <<<"$out" >/dev/null ||
    fail "not named"
}

@test "a limit on processes in the middle: named, nothing left" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to become another user, who the limit applies to"
  local copy
  copy=$(mktemp -d /tmp/futex-bench.XXXXXX)
  cp "$(readlink -f "$bench")" "$copy/futex-bench"
  chmod 755 "$copy" "$copy/futex-bench"
  status=0
  # shellcheck disable=SC2016  # $0 is for the inner shell
  ASAN_OPTIONS=detect_leaks=0 setpriv --reuid=54322 --regid=54322 --clear-groups \
    bash -c 'ulimit -u 20 && exec "$0" messaging --pairs 30,2 --messages 20 --over pipe --warmup 0' \
    "$copy/futex-bench" >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(cat "$scratch/out") err=$(cat "$scratch/err")
  rm -r "$copy"
  expect_status 3
  # That one, and not those which have nothing to do with it.
  grep -qE 'created [0-9]+ of 60 processes: Resource temporarily unavailable; RLIMIT_NPROC=20, needed: 60 more' \
    <<<"$out" || fail "limit not named"
  [[ $out != *threads-max* ]] || fail "other limits named"
  grep -q '^2\*2 processes over pipe, 20' <<<"$out" || fail "small point lost"
  ! pgrep -u 54322 || fail "processes left"
}

@test "compare sets two results side by side, with their labels" {
  run_bench messaging "${few[@]}" --over pipe --repeat 6 --kernel-label old --output "$scratch/a.json"
  expect_status 0
  run_bench messaging "${few[@]}" --over pipe --repeat 6 --kernel-label new --output "$scratch/b.json"
  expect_status 0
  run_bench compare "$scratch/a.json" "$scratch/b.json" --metric p99
  expect_status 0
  grep -q -- '--kernel-label.*old.*new' <<<"$out$err" || fail "labels"
}
