// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The kernel's priority-inheriting lock. Measured but not modelled: contended, it is the kernel's
/// algorithm (rt_mutex).
///
/// | word               | meaning               | left by                                         |
/// |--------------------|-----------------------|-------------------------------------------------|
/// | 0                  | free                  | lock: own id, in user space or FUTEX_LOCK_PI    |
/// | id                 | held, nobody waits    | unlock: 0; FUTEX_LOCK_PI: sets FUTEX_WAITERS    |
/// | id, FUTEX_WAITERS  | held, threads sleep   | FUTEX_UNLOCK_PI: id of the waiter of highest    |
/// |                    |                       | priority, with FUTEX_WAITERS; 0 if none is left |
///
/// FUTEX_OWNER_DIED does not occur: no thread ends while it holds the lock.
///
/// INV1  User space only moves the word between 0 and its own thread id.
/// INV2  While FUTEX_WAITERS is set only the kernel changes the word: both compare-and-swaps of user
///       space expect a word without it.
/// INV3  So nobody overtakes those who sleep but a thread of a higher priority: rt_mutex lets no other
///       steal. Among threads of one priority, as a trial has them, first come, first served.
#pragma once

#include <linux/futex.h>
#include <unistd.h>

#include "common/locks/lock.h"
#include "common/locks/platform.h"

#if defined(__SANITIZE_THREAD__)
#define FUTEX_BENCH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FUTEX_BENCH_TSAN 1
#endif
#endif

#if defined(FUTEX_BENCH_TSAN)
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

namespace futex_bench {

/// See the head of this file. kOperation is FUTEX_LOCK_PI or kFutexLockPi2.
template <class P, int kOperation>
class PiLock {
 public:
  static constexpr bool kIsPi2 = kOperation == kFutexLockPi2;
  static constexpr std::string_view kName = kIsPi2 ? "pi2" : "pi";
  static constexpr std::string_view kSummary =
      kIsPi2 ? "FUTEX_LOCK_PI2: as pi, the operation whose timeout has a monotonic clock"
             : "FUTEX_LOCK_PI: priority inheritance, the kernel hands the lock over";
  static constexpr std::string_view kSource = "Documentation/locking/pi-futex.rst; man 2 futex";
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kFifo,
      .parks = true,
      .needs = kIsPi2 ? FutexOperation::kLockPi2 : FutexOperation::kLockPi};
  using Context = NoContext;

  explicit PiLock(const LockConfig& config) : scope_(config.scope) {}

  void lock(Context&) noexcept {
    std::uint32_t seen = 0;
    // Acquire pairs with the release in unlock.
    if (!word_.compare_exchange_strong(seen, own_id(), std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      lock_slow();
    }
  }

  void unlock(Context&) noexcept {
    std::uint32_t seen = own_id();
    if (!word_.compare_exchange_strong(seen, 0, std::memory_order_release,
                                       std::memory_order_relaxed)) {
      unlock_slow();
    }
  }

 private:
  static std::uint32_t own_id() noexcept {
    thread_local const auto kId = static_cast<std::uint32_t>(gettid());
    return kId;
  }

  [[gnu::noinline, gnu::cold]] void lock_slow() noexcept {
    P::note_slow_path();
    P::futex_lock_pi(word_, kOperation, scope_);
    // The kernel orders it, but ThreadSanitizer does not look into system calls.
#if defined(FUTEX_BENCH_TSAN)
    __tsan_acquire(&word_);
#endif
  }

  [[gnu::noinline, gnu::cold]] void unlock_slow() noexcept {
#if defined(FUTEX_BENCH_TSAN)
    __tsan_release(&word_);
#endif
    P::futex_unlock_pi(word_, scope_);
  }

  alignas(kCacheLine) FutexWord word_{0};
  alignas(kCacheLine) FutexScope scope_;
};

}  // namespace futex_bench
