// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Cohort lock C-TKT-MCS: an MCS lock for each NUMA node and a ticket lock between the nodes. The
/// ticket stays on a node for a batch of acquisitions, so the lock's data do too.
///
/// | signal of a waiter's node | meaning                                                    |
/// |---------------------------|------------------------------------------------------------|
/// | kWait                     | neither lock is its                                        |
/// | kLocal                    | the node's lock is its, it has to draw a ticket            |
/// | kBoth                     | both locks are its                                         |
///
/// INV1  The owner holds the lock of the node it has noted in its Context, and the ticket lock.
/// INV2  `batch` and the ticket belong to the holder of the node's lock.
/// INV3  Nobody touches a Context after its thread has left unlock, as in mcs.h.
/// INV4  A node keeps the ticket for at most kBatch acquisitions in a row while other nodes wait:
///       first come, first served within a node and between nodes, but not over all threads.
///
/// A ticket may be given up by another thread than the one that drew it; that is why it has to be a
/// lock like this between the nodes.
#pragma once

#include <array>

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/locks/wait_strategy.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class CohortLock {
 public:
  static constexpr std::string_view kName = "cohort";
  static constexpr std::string_view kSummary =
      "NUMA cohort lock C-TKT-MCS: batches of acquisitions on one node, never sleeps";
  static constexpr std::string_view kSource =
      "Dave Dice, Virendra Marathe, Nir Shavit, \"Lock Cohorting\" (PPoPP 2012)";
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kEventual,
      .spins = true,
      .takes_shared = false,
      .needs_node = true,
      .word_bytes = 8,
      .parameters = "batches of 100; 16 queues, nodes beyond share them"};

  struct Context {
    typename P::template Atomic<Context*> next{nullptr};
    typename P::template Atomic<std::uint32_t> signal{0};
    std::uint32_t queue = 0;
  };

  explicit CohortLock(const LockConfig& config) : strategy_(config) {}

  void lock(Context& mine) noexcept {
    mine.queue = P::node() % kQueues;
    // Relaxed: nobody knows the node yet; the exchange publishes it.
    mine.next.store(nullptr, std::memory_order_relaxed);
    // As in mcs.h: acquire pairs with unlock and with the exchange before, release publishes.
    Context* const before = queues_[mine.queue].tail.exchange(&mine, std::memory_order_acq_rel);
    if (before != nullptr) {
      lock_slow(mine, *before);
      return;
    }
    // Relaxed: a number is no permission; the load of serving_ synchronises.
    const std::uint32_t number = next_.fetch_add(1, std::memory_order_relaxed);
    // Acquire pairs with the release in give_up_ticket.
    const std::uint32_t now = serving_.load(std::memory_order_acquire);
    if (now != number) {
      P::note_slow_path();
      await_ticket(number, now);
    }
  }

  void unlock(Context& mine) noexcept {
    Queue& queue = queues_[mine.queue];
    // Acquire pairs with the release in lock_slow: the node behind is ready to be signalled.
    Context* next = mine.next.load(std::memory_order_acquire);
    if (next != nullptr && ++queue.batch < kBatch) {
      next->signal.store(kBoth, std::memory_order_release);
      return;
    }
    queue.batch = 0;
    give_up_ticket();
    if (next == nullptr) {
      Context* last = &mine;
      if (queue.tail.compare_exchange_strong(last, nullptr, std::memory_order_release,
                                             std::memory_order_relaxed)) {
        return;
      }
      wait_briefly_until<P>(
          [&] { return (next = mine.next.load(std::memory_order_acquire)) != nullptr; });
    }
    next->signal.store(kLocal, std::memory_order_release);
  }

 private:
  static constexpr std::uint32_t kBoth = 0;
  static constexpr std::uint32_t kWait = 1;
  static constexpr std::uint32_t kLocal = 2;
  static constexpr std::uint32_t kQueues = 16;
  static constexpr std::uint32_t kBatch = 100;

  struct alignas(kCacheLine) Queue {
    typename P::template Atomic<Context*> tail{nullptr};
    std::uint32_t batch = 0;
  };

  [[gnu::noinline, gnu::cold]] void lock_slow(Context& mine, Context& before) noexcept {
    P::note_slow_path();
    mine.signal.store(kWait, std::memory_order_relaxed);
    // Release: what is in the node is seen by the one before.
    before.next.store(&mine, std::memory_order_release);
    strategy_.wait_while(mine.signal, kWait);
    // Acquire pairs with the releases in unlock.
    if (mine.signal.load(std::memory_order_acquire) == kBoth) return;
    const std::uint32_t number = next_.fetch_add(1, std::memory_order_relaxed);
    await_ticket(number, serving_.load(std::memory_order_acquire));
  }

  void await_ticket(std::uint32_t number, std::uint32_t now) noexcept {
    while (now != number) {
      strategy_.wait_while(serving_, now);
      now = serving_.load(std::memory_order_acquire);
    }
  }

  void give_up_ticket() noexcept {
    // Relaxed load: only the owner changes it.
    serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> next_{0};
  typename P::template Atomic<std::uint32_t> serving_{0};
  std::array<Queue, kQueues> queues_;
  alignas(kCacheLine) Spin<P> strategy_;
};

}  // namespace futex_bench
