// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/file_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "common/system/error.h"
#include "futex-bench/report/file_differences.h"
#include "futex-bench/report/number_text.h"
#include "futex-bench/report/point_view.h"
#include "futex-bench/report/stable_names.h"

namespace futex_bench {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What rounding may add to a percentage that is exactly at the limit.
constexpr double kPercentSlack = 1e-9;

ComparedTrials trials_of(const PointSamples& point, std::size_t metric) {
  ComparedTrials trials;
  trials.point = &point;
  std::vector<const TrialSample*> with_value = counted_trials(point);
  const std::size_t rounds = with_value.size();
  std::erase_if(with_value, [metric](const TrialSample* trial) {
    return std::isnan(trial_value(*trial, metric));
  });
  trials.failed = rounds - with_value.size();
  trials.disturbed = static_cast<std::size_t>(
      std::count_if(with_value.begin(), with_value.end(),
                    [](const TrialSample* trial) { return trial->disturbed; }));
  trials.disturbed_left_out =
      trials.disturbed > 0 && with_value.size() - trials.disturbed >= kEnoughUndisturbed;
  for (const TrialSample* trial : with_value) {
    if (trials.disturbed_left_out && trial->disturbed) continue;
    trials.values.push_back(trial_value(*trial, metric));
  }
  trials.summary = summarize(trials.values);
  return trials;
}

bool all_positive(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

/// The ratio, or, if a value allows none, the test alone: leaving such values out would be to
/// choose among the trials by their outcome.
ShiftEstimate shift_of(const std::vector<double>& base, const std::vector<double>& changed,
                       double confidence) {
  if (all_positive(base) && all_positive(changed)) {
    return hodges_lehmann_ratio(base, changed, confidence);
  }
  return {kNaN, kNaN, kNaN, mann_whitney_p(base, changed), false};
}

/// Above 0 if values of `changed` tend to be the larger ones, which is what the test looks at.
double tendency(const std::vector<double>& base, const std::vector<double>& changed) {
  double sum = 0;
  for (const double from : base) {
    for (const double to : changed) sum += to > from ? 1 : to < from ? -1 : 0;
  }
  return sum;
}

Difference difference_of(const FileComparisonRow& row, Direction direction) {
  const double up = tendency(row.base.values, row.changed.values);
  if (!(row.p_adjusted <= kComparisonAlpha) || up == 0) return Difference::kNotShown;
  switch (direction) {
    case Direction::kHigherIsBetter:
      return up > 0 ? Difference::kFaster : Difference::kSlower;
    case Direction::kLowerIsBetter:
      return up > 0 ? Difference::kSlower : Difference::kFaster;
    case Direction::kNeutral:
      break;
  }
  return up > 0 ? Difference::kHigher : Difference::kLower;
}

/// How much worse, in percent of the base. A fall counts as what is lost (0.9 is 10 %), a rise as
/// what came on top.
double worse_percent(const FileComparisonRow& row, Direction direction) {
  double ratio = row.shift.ratio;
  if (std::isnan(ratio)) {
    const double from = row.base.summary.median;
    const double to = row.changed.summary.median;
    ratio = to == from ? 1 : to / from;
  }
  return (direction == Direction::kHigherIsBetter ? 1 - ratio : ratio - 1) * 100;
}

/// The smallest p that a test of so many trials can have: all of one side above all of the other.
double smallest_p(std::size_t n, std::size_t m) {
  double ways = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    ways *= static_cast<double>(m + i) / static_cast<double>(i);
  }
  return std::min(1.0, 2 / ways);
}

bool can_show(std::size_t n, std::size_t m, std::size_t tests) {
  return n > 0 && m > 0 && smallest_p(n, m) * static_cast<double>(tests) <= kComparisonAlpha;
}

std::string missing_text(const PointSamples& point) {
  if (!point.skipped.empty()) return "skipped: " + one_line(point.skipped);
  if (point.trials.empty()) return "not run";
  for (const TrialSample& trial : point.trials) {
    // The note of any other says what disturbed it, not why there is no value.
    if (trial.status == TrialStatus::kFailed && !trial.note.empty())
      return "no value: " + one_line(trial.note);
  }
  return "no value";
}

FileComparisonRow make_row(const PointSamples& base, std::size_t base_metric,
                           const PointSamples& changed, std::size_t changed_metric) {
  FileComparisonRow row;
  row.base = trials_of(base, base_metric);
  row.changed = trials_of(changed, changed_metric);
  row.shift.p_value = row.shift.ratio = row.shift.low = row.shift.high = row.detectable = kNaN;
  if (row.base.values.empty()) row.reason = "in the base: " + missing_text(base);
  if (row.changed.values.empty()) {
    row.reason += (row.reason.empty() ? "" : "; ") + ("here: " + missing_text(changed));
  }
  return row;
}

/// Where the metric stands in the values of a file.
std::size_t metric_of(const ResultFile& file, const std::string& name) {
  if (const auto index = metric_index(file.result, name)) return *index;
  std::vector<std::string> names;
  for (const Metric& metric : file.result.metrics) names.push_back(metric.name);
  throw UsageError(
      one_line(fmt::format("{}: has no metric '{}'; it has {}", file.name, name,
                           names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")))));
}

void check_comparable(const ResultFile& base, const ResultFile& changed, const Metric& metric) {
  if (changed.result.benchmark != base.result.benchmark) {
    throw UsageError(
        one_line(fmt::format("{}: is of benchmark {}, but {} is of {}", changed.name,
                             changed.result.benchmark, base.name, base.result.benchmark)));
  }
  const Metric& other = changed.result.metrics[metric_of(changed, metric.name)];
  if (other.unit != metric.unit || other.direction != metric.direction) {
    throw UsageError(
        one_line(fmt::format("{}: {} is in {}, {}, but in {} in {}, {}", changed.name, metric.name,
                             other.unit, direction_name(other.direction), base.name, metric.unit,
                             direction_name(metric.direction))));
  }
}

void check_limit(double limit, const Metric& metric) {
  if (metric.direction == Direction::kNeutral) {
    throw UsageError(one_line(fmt::format(
        "--fail-above: {} has no better direction, so it cannot regress", metric.name)));
  }
  if (metric.direction == Direction::kHigherIsBetter && limit >= 100) {
    throw UsageError(
        one_line(fmt::format("--fail-above: {} cannot lose more than 100 %, so {} would never fail",
                             metric.name, exact_text(limit))));
  }
}

const PointSamples* find_point(const RunResult& result, const PointKey& key) {
  const auto found = std::find_if(result.points.begin(), result.points.end(),
                                  [&](const PointSamples& point) { return point.key == key; });
  return found == result.points.end() ? nullptr : &*found;
}

FileComparison compare_one(const ResultFile& base, const ResultFile& changed,
                           const std::string& metric) {
  FileComparison comparison;
  comparison.changed = &changed;
  const std::size_t base_metric = metric_of(base, metric);
  const std::size_t changed_metric = metric_of(changed, metric);
  for (const PointSamples& point : base.result.points) {
    const PointSamples* other = find_point(changed.result, point.key);
    if (other == nullptr) {
      comparison.only_in_base.push_back(&point);
    } else {
      comparison.rows.push_back(make_row(point, base_metric, *other, changed_metric));
    }
  }
  for (const PointSamples& point : changed.result.points) {
    if (find_point(base.result, point.key) == nullptr) {
      comparison.only_in_changed.push_back(&point);
    }
  }
  if (comparison.rows.empty()) {
    throw UsageError(
        one_line(fmt::format("{}: has no point in common with {} (same mode, threads and options)",
                             changed.name, base.name)));
  }
  comparison.warnings = file_differences(base, changed);
  return comparison;
}

void judge(FileComparisons& all) {
  std::vector<FileComparisonRow*> tested;
  std::vector<double> p_values;
  for (FileComparison& file : all.files) {
    for (FileComparisonRow& row : file.rows) {
      if (!row.reason.empty()) {
        all.without_data += row.base.values.empty() != row.changed.values.empty() ? 1 : 0;
        continue;
      }
      row.shift = shift_of(row.base.values, row.changed.values, 1 - kComparisonAlpha);
      tested.push_back(&row);
      p_values.push_back(row.shift.p_value);
    }
  }
  all.tests = tested.size();
  while (all.tests > 0 && !can_show(all.trials_needed, all.trials_needed, all.tests)) {
    ++all.trials_needed;
  }
  all.can_show = all.tests == 0;
  const std::vector<double> adjusted = holm(p_values);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    FileComparisonRow& row = *tested[i];
    all.can_show =
        all.can_show || can_show(row.base.values.size(), row.changed.values.size(), all.tests);
    row.p_adjusted = adjusted[i];
    row.difference = difference_of(row, all.metric.direction);
    if (!std::isnan(row.shift.ratio)) {
      row.detectable =
          smallest_detectable_ratio(row.base.values, row.changed.values,
                                    1 - kComparisonAlpha / static_cast<double>(all.tests));
    }
    if (all.metric.direction == Direction::kNeutral) continue;
    row.worse_percent = worse_percent(row, all.metric.direction);
    // With 0 whatever is shown counts, also where the medians are equal.
    row.beyond_limit =
        all.fail_above && row.difference == Difference::kSlower &&
        (*all.fail_above == 0 || row.worse_percent > *all.fail_above + kPercentSlack);
    all.regressions += row.beyond_limit ? 1 : 0;
  }
}

}  // namespace

FileComparisons compare_files(const ResultFile& base, const std::vector<ResultFile>& changed,
                              const FileComparisonOptions& options) {
  if (base.result.metrics.empty()) {
    throw UsageError(one_line(fmt::format("{}: has no metrics", base.name)));
  }
  FileComparisons all;
  all.base = &base;
  all.fail_above = options.fail_above;
  all.metric = options.metric.empty() ? base.result.metrics.front()
                                      : base.result.metrics[metric_of(base, options.metric)];
  for (const ResultFile& file : changed) check_comparable(base, file, all.metric);
  if (all.fail_above) check_limit(*all.fail_above, all.metric);
  for (const ResultFile& file : changed) {
    all.files.push_back(compare_one(base, file, all.metric.name));
  }
  judge(all);
  return all;
}

}  // namespace futex_bench
