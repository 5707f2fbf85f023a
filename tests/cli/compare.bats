#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# compare: what it says, what it refuses, and what its exit status is.

# Variables come from common.bash; bats runs every test in a subshell and calls functions by name.
# shellcheck disable=SC2030,SC2031,SC2154,SC2317

load common

# Written when schema 1 was new. Whatever the schema becomes, this file can be read.
old=$BATS_TEST_DIRNAME/data/schema1.json

# variant NAME FILTER: a file made from the old one by jq, and its path.
variant() {
  jq "$2" "$old" >"$scratch/$1" && printf '%s' "$scratch/$1"
}

# times NAME FACTOR: the old one with all throughputs multiplied.
times() {
  variant "$1" "(.points[].trials[] | select(.status != \"failed\")).values.throughput *= $2"
}

# refuses PATTERN ARGUMENT...: exit status 2, one line, nothing on stdout.
refuses() {
  local pattern=$1
  shift
  run_bench compare "$@"
  expect_status 2 || return 1
  [ -z "$out" ] || fail "$*: something on stdout"
  [ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "$*: not one line"
  grep -qe "$pattern" <<<"$err" || fail "$*: does not say '$pattern'"
}

@test "a file of schema 1 can be read, with all that was in it" {
  run_bench compare "$old" "$old" --format json
  expect_status 0
  jq -e '.tool == "futex-bench compare" and .benchmark == "lock" and .metric == "throughput" and
    .tests == 4 and
    (.comparisons[0].rows | map([.mode, .threads, .parameters.hold_ns, .base.count, .base.failed])
      == [["wait", 1, "50", 9, 0], ["wait", 2, "50", 8, 1], ["spin", 1, "50", 9, 0],
          ["spin", 2, "50", 9, 0], ["absent", 1, "50", 0, 0]]) and
    .comparisons[0].rows[0].base.median == 20400 and
    (.comparisons[0].rows[4].reason | test("ENOSYS"))' <<<"$out" >/dev/null || fail "content"
  [ -z "$err" ] || fail "stderr"
}

@test "the same twice: no difference shown, and what would have been" {
  run_bench compare "$old" "$old"
  expect_status 0
  [ "$(grep -c 'no difference shown ([0-9.]*% or more would have been)' <<<"$out")" -eq 4 ] ||
    fail "words"
  grep -q "not interleaved" <<<"$out" || fail "nothing about drift"
  grep -q "wait, 2 threads, hold_ns=50, base: 1 of 9 trials without a value" <<<"$out" ||
    fail "failed trial not named"
}

@test "slower and faster" {
  run_bench compare "$old" "$(times slow.json 0.2)"
  expect_status 0
  [ "$(grep -c '0.200x \[.*\]  slower$' <<<"$out")" -eq 4 ] || fail "slower"
  run_bench compare "$(times slow.json 0.2)" "$old"
  [ "$(grep -c '5.000x \[.*\]  faster$' <<<"$out")" -eq 4 ] || fail "faster"
}

@test "--fail-above gives 4 for what is shown and beyond it, 0 otherwise" {
  slow=$(times slow.json 0.2)
  run_bench compare --fail-above 79.9 "$old" "$slow"
  expect_status 4
  grep -q "4 points shown to be worse by more than 79.9 %" <<<"$out" || fail "not counted"
  run_bench compare --fail-above 80 "$old" "$slow"
  expect_status 0
  run_bench compare --fail-above 0 "$slow" "$old"
  expect_status 0
  run_bench compare --fail-above 0 "$old" "$old" "$slow"
  expect_status 4
}

@test "--fail-above that can never fail says so" {
  few=$(variant few.json '.points[].trials |= .[:2]')
  run_bench compare --fail-above 5 "$few" "$few"
  expect_status 0
  grep -q "cannot fail: too few trials" <<<"$err" || fail "silent"
  refuses "would never fail" --fail-above 100 "$old" "$old"
  refuses "no better direction" --metric system --fail-above 5 "$old" "$old"
  for bad in -1 1001 nan '' 5%; do refuses "^futex-bench: --fail-above: " --fail-above "$bad" a b; done
}

@test "lower-is-better and neutral metrics" {
  filter='.metrics[0].direction = "lower_is_better"'
  base=$(variant base.json "$filter")
  slow=$(variant slow.json "$filter | (.points[].trials[] | select(.status != \"failed\")).values.throughput *= 3")
  run_bench compare --fail-above 150 "$base" "$slow"
  expect_status 4
  grep -q "3.000x .*slower, beyond the limit" <<<"$out" || fail "slower"
  filter='.metrics[0].direction = "neutral"'
  base=$(variant base.json "$filter")
  slow=$(variant slow.json "$filter | (.points[].trials[] | select(.status != \"failed\")).values.throughput *= 3")
  run_bench compare "$base" "$slow"
  grep -q "3.000x .*higher$" <<<"$out" || fail "higher"
  run_bench compare --metric jain "$old" "$old"
  expect_status 0
  grep -q "jain" <<<"$out" || fail "metric not named"
  refuses "has no metric 'speed'; it has throughput" --metric speed "$old" "$old"
}

@test "disturbed trials are left out where enough remain, and it says so" {
  some=$(variant some.json '.points[0].trials[:3][].disturbed = true')
  if ! "$bench" compare "$old" "$some" --format json |
    jq -e '.comparisons[0].rows[0].new.disturbed == 3' >/dev/null; then
    fail "the flag is not read"
  fi
  run_bench compare "$old" "$some"
  grep -q "wait, 1 thread, hold_ns=50, new: 3 of 9 trials disturbed and left out" <<<"$out" ||
    fail "not said"
  most=$(variant most.json '.points[0].trials[:4][].disturbed = true')
  run_bench compare "$old" "$most"
  grep -q "new: 4 of 9 trials disturbed but used" <<<"$out" || fail "not said"
}

@test "points of one file only are named; values of one file only give 3" {
  more=$(variant more.json '.points[0].threads = 16')
  run_bench compare "$old" "$more"
  expect_status 0
  grep -q "Only in $old: wait, 1 thread, hold_ns=50." <<<"$out" || fail "base"
  grep -q "Only in $more: wait, 16 threads, hold_ns=50." <<<"$out" || fail "new"
  lost=$(variant lost.json '.points[0].trials[] |= (.status = "failed" | .note = "killed" | .values = {})')
  run_bench compare "$old" "$lost"
  expect_status 3
  grep -q "here: no value: killed" <<<"$out" || fail "reason"
}

@test "what else differs is warned of, on stderr and in the output" {
  other=$(variant other.json '.environment.kernel.value = "9.9" | .environment.cpus_allowed.value = "0"
    | .runtime_seconds = 2 | .order = "latin"')
  run_bench compare "$old" "$other"
  expect_status 0
  for what in "kernel differs: 6.1.0-test #1 SMP in .*, 9.9 in" "CPUs allowed differs" \
    "time per trial differs: 0.01 s in .*, 2 s" "order of the trials differs"; do
    grep -q "^futex-bench: $what" <<<"$err" || fail "stderr: $what"
    grep -q "^# Warning: $what" <<<"$out" || fail "stdout: $what"
  done
  run_bench compare --quiet --format json "$old" "$other"
  [ -z "$err" ] || fail "--quiet"
  jq -e '.comparisons[0].warnings | map(.id) == ["differs-kernel", "differs-cpus_allowed",
    "differs-runtime", "differs-order"]' <<<"$out" >/dev/null || fail "json"
}

@test "files that are no results: one line" {
  head -c 3000 "$old" >"$scratch/cut.json"
  : >"$scratch/empty.json"
  echo '{"name": "something else"}' >"$scratch/foreign.json"
  refuses "truncated" "$old" "$scratch/cut.json"
  refuses "empty" "$scratch/empty.json" "$old"
  refuses "not a result of futex-bench" "$old" "$scratch/foreign.json"
  refuses "schema 99 is newer" "$old" "$(variant future.json '.schema_version = 99')"
  refuses "points\[0\].trials\[0\].round is missing" "$old" \
    "$(variant edited.json 'del(.points[0].trials[0].round)')"
  refuses "No such file" "$old" "$scratch/none.json"
  refuses "Is a directory" "$old" "$scratch"
  refuses "is of benchmark hash" "$old" \
    "$(variant hash.json '.benchmark = "hash" | .points[].benchmark = "hash"')"
  refuses "no point in common" "$old" "$(variant far.json '.points[].threads += 100')"
}

@test "usage: files, formats and options that have no meaning here" {
  refuses "needs BASE.json NEW.json"
  refuses "needs BASE.json NEW.json" "$old"
  refuses "no format 'csv', only text, markdown, json" --format csv "$old" "$old"
  refuses "^futex-bench: --repeat: " --repeat 3 "$old" "$old"
  refuses "^futex-bench: --quick: " --quick "$old" "$old"
}

@test "markdown, and --output" {
  run_bench compare --format markdown "$old" "$old"
  expect_status 0
  grep -qE '^\|( *:?-+:? *\|)+$' <<<"$out" || fail "no table"
  run_bench compare --output "$scratch/c.json" "$old" "$old"
  expect_status 0
  jq -e '.tests == 4' "$scratch/c.json" >/dev/null || fail "file"
  grep -q "no difference shown" <<<"$out" || fail "no table on stdout"
}

@test "what lock writes, compare reads" {
  run_bench lock "${twice[@]}" --threads 1,2 --output "$scratch/a.json"
  run_bench compare "$scratch/a.json" "$scratch/a.json"
  expect_status 0
  grep -q "Too few trials to show any difference: 5 on each side are needed for 2 comparisons" <<<"$out" || fail "words"
}
