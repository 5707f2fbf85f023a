// SPDX-License-Identifier: GPL-2.0-only
#include "common/futex/capability.h"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/futex/futex2.h"
#include "common/system/error.h"

namespace futex_bench {
namespace {

/// 0, or the errno of a call that should have succeeded.
using Error = int;

Error error_of(long result) { return result < 0 ? errno : 0; }

/// For calls that cannot succeed without a partner: `expected` is the error that proves the
/// operation is there.
Error error_unless(long result, int expected) {
  return result < 0 && errno == expected ? 0 : error_of(result);
}

long futex(std::uint32_t& word, int operation, std::uint32_t value, const void* timeout_or_count,
           std::uint32_t* other, std::uint32_t value3) {
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, timeout_or_count, other,
                 value3);
}

// A wait for a value that the word does not hold returns EAGAIN at once.
constexpr std::uint32_t kValue = 1;
constexpr std::uint32_t kOtherValue = 2;

Error probe_wait() {
  std::uint32_t word = kValue;
  if (const Error error = error_of(futex(word, FUTEX_WAKE, 1, nullptr, nullptr, 0))) return error;
  return error_unless(futex(word, FUTEX_WAIT, kOtherValue, nullptr, nullptr, 0), EAGAIN);
}

Error probe_requeue() {
  std::uint32_t word = kValue;
  std::uint32_t target = 0;
  return error_unless(futex(word, FUTEX_CMP_REQUEUE, 0, nullptr, &target, kOtherValue), EAGAIN);
}

Error probe_wake_op() {
  std::uint32_t word = kValue;
  std::uint32_t target = 0;
  const auto operation = static_cast<std::uint32_t>(FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 1));
  return error_of(futex(word, FUTEX_WAKE_OP, 1, nullptr, &target, operation));
}

/// Takes and leaves a free PI futex.
Error probe_lock_pi_with(int operation) {
  std::uint32_t word = 0;
  if (const Error error = error_of(futex(word, operation, 0, nullptr, nullptr, 0))) return error;
  return error_of(futex(word, FUTEX_UNLOCK_PI, 0, nullptr, nullptr, 0));
}
Error probe_lock_pi() { return probe_lock_pi_with(FUTEX_LOCK_PI); }
Error probe_lock_pi2() { return probe_lock_pi_with(kFutexLockPi2); }

Error probe_bitset() {
  std::uint32_t word = kValue;
  return error_unless(
      futex(word, FUTEX_WAIT_BITSET, kOtherValue, nullptr, nullptr, FUTEX_BITSET_MATCH_ANY),
      EAGAIN);
}

Error probe_requeue_pi() {
  std::uint32_t word = kValue;
  std::uint32_t target = 0;
  return error_unless(futex(word, FUTEX_CMP_REQUEUE_PI, 1, nullptr, &target, kOtherValue), EAGAIN);
}

Futex2Waiter waiter_on(const std::uint32_t& word) {
  return {.value = kOtherValue,
          .address = reinterpret_cast<std::uintptr_t>(&word),
          .flags = kFutex2SizeU32 | kFutex2Private,
          .reserved = 0};
}

Error probe_waitv() {
  const std::uint32_t word = kValue;
  const Futex2Waiter waiter = waiter_on(word);
  return error_unless(syscall(kSysFutexWaitv, &waiter, 1, 0, nullptr, 0), EAGAIN);
}

Error probe_wait2_with(const void* word, unsigned flags) {
  if (const Error error = error_of(syscall(kSysFutexWake, word, kFutexMatchAny, 1, flags))) {
    return error;
  }
  return error_unless(syscall(kSysFutexWait, word, static_cast<unsigned long>(kOtherValue),
                              kFutexMatchAny, flags, nullptr, 0),
                      EAGAIN);
}

Error probe_wait2() {
  const std::uint32_t word = kValue;
  return probe_wait2_with(&word, kFutex2SizeU32 | kFutex2Private);
}

Error probe_requeue2() {
  const std::uint32_t word = kValue;
  const std::uint32_t target = 0;
  const std::array waiters = {waiter_on(word), waiter_on(target)};
  return error_unless(syscall(kSysFutexRequeue, waiters.data(), 0, 0, 0), EAGAIN);
}

Error probe_numa() {
  const FutexNumaWord word{.value = kValue, .node = kFutexNoNode};
  return probe_wait2_with(&word, kFutex2SizeU32 | kFutex2Private | kFutex2Numa);
}

Error probe_private_hash() { return error_of(prctl(kPrFutexHash, kPrFutexHashGetSlots, 0, 0, 0)); }

struct Probe {
  FutexOperation operation;
  std::string_view name;
  std::string_view since;
  Error (*call)();
};

constexpr auto kProbes = std::to_array<Probe>({
    {FutexOperation::kWait, "FUTEX_WAIT", "Linux 2.6.22", probe_wait},
    {FutexOperation::kRequeue, "FUTEX_CMP_REQUEUE", "Linux 2.6.22", probe_requeue},
    {FutexOperation::kWakeOp, "FUTEX_WAKE_OP", "Linux 2.6.22", probe_wake_op},
    {FutexOperation::kLockPi, "FUTEX_LOCK_PI", "Linux 2.6.22", probe_lock_pi},
    {FutexOperation::kBitset, "FUTEX_WAIT_BITSET", "Linux 2.6.25", probe_bitset},
    {FutexOperation::kRequeuePi, "FUTEX_CMP_REQUEUE_PI", "Linux 2.6.31", probe_requeue_pi},
    {FutexOperation::kLockPi2, "FUTEX_LOCK_PI2", "Linux 5.14", probe_lock_pi2},
    {FutexOperation::kWaitv, "futex_waitv", "Linux 5.16", probe_waitv},
    {FutexOperation::kWait2, "futex_wait", "Linux 6.7", probe_wait2},
    {FutexOperation::kRequeue2, "futex_requeue", "Linux 6.7", probe_requeue2},
    {FutexOperation::kNuma, "FUTEX2_NUMA", "Linux 6.16", probe_numa},
    {FutexOperation::kPrivateHash, "PR_FUTEX_HASH", "Linux 6.16", probe_private_hash},
});

std::string reason_for(Error error, std::string_view since) {
  std::string reason = errno_name(error);
  if (error == EPERM || error == EACCES) return reason + ": denied, probably by a seccomp filter";
  return reason + ": needs " + std::string(since);
}

}  // namespace

std::vector<FutexCapability> probe_futex_operations() {
  std::vector<FutexCapability> capabilities;
  for (const Probe& probe : kProbes) {
    const Error error = probe.call();
    capabilities.push_back({.operation = probe.operation,
                            .name = probe.name,
                            .since = probe.since,
                            .available = error == 0,
                            .reason = error == 0 ? "" : reason_for(error, probe.since)});
  }
  return capabilities;
}

std::span<const FutexCapability> futex_capabilities() {
  static const std::vector<FutexCapability> kCapabilities = probe_futex_operations();
  return kCapabilities;
}

const FutexCapability& futex_capability(FutexOperation operation) {
  return *std::ranges::find(futex_capabilities(), operation, &FutexCapability::operation);
}

}  // namespace futex_bench
