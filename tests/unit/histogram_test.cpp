// SPDX-License-Identifier: GPL-2.0-only
#include "common/stats/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace futex_bench {
namespace {

using ::testing::IsNan;

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

/// What the histogram says of `value` if its exact ends do not help: the median of 0, value, max.
double as_seen(std::uint64_t value) {
  Histogram histogram;
  histogram.record(0);
  histogram.record(value);
  histogram.record(kLargest);
  return histogram.percentile(50);
}

TEST(Histogram, IsFifteenKiBAndNoMoreThanALittle) {
  EXPECT_GE(sizeof(Histogram), 15 * 1024U);
  EXPECT_LE(sizeof(Histogram), 15 * 1024U + 128);
  EXPECT_EQ(alignof(Histogram), 128U);
}

TEST(Histogram, OfNothingIsNothing) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_THAT(histogram.mean(), IsNan());
  EXPECT_THAT(histogram.percentile(50), IsNan());
}

TEST(Histogram, IsExactBelow64) {
  for (std::uint64_t value = 0; value < 64; ++value) {
    EXPECT_EQ(as_seen(value), static_cast<double>(value));
  }
}

TEST(Histogram, KeepsTheErrorBoundAroundEveryPowerOfTwoAndSlotBoundary) {
  double worst = 0;
  for (unsigned exponent = 6; exponent < 64; ++exponent) {
    for (std::uint64_t leading = 32; leading < 64; ++leading) {
      const std::uint64_t start = leading << (exponent - 5);
      for (const std::uint64_t value : {start - 1, start, start + 1}) {
        const auto exact = static_cast<double>(value);
        const double error = std::abs(as_seen(value) - exact) / exact;
        ASSERT_LE(error, Histogram::kRelativeError) << value;
        worst = std::max(worst, error);
      }
    }
  }
  // The bound is tight, so a coarser table could not pass for this one.
  EXPECT_GT(worst, 0.99 * Histogram::kRelativeError);
  EXPECT_DOUBLE_EQ(Histogram::kRelativeError, 1.0 / 64);
}

TEST(Histogram, HoldsTheWholeRange) {
  Histogram histogram;
  for (int i = 0; i < 10; ++i) histogram.record(kLargest);
  histogram.record(0);
  EXPECT_EQ(histogram.count(), 11U);
  EXPECT_EQ(histogram.min(), 0U);
  EXPECT_EQ(histogram.max(), kLargest);
  EXPECT_EQ(histogram.percentile(0), 0);
  EXPECT_EQ(histogram.percentile(100), static_cast<double>(kLargest));
  EXPECT_NEAR(histogram.percentile(50) / 0x1p64, 1, Histogram::kRelativeError);
  EXPECT_DOUBLE_EQ(histogram.mean(), 0x1p64 * 10 / 11);
}

/// At the start of its slot and at the end of its slot, as far from the middle as can be.
TEST(Histogram, IsExactAtBothEnds) {
  Histogram histogram;
  histogram.record(1 << 20);
  histogram.record((1 << 21) - 1);
  EXPECT_EQ(histogram.percentile(0), 1 << 20);
  EXPECT_EQ(histogram.percentile(100), (1 << 21) - 1);
}

TEST(Histogram, NeverAnswersOutsideOfWhatWasRecorded) {
  Histogram histogram;
  for (int i = 0; i < 5; ++i) histogram.record(1'000'003);
  EXPECT_EQ(histogram.percentile(50), 1'000'003);
}

struct Distribution {
  std::string name;
  std::function<std::uint64_t(std::mt19937_64&)> draw;
};

void PrintTo(const Distribution& distribution, std::ostream* out) { *out << distribution.name; }

std::string name_of(const ::testing::TestParamInfo<Distribution>& info) { return info.param.name; }

class HistogramPercentiles : public ::testing::TestWithParam<Distribution> {};

TEST_P(HistogramPercentiles, AreWithinTheBoundOfTheExactOnes) {
  std::mt19937_64 random(3);
  Histogram histogram;
  std::vector<std::uint64_t> values(50'000);
  long double sum = 0;
  for (std::uint64_t& value : values) {
    value = GetParam().draw(random);
    histogram.record(value);
    sum += static_cast<long double>(value);
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(histogram.min(), values.front());
  EXPECT_EQ(histogram.max(), values.back());
  EXPECT_DOUBLE_EQ(histogram.mean(), static_cast<double>(sum / 50'000));
  for (const double p : {0.0, 0.01, 1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 100.0}) {
    // Ranks in integers: p is a multiple of 0.01 %, each of which is 5 values.
    const auto rank = std::max<long>(std::lround(p * 100) * 5, 1);
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(rank - 1)]);
    EXPECT_LE(std::abs(histogram.percentile(p) - exact), exact * Histogram::kRelativeError) << p;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, HistogramPercentiles,
    ::testing::Values(Distribution{"constant", [](auto&) { return std::uint64_t{12'345}; }},
                      Distribution{"uniform", [](auto& random) { return random() % 100'000; }},
                      Distribution{"small", [](auto& random) { return random() % 8; }},
                      Distribution{"all_bits", [](auto& random) { return random(); }},
                      Distribution{"every_magnitude",
                                   [](auto& random) { return random() >> (random() % 64); }},
                      Distribution{"lognormal",
                                   [](auto& random) {
                                     std::lognormal_distribution<double> draw(8, 1.5);
                                     return static_cast<std::uint64_t>(draw(random));
                                   }},
                      Distribution{"fast_path_and_sleepers",
                                   [](auto& random) {
                                     return random() % 100 < 97 ? 20 + random() % 5
                                                                : 50'000 + random() % 9'000;
                                   }}),
    name_of);

// record() is several stores, and a thread can be killed between two of them: the count ahead of the
// slots, or behind them.
TEST(Histogram, OneThatWasCutOffWhileItRecordedStillAnswers) {
  constexpr std::uint64_t kTimes = 1000;
  static_assert(std::is_trivially_copyable_v<Histogram>);
  using Words = std::array<std::uint64_t, sizeof(Histogram) / sizeof(std::uint64_t)>;
  Histogram whole;
  for (std::uint64_t i = 0; i < kTimes; ++i) whole.record(5);
  whole.record(7);
  const auto words = std::bit_cast<Words>(whole);
  int cut_off = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] < kTimes || words[i] > kTimes + 1) continue;  // neither the count nor the slot
    Words less = words;
    less[i] /= 2;
    const auto histogram = std::bit_cast<Histogram>(less);
    for (const double percent : {1.0, 50.0, 99.0, 99.99}) {
      const double answer = histogram.percentile(percent);
      EXPECT_TRUE(answer >= 5 && answer <= 7) << answer;
    }
    ++cut_off;
  }
  EXPECT_EQ(cut_off, 2);
}

TEST(Histogram, MergeCountsAsIfAllHadBeenRecordedInOne) {
  std::mt19937_64 random(5);
  Histogram all;
  Histogram parts[3];
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t value = random() >> (random() % 64);
    all.record(value);
    parts[i % 3].record(value);
  }
  Histogram merged;
  for (const Histogram& part : parts) merged.merge(part);
  merged.merge(Histogram{});
  EXPECT_EQ(merged.count(), 3000U);
  EXPECT_EQ(merged.min(), all.min());
  EXPECT_EQ(merged.max(), all.max());
  EXPECT_EQ(merged.mean(), all.mean());
  for (double p = 0; p <= 100; p += 0.5) EXPECT_EQ(merged.percentile(p), all.percentile(p)) << p;
}

}  // namespace
}  // namespace futex_bench
