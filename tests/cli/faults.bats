#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What goes wrong around a run: signals, limits, full disks, killed processes. Nothing measured is
# lost, nothing is left running.

# Variables come from common.bash; bats runs every test in a subshell and calls functions by name.
# shellcheck disable=SC2030,SC2031,SC2154,SC2317

load common

trials_seen() {
  [ "$(grep -c '"type": *"trial"' "$scratch/out")" -ge "$1" ]
}

child_of() {
  child=$(pgrep -P "$1") && [ -n "$child" ]
}

gone() {
  ! kill -0 "$1" 2>/dev/null
}

interrupted_by() {
  local signal=$1 number=$2
  start lock --threads 4,64 --runtime 0.05 --warmup 0 --repeat 1000 --format jsonl
  wait_for 30 trials_seen 3
  wait_for 30 child_of "$pid"
  kill -"$signal" "$pid"
  collect
  expect_status $((128 + number))
  gone "$child" || fail "the trial's process is still there"
  jq -se 'last | .type == "end" and .complete == false' <<<"$out" >/dev/null || fail "no end record"
  [ "$(jq -c 'select(.type == "trial")' <<<"$out" | wc -l)" -ge 3 ] || fail "trials lost"
  grep -q "interrupted by SIG$signal" <<<"$err" || fail "no word of the signal"
}

@test "SIGINT keeps what was finished" { interrupted_by INT 2; }
@test "SIGTERM keeps what was finished" { interrupted_by TERM 15; }
@test "SIGHUP keeps what was finished" { interrupted_by HUP 1; }

@test "an interrupted run still writes its file, marked incomplete" {
  start lock --threads 2 --runtime 0.05 --warmup 0 --repeat 1000 --output "$scratch/r.json"
  wait_for 30 child_of "$pid"
  sleep 0.3
  kill -TERM "$pid"
  collect
  expect_status 143
  jq -e '.complete == false and (.points[0].trials | length) > 0' "$scratch/r.json" >/dev/null ||
    fail "file"
}

@test "an ignored SIGHUP stays ignored" {
  nohup "$bench" lock --threads 1 --runtime 0.3 --warmup 0 --repeat 1 >"$scratch/out" 2>"$scratch/err" 3>&- &
  pid=$!
  wait_for 30 child_of "$pid"
  kill -HUP "$pid"
  collect
  expect_status 0
}

@test "SIGKILL of the parent leaves nothing running" {
  start lock --threads 8 --runtime 60 --warmup 0 --repeat 1
  wait_for 30 child_of "$pid"
  kill -KILL "$pid"
  wait "$pid" || true
  wait_for 10 gone "$child" || fail "the trial's process outlived its parent"
}

@test "a trial's process that is killed costs one trial and is named" {
  start lock --threads 2 --runtime 0.5 --warmup 0 --repeat 2 --retry-disturbed 0 --format jsonl
  wait_for 30 child_of "$pid"
  kill -KILL "$child"
  collect
  expect_status 3
  [ "$(jq -r 'select(.type == "trial") | .status' <<<"$out" | sort | tr '\n' ' ')" = "failed ok " ] ||
    fail "trials"
  jq -se 'map(select(.status == "failed"))[0].note | test("SIGKILL")' <<<"$out" >/dev/null ||
    fail "signal not named"
}

@test "threads that do not fit: the point says how far it got, the sweep goes on" {
  is_sanitized && skip "sanitizers cannot live with a limit on address space"
  status=0
  (ulimit -v 60000 && exec "$bench" lock "${short[@]}" --threads 1,2,1024) \
    >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(cat "$scratch/out")
  err=$(cat "$scratch/err")
  expect_status 3
  grep -qE '^ +2 threads: +[0-9]+ Kiter' <<<"$out" || fail "small point lost"
  grep -qE 'created [0-9]+ of 1024 threads.*RLIMIT_AS' <<<"$out" || fail "limit not named"
}

@test "a limit on processes is named, whether threads or the trial itself hit it" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to become another user, who the limit applies to"
  cp "$(readlink -f "$bench")" "$scratch/futex-bench"
  chmod 755 "$scratch/futex-bench" "$scratch"
  as_user() {
    status=0
    # The leak check at the end of a sanitizer build needs a process of its own.
    ASAN_OPTIONS=detect_leaks=0 setpriv --reuid=54321 --regid=54321 --clear-groups \
      bash -c "ulimit -u $1 && exec \"\$0\" lock ${short[*]} --threads 1,16" \
      "$2" >"$scratch/out" 2>"$scratch/err" || status=$?
    out=$(cat "$scratch/out")
    err=$(cat "$scratch/err")
  }
  local readable=$scratch/futex-bench
  if ! setpriv --reuid=54321 --regid=54321 --clear-groups test -x "$readable"; then
    readable=$(mktemp -d /tmp/futex-bench.XXXXXX)/futex-bench
    cp "$scratch/futex-bench" "$readable"
    chmod 755 "${readable%/*}" "$readable"
  fi
  as_user 8 "$readable"
  expect_status 3
  grep -qE '^ +1 threads: +[0-9]+ Kiter' <<<"$out" || fail "small point lost"
  grep -qE 'created [0-9]+ of 16 threads.*RLIMIT_NPROC=8' <<<"$out" || fail "limit not named"
  as_user 1 "$readable"
  expect_status 3
  grep -q 'fork: Resource temporarily unavailable; RLIMIT_NPROC=1' <<<"$out" ||
    fail "fork or limit not named"
  [[ $readable == "$scratch"/* ]] || rm -r "${readable%/*}"
}

@test "a full disk is an error, not a result" {
  status=0
  "$bench" lock "${short[@]}" --threads 1 >/dev/full 2>"$scratch/err" || status=$?
  err=$(cat "$scratch/err")
  expect_status 1
  grep -q "No space left on device" <<<"$err" || fail "errno"
  run_bench lock "${short[@]}" --threads 1 --output /dev/full
  expect_status 1
  grep -q "/dev/full.*No space left on device" <<<"$err" || fail "errno of --output"
}

@test "a closed stdout is an error, not a result" {
  status=0
  "$bench" lock "${short[@]}" --threads 1 >&- 2>"$scratch/err" || status=$?
  err=$(cat "$scratch/err")
  expect_status 1
  grep -q "Bad file descriptor" <<<"$err" || fail "errno"
  status=0
  "$bench" list >&- 2>/dev/null || status=$?
  expect_status 1
}

@test "a reader that goes away ends it quietly" {
  start_status=0
  (
    set -o pipefail
    env --default-signal=PIPE "$bench" lock "${twice[@]}" --threads 1-8 --format jsonl 2>"$scratch/err" | head -1
  ) >/dev/null || start_status=$?
  [ "$start_status" -eq 141 ]
  [ ! -s "$scratch/err" ]
}

@test "taskset is respected" {
  local first
  first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
  out=$(taskset -c "$first" "$bench" lock --threads 4 --mode wait --runtime 0.1 --repeat 1 --format json)
  [ "$(jq -r .environment.cpus_allowed.value <<<"$out")" = "$first" ] || fail "allowed"
  # One processor cannot give more than one core; a little more is the resolution of getrusage.
  jq -e '.points[0].trials[0].values.cores <= 1.1' <<<"$out" >/dev/null ||
    fail "$(jq .points[0].trials[0].values.cores <<<"$out") cores"
}

@test "1024 spinners end with their counts kept" {
  run_bench lock --threads 1024 --mode spin --runtime 0.05 --warmup 0 --repeat 1 --format json
  [ "$status" -eq 0 ] || expect_status 3
  jq -e '.points[0].trials[0] | (.status == "ok" or .status == "not_drained") and
    .values.throughput > 0' <<<"$out" >/dev/null || fail "counts lost"
}

@test "every mode passes its verification" {
  run_bench lock --threads 1,2,7 --mode all --runtime 0.02 --repeat 1 --warmup 0.02 --verify
  # What cannot run here is skipped; a lock that does not exclude would be status 1.
  [ "$status" -eq 0 ] || expect_status 3
  grep -q "^   7 threads: [0-9]* Kiter" <<<"$out" || fail "nothing measured"
}

@test "two signals close together cost nothing" {
  local first
  for first in INT HUP; do
    start lock --threads 64 --runtime 0.05 --warmup 0 --repeat 1000 --output "$scratch/two.json"
    wait_for 30 child_of "$pid"
    sleep 0.3
    kill -"$first" "$pid"
    kill -TERM "$pid" 2>/dev/null || true
    collect
    [ "$status" -gt 128 ] || fail "status"
    jq -e '.complete == false and (.points[0].trials | length) > 0' "$scratch/two.json" >/dev/null ||
      fail "file lost"
    grep -qE '^ +64 threads: +[0-9]+ Kiter' <<<"$out" || fail "table lost"
    rm "$scratch/two.json"
  done
  [ -z "$(find "$scratch" -name '.futex-bench-*')" ] || fail "temporary file left"
}

@test "stderr that is closed or full costs neither status nor result" {
  status=0
  "$bench" lock --threads 0 2>/dev/full || status=$?
  expect_status 2
  status=0
  "$bench" lock --threads 0 2>&- || status=$?
  expect_status 2
  for end in '/dev/full' '&-'; do
    status=0
    eval '"$bench" lock "${short[@]}" --threads 1 --mode all --spin 10 --output "$scratch/e.json"' \
      "2>$end" >"$scratch/out" || status=$?
    expect_status 3
    jq -e .complete "$scratch/e.json" >/dev/null || fail "file lost with stderr $end"
  done
}

@test "SIGCHLD inherited as ignored does no harm" {
  run_ignoring_chld() { env --ignore-signal=CHLD "$bench" "$@"; }
  out=$(run_ignoring_chld lock --threads 1 --runtime 0.05 --warmup 0 --repeat 2 --format json)
  jq -e '.points[0].trials | all(.status == "ok")' <<<"$out" >/dev/null || fail "not ok"
}

@test "memory that does not suffice costs the point and not the run" {
  is_sanitized && skip "sanitizers cannot live with a limit on address space"
  status=0
  (ulimit -v 30000 && exec "$bench" lock "${short[@]}" --threads 1,65536) \
    >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(cat "$scratch/out")
  expect_status 3
  grep -qE '^ +1 threads: +[0-9]+ Kiter' <<<"$out" || fail "small point lost"
  grep -qE 'Cannot allocate memory|created [0-9]+ of 65536 threads' <<<"$out" || fail "reason"
}

@test "a limit on file sizes is an error with its name" {
  status=0
  (ulimit -f 1 && exec "$bench" lock "${short[@]}" --threads 1-16 --output "$scratch/big.json") \
    >/dev/null 2>"$scratch/err" || status=$?
  err=$(cat "$scratch/err")
  expect_status 1
  grep -q "File too large" <<<"$err" || fail "errno"
  [ -z "$(find "$scratch" -name '*big.json*')" ] || fail "something left"
}

@test "a real-time policy is refused: nobody could end the trial" {
  chrt -f 1 true 2>/dev/null || skip "real-time policies are not permitted here"
  status=0
  err=$(timeout 20 chrt -f 1 "$bench" lock "${short[@]}" --threads 1 2>&1) || status=$?
  expect_status 2
  grep -q "real-time" <<<"$err" || fail "message"
}

@test "FIFO spinners beyond the processors: counts kept, marked, and no trial outstays its time" {
  local mode start
  # On one processor a spinner gives way at the end of its time slice only, and the next in the queue
  # is one of 200: they would need minutes to leave one after the other.
  start=$SECONDS
  status=0
  out=$(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$bench" lock --threads 200 \
    --mode ticket,mcs,clh --runtime 0.3 --repeat 1 --warmup 0 --retry-disturbed 0 --format json \
    2>"$scratch/err") || status=$?
  err=$(cat "$scratch/err")
  # Three trials of 0.3 s and at most 1 s more; the rest is for slow machines.
  [ $((SECONDS - start)) -le 30 ] || fail "took $((SECONDS - start)) s"
  for mode in ticket mcs clh; do
    jq -e --arg mode "$mode" '.points[] | select(.mode == $mode) | .trials | length == 1 and all(
      .status == "not_drained" and (.note | test("still in the loop .* were killed")) and
      .values.throughput > 0 and .values.wall >= 0.3)' <<<"$out" >/dev/null ||
      fail "$mode: not marked, or its counts are lost"
  done
}
