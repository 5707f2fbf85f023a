// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// FUTEX_SET_WAIT emulated the cheap way: the lock of wait.h, but not sticky.
///
/// | word | meaning                                         | left by                             |
/// |------|-------------------------------------------------|-------------------------------------|
/// | 0    | free; sleepers may exist, one of them is awake  | lock: 0 -> 1, or 0 -> 2 if it slept |
/// | 1    | held, nobody has asked to be woken              | unlock: 1 -> 0; waiter: 1 -> 2      |
/// | 2    | held, the owner must wake somebody              | unlock: 2 -> 0, then FUTEX_WAKE     |
///
/// INV1  Only the owner moves the word to 0, and whoever moves it from 2 to 0 issues a wake.
/// INV2  While a thread sleeps on the word, the word is 2, or a thread that FUTEX_WAIT has returned
///       0 to ("slept") has not yet taken the lock and will take it as 2. A thread whose waits all
///       failed with EAGAIN or EINTR was never counted as woken, so it may take the lock as 1.
///
/// Kept of FUTEX_SET_WAIT: its state machine, and half of the futile wakes are gone. Lost: marking
/// the word and being queued are still two steps, so the word shows 2 with nobody asleep and the
/// EAGAINs remain.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class SetwaitLiteLock {
 public:
  static constexpr std::string_view kName = "setwait-lite";
  static constexpr std::string_view kSummary =
      "FUTEX_SET_WAIT emulated: as wait, but contended only after a real sleep (not atomic)";
  static constexpr std::string_view kSource =
      "the lock of the FUTEX_SET_WAIT patch, Michel Lespinasse, November 2009, over FUTEX_WAIT";
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kBarging, .parks = true, .needs = FutexOperation::kWait};
  using Context = NoContext;

  explicit SetwaitLiteLock(const LockConfig& config) : scope_(config.scope) {}

  void lock(Context&) noexcept {
    std::uint32_t seen = kFree;
    // Acquire pairs with the release in unlock.
    if (word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
      return;
    }
    lock_slow(seen);
  }

  void unlock(Context&) noexcept {
    if (word_.exchange(kFree, std::memory_order_release) == kContended) wake_slow();
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kContended = 2;

  [[gnu::noinline, gnu::cold]] void lock_slow(std::uint32_t seen) noexcept {
    P::note_slow_path();
    std::uint32_t taken_as = kHeld;
    for (;;) {
      // Relaxed: asks for a wake, takes nothing.
      if (seen == kHeld) {
        word_.compare_exchange_strong(seen, kContended, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
      }
      if (seen != kFree) {
        // Once it has slept it stays responsible for the other sleepers until it has the lock: a
        // later EAGAIN does not change that (INV2).
        if (P::futex_wait(word_, kContended, scope_) == WaitResult::kWoken) taken_as = kContended;
        seen = word_.load(std::memory_order_relaxed);
      }
      if (seen == kFree && word_.compare_exchange_strong(seen, taken_as, std::memory_order_acquire,
                                                         std::memory_order_relaxed)) {
        return;
      }
    }
  }

  [[gnu::noinline, gnu::cold]] void wake_slow() noexcept { P::futex_wake(&word_, 1, scope_); }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{kFree};
  alignas(kCacheLine) FutexScope scope_;
};

}  // namespace futex_bench
