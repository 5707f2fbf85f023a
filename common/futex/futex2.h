// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The futex system calls that came after futex(2): futex_waitv of Linux 5.16, futex_wait,
/// futex_wake and futex_requeue of 6.7, FUTEX2_NUMA of 6.16. Numbers and flags are our own copies,
/// because distributions' headers are older than the kernels people run. Source:
/// kernel/futex/syscalls.c, include/uapi/linux/futex.h, include/uapi/asm-generic/unistd.h.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "common/futex/futex.h"

namespace futex_bench {

/// System call numbers: the same on every architecture but alpha.
inline constexpr long kSysFutexWaitv = 449;
inline constexpr long kSysFutexWake = 454;
inline constexpr long kSysFutexWait = 455;
inline constexpr long kSysFutexRequeue = 456;

/// Flags of a futex2 word.
inline constexpr unsigned kFutex2SizeU32 = 0x02;
inline constexpr unsigned kFutex2Numa = 0x04;
inline constexpr unsigned kFutex2Private = 128;

/// All bits of the mask: a wake reaches every waiter.
inline constexpr unsigned long kFutexMatchAny = 0xffffffff;

/// One entry of futex_waitv and futex_requeue (struct futex_waitv).
struct Futex2Waiter {
  std::uint64_t value;
  std::uint64_t address;
  std::uint32_t flags;
  std::uint32_t reserved;  ///< must be 0
};

/// A word with FUTEX2_NUMA: the value and behind it the node whose hash is used. kFutexNoNode is
/// replaced by the kernel with the caller's node at the first wait.
struct alignas(8) FutexNumaWord {
  std::uint32_t value;
  std::uint32_t node;
};
inline constexpr std::uint32_t kFutexNoNode = UINT32_MAX;

/// Flags of a word of 32 bits; `more` is kFutex2Numa or nothing.
constexpr unsigned futex2_flags(FutexScope scope, unsigned more = 0) noexcept {
  return kFutex2SizeU32 | more | (scope == FutexScope::kPrivate ? kFutex2Private : 0U);
}

/// futex_wait: as FUTEX_WAIT. With kFutex2Numa in `flags` the word is the value of a FutexNumaWord.
inline WaitResult futex2_wait(const FutexWord& word, std::uint32_t expected,
                              unsigned flags) noexcept {
  const long result = syscall(kSysFutexWait, &word, static_cast<unsigned long>(expected),
                              kFutexMatchAny, flags, nullptr, 0);
  return wait_result(result, "futex_wait", &word);
}

/// futex_wake: as FUTEX_WAKE, flags as for futex2_wait.
inline int futex2_wake(const FutexWord* address, int count, unsigned flags) noexcept {
  return wake_result(syscall(kSysFutexWake, address, kFutexMatchAny, count, flags), "futex_wake",
                     address);
}

/// futex_waitv with a list of one word.
inline WaitResult futex_waitv_one(const FutexWord& word, std::uint32_t expected,
                                  FutexScope scope) noexcept {
  const Futex2Waiter waiter{.value = expected,
                            .address = reinterpret_cast<std::uintptr_t>(&word),
                            .flags = futex2_flags(scope),
                            .reserved = 0};
  return wait_result(syscall(kSysFutexWaitv, &waiter, 1, 0, nullptr, 0), "futex_waitv", &word);
}

/// prctl(PR_FUTEX_HASH): the number of slots of this process's own futex hash (Linux 6.16).
inline constexpr int kPrFutexHash = 78;
inline constexpr unsigned long kPrFutexHashSetSlots = 1;
inline constexpr unsigned long kPrFutexHashGetSlots = 2;

}  // namespace futex_bench
