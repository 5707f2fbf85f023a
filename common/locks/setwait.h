// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// FUTEX_SET_WAIT emulated with a wait queue in user space.
///
/// FUTEX_SET_WAIT was to compare the word, set it to 2 and queue the caller in one step under the
/// kernel's hash-bucket lock. Here a WaitQueue plays the bucket; each waiter sleeps on a word of
/// its own.
///
/// | word | meaning                         | left by                                             |
/// |------|---------------------------------|-----------------------------------------------------|
/// | 0    | free                            | lock: 0 -> 1 (fast); slow: 0 -> 1, or 2 if any wait |
/// | 1    | held, no promise to wake        | unlock: 1 -> 0; waiter, under the queue's lock: -> 2|
/// | 2    | held, and a waiter is queued    | unlock, under the queue's lock: pops one, 2 -> 0    |
///
/// INV1  Only the owner moves the word to 0.
/// INV2  The word is 2 only while a waiter is queued: both change under the queue's lock together.
/// INV3  While a waiter is queued, the word is 2, or a waiter that was popped is on its way to the
///       queue's lock, where it will either take the lock or mark the word 2 again.
///
/// Kept of FUTEX_SET_WAIT: a running thread takes and leaves the lock with no system call until
/// somebody really is queued, hence the throughput and the unfairness. Lost: the queue's lock is
/// user code that can be preempted (waiters for it yield), every sleep costs one more cache line,
/// waiters sleep on private words (no requeue), and the kernel's own cost of the operation. The
/// lock is not usable across processes: the queue holds addresses.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/locks/wait_queue.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class SetwaitLock {
 public:
  static constexpr std::string_view kName = "setwait";
  static constexpr std::string_view kSummary =
      "FUTEX_SET_WAIT emulated: userspace wait queue, contended only while a waiter is queued";
  static constexpr std::string_view kSource =
      "FUTEX_SET_WAIT patch, Michel Lespinasse, November 2009; queue as in WebKit's ParkingLot";
  static constexpr LockTraits kTraits{.fairness = Fairness::kBarging,
                                      .parks = true,
                                      .needs = FutexOperation::kWait,
                                      .takes_shared = false};
  using Context = NoContext;

  explicit SetwaitLock(const LockConfig&) {}

  void lock(Context&) noexcept {
    std::uint32_t seen = kFree;
    // Acquire pairs with the releases in unlock and unlock_slow.
    if (word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
      return;
    }
    lock_slow();
  }

  void unlock(Context&) noexcept {
    std::uint32_t seen = kHeld;
    if (word_.compare_exchange_strong(seen, kFree, std::memory_order_release,
                                      std::memory_order_relaxed)) {
      return;
    }
    unlock_slow();
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kQueued = 2;

  /// Under the queue's lock: takes the lock if it is free, else marks the word 2. Returns whether
  /// it took it.
  bool take_or_mark() noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    for (;;) {
      if (seen == kFree) {
        const std::uint32_t taken_as = queue_.empty() ? kHeld : kQueued;
        if (word_.compare_exchange_strong(seen, taken_as, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
          return true;
        }
      } else if (seen == kQueued ||
                 // Relaxed: the owner learns of the waiter through the queue's lock.
                 word_.compare_exchange_strong(seen, kQueued, std::memory_order_relaxed,
                                               std::memory_order_relaxed)) {
        return false;
      }
    }
  }

  [[gnu::noinline, gnu::cold]] void lock_slow() noexcept {
    P::note_slow_path();
    for (;;) {
      typename WaitQueue<P>::Waiter self;
      queue_.lock();
      if (take_or_mark()) {
        queue_.unlock();
        return;
      }
      queue_.push_back(self);
      queue_.unlock();
      queue_.sleep(self);
    }
  }

  [[gnu::noinline, gnu::cold]] void unlock_slow() noexcept {
    queue_.lock();
    typename WaitQueue<P>::Waiter& first = queue_.pop();  // not empty: the word was 2 (INV2)
    word_.store(kFree, std::memory_order_release);
    queue_.unlock();
    queue_.wake(first);
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{kFree};
  alignas(kCacheLine) WaitQueue<P> queue_;
};

}  // namespace futex_bench
