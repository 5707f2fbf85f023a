// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/tsc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/fake_tree.h"

namespace futex_bench {
namespace {

constexpr const char* kSource = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
constexpr const char* kCpuinfo = "processor\t: 0\nflags\t\t: fpu rdtscp constant_tsc nonstop_tsc\n";

TEST(StampClock, BothClocksGoForwardAtTheSpeedOfTime) {
  for (const bool tsc : {false, tsc_trust("/").trusted}) {
    const StampClock clock(tsc);
    const std::int64_t start_ns = now_ns();
    const std::uint64_t start = clock.before();
    std::uint64_t last = start;
    while (now_ns() - start_ns < 10'000'000) {
      const std::uint64_t before = clock.before();
      const std::uint64_t after = clock.after();
      ASSERT_GE(before, last);
      ASSERT_GE(after, before);
      last = after;
    }
    const double tick = ns_per_tick(start, start_ns, clock.after(), now_ns());
    if (!tsc) {
      EXPECT_NEAR(tick, 1, 0.1);
    }
    EXPECT_GT(tick, 0.05);
    EXPECT_LT(tick, 10);
  }
}

TEST(StampClock, LengthOfATick) {
  EXPECT_EQ(ns_per_tick(1000, 50, 4000, 1050), 1000.0 / 3000);
  EXPECT_TRUE(std::isnan(ns_per_tick(5, 0, 5, 10)));
  EXPECT_TRUE(std::isnan(ns_per_tick(5, 10, 6, 10)));
}

#if defined(__x86_64__)
TEST(TscTrust, TakesTheKernelsWordAndTheProcessors) {
  FakeTree tree;
  tree.write(kSource, "tsc\n");
  tree.write("/proc/cpuinfo", kCpuinfo);
  const TscTrust trust = tsc_trust(tree.root());
  EXPECT_TRUE(trust.trusted) << trust.reason;
  EXPECT_EQ(trust.reason, "");
}

TEST(TscTrust, SaysWhyNot) {
  FakeTree tree;
  EXPECT_FALSE(tsc_trust(tree.root()).trusted);
  EXPECT_NE(tsc_trust(tree.root()).reason.find("current_clocksource"), std::string::npos);

  tree.write("/proc/cpuinfo", kCpuinfo);
  tree.write(kSource, "hpet\n");
  EXPECT_EQ(tsc_trust(tree.root()).reason, "the kernel's clock source is hpet, not tsc");

  tree.write(kSource, "tsc\n");
  tree.write("/proc/cpuinfo", "flags : rdtscp constant_tsc\n");
  EXPECT_EQ(tsc_trust(tree.root()).reason, "the processor has no nonstop_tsc");
  tree.write("/proc/cpuinfo", "flags : rdtscp nonstop_tsc\n");
  EXPECT_EQ(tsc_trust(tree.root()).reason, "the processor has no constant_tsc");
  tree.write("/proc/cpuinfo", "processor : 0\n");
  EXPECT_EQ(tsc_trust(tree.root()).reason, "/proc/cpuinfo lists no flags");
}
#endif

}  // namespace
}  // namespace futex_bench
