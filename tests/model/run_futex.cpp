// SPDX-License-Identifier: GPL-2.0-only
// The kernel's part: the clock, and one queue of sleepers for all addresses, first in, first out.
#include <fmt/core.h>

#include "tests/model/run.h"

namespace futex_bench::model {
namespace {

// Nanoseconds that the clock is ahead after a jump: longer than any lock waits for something.
constexpr std::int64_t kTimeJump = 1'000'000'000;

}  // namespace

void Run::wake(int thread, WaitResult reason) {
  threads_[index(thread)].state = State::kReady;
  threads_[index(thread)].woken_by = reason;
  std::erase(sleepers_, thread);
}

std::int64_t Run::now_ns() {
  if (hurries_) return now_ns_ += kTimeJump;
  if (!in_host() && injections_left_ > 0 && choose(2) == 1) {
    --injections_left_;
    now_ns_ += kTimeJump;
  }
  return now_ns_;
}

WaitResult Run::futex_wait(Op op, std::uint32_t expected, FutexScope scope, std::uint32_t bits) {
  const Fault fault = arrive(op);
  const int location = begin_change(op);  // the kernel's hash bucket lock is a full barrier
  const std::uint64_t value = locations_[location].value;
  if (value != expected && fault != Fault::kSleepAlways) {
    if (traced_) tell(op, fmt::format("not {} but {}: returns", expected, value));
    return WaitResult::kValueChanged;
  }
  if (traced_) tell(op, fmt::format("while {}: sleeps", expected));
  me().futex = op.address;
  me().scope = scope;
  me().futex_bits = bits;
  me().waited = true;
  ++me().sleeps;
  me().seen.clear();
  me().spins_on = 0;
  me().state = State::kAsleep;
  sleepers_.push_back(current_);
  reschedule();
  return me().woken_by;
}

int Run::futex_wake(Op op, int count, FutexScope scope, std::uint32_t bits) {
  const Fault fault = arrive(op, count > 1);
  if (in_host()) return 0;
  point(false);
  drain(current_);  // the kernel has a full barrier before it looks for waiters
  if (fault == Fault::kDropWake) return 0;
  if (fault == Fault::kDropEvenWakes && ++mutated_wakes_ % 2 == 0) return 0;
  if (fault == Fault::kWakeOne) count = 1;
  const auto waits_here = [&](int t) {
    const Thread& thread = threads_[index(t)];
    return thread.futex == op.address && thread.scope == scope && (thread.futex_bits & bits) != 0;
  };
  int woken = 0;
  for (std::size_t i = 0; i < sleepers_.size() && woken < count;) {
    const int t = sleepers_[i];
    if (!waits_here(t)) {
      ++i;
      continue;
    }
    // A signal may be faster than this wake, which then goes to the next in the queue.
    const int reason = injections_left_ > 0 ? choose(3) : 0;
    wake(t, reason == 2 ? WaitResult::kInterrupted : WaitResult::kWoken);
    if (reason == 0) {
      ++woken;
    } else {
      --injections_left_;
      threads_[index(t)].disturbed = true;
    }
  }
  if (traced_) tell(op, fmt::format("wakes {}", woken));
  return woken;
}

}  // namespace futex_bench::model
