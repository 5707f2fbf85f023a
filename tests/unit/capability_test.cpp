// SPDX-License-Identifier: GPL-2.0-only
#include "common/futex/capability.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <set>
#include <string>

#include "tests/unit/seccomp.h"

namespace futex_bench {
namespace {

TEST(Capability, HasOneEntryForEachOperation) {
  std::set<FutexOperation> seen;
  for (const FutexCapability& capability : futex_capabilities()) {
    EXPECT_TRUE(seen.insert(capability.operation).second) << capability.name;
    EXPECT_EQ(capability.available, capability.reason.empty()) << capability.name;
    EXPECT_EQ(&futex_capability(capability.operation), &capability);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(FutexOperation::kPrivateHash) + 1);
}

TEST(Capability, EveryKernelThatRunsThisHasTheOldOnes) {
  EXPECT_TRUE(futex_capability(FutexOperation::kWait).available);
  EXPECT_TRUE(futex_capability(FutexOperation::kBitset).available);
  EXPECT_TRUE(futex_capability(FutexOperation::kLockPi).available);
}

/// The first kernel that has an operation, as a number to compare.
int version_number(const std::string& text) {
  int major = 0;
  int minor = 0;
  std::sscanf(text.c_str(), "%d.%d", &major, &minor);
  return major * 1000 + minor;
}

TEST(Capability, AgreesWithTheKernelsVersionWhereNothingIsFiltered) {
  utsname system{};
  ASSERT_EQ(uname(&system), 0);
  const int running = version_number(system.release);
  for (const FutexCapability& capability : futex_capabilities()) {
    if (capability.operation == FutexOperation::kNuma ||
        capability.operation == FutexOperation::kPrivateHash) {
      continue;  // configuration options
    }
    const std::string since(capability.since.substr(std::string_view("Linux ").size()));
    if (capability.reason.starts_with("EPERM")) continue;
    EXPECT_EQ(capability.available, running >= version_number(since))
        << capability.name << " " << capability.reason;
  }
}

/// What a child where the system call `number` fails with `error` says of `operation`.
std::string reason_with_filter(long number, int error, FutexOperation operation) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    deny_system_call(number, error);
    std::string reason;
    for (const FutexCapability& capability : probe_futex_operations()) {
      if (capability.operation == operation) reason = capability.reason;
    }
    _exit(write(ends[1], reason.data(), reason.size()) == static_cast<ssize_t>(reason.size()) ? 0
                                                                                              : 1);
  }
  close(ends[1]);
  char text[256] = {};
  EXPECT_GE(read(ends[0], text, sizeof text - 1), 0);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

constexpr long kFutexWaitv = 449;

TEST(Capability, TellsAMissingOperationFromADeniedOne) {
  EXPECT_EQ(reason_with_filter(kFutexWaitv, ENOSYS, FutexOperation::kWaitv),
            "ENOSYS: needs Linux 5.16");
  EXPECT_EQ(reason_with_filter(kFutexWaitv, EPERM, FutexOperation::kWaitv),
            "EPERM: denied, probably by a seccomp filter");
}

}  // namespace
}  // namespace futex_bench
