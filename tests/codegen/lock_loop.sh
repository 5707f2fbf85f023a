#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Looks at the machine code of the measured loop. A probe that is not asked for must cost nothing, so
# in `wait` x Count the loop has the two compare-and-swaps of the lock, no call, no clock read and no
# system call: those stand outside of it, the slow paths in the cold part of the function.
#
# Usage: lock_loop.sh [BINARY]; exit status 77 where there is nothing to look at.
set -euo pipefail

binary=${1:-build/futex-bench}
case $(uname -m) in
  x86_64) ;;
  *)
    echo "skipped: knows x86-64 code only"
    exit 77
    ;;
esac

# loop_of LOCK PROBE: the instructions between the widest conditional backward jump of the function and
# its target. Work for --hold and --gap stands behind the function and comes back by plain jumps.
loop_of() {
  objdump -d --no-show-raw-insn -C -M att "$binary" | awk -v name="void futex_bench::lock_loop<futex_bench::$1, futex_bench::$2>" '
    /^[0-9a-f]+ <.*>:$/ { inside = index($0, name) && !index($0, ".cold") }
    inside && /^ +[0-9a-f]+:/ {
      address = $1; sub(":", "", address)
      line[++count] = $0; at[address] = count
      if ($2 ~ /^j/ && $2 != "jmp") target[count] = $3
    }
    END {
      for (i in target) {
        if (!(target[i] in at)) continue
        width = i - at[target[i]]
        if (width > widest) { widest = width; first = at[target[i]]; last = i + 0 }
      }
      if (widest) for (i = first; i <= last; i++) print line[i]
    }'
}

failed=0
complain() {
  printf 'FAILED: %s\n%s\n' "$1" "$2"
  failed=1
}

code=$(loop_of 'WaitLock<futex_bench::LinuxPlatform>' Count)
[ -n "$code" ] || complain "no loop found" ""
forbidden='\<(call|rdtsc|rdtscp|syscall|lfence)'
if grep -qE "$forbidden" <<<"$code"; then complain "the loop of wait x Count leaves the fast path" "$code"; fi
[ "$(grep -c 'lock cmpxchg' <<<"$code")" -eq 2 ] ||
  complain "the loop of wait x Count has not exactly two compare-and-swaps" "$code"

# Counting system calls costs nothing where there is none.
code=$(loop_of 'WaitLock<futex_bench::CountingPlatform>' Count)
[ -n "$code" ] || complain "no loop found for wait with --probe syscalls" ""
if grep -qE "$forbidden" <<<"$code"; then
  complain "with --probe syscalls the loop of wait leaves the fast path" "$code"
fi

# The checks must be able to fail: a probe that times does read a clock...
code=$(loop_of 'WaitLock<futex_bench::LinuxPlatform>' 'Latency<futex_bench::StampClock> ')
grep -qE "$forbidden" <<<"$code" || complain "no clock read found in the loop of --probe latency" "$code"

# ... and the loop around std::mutex does call.
code=$(loop_of StdLock Count)
grep -qE "$forbidden" <<<"$code" || complain "no call found in the loop around std::mutex" "$code"

[ "$failed" -eq 0 ] && echo "codegen: the loop of wait x Count stays on its fast path"
exit "$failed"
