#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What the tool prints: old scripts must still read the historical line, programs every format.

# Variables come from common.bash; bats runs every test in a subshell and calls functions by name.
# shellcheck disable=SC2030,SC2031,SC2154,SC2317

load common

historical='^ *[0-9]+ threads: +[0-9.]+ Kiter/s \([0-9]+\.[0-9]{2}s user [0-9]+\.[0-9]{2}s system [0-9]+\.[0-9]{2}s wall [0-9]+\.[0-9]{2} cores\)'

@test "text keeps the historical line" {
  run_bench lock "${short[@]}" --threads 1,2,4
  expect_status 0
  [ "$(grep -cE "$historical" <<<"$out")" -eq 3 ] || fail "not three historical lines"
  grep -qF "# Running 'futex/lock' benchmark: FUTEX_WAIT (mode wait), 1 x 0.01 s" <<<"$out" ||
    fail "no heading"
}

@test "fewer than six trials have no interval, and it says so" {
  run_bench lock "${twice[@]}" --threads 1
  grep -q "no 95 % interval" <<<"$out" || fail "nothing about the interval"
}

@test "several modes are set side by side" {
  run_bench lock "${short[@]}" --threads 1,2 --mode wait,setwait
  expect_status 0
  grep -q "Side by side" <<<"$out" || fail "no side-by-side table"
  grep -qE '^ +2 +[0-9]+ +[0-9]+ +[0-9.]+x .*(faster|slower|no difference shown)' <<<"$out" ||
    fail "no row with words"
}

@test "json is valid and complete" {
  run_bench lock "${twice[@]}" --threads 1,3 --mode wait,spin-yield --format json \
    --seed 7 --tag kernel=test --hold 50
  expect_status 0
  jq -e . <<<"$out" >/dev/null || fail "not JSON"
  jq -e '
    .schema_version == 1 and .tool == "futex-bench" and .benchmark == "lock" and .complete and
    .seed == 7 and .repeat == 2 and .tags.kernel == "test" and
    (.command_line | index("--seed") != null) and
    (.points | length) == 4 and
    (.points | all(.parameters.hold_ns == "50")) and
    (.points | all(.trials | length == 2)) and
    (.points[0].trials | map(.round) == [0, 1]) and
    (.metrics[0] | .name == "throughput" and .unit == "Kiter/s" and
       .direction == "higher_is_better")' <<<"$out" >/dev/null || fail "wrong content"
}

@test "lists of hold and gap make every combination a point" {
  run_bench lock "${twice[@]}" --threads 1,2 --mode wait,ticket --hold 0,100 --gap 50 --format json
  expect_status 0
  jq -e '([.points[] | [.mode, .parameters.hold_ns, .parameters.gap_ns, .threads]] |
      .[:4] == [["wait", "0", "50", 1], ["wait", "0", "50", 2],
                ["wait", "100", "50", 1], ["wait", "100", "50", 2]]) and
    (.points | length) == 8 and
    .comparison.modes == ["wait", "ticket"] and (.comparison.rows | length) == 4' <<<"$out" >/dev/null ||
    fail "$(jq -c '[.points[] | [.mode, .parameters, .threads]]' <<<"$out")"
}

@test "json names the machine" {
  run_bench lock "${short[@]}" --threads 1 --format json
  jq -e '.environment | [.kernel, .cpu_model, .cpus_allowed, .nodes, .libc, .compiler,
    .build_type] | all(. != null and (.value != null or .reason != ""))' <<<"$out" >/dev/null ||
    fail "$(jq -c '.environment | keys' <<<"$out")"
  [ "$(jq -r .environment.kernel.value <<<"$out")" != "" ]
}

@test "what cannot be measured is null, not zero" {
  run_bench lock "${short[@]}" --threads 1 --mode pthread --format json
  [ "$(jq '.points[0].trials[0].values.slow_share' <<<"$out")" = null ] || fail "not null"
  run_bench lock "${short[@]}" --threads 1 --mode pthread --format csv
  [[ $out != *nan* && $out != *inf* ]] || fail "nan in CSV"
}

@test "csv has a header and a row per trial" {
  run_bench lock "${twice[@]}" --threads 1,2 --format csv
  expect_status 0
  [[ $(head -1 <<<"$out") == benchmark,mode,threads,*round,*status,*throughput* ]] || fail "header"
  [ "$(wc -l <<<"$out")" -eq 5 ] || fail "rows"
}

@test "jsonl is one object a line, as it happens" {
  run_bench lock "${twice[@]}" --threads 1,2 --format jsonl
  expect_status 0
  [ "$(jq -r .type <<<"$out" | sort | uniq -c | tr -s ' \n' ' ')" = " 1 end 2 point 1 run 4 trial " ] ||
    fail "types: $(jq -r .type <<<"$out" | tr '\n' ' ')"
}

@test "simple is mode, threads, median and unit" {
  run_bench lock "${short[@]}" --threads 2 --format simple
  [[ $out =~ ^wait\ 2\ [0-9.]+\ Kiter/s$ ]] || fail "form"
}

@test "markdown is a table" {
  run_bench lock "${short[@]}" --threads 2 --format markdown
  grep -qE '^\|( *:?-+:? *\|)+$' <<<"$out" || fail "no table"
}

@test "stdout has results only and stderr nothing but warnings when nothing is wrong" {
  run_bench lock "${short[@]}" --threads 1 --format simple
  ! grep -qv '^futex-bench: warning: \[\|^$' <<<"$err" || fail "stderr"
  run_bench lock "${short[@]}" --threads 1 --format simple --quiet
  [ -z "$err" ] || fail "stderr in spite of --quiet"
}

@test "no escape codes where nobody looks, colour only when asked" {
  run_bench lock "${short[@]}" --threads 1 --mode wait,spin
  [[ $out$err != *$'\033'* ]] || fail "escape codes in a pipe"
}

@test "--output writes the file whole and still shows the table" {
  run_bench lock "${short[@]}" --threads 1 --output "$scratch/r.json"
  expect_status 0
  jq -e .complete "$scratch/r.json" >/dev/null || fail "no JSON in the file"
  grep -qE "$historical" <<<"$out" || fail "no table"
  [ "$(find "$scratch" -name '*r.json*' | wc -l)" -eq 1 ] || fail "temporary file left"
  run_bench lock "${short[@]}" --threads 1 --quiet --output "$scratch/r.csv"
  [ -z "$out" ] || fail "--quiet with --output still prints"
  [[ $(head -1 "$scratch/r.csv") == benchmark,* ]] || fail "extension did not choose the format"
}

@test "--dry-run shows the plan and measures nothing" {
  run_bench lock --threads 1,4 --mode wait,spin --dry-run
  expect_status 0
  grep -q "4 points" <<<"$out" || fail "no plan"
  grep -q '^wait     1 threads' <<<"$out" || fail "not aligned"
  grep -q '^spin     4 threads' <<<"$out" || fail "not aligned"
  run_bench lock --threads 1 --mode wait,setwait-lite --dry-run
  grep -q '^wait             1 threads$' <<<"$out" || fail "not aligned with the longest"
  [[ $out != *Kiter* ]] || fail "measured"
}

@test "--dry-run says when threads will not fit" {
  is_sanitized && skip "sanitizers cannot live with a limit on address space"
  status=0
  out=$(ulimit -v 300000 && "$bench" lock --threads 60000 --dry-run 2>&1) || status=$?
  expect_status 0
  grep -q "60000 threads will not fit" <<<"$out" || fail "no warning"
}

@test "list names every mode with summary, source and kernel" {
  run_bench list
  expect_status 0
  for mode in wait wait-xchg setwait setwait-lite spin spin-yield adaptive null pthread \
    pthread-adaptive std; do
    grep -qE "^  $mode +[^ ]" <<<"$out" || fail "$mode missing"
  done
  [ "$(grep -c 'this kernel: can' <<<"$out")" -ge 11 ] || fail "nothing about the kernel"
  run_bench list --verbose
  grep -q "fairness: barging" <<<"$out" || fail "no properties"
}

@test "help of every command names every option it has" {
  run_bench --help
  expect_status 0
  grep -q "Exit status" <<<"$out" || fail "no exit statuses"
  run_bench lock --help
  expect_status 0
  for option in --threads --mode --iterations --hold --gap --shared --spin --placement \
    --lock-node --verify --runtime --repeat --warmup --format --output --seed --quick --dry-run; do
    grep -qe "$option" <<<"$out" || fail "$option missing"
  done
  run_bench --version
  [[ $out =~ ^futex-bench\ [0-9]+\.[0-9]+ ]] || fail "version"
}

@test "iterations are split exactly and timed to the last thread" {
  run_bench lock --repeat 1 --warmup 0 --threads 3 --iterations 100001 --format json
  expect_status 0
  jq -e '.points[0] | .parameters.iterations == "100001" and
    (.trials[0].values | (.throughput * .wall * 1000 - 100001 | fabs) < 1)' <<<"$out" >/dev/null ||
    fail "not exactly 100001"
}

@test "the seed gives the same order again" {
  order() {
    "$bench" lock "${twice[@]}" --threads 1-6 --format jsonl --seed "$1" |
      jq -c 'select(.type == "trial") | .threads' | tr '\n' ' '
  }
  [ "$(order 3)" = "$(order 3)" ]
  [ "$(order 3)" != "$(order 4)" ]
}

@test "a mutex of a library is measured, or skipped with what to install" {
  local mode
  for mode in absl nsync; do
    run_bench lock "${short[@]}" --threads 1 --mode "$mode"
    if [ "$status" -eq 77 ]; then
      grep -q "skipped: not built in: install lib$mode-dev" <<<"$out" || fail "$mode: no reason"
    else
      expect_status 0
      grep -qE "$historical" <<<"$out" || fail "$mode: no figures"
    fi
  done
}
