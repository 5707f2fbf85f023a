// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A ticket lock whose waiters sleep: first come, first served, and unlock hands the lock to the
/// thread that it wakes. Nobody overtakes, and each contended unlock costs a whole wake-up.
///
/// | next - serving | meaning                       | left by                                    |
/// |----------------|-------------------------------|--------------------------------------------|
/// | 0              | free                          | lock: next + 1                             |
/// | n > 0          | held, n - 1 threads wait      | lock: next + 1; unlock: serving + 1        |
///
/// INV1  The owner is the thread whose number is `serving`, and only the owner changes `serving`.
/// INV2  The thread with number n sleeps on `serving` with bit n mod 32. Whoever moves `serving` to
///       n wakes that bit if n has been drawn, after the move. A thread that has not gone to sleep
///       by then compares `serving` with an older number and does not.
/// INV3  unlock moves `serving` and then reads `next`; lock moves `next` and then compares
///       `serving` (in FUTEX_WAIT). All four are sequentially consistent, so one of the two sees the
///       other.
///
/// Waiters that share a bit (every 32nd) are woken together; all but one go back to sleep.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class HandoffLock {
 public:
  static constexpr std::string_view kName = "handoff";
  static constexpr std::string_view kSummary =
      "ticket lock over FUTEX_WAIT_BITSET: first come, first served, ownership is handed over";
  static constexpr std::string_view kSource =
      "ticket lock of Mellor-Crummey and Scott (1991) with the wake bits of man 2 futex";
  static constexpr LockTraits kTraits{.fairness = Fairness::kFifo,
                                      .parks = true,
                                      .needs = FutexOperation::kBitset,
                                      .word_bytes = 8};
  using Context = NoContext;

  explicit HandoffLock(const LockConfig& config) : scope_(config.scope) {}

  void lock(Context&) noexcept {
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_seq_cst);  // INV3
    // Acquire pairs with unlock.
    const std::uint32_t now = serving_.load(std::memory_order_acquire);
    if (now != mine) lock_slow(mine, now);
  }

  void unlock(Context&) noexcept {
    // Also the release that lock pairs with; INV3.
    const std::uint32_t behind = serving_.fetch_add(1, std::memory_order_seq_cst) + 1;
    if (next_.load(std::memory_order_seq_cst) != behind) wake_slow(behind);
  }

 private:
  static constexpr std::uint32_t bit_of(std::uint32_t number) noexcept {
    return 1U << (number % 32);
  }

  [[gnu::noinline, gnu::cold]] void lock_slow(std::uint32_t mine, std::uint32_t now) noexcept {
    P::note_slow_path();
    do {
      P::futex_wait_bits(serving_, now, bit_of(mine), scope_);
      now = serving_.load(std::memory_order_acquire);
    } while (now != mine);
  }

  [[gnu::noinline, gnu::cold]] void wake_slow(std::uint32_t number) noexcept {
    P::futex_wake_bits(&serving_, kWakeAll, bit_of(number), scope_);
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> next_{0};
  typename P::template Atomic<std::uint32_t> serving_{0};
  alignas(kCacheLine) FutexScope scope_;
};

}  // namespace futex_bench
