// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A queue of sleeping threads in user space, for locks that must know who sleeps: what the hash
/// bucket is in the kernel, a spin lock and a list. As WebKit's ParkingLot has it, for one address.
///
/// INV1  The list is only touched under the queue's own lock.
/// INV2  A waiter's node is on its stack and is on the list, or its thread is awake, or its waker is
///       about to wake it. The waker's last access to it is the store that ends its sleep; the
///       FUTEX_WAKE after that only uses the address.
#pragma once

#include "common/locks/platform.h"
#include "common/locks/wait_strategy.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class WaitQueue {
 public:
  /// One sleep of one thread.
  struct Waiter {
    typename P::template Atomic<std::uint32_t> asleep{1};
    Waiter* next = nullptr;
    bool handed_over = false;  ///< a word from the waker; read after sleep
  };

  /// The queue's own lock. Its critical sections are a few dozen instructions.
  void lock() noexcept {
    // Acquire pairs with unlock: the list is seen as the last holder left it.
    wait_briefly_until<P>([this] {
      return locked_.load(std::memory_order_relaxed) == 0 &&
             locked_.exchange(1, std::memory_order_acquire) == 0;
    });
  }
  void unlock() noexcept { locked_.store(0, std::memory_order_release); }

  // Under lock().
  bool empty() const noexcept { return head_ == nullptr; }
  void push_back(Waiter& waiter) noexcept {
    *tail_ = &waiter;
    tail_ = &waiter.next;
  }
  void push_front(Waiter& waiter) noexcept {
    if (empty()) tail_ = &waiter.next;
    waiter.next = head_;
    head_ = &waiter;
  }
  /// The oldest; the queue must not be empty.
  Waiter& pop() noexcept {
    P::invariant(!empty(), "a waiter is queued where the lock says so");
    Waiter* const first = head_;
    head_ = first->next;
    if (empty()) tail_ = &head_;
    return *first;
  }

  /// Sleeps until somebody has popped the waiter and woken it. Not under lock().
  static void sleep(Waiter& self) noexcept {
    // Acquire pairs with the release in wake: the waker is done with `self` (INV2).
    while (self.asleep.load(std::memory_order_acquire) != 0) {
      P::futex_wait(self.asleep, 1, FutexScope::kPrivate);
    }
  }
  /// Ends the sleep of a waiter that was popped. Better not under lock().
  static void wake(Waiter& waiter) noexcept {
    auto* const asleep = &waiter.asleep;
    asleep->store(0, std::memory_order_release);
    P::futex_wake(asleep, 1, FutexScope::kPrivate);
  }

 private:
  typename P::template Atomic<std::uint32_t> locked_{0};
  Waiter* head_ = nullptr;
  Waiter** tail_ = &head_;
};

}  // namespace futex_bench
