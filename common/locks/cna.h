// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Compact NUMA-aware lock: an MCS lock in which unlock prefers a waiter on its own NUMA node and
/// moves those that it skips to a second queue. One word, whatever the number of nodes.
///
/// | `turn` of a node | meaning                                                             |
/// |------------------|---------------------------------------------------------------------|
/// | kWait            | its thread waits                                                    |
/// | kGo              | its thread is the owner, the second queue is empty                  |
/// | a node's address | its thread is the owner, the second queue begins with that node     |
///
/// INV1  Main queue: from the owner's node through `next` to the tail, as in mcs.h. Second queue:
///       from the owner's `turn` through `next` to the `last` of its first node, whose next is
///       null.
/// INV2  Only the owner changes the second queue, `turn` of its own node, and `next` of nodes that
///       have one already; the second queue is handed over with the lock.
/// INV3  Nobody touches a node after its thread has left unlock, as in mcs.h.
/// INV4  With probability 1/65536 unlock serves the second queue first, and always when there is no
///       waiter of its own node in the main queue.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/locks/wait_strategy.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class CnaLock {
 public:
  static constexpr std::string_view kName = "cna";
  static constexpr std::string_view kSummary =
      "compact NUMA-aware MCS: prefers waiters of the owner's node, never sleeps";
  static constexpr std::string_view kSource =
      "Dave Dice and Alex Kogan, \"Compact NUMA-aware locks\" (EuroSys 2019)";
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kEventual,
      .spins = true,
      .takes_shared = false,
      .needs_node = true,
      .word_bytes = 8,
      .parameters = "serves the skipped ones first with probability 1/65536"};

  struct Context {
    typename P::template Atomic<Context*> next{nullptr};
    typename P::template Atomic<std::uintptr_t> turn{0};
    Context* last = nullptr;  ///< of the second queue; valid in its first node
    std::uint32_t node = 0;
  };

  explicit CnaLock(const LockConfig&) {}

  void lock(Context& mine) noexcept {
    mine.node = P::node();
    // Relaxed: nobody knows the node yet; the exchange publishes it.
    mine.next.store(nullptr, std::memory_order_relaxed);
    // As in mcs.h: acquire pairs with unlock and with the exchange before, release publishes.
    Context* const before = tail_.exchange(&mine, std::memory_order_acq_rel);
    if (before != nullptr) {
      lock_slow(mine, *before);
    } else {
      mine.turn.store(kGo, std::memory_order_relaxed);  // read by this thread only
    }
  }

  void unlock(Context& mine) noexcept {
    // Acquire pairs with the release in lock_slow.
    Context* next = mine.next.load(std::memory_order_acquire);
    // Relaxed: the owner's own (INV2).
    const std::uintptr_t turn = mine.turn.load(std::memory_order_relaxed);
    if (next == nullptr) {
      if (leave_empty(mine, turn)) return;
      wait_briefly_until<P>(
          [&] { return (next = mine.next.load(std::memory_order_acquire)) != nullptr; });
    }
    pass_on(mine, *next, turn);
  }

 private:
  static constexpr std::uintptr_t kWait = 0;
  static constexpr std::uintptr_t kGo = 1;
  static constexpr std::uint32_t kFairMask = 0xffff;

  static Context* node_at(std::uintptr_t turn) noexcept { return reinterpret_cast<Context*>(turn); }
  static std::uintptr_t address(Context* node) noexcept {
    return reinterpret_cast<std::uintptr_t>(node);
  }

  [[gnu::noinline, gnu::cold]] void lock_slow(Context& mine, Context& before) noexcept {
    P::note_slow_path();
    mine.turn.store(kWait, std::memory_order_relaxed);
    // Release: what is in the node is seen by those who reach it through `next`.
    before.next.store(&mine, std::memory_order_release);
    // Acquire pairs with the release of the one that passes the lock on.
    while (mine.turn.load(std::memory_order_acquire) == kWait) P::pause();
  }

  /// Nobody was seen behind the owner: leaves the lock free, or to the second queue, which becomes
  /// the main one. False if somebody has come.
  bool leave_empty(Context& mine, std::uintptr_t turn) noexcept {
    Context* const first = turn == kGo ? nullptr : node_at(turn);
    Context* const new_tail = first == nullptr ? nullptr : first->last;
    Context* tail = &mine;
    if (!tail_.compare_exchange_strong(tail, new_tail, std::memory_order_release,
                                       std::memory_order_relaxed)) {
      return false;
    }
    if (first != nullptr) first->turn.store(kGo, std::memory_order_release);
    return true;
  }

  void pass_on(Context& mine, Context& next, std::uintptr_t turn) noexcept {
    const bool prefer_own_node = (P::random() & kFairMask) != kFairMask;
    Context* const neighbour = prefer_own_node ? find_neighbour(mine, next, turn) : nullptr;
    if (neighbour != nullptr) {
      neighbour->turn.store(turn, std::memory_order_release);
    } else if (turn != kGo) {
      // The second queue goes in front of the main one.
      Context* const first = node_at(turn);
      first->last->next.store(&next, std::memory_order_relaxed);
      first->turn.store(kGo, std::memory_order_release);
    } else {
      next.turn.store(kGo, std::memory_order_release);
    }
  }

  /// The first in the main queue, from `next`, that is on the owner's NUMA node; null if none is
  /// linked yet. Moves those before it to the end of the second queue and enters that in `turn`.
  Context* find_neighbour(Context& mine, Context& next, std::uintptr_t& turn) noexcept {
    Context* skipped = nullptr;  // the last that was skipped
    Context* found = &next;
    while (found->node != mine.node) {
      skipped = found;
      // Acquire pairs with the release in lock_slow.
      found = found->next.load(std::memory_order_acquire);
      if (found == nullptr) return nullptr;
    }
    if (skipped == nullptr) return found;
    // Relaxed: these links are read by later owners only (INV2).
    skipped->next.store(nullptr, std::memory_order_relaxed);
    if (turn == kGo) {
      turn = address(&next);
    } else {
      node_at(turn)->last->next.store(&next, std::memory_order_relaxed);
    }
    node_at(turn)->last = skipped;
    return found;
  }

  alignas(kCacheLine) typename P::template Atomic<Context*> tail_{nullptr};
};

}  // namespace futex_bench
