// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The futex system calls that came after futex(2): futex_waitv of Linux 5.16, futex_wait,
/// futex_wake and futex_requeue of 6.7, FUTEX2_NUMA of 6.16. Numbers and flags are our own copies,
/// because distributions' headers are older than the kernels people run. Source:
/// kernel/futex/syscalls.c, include/uapi/linux/futex.h, include/uapi/asm-generic/unistd.h.
#pragma once

#include <sys/types.h>

#include <cstdint>

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

/// prctl(PR_FUTEX_HASH): the number of slots of this process's own futex hash (Linux 6.16).
inline constexpr int kPrFutexHash = 78;
inline constexpr unsigned long kPrFutexHashSetSlots = 1;
inline constexpr unsigned long kPrFutexHashGetSlots = 2;

}  // namespace futex_bench
