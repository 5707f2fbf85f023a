// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/point_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "futex-bench/report/number_text.h"
#include "futex-bench/report/point_view.h"

namespace futex_bench {
namespace {

/// What "Kiter/s" counts in: 1000 operations per second. NaN if the unit is not that of a rate.
double operations_per_unit(std::string_view unit) {
  if (!unit.ends_with("/s")) return std::nan("");
  if (unit.starts_with('K') || unit.starts_with('k')) return 1e3;
  return unit.starts_with('M') ? 1e6 : 1;
}

bool is_short(const RunResult& result, const PointSamples& point) {
  const double wall = metric_median(result, point, "wall");
  if (wall < kShortTrialSeconds) return true;
  if (result.metrics.empty()) return false;
  const double rate = metric_summary(point, 0).median;
  return rate * operations_per_unit(result.metrics.front().unit) * wall < kShortTrialOperations;
}

}  // namespace

std::vector<std::string> PointVerdict::flags() const {
  std::vector<std::string> names;
  const auto add = [&names](bool is_so, const char* name) {
    if (is_so) names.emplace_back(name);
  };
  add(scatter.noise == Noise::kTooFew, "too-few");
  add(scatter.noise == Noise::kNoisy, "noisy");
  add(scatter.noise == Noise::kUnstable, "unstable");
  add(scatter.bimodal, "bimodal");
  add(scatter.slow_first, "slow-first");
  add(!scatter.outliers.empty(), "outliers");
  add(short_trial, "short-trial");
  add(not_overlapping, "not-overlapping");
  add(disturbed > 0, "disturbed");
  return names;
}

std::vector<std::string> PointVerdict::words() const {
  std::vector<std::string> list;
  if (scatter.noise != Noise::kTooFew && !scatter.is_ok()) list.push_back(scatter.words);
  if (short_trial) list.emplace_back("short trial");
  if (starved > 0) list.push_back(value_text(std::ceil(starved)) + " never ran");
  if (not_overlapping) list.push_back("overlap " + fixed_text(overlap, 2));
  const auto count = [&list](std::size_t trials, std::string_view what) {
    if (trials > 0) list.push_back(fmt::format("{} {}", trials, what));
  };
  count(failed, "failed");
  count(not_drained, "not drained");
  count(cut_short, "cut short");
  count(disturbed, "disturbed");
  count(measured_again, "measured again");
  return list;
}

PointVerdict point_verdict(const RunResult& result, const PointSamples& point) {
  PointVerdict verdict{};
  std::vector<double> values;
  for (const TrialSample* trial : counted_trials(point)) {
    values.push_back(trial_value(*trial, 0));
    verdict.disturbed += trial->disturbed ? 1U : 0U;
  }
  for (const TrialSample& trial : point.trials) {
    verdict.measured_again += trial.disturbed ? 1U : 0U;
    verdict.failed += trial.status == TrialStatus::kFailed ? 1U : 0U;
    verdict.not_drained += trial.status == TrialStatus::kNotDrained ? 1U : 0U;
    verdict.cut_short += trial.status == TrialStatus::kCutShort ? 1U : 0U;
  }
  verdict.measured_again -= verdict.disturbed;
  verdict.scatter = judge(
      values, result.metrics.empty() ? Direction::kNeutral : result.metrics.front().direction);
  verdict.short_trial = is_short(result, point);
  verdict.overlap = metric_median(result, point, "overlap");
  verdict.not_overlapping = verdict.overlap < kPoorOverlap;
  verdict.starved = metric_median(result, point, "starved");
  return verdict;
}

}  // namespace futex_bench
