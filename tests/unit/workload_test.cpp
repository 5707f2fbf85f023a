// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "common/system/clock.h"
#include "futex-bench/bench/lock_loop.h"

namespace futex_bench {
namespace {

TEST(BusyWork, NothingTakesNoUnits) {
  EXPECT_EQ(busy_work_units(0), 0U);
  EXPECT_EQ(busy_work_units(-1), 0U);
}

TEST(BusyWork, UnitsGrowWithTheTimeAskedFor) {
  EXPECT_GE(busy_work_units(0.001), 1U) << "asked for something, got nothing";
  const double ratio =
      static_cast<double>(busy_work_units(1e6)) / static_cast<double>(busy_work_units(1e3));
  EXPECT_NEAR(ratio, 1000, 10);
}

// The only statement about time that holds on a busy machine: work cannot be done in much less than
// the time it was calibrated to take, because the calibration is the best of many runs. The bound
// leaves room for a frequency that rises after the calibration.
TEST(BusyWork, TakesAtLeastAThirdOfTheTimeAskedFor) {
  constexpr double kAsked = 2e6;
  const std::uint64_t units = busy_work_units(kAsked);
  const std::int64_t start = now_ns();
  busy_work(units);
  EXPECT_GT(static_cast<double>(now_ns() - start), kAsked / 3);
}

}  // namespace
}  // namespace futex_bench
