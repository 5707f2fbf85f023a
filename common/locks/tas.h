// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Test-and-set lock: exchange until it gives 0. The worst case that others are compared with:
/// every look of every waiter takes the cache line away from the owner.
///
/// | word | meaning | left by            |
/// |------|---------|--------------------|
/// | 0    | free    | lock: exchange 1   |
/// | 1    | held    | unlock: store 0    |
///
/// INV1  Only the owner moves the word to 0.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class TasLock {
 public:
  static constexpr std::string_view kName = "tas";
  static constexpr std::string_view kSummary = "test-and-set with pause, never sleeps";
  static constexpr std::string_view kSource =
      "Thomas Anderson, \"The performance of spin lock alternatives\" (1990)";
  static constexpr LockTraits kTraits{.fairness = Fairness::kNone, .spins = true};
  using Context = NoContext;

  explicit TasLock(const LockConfig&) {}

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
      P::pause();
    } while (word_.exchange(kHeld, std::memory_order_acquire) != kFree);
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{kFree};
};

}  // namespace futex_bench
