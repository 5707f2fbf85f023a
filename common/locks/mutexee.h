// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// MUTEXEE: spin for longer than usual before sleeping, and wait a moment in unlock before waking,
/// because a thread that is running may take the lock meanwhile and save the wake-up.
///
/// | held | sleepers | meaning                                   | left by                          |
/// |------|----------|-------------------------------------------|----------------------------------|
/// | 0    | 0        | free                                      | lock: sets held                  |
/// | 0    | 1        | free, unlock looks whether somebody comes | lock: sets held; unlock: clears  |
/// | 1    | 0        | held                                      | unlock; waiter: sets sleepers    |
/// | 1    | 1        | held, unlock has to care for sleepers     | unlock: clears held              |
///
/// INV1  Only the owner clears `held`; whoever sets it is the owner.
/// INV2  While a thread sleeps, `sleepers` is set, or a thread that was woken has not yet taken the
///       lock and will set it as it does.
/// INV3  `sleepers` is cleared only in unlock, together with the decision to wake one, while the
///       lock is free. If it is not free, its new owner has the duty.
///
/// The paper counts cycles: 8192 of spinning and 384 in unlock, or 256 and 128 while spinning does
/// not pay. Here they are pauses of about 40 cycles each, as on its authors' machines. Spinning
/// does not pay if more than 128 of 2048 acquisitions had to sleep; then it is tried again after 8
/// periods, after twice as many each time that it fails, at most 32.
#pragma once

#include <algorithm>

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class MutexeeLock {
 public:
  static constexpr std::string_view kName = "mutexee";
  static constexpr std::string_view kSummary =
      "spins long, then sleeps; unlock waits a moment for a taker before it wakes";
  static constexpr std::string_view kSource =
      "Babak Falsafi, Rachid Guerraoui, Javier Picorel, Vasileios Trigonakis, \"Unlocking Energy\" "
      "(USENIX ATC 2016)";
  static constexpr std::uint32_t kDefaultSpin = 205;
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kBarging,
      .spins = true,
      .parks = true,
      .needs = FutexOperation::kWait,
      .takes_spin = true,
      .default_spin = kDefaultSpin,
      .parameters =
          "10 pauses in unlock; 6 and 3 after a period of 2048 with over 128 sleeps, "
          "for 8 to 32 periods"};
  using Context = NoContext;

  explicit MutexeeLock(const LockConfig& config)
      : scope_(config.scope), long_spin_(config.spin.value_or(kDefaultSpin)), spin_(long_spin_) {}

  void lock(Context&) noexcept {
    std::uint32_t seen = 0;
    // Acquire pairs with the release in unlock.
    if (!word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      lock_slow();
    }
    if (++acquisitions_ == kPeriod) [[unlikely]]
      adapt();
  }

  void unlock(Context&) noexcept {
    const std::uint32_t left = word_.fetch_and(~kHeld, std::memory_order_release) & ~kHeld;
    if (left != 0) unlock_slow();
  }

 private:
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kSleepers = 2;
  static constexpr std::uint32_t kShortSpin = 6;
  static constexpr std::uint32_t kLongLinger = 10;
  static constexpr std::uint32_t kShortLinger = 3;
  static constexpr std::uint32_t kPeriod = 2048;
  static constexpr std::uint32_t kMostSleeps = 128;
  static constexpr std::uint32_t kFirstRetry = 8;
  static constexpr std::uint32_t kLastRetry = 32;

  bool take_if_free(std::uint32_t& seen, std::uint32_t as) noexcept {
    while ((seen & kHeld) == 0) {
      if (word_.compare_exchange_strong(seen, seen | as, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  [[gnu::noinline, gnu::cold]] void lock_slow() noexcept {
    P::note_slow_path();
    const std::uint32_t spin = spin_.load(std::memory_order_relaxed);  // an estimate
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    for (std::uint32_t spins = 0;; ++spins) {
      if (take_if_free(seen, kHeld)) return;
      if (spins >= spin) break;
      P::pause();
      seen = word_.load(std::memory_order_relaxed);
    }
    do {
      // Relaxed: asks for a wake, takes nothing. If it fails, `seen` is what stands there now.
      if (seen == (kHeld | kSleepers) ||
          word_.compare_exchange_strong(seen, kHeld | kSleepers, std::memory_order_relaxed,
                                        std::memory_order_relaxed)) {
        P::futex_wait(word_, kHeld | kSleepers, scope_);
        seen = word_.load(std::memory_order_relaxed);
      }
    } while (!take_if_free(seen, kHeld | kSleepers));  // INV2
    ++sleeps_;
  }

  [[gnu::noinline, gnu::cold]] void unlock_slow() noexcept {
    const std::uint32_t linger = linger_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < linger; ++i) {
      if ((word_.load(std::memory_order_relaxed) & kHeld) != 0) return;  // INV3
      P::pause();
    }
    std::uint32_t seen = kSleepers;
    if (word_.compare_exchange_strong(seen, 0, std::memory_order_relaxed,
                                      std::memory_order_relaxed)) {
      P::futex_wake(&word_, 1, scope_);
    }
  }

  /// By the owner. The counters are plain because only the owner touches them.
  [[gnu::noinline, gnu::cold]] void adapt() noexcept {
    const bool pays = sleeps_ <= kMostSleeps;
    acquisitions_ = sleeps_ = 0;
    if (short_periods_left_ > 0) {
      if (--short_periods_left_ == 0) set(long_spin_, kLongLinger);
    } else if (pays) {
      retry_after_ = kFirstRetry;
    } else {
      set(std::min(kShortSpin, long_spin_), kShortLinger);
      short_periods_left_ = retry_after_;
      retry_after_ = std::min(2 * retry_after_, kLastRetry);
    }
  }

  void set(std::uint32_t spin, std::uint32_t linger) noexcept {
    spin_.store(spin, std::memory_order_relaxed);
    linger_.store(linger, std::memory_order_relaxed);
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{0};
  alignas(kCacheLine) FutexScope scope_;
  std::uint32_t long_spin_;
  typename P::template Atomic<std::uint32_t> spin_;
  typename P::template Atomic<std::uint32_t> linger_{kLongLinger};
  // On a line of the owner.
  alignas(kCacheLine) std::uint32_t acquisitions_ = 0;
  std::uint32_t sleeps_ = 0;
  std::uint32_t short_periods_left_ = 0;
  std::uint32_t retry_after_ = kFirstRetry;
};

}  // namespace futex_bench
