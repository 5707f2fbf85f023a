// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/clock_offset.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/system/topology.h"

namespace futex_bench {
namespace {

TEST(ClockOffset, TheQuickestExchangeDecides) {
  // The other clock is 1000 ahead; ways there and back of 100 and 20, 10 and 30, 500 and 1.
  const std::vector<ClockExchange> exchanges = {
      {5000, 6100, 5120}, {7000, 8010, 7040}, {9000, 10500, 9501}};
  const auto offset = clock_offset(exchanges);
  ASSERT_TRUE(offset);
  EXPECT_EQ(offset->ticks, 990);
  EXPECT_EQ(offset->error, 20);
}

TEST(ClockOffset, AClockThatIsBehindHasANegativeOne) {
  const std::vector<ClockExchange> exchanges = {{5000, 4010, 5020}};
  EXPECT_EQ(clock_offset(exchanges)->ticks, -1000);
}

TEST(ClockOffset, NothingWithoutAnExchange) { EXPECT_FALSE(clock_offset({})); }

TEST(ClockOffset, ClockMonotonicIsTheSameEverywhere) {
  const auto cpus = allowed_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "one processor only";
  const auto exchanges = exchange_stamps(StampClock(false), cpus.front(), cpus.back());
  for (const ClockExchange& each : exchanges) ASSERT_GE(each.answered, each.asked);
  const auto offset = clock_offset(exchanges);
  if (!offset) GTEST_SKIP() << "no exchange: a processor was taken all the time";
  // One clock: read between the other two, whatever the machine was doing.
  EXPECT_LE(std::abs(offset->ticks), offset->error);
}

TEST(ClockOffset, AProcessorThatIsNotThereGivesNoExchange) {
  EXPECT_TRUE(exchange_stamps(StampClock(false), allowed_cpus().front(), 65535).empty());
}

}  // namespace
}  // namespace futex_bench
