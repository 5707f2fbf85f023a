// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Test-and-test-and-set lock with bounded exponential backoff, randomised.
///
/// | word | meaning | left by            |
/// |------|---------|--------------------|
/// | 0    | free    | lock: exchange 1   |
/// | 1    | held    | unlock: store 0    |
///
/// INV1  Only the owner moves the word to 0.
///
/// After each attempt that failed a waiter looks away for a random number of pauses, 1 to a window
/// that doubles from kFirstWindow to LockConfig::spin. It backs off after a lost race and not while
/// the word is merely held, as Anderson advises: the number of racers is what the window estimates.
#pragma once

#include <algorithm>

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class TtasBackoffLock {
 public:
  static constexpr std::string_view kName = "ttas-backoff";
  static constexpr std::string_view kSummary =
      "test-and-test-and-set with bounded exponential randomised backoff, never sleeps";
  static constexpr std::string_view kSource =
      "Thomas Anderson, \"The performance of spin lock alternatives\" (1990)";
  /// Largest window in pauses.
  static constexpr std::uint32_t kDefaultSpin = 1024;
  static constexpr LockTraits kTraits{.fairness = Fairness::kNone,
                                      .spins = true,
                                      .takes_spin = true,
                                      .default_spin = kDefaultSpin,
                                      .parameters = "window of 4 pauses, doubling up to the bound"};
  using Context = NoContext;

  explicit TtasBackoffLock(const LockConfig& config)
      : last_window_(std::max(config.spin.value_or(kDefaultSpin), 1U)) {}

  void lock(Context&) noexcept {
    // Acquire pairs with the release in unlock.
    if (word_.exchange(kHeld, std::memory_order_acquire) == kFree) return;
    lock_slow();
  }

  void unlock(Context&) noexcept { word_.store(kFree, std::memory_order_release); }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kFirstWindow = 4;

  [[gnu::noinline, gnu::cold]] void lock_slow() noexcept {
    P::note_slow_path();
    std::uint32_t window = std::min(kFirstWindow, last_window_);
    do {
      const std::uint32_t pauses = 1 + P::random() % window;
      for (std::uint32_t i = 0; i < pauses; ++i) P::pause();
      window = std::min(window * 2, last_window_);
      // Relaxed: only a hint; the exchange decides.
      while (word_.load(std::memory_order_relaxed) == kHeld) P::pause();
    } while (word_.exchange(kHeld, std::memory_order_acquire) != kFree);
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{kFree};
  alignas(kCacheLine) std::uint32_t last_window_;
};

}  // namespace futex_bench
