#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# scripts/sweep: steps, interruption, resumption.

# Variables come from common.bash; bats runs every test in a subshell and calls functions by name.
# shellcheck disable=SC2030,SC2031,SC2154,SC2317

load common

few=(--modes 'wait,spin' --threads '1 2' --hold '0 50' --options '--runtime 0.01 --repeat 2 --warmup 0')

# sweep ARGUMENT...: $status, $out, $err.
sweep() {
  status=0
  FUTEX_BENCH=$bench "$top/scripts/sweep" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(cat "$scratch/out")
  err=$(cat "$scratch/err")
}

results() { find "$scratch/s" -name 'threads-*.json' | wc -l; }

@test "a step is a combination, all modes in one run, and the tables come at the end" {
  sweep "${few[@]}" "$scratch/s"
  expect_status 0
  [ "$(results)" -eq 4 ] || fail "files"
  jq -e '.complete and (.points | map(.mode) == ["wait", "spin"]) and
    all(.points[]; .threads == 2 and .parameters.hold_ns == "50")' \
    "$scratch/s/threads-2_hold-50_gap-0_placement-none.json" >/dev/null || fail "content"
  [ "$(grep -c '^# Side by side' <<<"$out")" -eq 4 ] || fail "tables"
  [ "$(find "$scratch/s" -name '*.part' | wc -l)" -eq 0 ] || fail "something left"
  sweep "${few[@]}" "$scratch/s"
  expect_status 0
  grep -q "4 of 4 steps done, 0 run now" <<<"$err" || fail "did it again"
  [ "$(grep -c '^# Side by side' <<<"$out")" -eq 4 ] || fail "tables of the second call"
}

@test "a description from a file, and options that count more" {
  printf '%s\n' '# a comment' 'MODES=wait' "THREADS='1 2'" 'HOLD="0 50"  # two' '' \
    'OPTIONS="--runtime 0.01 --repeat 1 --warmup 0"' >"$scratch/conf"
  sweep --file "$scratch/conf" --hold 0 --dry-run "$scratch/s"
  expect_status 0
  grep -q "^2 steps" <<<"$out" || fail "steps"
  grep -qE "^threads-2_hold-0_gap-0_placement-none +about" <<<"$out" || fail "step"
  [ ! -e "$scratch/s" ] || fail "a dry run wrote something"
  echo 'THREDS=4' >>"$scratch/conf"
  sweep --file "$scratch/conf" "$scratch/s"
  expect_status 2
  grep -q "conf:7: unknown key THREDS" <<<"$err" || fail "unknown key"
  # It is read, never run.
  # shellcheck disable=SC2016
  printf 'HOLD="$(touch %s/owned)"\n' "$scratch" >"$scratch/conf"
  sweep --file "$scratch/conf" "$scratch/s"
  expect_status 2
  [ ! -e "$scratch/owned" ] || fail "the description was run"
}

@test "killed in the middle, it goes on where it stopped" {
  slow=(--modes wait --threads '1 2 3' --options '--runtime 0.1 --repeat 8 --warmup 0')
  FUTEX_BENCH=$bench "$top/scripts/sweep" "${slow[@]}" "$scratch/s" >/dev/null 2>"$scratch/err" 3>&- &
  pid=$!
  wait_for 30 test -e "$scratch/s/threads-1_hold-0_gap-0_placement-none.json"
  wait_for 30 grep -q 'step 2 of 3' "$scratch/err"
  kill -KILL "$pid"
  wait "$pid" || true
  before=$(stat -c %y "$scratch/s/threads-1_hold-0_gap-0_placement-none.json")
  [ "$(results)" -eq 1 ] || fail "more than the first step is done"
  sweep "${slow[@]}" "$scratch/s"
  expect_status 0
  grep -q "3 of 3 steps done, 2 run now" <<<"$err" || fail "steps"
  [ "$before" = "$(stat -c %y "$scratch/s/threads-1_hold-0_gap-0_placement-none.json")" ] ||
    fail "the first step was run again"
  jq -e '.complete and ([.points[0].trials[].round] | unique | length == 8)' "$scratch"/s/threads-2_*.json >/dev/null ||
    fail "the second step is not whole"
}

@test "interrupted by a signal: status 128 + n, nothing half done, no run left behind" {
  slow=(--modes wait --threads '1 2' --options '--runtime 30 --repeat 8 --warmup 0')
  FUTEX_BENCH=$bench "$top/scripts/sweep" "${slow[@]}" "$scratch/s" >/dev/null 2>"$scratch/err" 3>&- &
  pid=$!
  wait_for 30 grep -q 'step 1 of 2' "$scratch/err"
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  expect_status 143
  [ "$(results)" -eq 0 ] || fail "a step of which nothing is known"
  [ "$(find "$scratch/s" -name '*.part' | wc -l)" -eq 0 ] || fail "something left"
  flock -n "$scratch/s/.lock" true || fail "a run is still at work"
}

@test "a step whose JSON is not whole is done again" {
  sweep "${few[@]}" "$scratch/s"
  cut=$scratch/s/threads-1_hold-0_gap-0_placement-none.json
  truncate -s 500 "$cut"
  stopped=$scratch/s/threads-2_hold-0_gap-0_placement-none.json
  jq '.complete = false | .points[1].trials |= .[:1]' "$stopped" >"$scratch/j" && mv "$scratch/j" "$stopped"
  sweep "${few[@]}" "$scratch/s"
  expect_status 0
  grep -q "2 run now" <<<"$err" || fail "not two"
  jq -e .complete "$cut" "$stopped" >/dev/null || fail "still not whole"
}

@test "a step that fails is named, the rest goes on, and the next call tries it again" {
  sweep "${few[@]}" --placement 'node=1000 none' "$scratch/s"
  expect_status 3
  [ "$(results)" -eq 4 ] || fail "the others"
  grep -q "^sweep: failed: threads-1_hold-0_gap-0_placement-node=1000" <<<"$err" || fail "name"
  grep -q "failed with status 2: .*node 1000" <<<"$err" || fail "reason"
  sweep "${few[@]}" --placement 'node=1000 none' "$scratch/s"
  expect_status 3
  grep -q "4 of 8 steps done, 4 run now" <<<"$err" || fail "second call"
}

@test "a step with modes that cannot run is kept, and named each time" {
  sweep --modes all --threads 1 --options '--shared --runtime 0.01 --repeat 1 --warmup 0' "$scratch/s"
  expect_status 3
  grep -q "has gaps.*threads-1_" <<<"$err" || fail "not named"
  sweep --modes all --threads 1 --options '--shared --runtime 0.01 --repeat 1 --warmup 0' "$scratch/s"
  expect_status 3
  grep -q "1 of 1 steps done, 0 run now" <<<"$err" || fail "second call"
}

@test "another description in the same folder is refused" {
  sweep "${few[@]}" "$scratch/s"
  sweep "${few[@]}" --gap 100 "$scratch/s"
  expect_status 2
  grep -q "another description" <<<"$err" || fail "message"
  grep -q '^< GAP="100"' <<<"$err" || fail "what differs"
  [ -z "$out" ] || fail "tables"
}

@test "usage" {
  for bad in '' '--hold 1' '--nothing s' 's t' '--threads'; do
    # shellcheck disable=SC2086 # words
    sweep $bad
    expect_status 2
  done
  sweep --options '--mode spin' "$scratch/s"
  expect_status 2
  sweep --hold '0 0' "$scratch/s"
  expect_status 2
  grep -q "occurs twice" <<<"$err" || fail "twice"
  [ ! -e "$scratch/s" ] || fail "it wrote something"
}
