// SPDX-License-Identifier: GPL-2.0-only
#include "common/stats/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/stats/order_statistics.h"

namespace futex_bench {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Median absolute deviation of `values` from `centre`.
double mad(std::span<const double> values, double centre) {
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - centre));
  return median(deviations);
}

void judge_noise(std::size_t count, double centre, double scatter, Verdict& verdict) {
  if (count > 0 && scatter == 0) {
    verdict.mdape_percent = 0;
  } else if (count > 0 && centre != 0) {
    verdict.mdape_percent = 100 * scatter / std::abs(centre);
  }
  if (count < kTrialsForNoise) return;
  if (verdict.mdape_percent < kNoisyPercent) {
    verdict.noise = Noise::kOk;
  } else if (verdict.mdape_percent < kUnstablePercent) {
    verdict.noise = Noise::kNoisy;
  } else {
    verdict.noise = Noise::kUnstable;
  }
}

void judge_modes(std::span<const double> sorted, double centre, Verdict& verdict) {
  std::size_t split = 0;
  double split_gap = 0;
  double largest_gap = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    largest_gap = std::max(largest_gap, gap);
    if (i < kSmallestMode || sorted.size() - i < kSmallestMode || gap <= split_gap) continue;
    split = i;
    split_gap = gap;
  }
  if (split_gap < largest_gap || split_gap <= kNoisyPercent / 100 * std::abs(centre)) return;

  const auto lower = sorted.first(split);
  const auto upper = sorted.subspan(split);
  const double low = median(lower);
  const double high = median(upper);
  // The MAD of either side, not of all pooled: with groups of 3 the pooled one is so often tiny
  // that 17 % of plain normal samples of 6 would pass for bimodal.
  if (split_gap <= kModeGapMads * std::max(mad(lower, low), mad(upper, high))) return;
  verdict.bimodal = true;
  verdict.low_mode = low;
  verdict.high_mode = high;
}

void judge_outliers(std::span<const double> samples, double centre, double scatter,
                    Direction direction, Verdict& verdict) {
  const double limit =
      scatter > 0 ? kOutlierMads * scatter : kNoisyPercent / 100 * std::abs(centre);
  bool is_first = true;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!std::isfinite(samples[i])) continue;
    const double distance = samples[i] - centre;
    if (std::abs(distance) > limit) {
      verdict.outliers.push_back(i);
      const bool is_worse = (direction == Direction::kHigherIsBetter && distance < 0) ||
                            (direction == Direction::kLowerIsBetter && distance > 0);
      verdict.slow_first = verdict.slow_first || (is_first && is_worse);
    }
    is_first = false;
  }
}

std::string describe(const Verdict& verdict) {
  std::vector<std::string> parts;
  if (verdict.noise == Noise::kTooFew) parts.emplace_back("too few trials to judge");
  if (verdict.noise == Noise::kNoisy || verdict.noise == Noise::kUnstable) {
    const char* name = verdict.noise == Noise::kNoisy ? "noisy" : "unstable";
    parts.push_back(std::isnan(verdict.mdape_percent)
                        ? std::string(name)
                        : fmt::format("{} {:.1f} %", name, verdict.mdape_percent));
  }
  if (verdict.bimodal) {
    parts.push_back(
        fmt::format("bimodal ({:.4g} and {:.4g})", verdict.low_mode, verdict.high_mode));
  }
  if (verdict.slow_first) parts.emplace_back("slow first trial");

  std::vector<std::size_t> numbers;
  for (const std::size_t index : verdict.outliers) numbers.push_back(index + 1);
  // It has been named already.
  if (verdict.slow_first) numbers.erase(numbers.begin());
  if (!numbers.empty()) {
    parts.push_back(fmt::format("outlier{0} at trial{0} {1}", numbers.size() > 1 ? "s" : "",
                                fmt::join(numbers, ", ")));
  }
  return parts.empty() ? "ok" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Verdict judge(std::span<const double> samples, Direction direction) {
  Verdict verdict{
      .mdape_percent = kNaN, .low_mode = kNaN, .high_mode = kNaN, .outliers = {}, .words = {}};
  const std::vector<double> sorted = sorted_finite(samples);
  const double centre = median(sorted);
  const double scatter = mad(sorted, centre);
  judge_noise(sorted.size(), centre, scatter, verdict);
  if (sorted.size() >= kTrialsForShape) {
    judge_modes(sorted, centre, verdict);
    judge_outliers(samples, centre, scatter, direction, verdict);
  }
  verdict.words = describe(verdict);
  return verdict;
}

}  // namespace futex_bench
