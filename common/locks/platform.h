// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What a lock may ask of the machine. Every lock is a template over a Platform, so the very text
/// that is measured (LinuxPlatform) is also tested on few processors (YieldingPlatform) and run
/// through every schedule (model::Platform in tests/model).
#pragma once

#include <sched.h>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <ctime>

#include "common/futex/futex.h"
#include "common/futex/futex2.h"

namespace futex_bench {

/// Bytes that keep two objects from sharing a cache line. Twice the usual 64: the adjacent-line
/// prefetcher of x86 pulls lines in pairs, and some arm64 and ppc64 lines are 128 bytes long.
inline constexpr std::size_t kCacheLine = 128;

/// The machine as a lock sees it. All functions are static and noexcept.
template <class P>
concept Platform = requires(typename P::template Atomic<std::uint32_t>& word, std::uint32_t value,
                            FutexScope scope) {
  /// Atomic<T> has the members of std::atomic<T> that locks use: load, store, exchange,
  /// compare_exchange_strong, fetch_add, fetch_sub, fetch_or, fetch_and.
  { word.load(std::memory_order_relaxed) }
  noexcept->std::same_as<std::uint32_t>;
  /// Sleeps while the word holds the value; may return early for any reason.
  { P::futex_wait(word, value, scope) }
  noexcept->std::same_as<WaitResult>;
  /// Wakes up to n waiters of an address whose object may be gone; returns how many.
  { P::futex_wake(&word, 1, scope) }
  noexcept->std::same_as<int>;
  /// The same through a certain system call. For kNuma the object behind the word is its node.
  { P::template futex_wait_by<FutexCall::kFutex>(word, value, scope) }
  noexcept->std::same_as<WaitResult>;
  { P::template futex_wake_by<FutexCall::kFutex>(&word, 1, scope) }
  noexcept->std::same_as<int>;
  /// The same for a wait and a wake that have a bit in common.
  { P::futex_wait_bits(word, value, value, scope) }
  noexcept->std::same_as<WaitResult>;
  { P::futex_wake_bits(&word, 1, value, scope) }
  noexcept->std::same_as<int>;
  /// Nanoseconds of a monotonic clock.
  { P::now_ns() }
  noexcept->std::same_as<std::int64_t>;
  /// The NUMA node the caller runs on just now.
  { P::node() }
  noexcept->std::same_as<std::uint32_t>;
  /// Tells the processor that this is a spin loop (PAUSE, YIELD).
  { P::pause() }
  noexcept;
  /// Lets another runnable thread have the processor (sched_yield).
  { P::yield() }
  noexcept;
  /// A cheap per-thread pseudo-random number, for randomised backoff; quality does not matter.
  { P::random() }
  noexcept->std::same_as<std::uint32_t>;
  /// Called once by each acquisition that did not succeed at its first attempt.
  { P::note_slow_path() }
  noexcept;
  /// Something that always holds: the explorer fails a run where it does not, the real machine
  /// trusts.
  { P::invariant(true, "INV1") }
  noexcept;
};

/// Pauses the processor's pipeline for a moment: the body of every spin loop.
inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield" ::: "memory");
#else
  asm volatile("" ::: "memory");
#endif
}

/// The real machine.
struct LinuxPlatform {
  template <class T>
  using Atomic = std::atomic<T>;

  /// See futex.h.
  static WaitResult futex_wait(const FutexWord& word, std::uint32_t expected,
                               FutexScope scope) noexcept {
    return futex_bench::futex_wait(word, expected, scope);
  }
  /// See futex.h.
  static int futex_wake(const FutexWord* address, int count, FutexScope scope) noexcept {
    return futex_bench::futex_wake(address, count, scope);
  }
  /// See FutexCall.
  template <FutexCall kCall>
  static WaitResult futex_wait_by(const FutexWord& word, std::uint32_t expected,
                                  FutexScope scope) noexcept {
    switch (kCall) {
      case FutexCall::kFutex:
        break;
      case FutexCall::kBitset:
        return futex_wait_bitset(word, expected, FUTEX_BITSET_MATCH_ANY, scope);
      case FutexCall::kWait2:
        return futex2_wait(word, expected, futex2_flags(scope));
      case FutexCall::kWaitv:
        return futex_waitv_one(word, expected, scope);
      case FutexCall::kNuma:
        return futex2_wait(word, expected, futex2_flags(scope, kFutex2Numa));
    }
    return futex_bench::futex_wait(word, expected, scope);
  }
  /// See FutexCall.
  template <FutexCall kCall>
  static int futex_wake_by(const FutexWord* address, int count, FutexScope scope) noexcept {
    switch (kCall) {
      case FutexCall::kFutex:
      case FutexCall::kWaitv:
        break;
      case FutexCall::kBitset:
        return futex_wake_bitset(address, count, FUTEX_BITSET_MATCH_ANY, scope);
      case FutexCall::kWait2:
        return futex2_wake(address, count, futex2_flags(scope));
      case FutexCall::kNuma:
        return futex2_wake(address, count, futex2_flags(scope, kFutex2Numa));
    }
    return futex_bench::futex_wake(address, count, scope);
  }
  /// See futex_wait_bitset.
  static WaitResult futex_wait_bits(const FutexWord& word, std::uint32_t expected,
                                    std::uint32_t bits, FutexScope scope) noexcept {
    return futex_wait_bitset(word, expected, bits, scope);
  }
  /// See futex_wake_bitset.
  static int futex_wake_bits(const FutexWord* address, int count, std::uint32_t bits,
                             FutexScope scope) noexcept {
    return futex_wake_bitset(address, count, bits, scope);
  }
  /// See futex.h; the model has no such thing, a lock that uses it is measured only.
  static void futex_lock_pi(FutexWord& word, int operation, FutexScope scope) noexcept {
    futex_bench::futex_lock_pi(word, operation, scope);
  }
  static void futex_unlock_pi(FutexWord& word, FutexScope scope) noexcept {
    futex_bench::futex_unlock_pi(word, scope);
  }
  static std::int64_t now_ns() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);  // cannot fail for a clock that every kernel has
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }
  static std::uint32_t node() noexcept {
    unsigned cpu = 0;
    unsigned node = 0;
    return getcpu(&cpu, &node) == 0 ? node : 0;
  }
  static void pause() noexcept { cpu_relax(); }
  static void yield() noexcept { sched_yield(); }

  static constexpr void invariant(bool, const char*) noexcept {}

  /// Marsaglia's xorshift32 ("Xorshift RNGs", 2003), seeded per thread from the address of its
  /// state, which differs between the threads of a process.
  static std::uint32_t random() noexcept {
    thread_local std::uint32_t state = 0;
    if (state == 0) {
      state = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&state) >> 4) | 1U;
    }
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
  }

  /// Counts into the word given to count_slow_paths_in by this thread. Plain load and store: only
  /// this thread writes it, another one may read it at the deadline.
  static void note_slow_path() noexcept {
    slow_paths_->store(slow_paths_->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// Makes note_slow_path of the calling thread count in `counter`, which must outlive the thread's
  /// use of locks.
  static void count_slow_paths_in(std::atomic<std::uint64_t>& counter) noexcept {
    slow_paths_ = &counter;
  }

 private:
  static inline thread_local std::atomic<std::uint64_t> uncounted_{0};
  static inline thread_local std::atomic<std::uint64_t>* slow_paths_ = &uncounted_;
};

/// LinuxPlatform for tests on few processors: a spinner gives way instead of burning its time
/// slice. FIFO spinners under ThreadSanitizer take minutes otherwise.
struct YieldingPlatform : LinuxPlatform {
  static void pause() noexcept { sched_yield(); }
};

static_assert(Platform<LinuxPlatform> && Platform<YieldingPlatform>);

}  // namespace futex_bench
