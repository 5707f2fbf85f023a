// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Ticket lock: draw a number, wait until it is shown.
///
/// | next - serving | meaning                       | left by                                    |
/// |----------------|-------------------------------|--------------------------------------------|
/// | 0              | free                          | lock: next + 1                             |
/// | n > 0          | held, n - 1 threads wait      | lock: next + 1; unlock: serving + 1        |
///
/// INV1  The owner is the thread whose number is `serving`, and only the owner changes `serving`.
/// INV2  Numbers are drawn in order and served in order: first come, first served. Both counters
///       wrap together, which is right for up to 2^32 - 1 waiters.
///
/// All waiters read one word, so each unlock is paid by all of them; and once a waiter has lost its
/// processor, everybody behind it waits until it gets one.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/locks/wait_strategy.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P, SpinStrategy<P> W>
class TicketLock {
 public:
  static constexpr std::string_view kName = W::kTakesSpin ? "ticket-yield" : "ticket";
  static constexpr std::string_view kSummary =
      W::kTakesSpin ? "ticket lock, sched_yield after a bounded number of pauses"
                    : "ticket lock: first come, first served, never sleeps";
  static constexpr std::string_view kSource =
      "John Mellor-Crummey and Michael Scott, \"Algorithms for scalable synchronization on "
      "shared-memory multiprocessors\" (1991); as in Linux 2.6.25 to 4.1";
  static constexpr LockTraits kTraits{.fairness = Fairness::kFifo,
                                      .spins = true,
                                      .takes_spin = W::kTakesSpin,
                                      .word_bytes = 8,
                                      .default_spin = W::kDefaultSpin};
  using Context = NoContext;

  explicit TicketLock(const LockConfig& config) : strategy_(config) {}

  void lock(Context&) noexcept {
    // Relaxed: a number is no permission; the load of `serving` synchronises.
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
    // Acquire pairs with the release in unlock.
    const std::uint32_t now = serving_.load(std::memory_order_acquire);
    if (now != mine) lock_slow(mine, now);
  }

  void unlock(Context&) noexcept {
    // Relaxed: only the owner changes it (INV1).
    serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  [[gnu::noinline, gnu::cold]] void lock_slow(std::uint32_t mine, std::uint32_t now) noexcept {
    P::note_slow_path();
    do {
      strategy_.wait_while(serving_, now);
      now = serving_.load(std::memory_order_acquire);
    } while (now != mine);
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> next_{0};
  typename P::template Atomic<std::uint32_t> serving_{0};
  alignas(kCacheLine) W strategy_;
};

}  // namespace futex_bench
