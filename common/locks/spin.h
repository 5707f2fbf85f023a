// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Test-and-test-and-set lock: wait until the word looks free, then exchange.
///
/// | word | meaning | left by                        |
/// |------|---------|--------------------------------|
/// | 0    | free    | lock: exchange 1               |
/// | 1    | held    | unlock: store 0                |
///
/// INV1  Only the owner moves the word to 0.
///
/// Waiters only read, so the line stays shared until the owner stores. Nothing orders them: under
/// oversubscription most of them starve.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/locks/wait_strategy.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P, SpinStrategy<P> W>
class SpinLock {
 public:
  static constexpr std::string_view kName = W::kTakesSpin ? "spin-yield" : "spin";
  static constexpr std::string_view kSummary =
      W::kTakesSpin ? "test-and-test-and-set, sched_yield after a bounded number of pauses"
                    : "test-and-test-and-set with pause, never sleeps";
  static constexpr std::string_view kSource =
      "Larry Rudolph and Zary Segall, \"Dynamic decentralized cache schemes\" (ISCA 1984)";
  static constexpr LockTraits kTraits{.fairness = Fairness::kNone,
                                      .spins = true,
                                      .takes_spin = W::kTakesSpin,
                                      .default_spin = W::kDefaultSpin};
  using Context = NoContext;

  explicit SpinLock(const LockConfig& config) : strategy_(config) {}

  void lock(Context&) noexcept {
    // Acquire pairs with the release in unlock.
    if (word_.exchange(kHeld, std::memory_order_acquire) == kFree) return;
    lock_slow();
  }

  void unlock(Context&) noexcept { word_.store(kFree, std::memory_order_release); }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;

  [[gnu::noinline, gnu::cold]] void lock_slow() noexcept {
    P::note_slow_path();
    do {
      strategy_.wait_while(word_, kHeld);
    } while (word_.exchange(kHeld, std::memory_order_acquire) != kFree);
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{kFree};
  alignas(kCacheLine) W strategy_;
};

}  // namespace futex_bench
