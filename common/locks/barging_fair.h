// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Barging with eventual fairness: a running thread may overtake the sleepers, but about once in
/// half a millisecond unlock hands the lock to the one that has slept longest.
///
/// | held | queued | meaning             | left by                                          |
/// |------|--------|---------------------|--------------------------------------------------|
/// | 0    | 0      | free                | lock: sets held                                  |
/// | 0    | 1      | free, threads sleep | lock: sets held                                  |
/// | 1    | 0      | held                | unlock: clears; waiter: sets queued              |
/// | 1    | 1      | held, unlock wakes  | unlock: pops one, then clears held or hands over |
///
/// INV1  Only the owner clears `held`. When it hands over, `held` stays and the woken thread is the
///       owner.
/// INV2  `queued` and the queue change together under the queue's lock: the bit is set exactly while
///       somebody is queued. A barger's change leaves it as it is.
/// INV3  While a waiter is queued, the lock is held, or a waiter that was popped is awake and will
///       take it, or queue up again while it is held.
///
/// Spinning follows parking_lot: 3 looks after 1, 2, 4 pauses, then 7 after sched_yield, and none
/// once somebody sleeps.
///
/// Where it differs from both: the queue belongs to the lock, where they find one by the address in a
/// table for the whole process, so that their lock is one byte, and the time of the next handing over
/// belongs to it too, where theirs is shared by what falls into the same entry. A waiter sets `queued`
/// under the queue's lock, where theirs sets it before and looks again when it has the lock. WebKit
/// spins otherwise: 40 looks, each after sched_yield.
#pragma once

#include <algorithm>

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/locks/wait_queue.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class BargingFairLock {
 public:
  static constexpr std::string_view kName = "barging-fair";
  static constexpr std::string_view kSummary =
      "spins a little, then sleeps in a userspace queue; hands over every 0 to 1 ms, else barging";
  static constexpr std::string_view kSource =
      "WebKit's WTF::Lock (Filip Pizlo, 2016) and Rust's parking_lot (Amanieu d'Antras)";
  /// Looks at the lock before going to sleep.
  static constexpr std::uint32_t kDefaultSpin = 10;
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kEventual,
      .spins = true,
      .parks = true,
      .needs = FutexOperation::kWait,
      .takes_spin = true,
      .takes_shared = false,
      .default_spin = kDefaultSpin,
      .parameters =
          "the bound counts looks: the first 3 after 1, 2, 4 pauses, the others after "
          "sched_yield; hands over after a random 0 to 1 ms"};
  using Context = NoContext;

  explicit BargingFairLock(const LockConfig& config)
      : most_looks_(config.spin.value_or(kDefaultSpin)) {}

  void lock(Context&) noexcept {
    std::uint32_t seen = 0;
    // Acquire pairs with the releases in unlock and unlock_slow.
    if (!word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      lock_slow();
    }
  }

  void unlock(Context&) noexcept {
    std::uint32_t seen = kHeld;
    if (!word_.compare_exchange_strong(seen, 0, std::memory_order_release,
                                       std::memory_order_relaxed)) {
      unlock_slow();
    }
  }

 private:
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kQueued = 2;
  static constexpr std::uint32_t kPausingLooks = 3;
  /// Longest time until the next hand-over, about 1 ms: a power of two for the random number.
  static constexpr std::int64_t kMostNsUntilFair = 1 << 20;

  using Waiter = typename WaitQueue<P>::Waiter;

  bool take_if_free(std::uint32_t& seen) noexcept {
    while ((seen & kHeld) == 0) {
      if (word_.compare_exchange_strong(seen, seen | kHeld, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  bool spin() noexcept {
    for (std::uint32_t look = 1; look <= most_looks_; ++look) {
      if (look <= kPausingLooks) {
        for (std::uint32_t pauses = 1U << (look - 1); pauses > 0; --pauses) P::pause();
      } else {
        P::yield();
      }
      std::uint32_t seen = word_.load(std::memory_order_relaxed);
      if (take_if_free(seen)) return true;
      if ((seen & kQueued) != 0) return false;
    }
    return false;
  }

  /// Under the queue's lock: takes the lock if it is free, else marks it. Whether it took it.
  bool take_or_mark() noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    for (;;) {
      if (take_if_free(seen)) return true;
      // Relaxed: the owner learns of the waiter through the queue's lock.
      if ((seen & kQueued) != 0 ||
          word_.compare_exchange_strong(seen, seen | kQueued, std::memory_order_relaxed,
                                        std::memory_order_relaxed)) {
        return false;
      }
    }
  }

  [[gnu::noinline, gnu::cold]] void lock_slow() noexcept {
    P::note_slow_path();
    while (!spin()) {
      Waiter self;
      queue_.lock();
      if (take_or_mark()) {
        queue_.unlock();
        return;
      }
      queue_.push_back(self);
      queue_.unlock();
      queue_.sleep(self);
      if (self.handed_over) return;
    }
  }

  [[gnu::noinline, gnu::cold]] void unlock_slow() noexcept {
    queue_.lock();
    Waiter& first = queue_.pop();  // not empty: somebody has set kQueued (INV2)
    const std::uint32_t queued = queue_.empty() ? 0 : kQueued;
    // While the lock is held and the queue's lock too, nobody else changes the word.
    first.handed_over = time_to_be_fair();
    if (first.handed_over) {
      // Relaxed: the new owner synchronises by being woken, later ones with its unlock.
      word_.store(kHeld | queued, std::memory_order_relaxed);
    } else {
      word_.store(queued, std::memory_order_release);
    }
    queue_.unlock();
    queue_.wake(first);
  }

  /// Under the queue's lock.
  bool time_to_be_fair() noexcept {
    const std::int64_t now = P::now_ns();
    if (now <= fair_at_ns_) return false;
    fair_at_ns_ = now + P::random() % kMostNsUntilFair;
    return true;
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{0};
  alignas(kCacheLine) WaitQueue<P> queue_;
  std::int64_t fair_at_ns_ = 0;
  std::uint32_t most_looks_;
};

}  // namespace futex_bench
