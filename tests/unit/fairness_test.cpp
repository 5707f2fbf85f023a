// SPDX-License-Identifier: GPL-2.0-only
#include "common/stats/fairness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace futex_bench {
namespace {

using ::testing::IsNan;
using Counts = std::vector<std::uint64_t>;

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

TEST(Jain, IsOneWhenAllAreEqualAndOneNthWhenOneHasAll) {
  EXPECT_DOUBLE_EQ(jain(Counts{7}), 1);
  EXPECT_DOUBLE_EQ(jain(Counts{5, 5, 5, 5}), 1);
  EXPECT_DOUBLE_EQ(jain(Counts{0, 9, 0, 0}), 0.25);
}

TEST(Jain, AgreesWithHandComputedValues) {
  EXPECT_DOUBLE_EQ(jain(Counts{1, 2, 3}), 36.0 / 42);
  EXPECT_DOUBLE_EQ(jain(Counts{1, 3}), 0.8);
}

TEST(Jain, IsUndefinedWithoutAnyOperation) {
  EXPECT_THAT(jain(Counts{}), IsNan());
  EXPECT_THAT(jain(Counts{0, 0}), IsNan());
}

TEST(Jain, DoesNotOverflow) {
  EXPECT_DOUBLE_EQ(jain(Counts(1024, kLargest)), 1);
  EXPECT_DOUBLE_EQ(jain(Counts{kLargest, 0}), 0.5);
}

TEST(Shares, AreRelativeToTheFairShare) {
  const Shares result = shares(Counts{50, 100, 150});
  EXPECT_DOUBLE_EQ(result.min, 0.5);
  EXPECT_DOUBLE_EQ(result.max, 1.5);
  EXPECT_EQ(result.starved, 0U);
}

TEST(Shares, CountStarvedThreads) {
  const Shares result = shares(Counts{0, 8, 0, 0});
  EXPECT_EQ(result.min, 0);
  EXPECT_DOUBLE_EQ(result.max, 4);
  EXPECT_EQ(result.starved, 3U);
}

TEST(Shares, AreUndefinedWithoutAnyOperation) {
  const Shares idle = shares(Counts{0, 0});
  EXPECT_THAT(idle.min, IsNan());
  EXPECT_THAT(idle.max, IsNan());
  EXPECT_EQ(idle.starved, 2U);
  const Shares none = shares(Counts{});
  EXPECT_THAT(none.min, IsNan());
  EXPECT_EQ(none.starved, 0U);
}

TEST(Shares, DoNotOverflow) {
  const Shares result = shares(Counts(1024, kLargest));
  EXPECT_DOUBLE_EQ(result.min, 1);
  EXPECT_DOUBLE_EQ(result.max, 1);
}

}  // namespace
}  // namespace futex_bench
