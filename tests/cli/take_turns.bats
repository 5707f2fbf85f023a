#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/take-turns: two commands, round by round.

load common

setup() {
  scratch=$BATS_TEST_TMPDIR
  a=$scratch/a.json
  b=$scratch/b.json
  one=("$bench" lock --runtime 0.01 --retry-disturbed 0 --threads "1,2")
}

turns() {
  status=0
  "$BATS_TEST_DIRNAME/../../scripts/take-turns" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(cat "$scratch/out")
  err=$(cat "$scratch/err")
}

@test "take-turns makes two results that compare reads" {
  turns --rounds 6 "$a" "$b" -- "${one[@]}" -- "${one[@]}" --hold 0
  expect_status 0
  for file in "$a" "$b"; do
    jq -e '.repeat == 6 and .complete and (.points | length) == 2 and
      (.points | all([.trials[].round] == [0, 1, 2, 3, 4, 5]))' "$file" >/dev/null || fail "$file"
  done
  # Neither runs ahead: the trials of both sides lie in turns.
  run_bench compare "$a" "$b"
  expect_status 0
  [ "$(grep -c 'x' <<<"$out")" -ge 2 ] || fail "no rows"
}

@test "take-turns keeps whole rounds when a command fails" {
  cat >"$scratch/twice" <<'END'
#!/bin/sh
count=$(cat "$COUNT" 2>/dev/null || echo 0)
echo $((count + 1)) >"$COUNT"
[ "$count" -lt 2 ] || { echo "out of luck" >&2; exit 1; }
exec "$@"
END
  chmod +x "$scratch/twice"
  COUNT=$scratch/count turns --rounds 5 "$a" "$b" -- "${one[@]}" -- "$scratch/twice" "${one[@]}"
  expect_status 1
  grep -q "command b ended with status 1 in round 2: out of luck" <<<"$err" || fail "not named"
  [ "$(jq -c '[.repeat, (.points[0].trials | length)]' "$a" "$b" | sort -u)" = '[2,2]' ] || fail "rounds"
}

@test "take-turns keeps whole rounds when interrupted" {
  # A shell ignores SIGINT in what it starts in the background, so another signal.
  "$BATS_TEST_DIRNAME/../../scripts/take-turns" --rounds 1000 "$a" "$b" -- "${one[@]}" -- "${one[@]}" \
    >/dev/null 2>"$scratch/err" 3>&- &
  local pid=$!
  sleep 2
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  expect_status 143
  jq -e '.repeat >= 1 and .repeat < 1000' "$a" "$b" >/dev/null || fail "$(cat "$scratch/err")"
}

@test "take-turns refuses what it cannot do" {
  turns "$a" "$b" -- "${one[@]}"
  expect_status 2
  turns "$a" "$a" -- "${one[@]}" -- "${one[@]}"
  expect_status 2
  turns --rounds 1 "$a" "$b" -- "${one[@]}" -- "${one[@]}"
  expect_status 2
  turns "$a" "$b" -- "${one[@]}" --repeat 3 -- "${one[@]}"
  expect_status 2
  turns "$scratch/none/a.json" "$b" -- "${one[@]}" -- "${one[@]}"
  expect_status 2
  turns "$a" "$b" -- "${one[@]}" --threads 5 -- "${one[@]}"
  expect_status 2
  [ "$(wc -l <<<"$err")" -eq 1 ] || fail "more than a line"
  [ ! -e "$a" ] || fail "a result of nothing"
}
