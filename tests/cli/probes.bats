#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# lock --probe: what it adds to a result, and what it refuses.

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

# value_of METRIC: in the only trial of the JSON in $out.
value_of() {
  jq --arg name "$1" '.points[0].trials[0].values | if has($name) then .[$name] else error("no such metric") end' <<<"$out"
}

# holds FILTER [METRIC]: whether the jq filter holds for the metric, or for the point's parameters.
holds() {
  local input
  if [ $# -eq 2 ]; then input=$(value_of "$2"); else input=$(jq '.points[0].parameters' <<<"$out"); fi
  jq -e "$1" <<<"$input" >/dev/null || fail "${2:-parameters}: not $1: $input"
}

@test "unknown probes, probes that disturb each other, options without their probe" {
  refuses "'latncy'.*did you mean 'latency'" lock --probe latncy
  refuses "^futex-bench: --probe: latency and syscalls would disturb each other" \
    lock --probe syscalls,latency
  refuses "^futex-bench: --probe: " lock --probe fairness,latency
  refuses "^futex-bench: --sample: " lock --sample 4
  refuses "^futex-bench: --sample: " lock --probe fairness --sample 4
  refuses "^futex-bench: --sample: " lock --probe latency --sample 0
  refuses "^futex-bench: --sample: " lock --probe latency --sample 1/0
  refuses "^futex-bench: --sample: " lock --probe latency --sample 2/3
  refuses "^futex-bench: --sample: " lock --probe latency --sample 1/
  refuses "^futex-bench: --verify: cannot go with --probe latency" lock --probe latency --verify
  refuses "^futex-bench: --verify: mode null is no lock" lock --mode wait,null --verify
}

@test "without a probe a result has neither its metrics nor its parameters" {
  run_bench lock "${short[@]}" --threads 1 --format json
  expect_status 0
  if grep -q 'futex_waits\|latency_p50\|window_jain\|"cycles"\|"probe"' <<<"$out"; then fail "traces of probes"; fi
}

@test "syscalls: waits and wakes where threads meet" {
  run_bench lock --runtime 0.1 --repeat 1 --warmup 0 --threads 4 --hold 500 --probe syscalls --format json
  expect_status 0
  holds '.probe == "syscalls"'
  holds '. > 0' futex_waits
  holds '. > 0' futex_wakes
}

@test "syscalls: null for a lock of the system" {
  run_bench lock "${short[@]}" --threads 1 --mode pthread --probe syscalls --format json
  expect_status 0
  holds '. == null' futex_waits
}

@test "latency names its clock and its sampling" {
  run_bench lock "${short[@]}" --threads 1 --probe latency --sample 1/3 --format json
  expect_status 0
  holds '.probe == "latency" and .sample == "3" and (.clock == "tsc" or .clock == "monotonic")'
  holds '. > 0' latency_p50
  holds '. > 0' clock_cost
}

@test "fairness gives its figures in the text table" {
  run_bench lock --runtime 0.05 --repeat 1 --warmup 0 --threads 2 --probe fairness
  expect_status 0
  grep -q "window_jain .*longest_wait .* us .*window_owners .*reacquire_distance " <<<"$out" || fail "figures"
}

@test "perf goes with the others, in a fixed order" {
  run_bench lock "${short[@]}" --threads 1 --probe syscalls,perf --format json
  expect_status 0
  holds '.probe == "perf+syscalls"'
}
