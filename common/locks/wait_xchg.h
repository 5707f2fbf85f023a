// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The exchange-based three-state futex lock.
///
/// | word | meaning                                        | left by                            |
/// |------|------------------------------------------------|------------------------------------|
/// | 0    | free; sleepers may exist, one of them is awake  | lock: 0 -> 1 (fast), 0 -> 2 (slow)  |
/// | 1    | held, nobody has asked to be woken              | unlock: exchange 0; waiter: -> 2    |
/// | 2    | held, the owner must wake somebody              | unlock: exchange 0, then FUTEX_WAKE |
///
/// INV1  Only the owner moves the word to 0.
/// INV2  As in wait.h: a thread that has been in the slow path takes the lock as 2.
///
/// One atomic operation for each fast path where wait.h has a read and a compare-and-swap: with no
/// read before it, the cache line is fetched for writing at once.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class WaitXchgLock {
 public:
  static constexpr std::string_view kName = "wait-xchg";
  static constexpr std::string_view kSummary =
      "FUTEX_WAIT: three states changed by exchange, one atomic operation for each fast path";
  static constexpr std::string_view kSource =
      "Ulrich Drepper, \"Futexes Are Tricky\" (2011), mutex3; glibc lowlevellock";
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kBarging, .parks = true, .needs = FutexOperation::kWait};
  using Context = NoContext;

  explicit WaitXchgLock(const LockConfig& config) : scope_(config.scope) {}

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
    // Acquire: an exchange that finds 0 has taken the lock.
    if (seen != kContended) seen = word_.exchange(kContended, std::memory_order_acquire);
    while (seen != kFree) {
      P::futex_wait(word_, kContended, scope_);
      seen = word_.exchange(kContended, std::memory_order_acquire);
    }
  }

  [[gnu::noinline, gnu::cold]] void wake_slow() noexcept { P::futex_wake(&word_, 1, scope_); }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{kFree};
  alignas(kCacheLine) FutexScope scope_;
};

}  // namespace futex_bench
