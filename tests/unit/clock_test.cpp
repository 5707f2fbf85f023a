// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/clock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include <regex>
#include <string>

namespace futex_bench {
namespace {

volatile sig_atomic_t alarms = 0;

TEST(Clock, DoesNotGoBack) {
  std::int64_t last = now_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = now_ns();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, SleepsUntilTheDeadline) {
  const std::int64_t deadline = now_ns() + 3'000'000;
  sleep_until_ns(deadline);
  EXPECT_GE(now_ns(), deadline);
}

TEST(Clock, ADeadlineInThePastIsNoError) {
  sleep_until_ns(now_ns() - 1);
  sleep_until_ns(0);
  sleep_until_ns(-5'000'000'001);
}

TEST(Clock, SignalsDoNotShortenTheSleep) {
  alarms = 0;
  struct sigaction action {};
  struct sigaction old {};
  action.sa_handler = [](int) { alarms = alarms + 1; };
  ASSERT_EQ(sigaction(SIGALRM, &action, &old), 0);
  const itimerval every_2_ms{{0, 2000}, {0, 2000}};
  ASSERT_EQ(setitimer(ITIMER_REAL, &every_2_ms, nullptr), 0);
  const std::int64_t deadline = now_ns() + 20'000'000;
  sleep_until_ns(deadline);
  const std::int64_t end = now_ns();
  const itimerval off{};
  setitimer(ITIMER_REAL, &off, nullptr);
  sigaction(SIGALRM, &old, nullptr);
  EXPECT_GE(end, deadline);
  EXPECT_GE(alarms, 1) << "no signal came, nothing was tested";
}

/// wall_clock_iso8601() in a time zone of POSIX form (the sign is reversed there).
std::string wall_clock_in(const char* zone) {
  const char* const before = getenv("TZ");
  const std::string saved = before != nullptr ? before : "";
  setenv("TZ", zone, 1);
  tzset();
  std::string text = wall_clock_iso8601();
  if (before != nullptr) {
    setenv("TZ", saved.c_str(), 1);
  } else {
    unsetenv("TZ");
  }
  tzset();
  return text;
}

TEST(Clock, WallClockHasDateTimeAndOffset) {
  const std::string date_time = R"(20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\d)";
  EXPECT_TRUE(std::regex_match(wall_clock_in("UTC0"), std::regex(date_time + R"(\+00:00)")));
  EXPECT_TRUE(std::regex_match(wall_clock_in("XXX-5:30"), std::regex(date_time + R"(\+05:30)")));
  EXPECT_TRUE(std::regex_match(wall_clock_in("XXX+3:30"), std::regex(date_time + R"(-03:30)")));
}

TEST(Clock, CostIsPositiveAndFinite) {
  const double cost = clock_cost_ns();
  EXPECT_GT(cost, 0);
  EXPECT_LT(cost, 1e9);
}

TEST(Clock, ProcessTimesGrowWithWork) {
  const CpuTimes before = process_cpu_times();
  CpuTimes after = before;
  // Until the kernel has accounted for it, however coarse its clock; the test's time-out ends it.
  while (after.user_seconds + after.system_seconds <= before.user_seconds + before.system_seconds) {
    after = process_cpu_times();
  }
  EXPECT_GE(after.user_seconds, before.user_seconds);
  EXPECT_GE(after.system_seconds, before.system_seconds);
}

TEST(Clock, SleepingCountsAsVoluntarySwitch) {
  const CpuTimes before = process_cpu_times();
  sleep_until_ns(now_ns() + 2'000'000);
  EXPECT_GT(process_cpu_times().voluntary_switches, before.voluntary_switches);
}

}  // namespace
}  // namespace futex_bench
