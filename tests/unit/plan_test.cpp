// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>

namespace futex_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

TEST(Permutation, HasEveryNumberOnce) {
  for (const std::size_t count : {0UL, 1UL, 2UL, 17UL, 1000UL}) {
    std::vector<std::size_t> sorted(count);
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    EXPECT_THAT(permutation(count, 1, 0), UnorderedElementsAreArray(sorted));
  }
}

TEST(Permutation, DependsOnSeedAndRoundAlone) {
  EXPECT_EQ(permutation(17, 42, 3), permutation(17, 42, 3));
  EXPECT_NE(permutation(17, 42, 3), permutation(17, 42, 4));
  EXPECT_NE(permutation(17, 42, 3), permutation(17, 43, 3));
  // The upper half of the seed counts, too.
  EXPECT_NE(permutation(17, 1, 0), permutation(17, 1 + (1ULL << 32), 0));
}

TEST(Permutation, IsTheSameOnEveryMachine) {
  // mt19937_64 and seed_seq are defined to the bit by the standard; this order is what they give.
  EXPECT_THAT(permutation(8, 1, 0), ElementsAre(0, 5, 4, 3, 2, 6, 1, 7));
}

TEST(Permutation, HasEveryOrder) {
  std::set<std::vector<std::size_t>> seen;
  for (unsigned round = 0; round < 600; ++round) seen.insert(permutation(3, 7, round));
  EXPECT_EQ(seen.size(), 6U) << "some order of three never comes up";
}

TEST(Permutation, PutsEveryNumberFirstAboutEquallyOften) {
  constexpr unsigned kRounds = 4000;
  std::vector<unsigned> first(4);
  for (unsigned round = 0; round < kRounds; ++round) ++first[permutation(4, 9, round).front()];
  // Five standard deviations of a binomial around 1000; the seed is fixed, so no luck is involved.
  for (const unsigned count : first) EXPECT_NEAR(count, 1000, 5 * 27.4);
}

/// Three modes at four thread counts, mode by mode as a benchmark lists them.
class PlanOrder : public testing::Test {
 protected:
  PlanOrder() {
    for (const char* mode : {"a", "b", "c"}) {
      for (const unsigned threads : {1U, 2U, 4U, 8U}) {
        keys_.push_back(
            {.benchmark = "lock", .mode = mode, .threads = threads, .parameters = {{"hold", "1"}}});
      }
    }
    for (const PointKey& key : keys_) points_.push_back(&key);
  }

  std::vector<PointKey> keys_;
  std::vector<const PointKey*> points_;
};

TEST_F(PlanOrder, EveryOrderRunsEveryPointOnceARound) {
  for (const auto& [order, name] : kTrialOrderNames) {
    const Plan plan(points_, order, 5);
    for (const unsigned round : {0U, 1U, 2U, 7U, UINT32_MAX}) {
      std::vector<std::size_t> sorted = plan.round(round);
      std::sort(sorted.begin(), sorted.end());
      EXPECT_THAT(sorted, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)) << name;
    }
  }
}

TEST_F(PlanOrder, RandomAndLatinChangeWithRoundAndSeed) {
  for (const TrialOrder order : {TrialOrder::kRandom, TrialOrder::kLatin}) {
    const Plan plan(points_, order, 5);
    EXPECT_EQ(plan.round(1), Plan(points_, order, 5).round(1));
    EXPECT_NE(plan.round(1), plan.round(2));
    EXPECT_NE(plan.round(1), Plan(points_, order, 6).round(1));
  }
}

TEST_F(PlanOrder, SequentialIsTheOrderOfTheReport) {
  const Plan plan(points_, TrialOrder::kSequential, 5);
  EXPECT_THAT(plan.round(3), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST_F(PlanOrder, LatinKeepsTheModesOfOneThreadCountTogether) {
  const Plan plan(points_, TrialOrder::kLatin, 5);
  for (unsigned round = 0; round < 6; ++round) {
    const std::vector<std::size_t> order = plan.round(round);
    for (std::size_t i = 0; i < order.size(); i += 3) {
      EXPECT_EQ(keys_[order[i]].threads, keys_[order[i + 1]].threads);
      EXPECT_EQ(keys_[order[i]].threads, keys_[order[i + 2]].threads);
    }
  }
}

TEST_F(PlanOrder, LatinGivesEveryModeEveryPlaceEquallyOften) {
  const Plan plan(points_, TrialOrder::kLatin, 5);
  std::map<std::string, std::array<int, 3>> places;
  for (unsigned round = 0; round < 6; ++round) {
    const std::vector<std::size_t> order = plan.round(round);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const PointKey& key = keys_[order[i]];
      ++places[key.mode + std::to_string(key.threads)][i % 3];
    }
  }
  EXPECT_EQ(places.size(), 12U);
  for (const auto& [point, counts] : places) EXPECT_THAT(counts, ElementsAre(2, 2, 2)) << point;
}

TEST_F(PlanOrder, LatinTakesPointsWithOtherParametersApart) {
  keys_[4].parameters = {{"hold", "2"}};  // b, 1 thread: no longer a mate of a and c
  const std::vector<std::size_t> order = Plan(points_, TrialOrder::kLatin, 5).round(0);
  const auto place = [&](std::size_t point) {
    return std::find(order.begin(), order.end(), point) - order.begin();
  };
  EXPECT_EQ(place(8) - place(0), 1);
}

TEST(TrialOrderName, IsReadBack) {
  EXPECT_EQ(trial_order("latin"), TrialOrder::kLatin);
  EXPECT_THROW(trial_order("roman"), std::logic_error);
}

}  // namespace
}  // namespace futex_bench
