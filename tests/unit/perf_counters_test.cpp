// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/perf_counters.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <thread>
#include <vector>

#include "tests/unit/seccomp.h"

namespace futex_bench {
namespace {

constexpr std::size_t kCycles = 0;
constexpr std::size_t kSwitches = 3;
constexpr std::size_t kMigrations = 4;

TEST(PerfCounters, EachCounterCountsOrHasAReason) {
  const PerfCounters counters;
  for (std::size_t i = 0; i < kPerfEvents; ++i) {
    const PerfStatus& status = counters.status()[i];
    EXPECT_EQ(status.reason.empty(), status.available && !status.user_only) << kPerfEventNames[i];
  }
}

TEST(PerfCounters, SwitchesOfThreadsMadeLaterAreCounted) {
  const PerfCounters counters;
  if (!counters.status()[kSwitches].available) {
    GTEST_SKIP() << counters.status()[kSwitches].reason;
  }
  const PerfSamples before = counters.read();
  std::thread([] {
    for (int i = 0; i < 50; ++i) std::this_thread::sleep_for(std::chrono::microseconds(10));
  }).join();
  EXPECT_GE(perf_difference(before[kSwitches], counters.read()[kSwitches]), 50);
}

/// The reason for every counter in a process in which `prepare` was called first.
template <class Prepare>
std::vector<std::string> reasons_after(const Prepare& prepare) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    prepare();
    std::string text;
    const PerfCounters counters;
    for (const PerfStatus& status : counters.status()) {
      text += (status.available ? "" : status.reason) + "\n";
    }
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  char text[2000] = {};
  EXPECT_GE(read(ends[0], text, sizeof text - 1), 0);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::vector<std::string> reasons(1);
  for (const char* c = text; *c != 0; ++c) {
    if (*c == '\n') {
      reasons.emplace_back();
    } else {
      reasons.back() += *c;
    }
  }
  reasons.pop_back();
  return reasons;
}

TEST(PerfCounters, AFilteredSystemCallIsAReason) {
  const auto absent = reasons_after([] { deny_system_call(SYS_perf_event_open, ENOSYS); });
  ASSERT_EQ(absent.size(), kPerfEvents);
  for (const std::string& reason : absent) {
    EXPECT_EQ(reason, "ENOSYS: the kernel, or a seccomp filter, has no perf_event_open");
  }
  const auto denied = reasons_after([] { deny_system_call(SYS_perf_event_open, EPERM); });
  ASSERT_EQ(denied.size(), kPerfEvents);
  for (const std::string& reason : denied) {
    EXPECT_EQ(reason, "EPERM: not permitted; containers deny perf_event_open by a seccomp filter");
  }
}

/// Plays a kernel; remembers what was asked.
struct FakeKernel {
  int error_with_kernel;  ///< 0 lets it open
  int error_user_only;
  std::vector<perf_event_attr> asked = {};

  PerfOpen open() {
    return [this](perf_event_attr& attributes) {
      asked.push_back(attributes);
      const int error = attributes.exclude_kernel != 0 ? error_user_only : error_with_kernel;
      if (error == 0) return dup(STDERR_FILENO);
      errno = error;
      return -1;
    };
  }
};

TEST(PerfCounters, AnUnprivilegedUserGetsUserSpaceOnlyAndNoZeroSwitches) {
  FakeKernel kernel{.error_with_kernel = EACCES, .error_user_only = 0};
  const PerfCounters counters(kernel.open());
  const PerfStatus& cycles = counters.status()[kCycles];
  EXPECT_TRUE(cycles.available && cycles.user_only);
  EXPECT_EQ(cycles.reason.find("EACCES: kernel.perf_event_paranoid is "), 0U) << cycles.reason;
  for (const std::size_t i : {kSwitches, kMigrations}) {
    EXPECT_FALSE(counters.status()[i].available);
    EXPECT_EQ(counters.status()[i].reason.find("EACCES: "), 0U);
  }
  for (const perf_event_attr& attributes : kernel.asked) {
    EXPECT_TRUE(attributes.exclude_kernel == 0 || attributes.type == PERF_TYPE_HARDWARE);
    EXPECT_EQ(attributes.inherit, 1U);
  }
}

TEST(PerfCounters, TheReasonIsThatOfTheLastAttempt) {
  FakeKernel kernel{.error_with_kernel = EACCES, .error_user_only = ENOENT};
  const PerfCounters counters(kernel.open());
  EXPECT_FALSE(counters.status()[kCycles].available);
  EXPECT_FALSE(counters.status()[kCycles].user_only);
  EXPECT_EQ(counters.status()[kCycles].reason.find("ENOENT: "), 0U);
}

TEST(PerfCounters, ACounterThatIsMissingIsNotAskedForTwice) {
  FakeKernel kernel{.error_with_kernel = ENOENT, .error_user_only = 0};
  const PerfCounters counters(kernel.open());
  EXPECT_EQ(kernel.asked.size(), kPerfEvents);
  EXPECT_EQ(counters.read()[kCycles].count, 0U);
}

TEST(PerfDifference, ScalesUpWhatSharedTheHardware) {
  const PerfSample start{.count = 100, .enabled = 1000, .running = 500};
  EXPECT_EQ(perf_difference(start, {.count = 400, .enabled = 2000, .running = 1500}), 300);
  EXPECT_EQ(perf_running_share(start, {.count = 400, .enabled = 2000, .running = 1500}), 1);
  EXPECT_EQ(perf_difference(start, {.count = 400, .enabled = 2000, .running = 750}), 1200);
  EXPECT_EQ(perf_running_share(start, {.count = 400, .enabled = 2000, .running = 750}), 0.25);
  EXPECT_TRUE(std::isnan(perf_difference(start, {.count = 100, .enabled = 2000, .running = 500})));
  EXPECT_EQ(perf_difference(start, start), 0);
  EXPECT_TRUE(std::isnan(perf_running_share(start, start)));
}

}  // namespace
}  // namespace futex_bench
