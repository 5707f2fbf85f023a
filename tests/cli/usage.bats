#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Bad input: one line on stderr, exit status 2, nothing measured, nothing on stdout.

# Variables come from common.bash; bats runs every test in a subshell and calls functions by name.
# shellcheck disable=SC2030,SC2031,SC2154,SC2317

load common

# refuses PATTERN ARGUMENT...
refuses() {
  local pattern=$1
  shift
  run_bench "$@"
  expect_status 2 || return 1
  [ -z "$out" ] || fail "$*: something on stdout"
  [ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "$*: not one line"
  grep -qe "$pattern" <<<"$err" || fail "$*: does not say '$pattern'"
}

@test "numbers of threads" {
  local bad
  for bad in 0 -1 5-1 1- - 1,,2 99999999999 nan inf 1e400 0x10 '' ' 7' 7abc 1.5 +3 1-8:0 1-8:x1 \
    18446744073709551616 1,1 65537; do
    refuses "^futex-bench: --threads: '$bad'\|^futex-bench: --threads: .*'" lock --threads "$bad"
    refuses "^futex-bench: --threads: " lock "--threads=$bad"
  done
  refuses "did you mean 1-5" lock --threads 5-1
}

@test "counts" {
  local option bad
  for option in --repeat --iterations; do
    for bad in 0 -1 1.5 nan inf 1e400 0x10 '' ' 7' abc 99999999999999999999999; do
      refuses "^futex-bench: $option: " lock --threads 1 "$option" "$bad"
    done
  done
  for bad in -1 1.5 nan '' 0x10 18446744073709551616; do
    refuses "^futex-bench: --spin: " lock --mode adaptive --spin "$bad"
    refuses "^futex-bench: --seed: " lock --seed "$bad"
  done
}

@test "seconds and nanoseconds" {
  local option bad
  for option in --runtime --hold --gap --warmup; do
    for bad in -1 nan inf -inf 1e400 1e-400 0x10 '' ' 7' abc 1e30; do
      refuses "^futex-bench: $option: " lock --threads 1 "$option" "$bad"
    done
  done
  refuses "^futex-bench: --runtime: " lock --runtime 0
}

@test "unknown names get the nearest one" {
  refuses "'wiat'.*did you mean 'wait'" lock --mode wiat
  refuses "'lck'.*did you mean 'lock'" lck
  refuses "--thread.*did you mean '\?--threads" lock --thread 4
  refuses "'jsno'.*json" lock --format jsno
  refuses "duplicate\|twice\|more than once" lock --mode wait,wait
  refuses "nothing-like-it" lock --mode nothing-like-it
}

@test "values that are missing, surplus or repeated" {
  refuses "--threads" lock --threads
  refuses "4" lock 4
  refuses "--threads" lock --threads 1 --threads 2
  refuses "." --no-such-option
}

@test "placement outside the machine names what is there" {
  refuses "^futex-bench: .*100000" lock --threads 1 --placement cpus=100000
  refuses "^futex-bench: .*node" lock --threads 1 --placement node=1000
  refuses "^futex-bench: --placement: " lock --threads 1 --placement everywhere
  refuses "^futex-bench: --placement: " lock --threads 1 --placement cpus=
  refuses "^futex-bench: .*node" lock --threads 1 --lock-node 1000
}

@test "options that contradict each other or the mode" {
  refuses "--runtime" lock --iterations 10 --runtime 1
  refuses "--quick and --thorough" lock --quick --thorough
  refuses "--spin: mode wait" lock --mode wait --spin 3
  refuses "--shared: mode std" lock --mode std --shared
}

@test "an output file that cannot be made is told before anything is measured" {
  run_bench lock --threads 1 --runtime 3600 --output /nonexistent/r.json
  expect_status 1
  grep -q "/nonexistent/r.json.*No such file" <<<"$err" || fail "message"
}

@test "--mode all goes on without what an option excludes, exit status 3" {
  run_bench lock "${short[@]}" --threads 1 --mode all --shared
  expect_status 3
  grep -q "mode std skipped: --shared" <<<"$err" || fail "no word of std"
  grep -q "1 threads: skipped" <<<"$out" || fail "no skipped line"
}

@test "options that a command has no use for" {
  refuses "list prints text only" list --format json
  refuses "list prints text only" list --output x.json
}

@test "the scripts for developers refuse at once what they cannot do" {
  # refused WORD COMMAND...: status 2 and one line with the word.
  refused() {
    run timeout 20 "${@:2}"
    [ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] && [[ ${lines[0]} == *"$1"* ]] ||
      fail "${*:2}: $status: $output"
  }
  cd "$top"
  refused nosuch "$top/scripts/mutate" nosuch.h
  refused 'no C++ file' "$top/scripts/mutate" README.md
  refused 'no C++ file' "$top/scripts/mutate" /etc/passwd
  refused "'fast'" "$top/scripts/mutate" --suites 'unit fast' common/locks/mcs.h
  FUTEX_BENCH=$bench refused "script's own" "$top/scripts/pareto" --threads 4
  FUTEX_BENCH=$bench refused --nonsense "$top/scripts/pareto" --nonsense
  FUTEX_BENCH=/nowhere/futex-bench refused /nowhere/futex-bench "$top/scripts/pareto"
}
