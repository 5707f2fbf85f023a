// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The historical FUTEX_WAIT lock, the baseline that everything else is set beside.
///
/// | word | meaning                                        | left by                           |
/// |------|------------------------------------------------|-----------------------------------|
/// | 0    | free; sleepers may exist, one of them is awake  | lock: 0 -> 1 (fast), 0 -> 2 (slow) |
/// | 1    | held, nobody has asked to be woken              | unlock: 1 -> 0; waiter: 1 -> 2     |
/// | 2    | held, the owner must wake somebody              | unlock: 2 -> 0, then FUTEX_WAKE    |
///
/// INV1  Only the owner moves the word to 0.
/// INV2  While a thread sleeps on the word, the word is 2, or a thread that was woken has not yet
///       taken the lock and will take it as 2. Hence a thread that has been in the slow path always
///       takes the lock as 2 ("sticky"): it cannot know whether others still sleep.
///
/// The price of INV2 is what FUTEX_SET_WAIT wanted to save: 2 is published in user space before the
/// waiter is queued in the kernel. The owner mostly unlocks in between, so its FUTEX_WAKE finds
/// nobody and the waiter's FUTEX_WAIT returns EAGAIN.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class WaitLock {
 public:
  static constexpr std::string_view kName = "wait";
  static constexpr std::string_view kSummary =
      "FUTEX_WAIT: three states, a read before each compare-and-swap, waiters take it as contended";
  static constexpr std::string_view kSource =
      "futextest performance/futex_wait.c, Michel Lespinasse and Darren Hart, November 2009";
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kBarging, .parks = true, .needs = FutexOperation::kWait};
  using Context = NoContext;

  explicit WaitLock(const LockConfig& config) : scope_(config.scope) {}

  void lock(Context&) noexcept {
    // Relaxed: only a hint; the compare-and-swap decides.
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    // Acquire pairs with the release in unlock: what the last owner wrote is visible.
    if (seen == kFree && word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                                       std::memory_order_relaxed)) {
      return;
    }
    lock_slow(seen);
  }

  void unlock(Context&) noexcept {
    // Relaxed: only the owner leaves 1 or 2 for 0, a stale 1 makes the compare-and-swap fail.
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    if (seen == kHeld && word_.compare_exchange_strong(seen, kFree, std::memory_order_release,
                                                       std::memory_order_relaxed)) {
      return;
    }
    unlock_slow();
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kContended = 2;

  [[gnu::noinline, gnu::cold]] void lock_slow(std::uint32_t seen) noexcept {
    P::note_slow_path();
    for (;;) {
      // Relaxed: asks for a wake, takes nothing. On failure `seen` is what stands there now.
      if (seen == kHeld) {
        word_.compare_exchange_strong(seen, kContended, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
      }
      if (seen != kFree) {
        // Woken, EAGAIN, EINTR and spurious wakes are one case: look again.
        P::futex_wait(word_, kContended, scope_);
        seen = word_.load(std::memory_order_relaxed);
      }
      if (seen == kFree &&
          word_.compare_exchange_strong(seen, kContended, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
        return;
      }
    }
  }

  [[gnu::noinline, gnu::cold]] void unlock_slow() noexcept {
    // The word is 2 and only the owner moves it (INV1), so this cannot fail; the historical code
    // uses a compare-and-swap all the same and so do we.
    std::uint32_t expected = kContended;
    word_.compare_exchange_strong(expected, kFree, std::memory_order_release,
                                  std::memory_order_relaxed);
    P::futex_wake(&word_, 1, scope_);
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{kFree};
  alignas(kCacheLine) FutexScope scope_;
};

}  // namespace futex_bench
