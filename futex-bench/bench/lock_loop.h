// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The measured loop of `lock`, and nothing else. A template over the lock and a probe, so that the
/// lock is inlined and what a probe does not ask for costs nothing.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/system/clock.h"

namespace futex_bench {

/// The work of all threads of a trial.
struct LoopWork {
  std::uint64_t hold = 0;  ///< units of busy_work inside the critical section
  std::uint64_t gap = 0;   ///< units of busy_work between critical sections
};

/// What one thread counts, on cache lines of its own. Plain relaxed stores by the thread, so that
/// the controller can read all of them at the deadline without waiting for anybody.
struct alignas(kCacheLine) WorkerSlot {
  std::atomic<std::uint64_t> acquisitions{0};
  std::atomic<std::uint64_t> slow_paths{0};
  std::atomic<std::int64_t> start_ns{0};  ///< 0 until the thread first runs
  std::atomic<std::int64_t> end_ns{0};    ///< 0 until it has left the loop
  /// Iterations to do, kUntilStopped for time-based trials; stop() sets it to 0. One comparison for
  /// both ends of the loop, on a line that the thread has anyway.
  std::atomic<std::uint64_t> limit{0};

  /// Makes the thread leave the loop after the iteration it is in.
  void stop() noexcept { limit.store(0, std::memory_order_relaxed); }
};

inline constexpr std::uint64_t kUntilStopped = UINT64_MAX;

/// Burns `units` times the latency of one multiplication, without touching memory. The chain of
/// dependent multiplications takes longer than fetching the loop, so the figure does not depend on
/// how the loop happens to be aligned in each lock's copy of it; a loop of additions does, by half.
inline void busy_work(std::uint64_t units) noexcept {
  for (std::uint64_t chain = units; units != 0; --units) {
    chain *= 0x9e3779b97f4a7c15;
    asm volatile("" : "+r"(chain));
  }
}

/// Probe that does nothing: counting is part of the loop.
struct Count {
  void ask() noexcept {}    ///< before the lock is asked for
  void enter() noexcept {}  ///< first thing inside the critical section
  void leave() noexcept {}  ///< last thing inside
  void done() noexcept {}   ///< after the lock was left
};

/// What the threads of a verified trial share: plain data that only exclusion protects.
struct alignas(kCacheLine) VerifyState {
  std::uint64_t counter = 0;               ///< not atomic: a lost update shows in the sum
  std::atomic<std::uint32_t> owner{0};     ///< thread inside, 0 for none
  std::atomic<std::uint64_t> overlaps{0};  ///< times somebody else was found inside
  bool checked = false;                    ///< the trial's threads use the probe
};

/// Probe that checks exclusion: a counter that is not atomic, and who is inside. Atomic relaxed for
/// the owner, so that the check itself has no race to hide behind.
class Verify {
 public:
  Verify(VerifyState& state, std::uint32_t self) : state_(&state), self_(self) {}
  void ask() noexcept {}
  void enter() noexcept {
    if (state_->owner.load(std::memory_order_relaxed) != 0) report();
    state_->owner.store(self_, std::memory_order_relaxed);
    ++state_->counter;
  }
  void leave() noexcept {
    if (state_->owner.load(std::memory_order_relaxed) != self_) report();
    state_->owner.store(0, std::memory_order_relaxed);
  }
  void done() noexcept {}

 private:
  [[gnu::noinline, gnu::cold]] void report() noexcept {
    state_->overlaps.fetch_add(1, std::memory_order_relaxed);
  }
  VerifyState* state_;
  std::uint32_t self_;
};

/// Takes and leaves `lock` up to the slot's limit. Hold and gap are copied into
/// locals: the barriers inside the lock would make the compiler read them again each time. Never
/// inlined, so that tests/codegen finds its machine code by name.
template <Lock L, class Probe>
[[gnu::noinline]] void lock_loop(L& lock, const LoopWork& work, WorkerSlot& slot,
                                 Probe probe) noexcept {
  const std::uint64_t hold = work.hold;
  const std::uint64_t gap = work.gap;
  typename L::Context context;
  std::uint64_t done = 0;
  slot.start_ns.store(now_ns(), std::memory_order_relaxed);
  while (done < slot.limit.load(std::memory_order_relaxed)) {
    probe.ask();
    lock.lock(context);
    probe.enter();
    // Unlikely: out of the way of the empty critical section, where a branch taken would be seen.
    if (hold != 0) [[unlikely]]
      busy_work(hold);
    probe.leave();
    lock.unlock(context);
    probe.done();
    // Before the gap: the acquisition is over, and a long gap must not hide it from the deadline.
    slot.acquisitions.store(++done, std::memory_order_relaxed);
    if (gap != 0) [[unlikely]]
      busy_work(gap);
  }
  slot.end_ns.store(now_ns(), std::memory_order_relaxed);
}

}  // namespace futex_bench
