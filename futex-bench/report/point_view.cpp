// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/point_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "futex-bench/report/number_text.h"
#include "futex-bench/report/point_verdict.h"

namespace futex_bench {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kReasonsUnlessVerbose = 3;

const std::string* find_parameter(const Parameters& parameters, std::string_view name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [name](const auto& item) { return item.first == name; });
  return found == parameters.end() ? nullptr : &found->second;
}

/// Adds "3 of 9 trials <what>: <note>" for each different note of the trials of that kind.
template <class Predicate>
void group_notes(const PointSamples& point, std::string_view what, Predicate is_of_kind,
                 std::vector<std::string>& reasons) {
  std::vector<std::pair<std::string, std::size_t>> groups;
  for (const TrialSample& trial : point.trials) {
    if (!is_of_kind(trial)) continue;
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.first == trial.note; });
    if (found == groups.end()) {
      groups.emplace_back(trial.note, 1);
    } else {
      ++found->second;
    }
  }
  for (const auto& [note, count] : groups) {
    reasons.push_back(fmt::format("{} of {} {}: {}", count, counted(point.trials.size(), "trial"),
                                  what, note.empty() ? "no reason recorded" : one_line(note)));
  }
}

/// "9 x 0.20 s"; where --precision went on, "9 to 31 x 0.20 s".
std::string plan_text(const RunResult& result, const std::vector<const PointSamples*>& points) {
  std::size_t most = result.repeat;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const PointSamples* point : points) {
    if (point->trials.empty()) continue;
    const std::size_t rounds = counted_trials(*point).size();
    most = std::max(most, rounds);
    fewest = std::min(fewest, rounds);
  }
  // A run that ended early keeps what was planned.
  const std::string range =
      most > result.repeat && fewest < most ? fmt::format("{} to ", fewest) : std::string();
  if (result.runtime_seconds > 0) {
    return fmt::format("{}{} x {}", range, most, seconds_text(result.runtime_seconds));
  }
  return range + counted(most, "trial");
}

Section make_section(const RunResult& result, std::vector<const PointSamples*> points,
                     std::string_view prefix) {
  Section section;
  section.varying = varying_parameters(points);
  const PointSamples& first = *points.front();
  const auto all_have = [&](auto same) {
    return std::all_of(points.begin(), points.end(),
                       [&](const auto* point) { return same(*point); });
  };
  std::string title;
  if (all_have([&](const PointSamples& point) { return point.title == first.title; })) {
    title = one_line(first.title);
  }
  if (title.empty() && !first.key.mode.empty() &&
      all_have([&](const PointSamples& point) { return point.key.mode == first.key.mode; })) {
    title = "mode " + one_line(first.key.mode);
  }
  section.heading = fmt::format("{}: {}{}{}", prefix, title, title.empty() ? "" : ", ",
                                plan_text(result, points));
  for (const auto& [name, value] : first.key.parameters) {
    if (std::find(section.varying.begin(), section.varying.end(), name) == section.varying.end()) {
      section.heading += fmt::format(", {}={}", one_line(name), one_line(value));
    }
  }
  section.points = std::move(points);
  return section;
}

}  // namespace

const std::string_view kNoIntervalNote =
    "a..b: smallest and largest of fewer than 6 trials, for which no 95 % interval exists.";

std::optional<std::size_t> metric_index(const RunResult& result, std::string_view name) {
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    if (result.metrics[i].name == name) return i;
  }
  return std::nullopt;
}

double trial_value(const TrialSample& trial, std::size_t metric) {
  if (trial.status == TrialStatus::kFailed || metric >= trial.values.size()) return kNaN;
  return std::isfinite(trial.values[metric]) ? trial.values[metric] : kNaN;
}

Summary metric_summary(const PointSamples& point, std::size_t metric) {
  std::vector<double> values;
  for (const TrialSample* trial : counted_trials(point)) {
    values.push_back(trial_value(*trial, metric));
  }
  return summarize(values);
}

double metric_median(const RunResult& result, const PointSamples& point, std::string_view name) {
  const auto metric = metric_index(result, name);
  return metric ? metric_summary(point, *metric).median : kNaN;
}

Distribution merged_distribution(const PointSamples& point, std::string_view name) {
  Distribution merged;
  for (const TrialSample* trial : counted_trials(point)) {
    for (const auto& [own_name, distribution] : trial->distributions) {
      if (own_name == name) merged.merge(distribution);
    }
  }
  return merged;
}

std::string spread_text(const Summary& summary) {
  if (summary.count == 0) return "-";
  if (summary.count == 1) return "one trial";
  if (lacks_interval(summary)) {
    return fmt::format("{}..{}", value_text(summary.min), value_text(summary.max));
  }
  const double width = relative_half_width(summary);
  if (std::isfinite(width)) return fmt::format("+-{}%", fixed_text(width, 1));
  return fmt::format("[{} {}]", value_text(summary.low), value_text(summary.high));
}

bool lacks_interval(const Summary& summary) { return summary.count > 0 && !summary.has_interval; }

PointNotes point_notes(const RunResult& result, const PointSamples& point, bool verbose) {
  PointNotes notes;
  notes.flags = point_verdict(result, point).words();
  const auto has_status = [](TrialStatus status) {
    return [status](const TrialSample& trial) { return trial.status == status; };
  };
  group_notes(point, "failed", has_status(TrialStatus::kFailed), notes.reasons);
  group_notes(point, "was cut short", has_status(TrialStatus::kCutShort), notes.reasons);
  group_notes(point, "did not drain", has_status(TrialStatus::kNotDrained), notes.reasons);
  const auto disturbed = [](const TrialSample& trial) {
    return trial.disturbed && trial.status == TrialStatus::kOk;
  };
  if (verbose) group_notes(point, "disturbed", disturbed, notes.reasons);
  if (!verbose && notes.reasons.size() > kReasonsUnlessVerbose) {
    const std::size_t more = notes.reasons.size() - kReasonsUnlessVerbose;
    notes.reasons.resize(kReasonsUnlessVerbose);
    notes.reasons.push_back(
        fmt::format("and {} more; --verbose shows them", counted(more, "reason")));
  }
  return notes;
}

std::vector<Section> sections(const RunResult& result, bool per_mode, std::string_view prefix) {
  std::vector<std::vector<const PointSamples*>> groups;
  for (const PointSamples& point : result.points) {
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return !per_mode || group.front()->key.mode == point.key.mode;
    });
    if (found == groups.end()) {
      groups.push_back({&point});
    } else {
      found->push_back(&point);
    }
  }
  std::vector<Section> list;
  list.reserve(groups.size());
  for (auto& group : groups) list.push_back(make_section(result, std::move(group), prefix));
  return list;
}

std::vector<std::string> varying_parameters(const std::vector<const PointSamples*>& points) {
  std::vector<std::string> varying;
  for (const PointSamples* point : points) {
    for (const auto& [name, value] : point->key.parameters) {
      if (std::find(varying.begin(), varying.end(), name) != varying.end()) continue;
      const auto has_it = [&key = name, &common = value](const PointSamples* other) {
        const std::string* theirs = find_parameter(other->key.parameters, key);
        return theirs != nullptr && *theirs == common;
      };
      if (!std::all_of(points.begin(), points.end(), has_it)) varying.push_back(name);
    }
  }
  return varying;
}

std::string parameter_text(const Parameters& parameters, std::string_view name) {
  const std::string* value = find_parameter(parameters, name);
  return value == nullptr ? "-" : one_line(*value);
}

std::string parameters_text(const Parameters& parameters, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const std::string* value = find_parameter(parameters, name);
    if (value == nullptr) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", one_line(name), one_line(*value));
  }
  return text;
}

}  // namespace futex_bench
