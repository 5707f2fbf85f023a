// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "futex-bench/report/number_text.h"

namespace futex_bench {

namespace {

/// What the table of `lock` shows only to those who ask; trouble among them appears as a note.
constexpr std::array<std::string_view, 6> kLockDetails = {
    "min_share", "max_share", "starved", "voluntary_switches", "involuntary_switches", "overlap"};

std::string metric_title(const Metric& metric) {
  return metric.unit == "1" ? metric.name : fmt::format("{} ({})", metric.name, metric.unit);
}

std::string name_or_dash(const std::string& text) { return text.empty() ? "-" : one_line(text); }

std::string threads_text(unsigned threads) {
  return threads == 0 ? "-" : fmt::format("{}", threads);
}

/// "1.21x [1.19 1.22]", or the range of the ratios where there is no interval.
std::string ratio_text(const RatioEstimate& ratio) {
  if (!std::isfinite(ratio.ratio)) return "-";
  std::string text = ratio_number(ratio.ratio) + "x";
  const std::string low = ratio_number(ratio.low);
  const std::string high = ratio_number(ratio.high);
  if (ratio.has_interval) return text + fmt::format(" [{} {}]", low, high);
  return ratio.pairs > 1 ? text + fmt::format(" {}..{}", low, high) : text;
}

Style difference_style(Difference difference) {
  if (difference == Difference::kFaster) return Style::kGood;
  return difference == Difference::kSlower ? Style::kBad : Style::kPlain;
}

/// Which columns a table of points has.
struct Shown {
  bool mode = false;
  bool threads = false;
  bool verbose = false;
  std::vector<std::size_t> metrics;
};

Shown shown_columns(const RunResult& result, const std::vector<const PointSamples*>& points,
                    bool verbose) {
  Shown shown;
  shown.verbose = verbose;
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    const bool is_detail = std::find(kLockDetails.begin(), kLockDetails.end(),
                                     result.metrics[i].name) != kLockDetails.end();
    if (verbose || i == 0 || result.benchmark != "lock" || !is_detail) shown.metrics.push_back(i);
  }
  for (const PointSamples* point : points) {
    shown.mode = shown.mode || point->key.mode != points.front()->key.mode;
    shown.threads = shown.threads || point->key.threads != 0;
  }
  return shown;
}

std::vector<Cell> point_row(const RunResult& result, const Section& section,
                            const PointSamples& point, const Shown& shown) {
  std::vector<Cell> row;
  if (shown.mode) row.push_back({name_or_dash(point.key.mode)});
  if (shown.threads) row.push_back({threads_text(point.key.threads)});
  for (const std::string& name : section.varying) {
    row.push_back({parameter_text(point.key.parameters, name)});
  }
  for (const std::size_t metric : shown.metrics) {
    const Summary summary = metric_summary(point, metric);
    row.push_back({value_text(summary.median)});
    if (metric > 0) continue;
    row.push_back({spread_text(summary)});
    if (shown.verbose) {
      row.push_back({value_text(summary.min)});
      row.push_back({value_text(summary.max)});
      row.push_back({fmt::format("{}", summary.count)});
    }
  }
  const PointNotes notes = point_notes(result, point, shown.verbose);
  std::string text = fmt::format("{}", fmt::join(notes.flags, ", "));
  if (!point.skipped.empty()) {
    text = "skipped: " + one_line(point.skipped);
  } else if (point.trials.empty()) {
    text = "not run";
  }
  row.push_back({text, Style::kNotable});
  return row;
}

std::vector<std::string> varying_in_rows(const Comparison& comparison) {
  std::vector<const PointSamples*> points;
  for (const ComparisonRow& row : comparison.rows) {
    for (const ComparisonCell& cell : row.cells) {
      if (cell.point != nullptr) points.push_back(cell.point);
    }
  }
  // Parameters of single modes differ too, but are part of the columns and not of the rows.
  std::vector<std::string> names = varying_parameters(points);
  std::erase_if(names, [&](const std::string& name) {
    return parameter_text(comparison.rows.front().parameters, name) == "-";
  });
  return names;
}

/// "-" where the mode has no such point.
std::string cell_text(const ComparisonCell& cell) {
  return cell.point == nullptr ? "-" : value_text(cell.summary.median);
}

}  // namespace

Table points_table(const RunResult& result, const Section& section, bool verbose) {
  const Shown shown = shown_columns(result, section.points, verbose);
  Table table;
  if (shown.mode) table.columns.push_back({"mode", true});
  if (shown.threads) table.columns.push_back({"threads"});
  for (const std::string& name : section.varying) table.columns.push_back({one_line(name)});
  for (const std::size_t metric : shown.metrics) {
    table.columns.push_back({one_line(metric_title(result.metrics[metric]))});
    if (metric > 0) continue;
    table.columns.push_back({"95 %"});
    if (!verbose) continue;
    for (const char* title : {"min", "max", "trials"}) table.columns.push_back({title});
  }
  table.columns.push_back({"notes", true});
  for (const PointSamples* point : section.points) {
    table.rows.push_back(point_row(result, section, *point, shown));
  }
  const auto no_note = [](const std::vector<Cell>& row) { return row.back().text.empty(); };
  if (std::all_of(table.rows.begin(), table.rows.end(), no_note)) {
    table.columns.pop_back();
    for (auto& row : table.rows) row.pop_back();
  }
  return table;
}

std::string point_name(const PointSamples& point, const Section& section) {
  std::vector<std::string> parts;
  if (!point.key.mode.empty()) parts.push_back(one_line(point.key.mode));
  if (point.key.threads != 0) parts.push_back(counted(point.key.threads, "thread"));
  const std::string parameters = parameters_text(point.key.parameters, section.varying);
  if (!parameters.empty()) parts.push_back(parameters);
  return parts.empty() ? one_line(point.key.benchmark) : fmt::format("{}", fmt::join(parts, ", "));
}

Table comparison_table(const Comparison& comparison, std::size_t first, std::size_t count) {
  const std::vector<std::string> varying = varying_in_rows(comparison);
  Table table;
  table.columns.push_back({"threads"});
  for (const std::string& name : varying) table.columns.push_back({one_line(name)});
  table.columns.push_back({comparison.modes.front()});
  for (std::size_t mode = first; mode < first + count; ++mode) {
    table.columns.push_back({comparison.modes[mode]});
    table.columns.push_back({"ratio", true});
    table.columns.push_back({"", true});
  }
  for (const ComparisonRow& row : comparison.rows) {
    std::vector<Cell> cells{{threads_text(row.threads)}};
    for (const std::string& name : varying) {
      cells.push_back({parameter_text(row.parameters, name)});
    }
    cells.push_back({cell_text(row.cells.front())});
    for (std::size_t mode = first; mode < first + count; ++mode) {
      const ComparisonCell& cell = row.cells[mode];
      cells.push_back({cell_text(cell)});
      cells.push_back({cell.ratio ? ratio_text(*cell.ratio) : "-"});
      cells.push_back(
          {std::string(difference_words(cell.difference)), difference_style(cell.difference)});
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string comparison_heading(const Comparison& comparison) {
  const std::string what =
      comparison.metric.unit == "1" ? comparison.metric.name : comparison.metric.unit;
  return fmt::format("Side by side: {} (medians) and ratio to {} [95 % interval]", one_line(what),
                     comparison.modes.front());
}

std::vector<std::string> comparison_notes(const Comparison& comparison) {
  std::vector<std::string> notes;
  if (comparison.tests == 0) return notes;
  notes.push_back(fmt::format(
      "Ratios pair the trials of each round; words come from a sign test at 5 % over {} "
      "(Holm).",
      comparison.tests == 1 ? "one comparison"
                            : fmt::format("all {} comparisons", comparison.tests)));
  if (!comparison.can_show()) {
    notes.push_back(
        fmt::format("Too few rounds to show any difference: {} here, {} needed for {} "
                    "(--repeat {}).",
                    comparison.rounds, comparison.rounds_needed,
                    counted(comparison.tests, "comparison"), comparison.rounds_needed));
  }
  return notes;
}

std::vector<std::string> closing_notes(const RunResult& result, const Comparison* comparison) {
  bool ranges = false;
  for (const PointSamples& point : result.points) {
    const Summary summary = metric_summary(point, 0);
    ranges = ranges || (summary.count > 1 && lacks_interval(summary));
  }
  if (comparison != nullptr) {
    for (const ComparisonRow& row : comparison->rows) {
      for (const ComparisonCell& cell : row.cells) {
        ranges = ranges || (cell.ratio && cell.ratio->pairs > 1 && !cell.ratio->has_interval);
      }
    }
  }
  std::vector<std::string> notes;
  if (ranges) notes.emplace_back(kNoIntervalNote);
  if (!result.complete)
    notes.emplace_back("This run is incomplete: some trials failed or were not run.");
  return notes;
}

}  // namespace futex_bench
