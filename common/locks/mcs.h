// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// MCS lock: a queue in which each thread waits on a word of its own node.
///
/// | tail         | meaning                                | left by                               |
/// |--------------|----------------------------------------|---------------------------------------|
/// | null         | free                                   | lock: exchange with own node          |
/// | owner's node | held, nobody waits                     | lock: exchange; unlock: back to null  |
/// | another node | held, that node is the last that waits | lock: exchange                        |
///
/// | signal of a node | meaning                                  | left by                         |
/// |------------------|------------------------------------------|---------------------------------|
/// | kSignalled       | its thread owns the lock or is not here  | lock, behind another: kAwaiting |
/// | kAwaiting        | its thread waits, awake                  | unlock; mcs-park, -stp: kAsleep |
/// | kAsleep          | its thread sleeps or is about to         | unlock: signals, then wakes     |
///
/// INV1  The owner's node is the first of the queue, and only the owner takes a node off.
/// INV2  A node behind the first is reached through `next` of the one before it, or its thread is
///       between the exchange and the store to that `next`; unlock waits for that store.
/// INV3  Nobody touches a node after its thread has left unlock. The last access of another thread
///       is the signal that ends the wait in lock, or the store to `next`, which unlock waits for.
/// INV4  Served in the order of the exchanges: first come, first served.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/locks/wait_strategy.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P, WaitStrategy<P> W>
class McsLock {
 public:
  static constexpr std::string_view kName = !W::kParks      ? "mcs"
                                            : W::kTakesSpin ? "mcs-stp"
                                                            : "mcs-park";
  static constexpr std::string_view kSummary =
      !W::kParks      ? "MCS queue lock: each waiter spins on a node of its own, never sleeps"
      : W::kTakesSpin ? "MCS queue lock whose waiters spin, then sleep"
                      : "MCS queue lock whose waiters sleep at once";
  static constexpr std::string_view kSource =
      "John Mellor-Crummey and Michael Scott, \"Algorithms for scalable synchronization on "
      "shared-memory multiprocessors\" (1991); spin-then-park bound of LiTL (2016)";
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kFifo,
      .spins = !W::kParks || W::kTakesSpin,
      .parks = W::kParks,
      .needs = W::kParks ? std::optional(FutexOperation::kWait) : std::nullopt,
      .takes_spin = W::kTakesSpin,
      .takes_shared = false,
      .needs_node = true,
      .word_bytes = 8,
      .default_spin = W::kDefaultSpin};

  struct Context {
    typename P::template Atomic<Context*> next{nullptr};
    typename P::template Atomic<std::uint32_t> signal{kSignalled};
  };

  explicit McsLock(const LockConfig& config) : strategy_(config) {}

  void lock(Context& mine) noexcept {
    // Relaxed: nobody knows the node yet; the exchange publishes it.
    mine.next.store(nullptr, std::memory_order_relaxed);
    // Acquire pairs with the release in unlock, or with the exchange that published the node
    // before; release publishes ours.
    Context* const before = tail_.exchange(&mine, std::memory_order_acq_rel);
    if (before != nullptr) lock_slow(mine, *before);
  }

  void unlock(Context& mine) noexcept {
    // Acquire pairs with the release in lock_slow: the node behind is ready to be signalled.
    Context* next = mine.next.load(std::memory_order_acquire);
    if (next == nullptr) {
      Context* last = &mine;
      if (tail_.compare_exchange_strong(last, nullptr, std::memory_order_release,
                                        std::memory_order_relaxed)) {
        return;
      }
      next = wait_for_next(mine);
    }
    strategy_.signal(&next->signal);
  }

 private:
  [[gnu::noinline, gnu::cold]] void lock_slow(Context& mine, Context& before) noexcept {
    P::note_slow_path();
    mine.signal.store(kAwaiting, std::memory_order_relaxed);
    before.next.store(&mine, std::memory_order_release);
    strategy_.await(mine.signal);
  }

  [[gnu::noinline, gnu::cold]] Context* wait_for_next(Context& mine) noexcept {
    Context* next = nullptr;
    wait_briefly_until<P>(
        [&] { return (next = mine.next.load(std::memory_order_acquire)) != nullptr; });
    return next;
  }

  alignas(kCacheLine) typename P::template Atomic<Context*> tail_{nullptr};
  alignas(kCacheLine) W strategy_;
};

}  // namespace futex_bench
