// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/report_samples.h"

namespace futex_bench {
namespace {

using samples::failed_trial;
using samples::latency_run;
using samples::lock_point;
using samples::lock_run;
using ::testing::ElementsAre;

std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

TEST(Comparison, NeedsTwoModes) {
  EXPECT_FALSE(compare_modes(lock_run({})));
  EXPECT_FALSE(compare_modes(lock_run({lock_point("wait", 1, {1}), lock_point("wait", 2, {1})})));
  EXPECT_FALSE(compare_modes(latency_run()));
}

TEST(Comparison, PairsRoundsAndCountsSigns) {
  // Ratios by round: 1.1 1.2 1.3 1.4 1.5 0.9. The median of the logarithms is that of 1.2 and 1.3;
  // 5 of 6 signs agree: p = 2 (1 + 6) / 64.
  const RunResult result = lock_run({lock_point("wait", 4, {100, 200, 300, 400, 500, 600}),
                                     lock_point("spin", 4, {110, 240, 390, 560, 750, 540})});
  const auto comparison = compare_modes(result);
  ASSERT_TRUE(comparison);
  EXPECT_THAT(comparison->modes, ElementsAre("wait", "spin"));
  ASSERT_EQ(comparison->rows.size(), 1U);
  EXPECT_EQ(comparison->rows[0].threads, 4U);
  EXPECT_FALSE(comparison->rows[0].cells[0].ratio);
  EXPECT_EQ(comparison->rows[0].cells[0].summary.median, 350);
  const ComparisonCell& cell = comparison->rows[0].cells[1];
  ASSERT_TRUE(cell.ratio);
  EXPECT_NEAR(cell.ratio->ratio, std::sqrt(1.2 * 1.3), 1e-12);
  EXPECT_NEAR(cell.ratio->low, 0.9, 1e-12);
  EXPECT_NEAR(cell.ratio->high, 1.5, 1e-12);
  EXPECT_NEAR(cell.ratio->p_value, 14.0 / 64, 1e-12);
  EXPECT_EQ(cell.ratio->pairs, 6U);
  EXPECT_EQ(cell.difference, Difference::kNotShown);
  EXPECT_EQ(comparison->rounds, 6U);
  EXPECT_EQ(comparison->rounds_needed, 6U);
  EXPECT_TRUE(comparison->can_show());
}

TEST(Comparison, OrderOfTrialsDoesNotMatterRoundsDo) {
  RunResult result =
      lock_run({lock_point("wait", 4, {100, 200, 300}), lock_point("spin", 4, {150, 300, 450})});
  std::swap(result.points[1].trials[0], result.points[1].trials[2]);
  result.points[0].trials[1] = failed_trial(1, "gone");
  const auto comparison = compare_modes(result);
  const RatioEstimate& ratio = *comparison->rows[0].cells[1].ratio;
  EXPECT_EQ(ratio.pairs, 2U);
  EXPECT_NEAR(ratio.low, 1.5, 1e-12);
  EXPECT_NEAR(ratio.high, 1.5, 1e-12);
}

TEST(Comparison, ARepeatedRoundCountsByItsUndisturbedTrial) {
  RunResult result =
      lock_run({lock_point("wait", 4, {100, 100}), lock_point("spin", 4, {999, 200, 150})});
  auto& trials = result.points[1].trials;
  trials[0].disturbed = true;
  trials[2].round = 0;
  EXPECT_NEAR(compare_modes(result)->rows[0].cells[1].ratio->low, 1.5, 1e-12);
  // Disturbed as well: the later one counts.
  trials[2].disturbed = true;
  EXPECT_NEAR(compare_modes(result)->rows[0].cells[1].ratio->low, 1.5, 1e-12);
  // The repetition is the worse one.
  trials[0].disturbed = false;
  EXPECT_NEAR(compare_modes(result)->rows[0].cells[1].ratio->high, 9.99, 1e-12);
}

TEST(Comparison, HolmOverAllRows) {
  // 8 rounds of one sign: p = 2/256 = 0.0078. Alone, or among six (0.047), it is shown; among
  // seven (0.055) it is not, and 9 rounds would be needed.
  const std::vector<double> base = {1, 2, 3, 4, 5, 6, 7, 8};
  RunResult result = lock_run({});
  for (unsigned threads = 1; threads <= 6; ++threads) {
    result.points.push_back(lock_point("wait", threads, base));
    result.points.push_back(lock_point("spin", threads, times(base, 1.1)));
  }
  auto comparison = compare_modes(result);
  EXPECT_EQ(comparison->tests, 6U);
  EXPECT_TRUE(comparison->can_show());
  for (const ComparisonRow& row : comparison->rows) {
    EXPECT_NEAR(row.cells[1].p_adjusted, 6 * 2 / 256.0, 1e-12);
    EXPECT_EQ(row.cells[1].difference, Difference::kFaster);
  }
  result.points.push_back(lock_point("wait", 7, base));
  result.points.push_back(lock_point("spin", 7, times(base, 1.1)));
  comparison = compare_modes(result);
  EXPECT_EQ(comparison->rounds_needed, 9U);
  EXPECT_FALSE(comparison->can_show());
  for (const ComparisonRow& row : comparison->rows) {
    EXPECT_EQ(row.cells[1].difference, Difference::kNotShown);
  }
}

TEST(Comparison, WordsFollowTheDirection) {
  const std::vector<double> base = {1, 2, 3, 4, 5, 6};
  RunResult result = lock_run({lock_point("wait", 4, base), lock_point("up", 4, times(base, 2)),
                               lock_point("down", 4, times(base, 0.5))});
  const auto words = [&](Direction direction, std::size_t mode, unsigned rounds) {
    result.metrics[0].direction = direction;
    for (PointSamples& point : result.points) {
      while (point.trials.size() < rounds) {
        point.trials.push_back(point.trials.back());
        point.trials.back().round = static_cast<unsigned>(point.trials.size() - 1);
      }
    }
    return difference_words(compare_modes(result)->rows[0].cells[mode].difference);
  };
  EXPECT_EQ(words(Direction::kHigherIsBetter, 1, 6), "no difference shown");  // 2 tests: p = 0.0625
  EXPECT_EQ(words(Direction::kHigherIsBetter, 1, 9), "faster");
  EXPECT_EQ(words(Direction::kHigherIsBetter, 2, 9), "slower");
  EXPECT_EQ(words(Direction::kLowerIsBetter, 1, 9), "slower");
  EXPECT_EQ(words(Direction::kLowerIsBetter, 2, 9), "faster");
  EXPECT_EQ(words(Direction::kNeutral, 1, 9), "higher");
  EXPECT_EQ(words(Direction::kNeutral, 2, 9), "lower");
}

TEST(Comparison, MissingPointsAndValuesAreNoData) {
  RunResult result = lock_run({lock_point("wait", 1, {1, 2}), lock_point("wait", 2, {1, 2}),
                               lock_point("wait", 3, {samples::kNaN, samples::kNaN}),
                               lock_point("spin", 1, {2, 4}), lock_point("spin", 3, {2, 4})});
  const auto comparison = compare_modes(result);
  ASSERT_EQ(comparison->rows.size(), 3U);
  EXPECT_EQ(comparison->tests, 1U);
  EXPECT_EQ(comparison->rows[1].cells[1].point, nullptr);
  EXPECT_EQ(comparison->rows[1].cells[1].difference, Difference::kNoData);
  EXPECT_FALSE(comparison->rows[2].cells[1].ratio);
}

TEST(Comparison, ParametersMakeRowsUnlessOneModeAloneHasThem) {
  PointSamples points[] = {lock_point("wait", 4, {1}), lock_point("wait", 4, {2}),
                           lock_point("adaptive", 4, {3}), lock_point("adaptive", 4, {4}),
                           lock_point("adaptive", 4, {5})};
  points[0].key.parameters = {{"hold_ns", "0"}};
  points[1].key.parameters = {{"hold_ns", "200"}};
  points[2].key.parameters = {{"hold_ns", "0"}, {"spin", "100"}};
  points[3].key.parameters = {{"hold_ns", "200"}, {"spin", "100"}};
  points[4].key.parameters = {{"hold_ns", "0"}, {"spin", "7"}};
  RunResult result = lock_run({points[0], points[1], points[2], points[3]});
  auto comparison = compare_modes(result);
  EXPECT_THAT(comparison->modes, ElementsAre("wait", "adaptive"));
  ASSERT_EQ(comparison->rows.size(), 2U);
  EXPECT_EQ(comparison->rows[1].parameters, (Parameters{{"hold_ns", "200"}}));
  EXPECT_NEAR(comparison->rows[1].cells[1].ratio->ratio, 2, 1e-12);

  result.points.push_back(points[4]);
  comparison = compare_modes(result);
  EXPECT_THAT(comparison->modes, ElementsAre("wait", "adaptive spin=100", "adaptive spin=7"));
  EXPECT_NEAR(comparison->rows[0].cells[2].ratio->ratio, 5, 1e-12);
  EXPECT_EQ(comparison->rows[1].cells[2].point, nullptr);
}

}  // namespace
}  // namespace futex_bench
