// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Barging until a waiter has waited for a millisecond; from then on first come, first served until
/// the queue is short of starving threads again. The algorithm of Go's sync.Mutex.
///
/// | bits of the word | meaning                                                                  |
/// |------------------|--------------------------------------------------------------------------|
/// | locked           | held                                                                     |
/// | woken            | a waiter is awake and trying: unlock need not wake another one           |
/// | starving         | starvation mode: unlock hands over, new threads queue up at once         |
/// | rest             | number of waiters that sleep or are about to                             |
///
/// INV1  In normal mode only the owner clears `locked`, and whoever sets it is the owner. In
///       starvation mode nobody sets it but the waiter that unlock has released.
/// INV2  While waiters are counted, the lock is held, or `woken` is set and a thread that will take
///       the lock or count itself again is behind it, or a waiter has been released and owns it.
/// INV3  Each release of a waiter takes one from the count: in normal mode by unlock with the CAS
///       that sets `woken`, in starvation mode by the waiter itself.
///
/// Waiters sleep in a semaphore: released one by one, oldest first; a waiter that was woken and
/// lost the race queues up in front.
///
/// Where it differs from Go: a release wakes a certain waiter, where a newcomer can take Go's unless
/// the lock is handed over. Who hands over does not give its processor away after it. And Go spins
/// only if several processors run goroutines and none is queued for this one, which a library does
/// not know: here a waiter always may.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/locks/wait_queue.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class StarvationLock {
 public:
  static constexpr std::string_view kName = "starvation";
  static constexpr std::string_view kSummary =
      "barging; first come, first served as soon as a waiter has waited for 1 ms";
  static constexpr std::string_view kSource = "Go's sync.Mutex (since Go 1.9, 2017)";
  /// Pauses before each sleep: 4 rounds of 30.
  static constexpr std::uint32_t kDefaultSpin = 120;
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kEventual,
      .spins = true,
      .parks = true,
      .needs = FutexOperation::kWait,
      .takes_spin = true,
      .takes_shared = false,
      .default_spin = kDefaultSpin,
      .parameters = "rounds of at most 30 pauses; starvation mode after 1 ms"};
  using Context = NoContext;

  explicit StarvationLock(const LockConfig& config)
      : most_pauses_(config.spin.value_or(kDefaultSpin)) {}

  void lock(Context&) noexcept {
    std::uint32_t seen = 0;
    // Acquire pairs with the release in unlock.
    if (!word_.compare_exchange_strong(seen, kLocked, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      lock_slow();
    }
  }

  void unlock(Context&) noexcept {
    const std::uint32_t left = word_.fetch_sub(kLocked, std::memory_order_release) - kLocked;
    if (left != 0) unlock_slow(left);
  }

 private:
  static constexpr std::uint32_t kLocked = 1;
  static constexpr std::uint32_t kWoken = 2;
  static constexpr std::uint32_t kStarving = 4;
  static constexpr std::uint32_t kOneWaiter = 8;
  static constexpr std::uint32_t kRoundPauses = 30;
  static constexpr std::int64_t kStarvingAfterNs = 1'000'000;

  using Waiter = typename WaitQueue<P>::Waiter;

  [[gnu::noinline, gnu::cold]] void lock_slow() noexcept {
    P::note_slow_path();
    std::int64_t waits_since_ns = -1;
    bool starving = false;
    bool woken = false;  // kWoken is set on behalf of this thread
    std::uint32_t spent = 0;
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    for (;;) {
      if ((seen & (kLocked | kStarving)) == kLocked && spent < most_pauses_) {
        // Relaxed: keeps unlock from waking another thread while this one is about to take it.
        if (!woken && (seen & kWoken) == 0 && seen >= kOneWaiter) {
          woken = word_.compare_exchange_strong(seen, seen | kWoken, std::memory_order_relaxed,
                                                std::memory_order_relaxed);
        }
        for (std::uint32_t i = 0; i < kRoundPauses && spent < most_pauses_; ++i, ++spent) {
          P::pause();
        }
        seen = word_.load(std::memory_order_relaxed);
        continue;
      }
      const bool take = (seen & (kLocked | kStarving)) == 0;
      std::uint32_t wanted = take ? seen | kLocked : seen + kOneWaiter;
      if (starving && (seen & kLocked) != 0) wanted |= kStarving;
      if (woken) wanted &= ~kWoken;
      // Acquire is for the thread that takes the lock.
      if (!word_.compare_exchange_strong(seen, wanted, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
        continue;
      }
      if (take) return;
      const bool waited_before = waits_since_ns >= 0;
      if (!waited_before) waits_since_ns = P::now_ns();
      await_release(waited_before);
      starving = starving || P::now_ns() - waits_since_ns > kStarvingAfterNs;
      // Relaxed: if unlock has handed over, await_release has synchronised with it.
      seen = word_.load(std::memory_order_relaxed);
      if ((seen & kStarving) != 0) {
        // The lock was handed over. The last waiter, or one that has not starved, ends the mode.
        const bool ends = !starving || seen < 2 * kOneWaiter;
        word_.fetch_add(kLocked - kOneWaiter - (ends ? kStarving : 0), std::memory_order_relaxed);
        return;
      }
      woken = true;  // by unlock
      spent = 0;
    }
  }

  [[gnu::noinline, gnu::cold]] void unlock_slow(std::uint32_t seen) noexcept {
    if ((seen & kStarving) == 0) {
      do {
        if (seen < kOneWaiter || (seen & (kLocked | kWoken | kStarving)) != 0) return;
        // Relaxed: releases a sleeper, and gives it nothing but the right to try.
      } while (!word_.compare_exchange_strong(seen, (seen - kOneWaiter) | kWoken,
                                              std::memory_order_relaxed,
                                              std::memory_order_relaxed));
    }
    release_waiter();
  }

  // The semaphore. A release that finds nobody asleep yet is kept for the next who comes.
  void await_release(bool in_front) noexcept {
    Waiter self;
    queue_.lock();
    if (kept_releases_ > 0) {
      --kept_releases_;
      queue_.unlock();
      return;
    }
    if (in_front) {
      queue_.push_front(self);
    } else {
      queue_.push_back(self);
    }
    queue_.unlock();
    queue_.sleep(self);
  }

  void release_waiter() noexcept {
    queue_.lock();
    if (queue_.empty()) {
      ++kept_releases_;
      queue_.unlock();
      return;
    }
    Waiter& first = queue_.pop();
    queue_.unlock();
    queue_.wake(first);
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{0};
  alignas(kCacheLine) WaitQueue<P> queue_;
  std::uint32_t kept_releases_ = 0;
  std::uint32_t most_pauses_;
};

}  // namespace futex_bench
