// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// MCS lock with culling: as long as two or more threads wait, unlock takes the first of them out
/// of the queue and sets it aside, so that few threads keep their caches warm while the others
/// sleep.
///
/// | where a waiter is       | left by                                                          |
/// |-------------------------|------------------------------------------------------------------|
/// | queue, first behind     | unlock: signalled; or set aside if another one waits behind it   |
/// | queue, further back     | moves up                                                         |
/// | set aside               | unlock: the latest when nobody else waits; the oldest once in    |
/// |                         | 1024 unlocks on average, which bounds how long anybody starves   |
///
/// INV1  Queue as in mcs.h. Who is set aside is in a list from the latest to the oldest, waits on
///       its node like everybody else, and belongs to the owner, who alone touches the list.
/// INV2  The lock is left free only if nobody is in the queue and nobody is set aside.
/// INV3  Nobody touches a node after its thread has left unlock, as in mcs.h.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/locks/wait_strategy.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P, WaitStrategy<P> W>
class MalthusianLock {
 public:
  static constexpr std::string_view kName = "malthusian";
  static constexpr std::string_view kSummary =
      "MCS with culling: few threads go on taking turns, the surplus is set aside and sleeps";
  static constexpr std::string_view kSource = "Dave Dice, \"Malthusian Locks\" (2015)";
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kEventual,
      .spins = true,
      .parks = true,
      .needs = FutexOperation::kWait,
      .takes_spin = W::kTakesSpin,
      .takes_shared = false,
      .needs_node = true,
      .word_bytes = 8,
      .default_spin = W::kDefaultSpin,
      .parameters = "the one set aside longest is served with probability 1/1024"};

  struct Context {
    typename P::template Atomic<Context*> next{nullptr};
    typename P::template Atomic<std::uint32_t> signal{kSignalled};
    Context* older = nullptr;  ///< neighbours among those set aside
    Context* newer = nullptr;
  };

  explicit MalthusianLock(const LockConfig& config) : strategy_(config) {}

  void lock(Context& mine) noexcept {
    // Relaxed: nobody knows the node yet; the exchange publishes it.
    mine.next.store(nullptr, std::memory_order_relaxed);
    // As in mcs.h: acquire pairs with unlock and with the exchange before, release publishes.
    Context* const before = tail_.exchange(&mine, std::memory_order_acq_rel);
    if (before != nullptr) lock_slow(mine, *before);
  }

  void unlock(Context& mine) noexcept {
    // Acquire pairs with the release in lock_slow.
    Context* next = mine.next.load(std::memory_order_acquire);
    if (newest_ != nullptr && (next == nullptr || (P::random() & kFairMask) == kFairMask)) {
      serve_one_set_aside(mine, next);
      return;
    }
    if (next == nullptr) {
      Context* last = &mine;
      if (tail_.compare_exchange_strong(last, nullptr, std::memory_order_release,
                                        std::memory_order_relaxed)) {
        return;
      }
      next = wait_for_next(mine);
    }
    Context* const second = next->next.load(std::memory_order_acquire);
    if (second != nullptr) {
      set_aside(*next);
      next = second;
    }
    strategy_.signal(&next->signal);
  }

 private:
  static constexpr std::uint32_t kFairMask = 1023;

  [[gnu::noinline, gnu::cold]] void lock_slow(Context& mine, Context& before) noexcept {
    P::note_slow_path();
    mine.signal.store(kAwaiting, std::memory_order_relaxed);
    // Release: what is in the node is seen by those who reach it through `next`.
    before.next.store(&mine, std::memory_order_release);
    strategy_.await(mine.signal);
  }

  [[gnu::noinline, gnu::cold]] Context* wait_for_next(Context& mine) noexcept {
    Context* next = nullptr;
    wait_briefly_until<P>(
        [&] { return (next = mine.next.load(std::memory_order_acquire)) != nullptr; });
    return next;
  }

  /// Puts one of those set aside between the owner and `next`, which is what is known to be behind
  /// it, and passes the lock on to it: the latest if nobody is behind, else the oldest.
  [[gnu::noinline, gnu::cold]] void serve_one_set_aside(Context& mine, Context* next) noexcept {
    Context* const chosen = next == nullptr ? newest_ : oldest_;
    take_back(*chosen);
    // Relaxed: published by the exchange or by the signal.
    chosen->next.store(next, std::memory_order_relaxed);
    if (next == nullptr) {
      Context* last = &mine;
      // Release: the next to come writes into the node of the chosen one.
      if (!tail_.compare_exchange_strong(last, chosen, std::memory_order_release,
                                         std::memory_order_relaxed)) {
        chosen->next.store(wait_for_next(mine), std::memory_order_relaxed);
      }
    }
    strategy_.signal(&chosen->signal);
  }

  void set_aside(Context& node) noexcept {
    node.older = newest_;
    node.newer = nullptr;
    (newest_ == nullptr ? oldest_ : newest_->newer) = &node;
    newest_ = &node;
  }

  void take_back(Context& node) noexcept {
    (node.newer == nullptr ? newest_ : node.newer->older) = node.older;
    (node.older == nullptr ? oldest_ : node.older->newer) = node.newer;
  }

  alignas(kCacheLine) typename P::template Atomic<Context*> tail_{nullptr};
  // Of the owner.
  alignas(kCacheLine) Context* newest_ = nullptr;
  Context* oldest_ = nullptr;
  alignas(kCacheLine) W strategy_;
};

}  // namespace futex_bench
