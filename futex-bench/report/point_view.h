// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What text, Markdown and the comparison need to know of a point: its figures over the trials,
/// what there is to say about trials that went wrong, and which points share a table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/stats/order_statistics.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

using Parameters = std::vector<std::pair<std::string, std::string>>;

/// Where the metric of that name stands in the values of a trial, if the benchmark has it.
std::optional<std::size_t> metric_index(const RunResult& result, std::string_view name);

/// The value of one metric in one trial; NaN if the trial failed or has no finite value for it.
double trial_value(const TrialSample& trial, std::size_t metric);

/// One metric over the trials that count (see counted_trials) and have a value for it. Count 0 if
/// none has.
Summary metric_summary(const PointSamples& point, std::size_t metric);

/// The median of the metric of that name; NaN if the benchmark has no such metric or no trial a
/// value for it.
double metric_median(const RunResult& result, const PointSamples& point, std::string_view name);

/// The distribution of that name over all trials that count; empty if none has it.
Distribution merged_distribution(const PointSamples& point, std::string_view name);

/// How sure the median is: "+-1.2%" (half the 95 % interval), "19800..21100" (smallest and largest)
/// where too few trials allow no interval, "one trial", or "-" without any.
std::string spread_text(const Summary& summary);

/// True if spread_text had to give the range, which takes a footnote.
bool lacks_interval(const Summary& summary);

/// The footnote to it.
extern const std::string_view kNoIntervalNote;

/// What is worth saying about a point besides its figures.
struct PointNotes {
  std::vector<std::string> flags;    ///< a few words each, from point_verdict: "2 never ran"
  std::vector<std::string> reasons;  ///< "3 of 9 trials failed: created 243 of 1024 threads"
};

/// Equal reasons are grouped. Unless `verbose`, reasons of disturbed but good trials are left out,
/// and no more than three kinds of reason are given.
PointNotes point_notes(const RunResult& result, const PointSamples& point, bool verbose);

/// Points that are shown in one table.
struct Section {
  std::vector<const PointSamples*> points;
  std::string heading;  ///< "futex/lock: FUTEX_WAIT (mode wait), 9 x 0.20 s, hold_ns=200"
  std::vector<std::string> varying;  ///< parameters that differ between the points
};

/// One section per mode in order of appearance, or one for all. The pointers are into `result`.
std::vector<Section> sections(const RunResult& result, bool per_mode, std::string_view prefix);

/// Names of the parameters that do not have one same value in all points, in order of appearance.
std::vector<std::string> varying_parameters(const std::vector<const PointSamples*>& points);

/// The value of a parameter; "-" if the point has none of that name.
std::string parameter_text(const Parameters& parameters, std::string_view name);

/// "hold_ns=200 gap_ns=400" for the names given, leaving out what the point does not have.
std::string parameters_text(const Parameters& parameters, const std::vector<std::string>& names);

}  // namespace futex_bench
