// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The real machine, with a tally of what locks ask of it. A lock instantiated with it is the same
/// text as the measured one; what is added stands around the system calls and pauses.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/locks/platform.h"

namespace futex_bench {

/// What is counted, in the order of the metrics of `--probe syscalls`.
enum class PlatformCall : std::uint8_t {
  kWait,           ///< waits in the kernel; each is one of the next three, or still asleep
  kWaitChanged,    ///< came back at once: the word had another value already (EAGAIN)
  kWaitEintr,      ///< ended by a signal (EINTR)
  kWaitWoken,      ///< were woken
  kWaitInVain,     ///< of the woken: the word held the value waited on, still or again
  kWake,           ///< wakes
  kWakeOfNobody,   ///< of these: nobody was asleep
  kPause,          ///< rounds of a spin loop
  kYield,          ///< sched_yield calls
  kNumberOfCalls,  ///< how many there are above
};
inline constexpr auto kPlatformCalls = static_cast<std::size_t>(PlatformCall::kNumberOfCalls);

/// The tally of one thread, on cache lines of its own. Plain relaxed loads and stores by the
/// thread, so that the controller can read it at the deadline.
struct alignas(kCacheLine) CallTally {
  std::array<std::atomic<std::uint64_t>, kPlatformCalls> counts{};

  void add(PlatformCall call) noexcept {
    std::atomic<std::uint64_t>& count = counts[static_cast<std::size_t>(call)];
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

/// See the head of this file.
struct CountingPlatform : LinuxPlatform {
  static WaitResult futex_wait(const FutexWord& word, std::uint32_t expected,
                               FutexScope scope) noexcept {
    return counted_wait(word, expected,
                        [&] { return LinuxPlatform::futex_wait(word, expected, scope); });
  }
  static int futex_wake(const FutexWord* address, int count, FutexScope scope) noexcept {
    return counted_wake([&] { return LinuxPlatform::futex_wake(address, count, scope); });
  }
  template <FutexCall kCall>
  static WaitResult futex_wait_by(const FutexWord& word, std::uint32_t expected,
                                  FutexScope scope) noexcept {
    return counted_wait(word, expected,
                        [&] { return LinuxPlatform::futex_wait_by<kCall>(word, expected, scope); });
  }
  template <FutexCall kCall>
  static int futex_wake_by(const FutexWord* address, int count, FutexScope scope) noexcept {
    return counted_wake([&] { return LinuxPlatform::futex_wake_by<kCall>(address, count, scope); });
  }
  static WaitResult futex_wait_bits(const FutexWord& word, std::uint32_t expected,
                                    std::uint32_t bits, FutexScope scope) noexcept {
    return counted_wait(word, expected, [&] {
      return LinuxPlatform::futex_wait_bits(word, expected, bits, scope);
    });
  }
  static int futex_wake_bits(const FutexWord* address, int count, std::uint32_t bits,
                             FutexScope scope) noexcept {
    return counted_wake(
        [&] { return LinuxPlatform::futex_wake_bits(address, count, bits, scope); });
  }

  /// A wait that ends with the lock: woken, and never in vain.
  static void futex_lock_pi(FutexWord& word, int operation, FutexScope scope) noexcept {
    tally_->add(PlatformCall::kWait);
    LinuxPlatform::futex_lock_pi(word, operation, scope);
    tally_->add(PlatformCall::kWaitWoken);
  }
  /// A wake; the kernel does not say whether anybody was there.
  static void futex_unlock_pi(FutexWord& word, FutexScope scope) noexcept {
    tally_->add(PlatformCall::kWake);
    LinuxPlatform::futex_unlock_pi(word, scope);
  }

  static void pause() noexcept {
    tally_->add(PlatformCall::kPause);
    LinuxPlatform::pause();
  }

  static void yield() noexcept {
    tally_->add(PlatformCall::kYield);
    LinuxPlatform::yield();
  }

  /// Makes the calling thread count in `tally`, which must outlive the thread's use of locks.
  static void count_in(CallTally& tally) noexcept { tally_ = &tally; }

  /// For a thread that outlives its tally.
  static void count_nowhere() noexcept { tally_ = &unread_; }

 private:
  template <class Wait>
  static WaitResult counted_wait(const FutexWord& word, std::uint32_t expected,
                                 const Wait& wait) noexcept {
    tally_->add(PlatformCall::kWait);
    const WaitResult result = wait();
    switch (result) {
      case WaitResult::kValueChanged:
        tally_->add(PlatformCall::kWaitChanged);
        break;
      case WaitResult::kInterrupted:
        tally_->add(PlatformCall::kWaitEintr);
        break;
      case WaitResult::kWoken:
        tally_->add(PlatformCall::kWaitWoken);
        // Relaxed: a look at what the lock is about to look at itself.
        if (word.load(std::memory_order_relaxed) == expected) {
          tally_->add(PlatformCall::kWaitInVain);
        }
        break;
      case WaitResult::kTimedOut:
        break;
    }
    return result;
  }

  template <class Wake>
  static int counted_wake(const Wake& wake) noexcept {
    tally_->add(PlatformCall::kWake);
    const int woken = wake();
    if (woken == 0) tally_->add(PlatformCall::kWakeOfNobody);
    return woken;
  }

  static inline thread_local CallTally unread_{};
  static inline thread_local CallTally* tally_ = &unread_;
};

static_assert(Platform<CountingPlatform>);

}  // namespace futex_bench
