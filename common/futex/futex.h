// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Typed raw futex(2) system calls. glibc has no wrapper for them. Source: man 2 futex,
/// kernel/futex/syscalls.c.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace futex_bench {

/// The word a futex works on. It must have the size and representation of the kernel's u32.
using FutexWord = std::atomic<std::uint32_t>;
static_assert(sizeof(FutexWord) == 4 && FutexWord::is_always_lock_free);

/// Who may use the futex: threads of one process (hashed by address, cheaper), or every process
/// that maps the page.
enum class FutexScope : std::uint8_t { kPrivate, kShared };

/// Why a wait returned. Every value but kTimedOut means the same to a lock: look at the word again,
/// because a wake can also be spurious (meant for an earlier user of the address).
enum class WaitResult : std::uint8_t { kWoken, kValueChanged, kInterrupted, kTimedOut };

/// By which system calls a lock sleeps and wakes. To a lock they are all the same.
enum class FutexCall : std::uint8_t {
  kFutex,   ///< FUTEX_WAIT, FUTEX_WAKE
  kBitset,  ///< FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET with all bits
  kWait2,   ///< futex_wait, futex_wake: system calls of their own since Linux 6.7
  kWaitv,   ///< futex_waitv with a list of one, FUTEX_WAKE
  kNuma,    ///< as kWait2, on a word with FUTEX2_NUMA
};

/// As many waiters as there are.
inline constexpr int kWakeAll = INT_MAX;

/// Ends the process: the kernel returned an error that a correct caller cannot get. Locks are
/// noexcept and have nobody to report to, so the trial ends and its parent tells the user.
[[noreturn, gnu::cold, gnu::noinline]] inline void futex_panic(const char* operation,
                                                               const void* address) noexcept {
  const int code = errno;
  const char* const name = strerrorname_np(code);  // null for what the C library does not know
  std::fprintf(stderr, "futex-bench: %s on %p: %s (errno %d)\n", operation, address,
               name != nullptr ? name : "unknown error", code);
  std::abort();
}

/// Returns FUTEX_PRIVATE_FLAG or 0, to be or-ed into an operation.
constexpr int futex_flag(FutexScope scope) noexcept {
  return scope == FutexScope::kPrivate ? FUTEX_PRIVATE_FLAG : 0;
}

/// What a wait without a timeout returned. Ends the process for an error it cannot have.
inline WaitResult wait_result(long result, const char* operation, const void* address) noexcept {
  if (result >= 0) return WaitResult::kWoken;
  if (errno == EAGAIN) return WaitResult::kValueChanged;
  if (errno == EINTR) return WaitResult::kInterrupted;
  futex_panic(operation, address);
}

/// How many a wake has woken. The page of the address may have been unmapped (EFAULT): then nobody
/// waits there. Ends the process for any other error.
inline int wake_result(long result, const char* operation, const void* address) noexcept {
  if (result >= 0) return static_cast<int>(result);
  if (errno == EFAULT) return 0;
  futex_panic(operation, address);
}

/// Sleeps while `word` holds `expected` (FUTEX_WAIT). `timeout` is relative, CLOCK_MONOTONIC;
/// nullptr waits for ever.
inline WaitResult futex_wait(const FutexWord& word, std::uint32_t expected, FutexScope scope,
                             const timespec* timeout = nullptr) noexcept {
  const long result =
      syscall(SYS_futex, &word, FUTEX_WAIT | futex_flag(scope), expected, timeout, nullptr, 0);
  if (result < 0 && errno == ETIMEDOUT && timeout != nullptr) return WaitResult::kTimedOut;
  return wait_result(result, "FUTEX_WAIT", &word);
}

/// Wakes up to `count` waiters (FUTEX_WAKE); returns how many. Takes an address, not a reference:
/// the object there may be gone by now. That costs at most a spurious wake of a later user, and
/// EFAULT, if the page has been unmapped, is as good as nobody waiting.
inline int futex_wake(const FutexWord* address, int count, FutexScope scope) noexcept {
  const long result =
      syscall(SYS_futex, address, FUTEX_WAKE | futex_flag(scope), count, nullptr, nullptr, 0);
  return wake_result(result, "FUTEX_WAKE", address);
}

/// FUTEX_WAIT_BITSET: as futex_wait, for a wake that has one of `bits` (not 0).
inline WaitResult futex_wait_bitset(const FutexWord& word, std::uint32_t expected,
                                    std::uint32_t bits, FutexScope scope) noexcept {
  const long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | futex_flag(scope), expected,
                              nullptr, nullptr, bits);
  return wait_result(result, "FUTEX_WAIT_BITSET", &word);
}

/// FUTEX_WAKE_BITSET: as futex_wake, for waiters that have one of `bits` (not 0).
inline int futex_wake_bitset(const FutexWord* address, int count, std::uint32_t bits,
                             FutexScope scope) noexcept {
  const long result = syscall(SYS_futex, address, FUTEX_WAKE_BITSET | futex_flag(scope), count,
                              nullptr, nullptr, bits);
  return wake_result(result, "FUTEX_WAKE_BITSET", address);
}

/// FUTEX_LOCK_PI2 of Linux 5.14. It differs from FUTEX_LOCK_PI in the clock of a timeout only.
inline constexpr int kFutexLockPi2 = 13;

/// Takes a PI futex whose word is not 0, or sleeps until it can, lending the owner its priority
/// (FUTEX_LOCK_PI or FUTEX_LOCK_PI2, as `operation` says). The word then holds the caller's thread
/// id. EAGAIN means that the owner is about to end and, like EINTR, that one has to ask again.
inline void futex_lock_pi(FutexWord& word, int operation, FutexScope scope) noexcept {
  while (syscall(SYS_futex, &word, operation | futex_flag(scope), 0, nullptr, nullptr, 0) != 0) {
    if (errno != EAGAIN && errno != EINTR) futex_panic("FUTEX_LOCK_PI", &word);
  }
}

/// Gives a PI futex of the caller to its waiter of the highest priority (FUTEX_UNLOCK_PI).
inline void futex_unlock_pi(FutexWord& word, FutexScope scope) noexcept {
  while (syscall(SYS_futex, &word, FUTEX_UNLOCK_PI | futex_flag(scope), 0, nullptr, nullptr, 0) !=
         0) {
    if (errno != EAGAIN && errno != EINTR) futex_panic("FUTEX_UNLOCK_PI", &word);
  }
}

}  // namespace futex_bench
