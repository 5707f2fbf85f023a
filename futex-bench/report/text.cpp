// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "futex-bench/report/latency_text.h"
#include "futex-bench/report/messaging_text.h"
#include "futex-bench/report/number_text.h"
#include "futex-bench/report/point_view.h"
#include "futex-bench/report/tables.h"

namespace futex_bench {

namespace {

constexpr std::size_t kLineWidth = 130;
constexpr std::string_view kIndent = "      ";

/// The metrics that lock lines have words for; others are listed by name.
constexpr std::array<std::string_view, 13> kLockMetrics = {"throughput",
                                                           "user",
                                                           "system",
                                                           "wall",
                                                           "cores",
                                                           "jain",
                                                           "min_share",
                                                           "max_share",
                                                           "starved",
                                                           "slow_share",
                                                           "voluntary_switches",
                                                           "involuntary_switches",
                                                           "overlap"};

/// True if the historical line can be made from this result.
bool has_lock_lines(const RunResult& result) {
  return result.benchmark == "lock" &&
         std::all_of(kLockMetrics.begin(), kLockMetrics.begin() + 5,
                     [&](std::string_view name) { return metric_index(result, name).has_value(); });
}

class LockTable {
 public:
  LockTable(const RunResult& result, const Section& section, const RenderOptions& options)
      : result_(result), section_(section), options_(options) {}

  std::string text() const {
    std::vector<std::array<std::string, 5>> lines;
    std::array<std::size_t, 5> widths{};
    for (const PointSamples* point : section_.points) {
      lines.push_back(measured(*point) ? columns(*point) : std::array<std::string, 5>{});
      for (std::size_t i = 0; i < widths.size(); ++i) {
        widths[i] = std::max(widths[i], display_width(lines.back()[i]));
      }
    }
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const PointSamples& point = *section_.points[i];
      text += measured(point) ? join(lines[i], widths) + notes(point) : unmeasured(point);
      text += '\n';
      text += beneath(point);
    }
    return text;
  }

 private:
  double median(const PointSamples& point, std::string_view name) const {
    return metric_median(result_, point, name);
  }

  /// Whole, as in the historical line; a slow lock keeps its digits.
  static std::string rate_text(double rate) {
    return rate < 10 ? value_text(rate) : fixed_text(rate, 0);
  }

  static bool measured(const PointSamples& point) {
    return std::any_of(point.trials.begin(), point.trials.end(), [](const TrialSample& trial) {
      return trial.status != TrialStatus::kFailed;
    });
  }

  std::string threads(const PointSamples& point) const {
    std::size_t width = 4;
    for (const PointSamples* each : section_.points) {
      width = std::max(width, fmt::formatted_size("{}", each->key.threads));
    }
    return fmt::format("{:>{}} threads: ", point.key.threads, width);
  }

  std::array<std::string, 5> columns(const PointSamples& point) const {
    std::array<std::string, 5> columns;
    columns[0] = threads(point) + fmt::format("{} Kiter/s ({}s user {}s system {}s wall {} cores)",
                                              rate_text(median(point, "throughput")),
                                              fixed_text(median(point, "user"), 2),
                                              fixed_text(median(point, "system"), 2),
                                              fixed_text(median(point, "wall"), 2),
                                              fixed_text(median(point, "cores"), 2));
    columns[1] = spread_text(metric_summary(point, *metric_index(result_, "throughput")));
    if (metric_index(result_, "jain")) columns[2] = "fair " + fixed_text(median(point, "jain"), 2);
    if (metric_index(result_, "slow_share")) {
      columns[3] = "slow " + percent_text(median(point, "slow_share"));
    }
    columns[4] = parameters_text(point.key.parameters, section_.varying);
    return columns;
  }

  static std::string join(const std::array<std::string, 5>& columns,
                          const std::array<std::size_t, 5>& widths) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (widths[i] == 0) continue;
      line += (i == 0 ? "" : "  ") + padded(columns[i], widths[i], true);
    }
    return line.erase(line.find_last_not_of(' ') + 1);
  }

  std::string notes(const PointSamples& point) const {
    const PointNotes notes = point_notes(result_, point, options_.verbose);
    if (notes.flags.empty()) return "";
    return "  " +
           styled(fmt::format("{}", fmt::join(notes.flags, "  ")), Style::kNotable, options_.color);
  }

  std::string unmeasured(const PointSamples& point) const {
    std::string why = "not run";
    if (!point.skipped.empty()) {
      why = "skipped: " + one_line(point.skipped);
    } else if (!point.trials.empty()) {
      why = fmt::format("no result: {} failed", counted(point.trials.size(), "trial"));
    }
    const std::string parameters = parameters_text(point.key.parameters, section_.varying);
    if (!parameters.empty()) why += fmt::format("  ({})", parameters);
    return threads(point) + styled(why, Style::kNotable, options_.color);
  }

  /// The indented lines under a point.
  std::string beneath(const PointSamples& point) const {
    std::string text;
    if (measured(point)) {
      if (options_.verbose) text += fmt::format("{}{}\n", kIndent, details(point));
      const std::string others = other_metrics(point);
      if (!others.empty()) text += fmt::format("{}{}\n", kIndent, others);
    }
    for (const std::string& reason : point_notes(result_, point, options_.verbose).reasons) {
      text += fmt::format("{}{}\n", kIndent, styled(reason, Style::kNotable, options_.color));
    }
    return text;
  }

  std::string details(const PointSamples& point) const {
    const Summary rate = metric_summary(point, *metric_index(result_, "throughput"));
    std::string text;
    if (rate.has_interval) {
      text = fmt::format("95 % [{} {}]  ", value_text(rate.low), value_text(rate.high));
    }
    text += fmt::format(
        "min {}  max {}  {} of {}  shares {}..{}  never ran {}  ", value_text(rate.min),
        value_text(rate.max), rate.count, counted(point.trials.size(), "trial"),
        fixed_text(median(point, "min_share"), 2), fixed_text(median(point, "max_share"), 2),
        value_text(median(point, "starved")));
    text += fmt::format(
        "switches {} vol. {} invol.  overlap {}", value_text(median(point, "voluntary_switches")),
        value_text(median(point, "involuntary_switches")), fixed_text(median(point, "overlap"), 2));
    return text;
  }

  std::string other_metrics(const PointSamples& point) const {
    std::vector<std::string> list;
    for (const Metric& metric : result_.metrics) {
      if (std::find(kLockMetrics.begin(), kLockMetrics.end(), metric.name) != kLockMetrics.end()) {
        continue;
      }
      list.push_back(fmt::format("{} {}{}", one_line(metric.name),
                                 value_text(median(point, metric.name)),
                                 metric.unit == "1" ? "" : " " + one_line(metric.unit)));
    }
    return fmt::format("{}", fmt::join(list, "  "));
  }

  const RunResult& result_;
  const Section& section_;
  const RenderOptions& options_;
};

std::string general_table(const RunResult& result, const Section& section,
                          const RenderOptions& options) {
  std::string text = table_text(points_table(result, section, options.verbose), options.color);
  for (const PointSamples* point : section.points) {
    for (const std::string& reason : point_notes(result, *point, options.verbose).reasons) {
      text += fmt::format("{}{}\n", kIndent,
                          styled(fmt::format("{}: {}", point_name(*point, section), reason),
                                 Style::kNotable, options.color));
    }
  }
  return text;
}

std::string side_by_side(const Comparison& comparison, bool color) {
  std::string text = styled("# " + comparison_heading(comparison), Style::kHeading, color) + "\n";
  std::size_t first = 1;
  while (first < comparison.modes.size()) {
    // As many modes side by side as fit in the width, and at least one.
    std::size_t count = comparison.modes.size() - first;
    while (count > 1 && table_width(comparison_table(comparison, first, count)) > kLineWidth) {
      --count;
    }
    if (first > 1) text += "\n";
    text += table_text(comparison_table(comparison, first, count), color);
    first += count;
  }
  for (const std::string& note : comparison_notes(comparison)) text += "# " + note + "\n";
  return text;
}

}  // namespace

std::string text_report(const RunResult& result, const RenderOptions& options) {
  const bool lock_lines = has_lock_lines(result);
  const bool latency_lines = has_latency_lines(result);
  const bool messaging = has_messaging_lines(result);
  const std::string prefix =
      fmt::format("# Running 'futex/{}' benchmark", one_line(result.benchmark));
  std::string text;
  const std::vector<Section> all = sections(result, lock_lines || latency_lines, prefix);
  for (const Section& section : all) {
    if (!text.empty()) text += "\n";
    text += styled(section.heading, Style::kHeading, options.color) + "\n";
    if (latency_lines) {
      if (&section == &all.front()) text += latency_circumstances(result);
      text += latency_section(result, section, options);
    } else if (messaging) {
      text += messaging_head(result) + messaging_lines(result, section, options);
    } else {
      text += lock_lines ? LockTable(result, section, options).text()
                         : general_table(result, section, options);
    }
  }
  if (messaging) text += messaging_legend();
  const auto comparison = compare_modes(result);
  if (comparison) text += "\n" + side_by_side(*comparison, options.color);
  for (const std::string& note : closing_notes(result, comparison ? &*comparison : nullptr))
    text += "# " + note + "\n";
  return text;
}

}  // namespace futex_bench
