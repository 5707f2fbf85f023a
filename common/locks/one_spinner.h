// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// At most one thread spins, the others sleep; unlock wakes nobody while somebody spins.
///
/// | bits of the word | meaning                                                                  |
/// |------------------|--------------------------------------------------------------------------|
/// | held             | held                                                                     |
/// | spinner          | one thread is awake and trying, or has been chosen to be woken for that   |
/// | rest             | number of threads that sleep, or are about to, and are not chosen         |
///
/// INV1  Only the owner clears `held`; whoever sets it is the owner.
/// INV2  `spinner` belongs to one thread. It clears the bit as it takes the lock, or, while the lock
///       is held, as it counts itself among the sleepers.
/// INV3  While sleepers are counted, the lock is held or `spinner` is set or the thread that has
///       just cleared `held` is on its way through unlock_slow, which chooses one.
/// INV4  A thread is chosen by taking one from the count, setting `spinner` and posting one token.
///       Each token ends the sleep of exactly one thread.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class OneSpinnerLock {
 public:
  static constexpr std::string_view kName = "one-spinner";
  static constexpr std::string_view kSummary =
      "one waiter spins, the others sleep and are woken one at a time to be the next to spin";
  static constexpr std::string_view kSource =
      "the idea of Go's runtime mutex \"spinbit\" (2024) and of nsync's designated waker (2016)";
  static constexpr std::uint32_t kDefaultSpin = 120;
  static constexpr LockTraits kTraits{.fairness = Fairness::kBarging,
                                      .spins = true,
                                      .parks = true,
                                      .needs = FutexOperation::kWait,
                                      .takes_spin = true,
                                      .default_spin = kDefaultSpin,
                                      .parameters = "rounds of at most 30 pauses"};
  using Context = NoContext;

  explicit OneSpinnerLock(const LockConfig& config)
      : scope_(config.scope), most_pauses_(config.spin.value_or(kDefaultSpin)) {}

  void lock(Context&) noexcept {
    std::uint32_t seen = 0;
    // Acquire pairs with the release in unlock.
    if (!word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      lock_slow(seen);
    }
  }

  void unlock(Context&) noexcept {
    const std::uint32_t left = word_.fetch_sub(kHeld, std::memory_order_release) - kHeld;
    if (left >= kOneSleeper && (left & kSpinner) == 0) unlock_slow(left);
  }

 private:
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kSpinner = 2;
  static constexpr std::uint32_t kOneSleeper = 4;
  static constexpr std::uint32_t kRoundPauses = 30;

  [[gnu::noinline, gnu::cold]] void lock_slow(std::uint32_t seen) noexcept {
    P::note_slow_path();
    bool spinner = false;
    std::uint32_t spent = 0;
    for (;;) {
      if ((seen & kHeld) == 0) {
        const std::uint32_t mine = spinner ? kSpinner : 0;
        if (word_.compare_exchange_strong(seen, (seen | kHeld) & ~mine, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
          return;
        }
        continue;
      }
      // Relaxed from here on: bits and count only say who spins and who sleeps.
      if (!spinner && (seen & kSpinner) == 0 && most_pauses_ > 0) {
        spinner = word_.compare_exchange_strong(seen, seen | kSpinner, std::memory_order_relaxed,
                                                std::memory_order_relaxed);
        if (!spinner) continue;
      }
      if (spinner && spent < most_pauses_) {
        for (std::uint32_t i = 0; i < kRoundPauses && spent < most_pauses_; ++i, ++spent) {
          P::pause();
        }
        seen = word_.load(std::memory_order_relaxed);
        continue;
      }
      const std::uint32_t asleep = (spinner ? seen & ~kSpinner : seen) + kOneSleeper;
      if (!word_.compare_exchange_strong(seen, asleep, std::memory_order_relaxed,
                                         std::memory_order_relaxed)) {
        continue;
      }
      take_token();
      spinner = true;  // chosen
      spent = 0;
      seen = word_.load(std::memory_order_relaxed);
    }
  }

  [[gnu::noinline, gnu::cold]] void unlock_slow(std::uint32_t seen) noexcept {
    // Whoever has taken the lock meanwhile will do this, and a spinner needs no help.
    do {
      if (seen < kOneSleeper || (seen & (kHeld | kSpinner)) != 0) return;
    } while (!word_.compare_exchange_strong(seen, (seen - kOneSleeper) | kSpinner,
                                            std::memory_order_relaxed, std::memory_order_relaxed));
    // Relaxed: a token carries no data.
    tokens_.fetch_add(1, std::memory_order_relaxed);
    P::futex_wake(&tokens_, 1, scope_);
  }

  void take_token() noexcept {
    for (std::uint32_t seen = tokens_.load(std::memory_order_relaxed);;) {
      if (seen == 0) {
        P::futex_wait(tokens_, 0, scope_);
        seen = tokens_.load(std::memory_order_relaxed);
      } else if (tokens_.compare_exchange_strong(seen, seen - 1, std::memory_order_relaxed,
                                                 std::memory_order_relaxed)) {
        return;
      }
    }
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{0};
  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> tokens_{0};
  alignas(kCacheLine) FutexScope scope_;
  std::uint32_t most_pauses_;
};

}  // namespace futex_bench
