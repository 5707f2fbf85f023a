// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace futex_bench {
namespace {

TEST(OrderOfRound, IsAPermutationOfAllPoints) {
  for (const std::size_t points : {0UL, 1UL, 2UL, 17UL, 1000UL}) {
    std::vector<std::size_t> sorted(points);
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    EXPECT_THAT(order_of_round(points, 1, 0), testing::UnorderedElementsAreArray(sorted));
  }
}

TEST(OrderOfRound, DependsOnSeedAndRoundAlone) {
  EXPECT_EQ(order_of_round(17, 42, 3), order_of_round(17, 42, 3));
  EXPECT_NE(order_of_round(17, 42, 3), order_of_round(17, 42, 4));
  EXPECT_NE(order_of_round(17, 42, 3), order_of_round(17, 43, 3));
  // The upper half of the seed counts, too.
  EXPECT_NE(order_of_round(17, 1, 0), order_of_round(17, 1 + (1ULL << 32), 0));
}

TEST(OrderOfRound, IsTheSameOnEveryMachine) {
  // mt19937_64 and seed_seq are defined to the bit by the standard; this order is what they give.
  EXPECT_THAT(order_of_round(8, 1, 0), testing::ElementsAre(0, 5, 4, 3, 2, 6, 1, 7));
}

TEST(OrderOfRound, HasEveryOrder) {
  std::set<std::vector<std::size_t>> seen;
  for (unsigned round = 0; round < 600; ++round) seen.insert(order_of_round(3, 7, round));
  EXPECT_EQ(seen.size(), 6U) << "some order of three never comes up";
}

TEST(OrderOfRound, PutsEveryPointFirstAboutEquallyOften) {
  constexpr unsigned kRounds = 4000;
  std::vector<unsigned> first(4);
  for (unsigned round = 0; round < kRounds; ++round) ++first[order_of_round(4, 9, round).front()];
  // Five standard deviations of a binomial around 1000; the seed is fixed, so no luck is involved.
  for (const unsigned count : first) EXPECT_NEAR(count, 1000, 5 * 27.4);
}

}  // namespace
}  // namespace futex_bench
