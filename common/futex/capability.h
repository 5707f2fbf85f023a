// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Which futex operations the running kernel really has. Found by calling them once: a version
/// number says nothing about a seccomp filter, a configuration option or a distribution's backport.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace futex_bench {

/// The operations that anything of ours uses, oldest first.
enum class FutexOperation : std::uint8_t {
  kWait,         ///< FUTEX_WAIT and FUTEX_WAKE, private
  kRequeue,      ///< FUTEX_CMP_REQUEUE
  kWakeOp,       ///< FUTEX_WAKE_OP
  kLockPi,       ///< FUTEX_LOCK_PI and FUTEX_UNLOCK_PI
  kBitset,       ///< FUTEX_WAIT_BITSET and FUTEX_WAKE_BITSET
  kRequeuePi,    ///< FUTEX_CMP_REQUEUE_PI
  kLockPi2,      ///< FUTEX_LOCK_PI2
  kWaitv,        ///< futex_waitv
  kWait2,        ///< futex_wait and futex_wake, the system calls
  kRequeue2,     ///< futex_requeue, the system call
  kNuma,         ///< FUTEX2_NUMA words
  kPrivateHash,  ///< prctl(PR_FUTEX_HASH): a hash table of one's own
};

/// One operation on this kernel.
struct FutexCapability {
  FutexOperation operation;
  std::string_view name;   ///< "futex_waitv"
  std::string_view since;  ///< first kernel with it: "Linux 5.16"
  bool available;
  std::string reason;  ///< why it is not available: "ENOSYS: needs Linux 5.16"; else empty
};

/// Calls each operation once, with arguments that return at once. A few microseconds.
std::vector<FutexCapability> probe_futex_operations();

/// The same, probed at the first call and remembered.
std::span<const FutexCapability> futex_capabilities();

/// One of them.
const FutexCapability& futex_capability(FutexOperation operation);

}  // namespace futex_bench
