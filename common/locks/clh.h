// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// CLH lock: a queue in which each thread waits on the node of the thread before it.
///
/// | state of the last node | meaning                         | left by                             |
/// |------------------------|---------------------------------|-------------------------------------|
/// | kSignalled             | free                            | lock: exchanges own node for it     |
/// | kAwaiting              | its thread owns or waits        | its unlock: kSignalled; or another  |
/// |                        |                                 | lock, which waits on it: exchange   |
///
/// A node that is not the last goes from kAwaiting to kSignalled once, which ends the wait of the
/// thread behind it, and back to kAwaiting when its next thread brings it to the queue.
///
/// INV1  A node is one of three: the last of the queue, waited on by exactly one thread, or the
///       spare of exactly one thread.
/// INV2  A thread leaves with the node it waited on and leaves its own to the thread behind it, so
///       nodes wander and live as long as the lock.
/// INV3  Served in the order of the exchanges: first come, first served.
#pragma once

#include <atomic>

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/locks/wait_strategy.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class ClhLock {
  struct alignas(kCacheLine) Node {
    typename P::template Atomic<std::uint32_t> state{kSignalled};
    Node* made_before = nullptr;
  };

 public:
  static constexpr std::string_view kName = "clh";
  static constexpr std::string_view kSummary =
      "CLH queue lock: each waiter spins on the node before its own, never sleeps";
  static constexpr std::string_view kSource =
      "Travis Craig (1993); Peter Magnusson, Anders Landin, Erik Hagersten, \"Queue locks on cache "
      "coherent multiprocessors\" (1994)";
  static constexpr LockTraits kTraits{.fairness = Fairness::kFifo,
                                      .spins = true,
                                      .takes_shared = false,
                                      .needs_node = true,
                                      .word_bytes = 8};
  /// For the model checker: a Context is used again, and not only its own node.
  static constexpr bool kNodesWander = true;

  /// Which node the thread would bring next, and which it waits on.
  struct Context {
    Node* mine = nullptr;
    Node* before = nullptr;
  };

  explicit ClhLock(const LockConfig& config) : strategy_(config), tail_(make_node()) {}
  ~ClhLock() {
    for (Node* node = made_.load(); node != nullptr;) {
      Node* const before = node->made_before;
      delete node;
      node = before;
    }
  }
  ClhLock(const ClhLock&) = delete;
  ClhLock& operator=(const ClhLock&) = delete;

  void lock(Context& context) noexcept {
    if (context.mine == nullptr) [[unlikely]]
      context.mine = make_node();
    // Relaxed: nobody knows the node yet, or nobody uses it any more (INV1).
    context.mine->state.store(kAwaiting, std::memory_order_relaxed);
    // Release publishes our node, acquire sees the one before.
    context.before = tail_.exchange(context.mine, std::memory_order_acq_rel);
    // Acquire pairs with the release in unlock.
    if (context.before->state.load(std::memory_order_acquire) != kSignalled) {
      lock_slow(*context.before);
    }
  }

  void unlock(Context& context) noexcept {
    Node* const mine = context.mine;
    context.mine = context.before;
    strategy_.signal(&mine->state);
  }

 private:
  [[gnu::noinline, gnu::cold]] void lock_slow(Node& before) noexcept {
    P::note_slow_path();
    strategy_.await(before.state);
  }

  // Once a thread. The list of all nodes is not part of the algorithm and therefore not the
  // platform's: it only frees them in the end.
  [[gnu::noinline, gnu::cold]] Node* make_node() {
    Node* const node = new Node;
    node->made_before = made_.load();
    while (!made_.compare_exchange_weak(node->made_before, node)) {
    }
    return node;
  }

  alignas(kCacheLine) Spin<P> strategy_;
  std::atomic<Node*> made_{nullptr};
  alignas(kCacheLine) typename P::template Atomic<Node*> tail_;
};

}  // namespace futex_bench
