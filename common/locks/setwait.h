// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// FUTEX_SET_WAIT emulated with a wait queue in user space.
///
/// FUTEX_SET_WAIT was to compare the word, set it to 2 and queue the caller in one step under the
/// kernel's hash-bucket lock. Here a small spin lock plays the bucket lock and a FIFO of waiters
/// the bucket; each waiter sleeps on a word of its own.
///
/// | word | meaning                         | left by                                             |
/// |------|---------------------------------|-----------------------------------------------------|
/// | 0    | free                            | lock: 0 -> 1 (fast); slow: 0 -> 1, or 2 if any queue
/// | | 1    | held, no promise to wake         | unlock: 1 -> 0; waiter, under the bucket lock: ->
/// 2  | | 2    | held, and a waiter is queued     | unlock, under the bucket lock: pops one, 2 -> 0
/// |
///
/// INV1  Only the owner moves the word to 0.
/// INV2  The word is 2 only while a waiter is queued: both change under the bucket lock together.
/// INV3  While a waiter is queued, the word is 2, or a waiter that was popped is on its way to the
///       bucket lock, where it will either take the lock or mark the word 2 again.
/// INV4  A waiter's node is on its stack. The waker's last access to it is the store that ends its
///       wait; the FUTEX_WAKE after it only uses the address.
///
/// Kept of FUTEX_SET_WAIT: a running thread takes and leaves the lock with no system call until
/// somebody really is queued, hence the throughput and the unfairness. Lost: the bucket lock is
/// user code that can be preempted (waiters for it yield), every sleep costs one more cache line,
/// waiters sleep on private words (no requeue), and the kernel's own cost of the operation. The
/// lock is not usable across processes: the queue holds addresses.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"

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
  /// Pauses before a thread that waits for the bucket lock yields: its critical sections are a few
  /// dozen instructions, so a longer wait means that the holder has been preempted.
  static constexpr int kBucketSpins = 64;

  struct Waiter {
    typename P::template Atomic<std::uint32_t> asleep{1};
    Waiter* next = nullptr;
  };

  void bucket_lock() noexcept {
    for (int spins = 0;; ++spins) {
      // Acquire pairs with bucket_unlock: the queue is seen as the last holder left it.
      if (bucket_.load(std::memory_order_relaxed) == 0 &&
          bucket_.exchange(1, std::memory_order_acquire) == 0) {
        return;
      }
      if (spins < kBucketSpins) {
        P::pause();
      } else {
        P::yield();
      }
    }
  }
  void bucket_unlock() noexcept { bucket_.store(0, std::memory_order_release); }

  /// Under the bucket lock: takes the lock if it is free, else marks the word 2. Returns whether it
  /// took it.
  bool take_or_mark() noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    for (;;) {
      if (seen == kFree) {
        const std::uint32_t taken_as = head_ == nullptr ? kHeld : kQueued;
        if (word_.compare_exchange_strong(seen, taken_as, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
          return true;
        }
      } else if (seen == kQueued ||
                 // Relaxed: the owner learns of the waiter through the bucket lock.
                 word_.compare_exchange_strong(seen, kQueued, std::memory_order_relaxed,
                                               std::memory_order_relaxed)) {
        return false;
      }
    }
  }

  [[gnu::noinline, gnu::cold]] void lock_slow() noexcept {
    P::note_slow_path();
    for (;;) {
      Waiter self;
      bucket_lock();
      if (take_or_mark()) {
        bucket_unlock();
        return;
      }
      *tail_ = &self;
      tail_ = &self.next;
      bucket_unlock();
      // Acquire pairs with the release in unlock_slow: the waker is done with `self` (INV4).
      while (self.asleep.load(std::memory_order_acquire) != 0) {
        P::futex_wait(self.asleep, 1, FutexScope::kPrivate);
      }
    }
  }

  [[gnu::noinline, gnu::cold]] void unlock_slow() noexcept {
    bucket_lock();
    Waiter* const first = head_;  // not null: the word was 2 (INV2)
    head_ = first->next;
    if (head_ == nullptr) tail_ = &head_;
    word_.store(kFree, std::memory_order_release);
    bucket_unlock();
    auto* const asleep = &first->asleep;
    asleep->store(0, std::memory_order_release);
    P::futex_wake(asleep, 1, FutexScope::kPrivate);
  }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{kFree};
  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> bucket_{0};
  Waiter* head_ = nullptr;  // queue, oldest first; under the bucket lock
  Waiter** tail_ = &head_;
};

}  // namespace futex_bench
