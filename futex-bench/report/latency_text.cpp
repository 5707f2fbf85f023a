// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/latency_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/stats/distribution.h"
#include "futex-bench/report/number_text.h"
#include "futex-bench/report/table.h"
#include "futex-bench/report/warning_text.h"

namespace futex_bench {
namespace {

constexpr std::string_view kLatency = "latency_us";
constexpr std::string_view kNotBlocked = "latency_not_blocked_us";
constexpr std::string_view kIndent = "      ";

std::string environment_text(const RunResult& result, std::string_view key) {
  const std::string text = one_line(field_value(result.environment, key));
  return text.empty() ? "unknown" : text;
}

std::string parameter_or(const PointSamples& point, std::string_view name,
                         const std::string& otherwise) {
  const std::string text = parameter_text(point.key.parameters, name);
  return text == "-" ? otherwise : text;
}

/// Of all points; NaN if none has it.
double largest_median(const RunResult& result, std::string_view metric) {
  double largest = std::nan("");
  for (const PointSamples& point : result.points) {
    largest = std::fmax(largest, metric_median(result, point, metric));
  }
  return largest;
}

/// The numbers of a row: two digits behind the point, so that columns of many sizes can be compared.
std::string us_text(double us) { return fixed_text(us, 2); }

/// "17.92+-3.88"; no deviation of a single sample, and nothing of none.
std::string mean_text(const Distribution& all) {
  if (all.count == 0) return "-";
  return all.count == 1 ? us_text(all.mean) : us_text(all.mean) + "+-" + us_text(all.stddev());
}

/// The columns of one distribution; the historical ones first.
std::vector<std::string> figures(const Distribution& all) {
  return {mean_text(all),
          us_text(all.min),
          us_text(all.percentile(50)),
          us_text(all.percentile(99)),
          us_text(all.percentile(90)),
          us_text(all.percentile(95)),
          us_text(all.percentile(99.9)),
          us_text(all.max),
          fmt::format("{}", all.count)};
}

const std::vector<Table::Column> kColumns = {{"sleep us"}, {"mean +-sd"}, {"min"}, {"median"},
                                             {"%99"},      {"%90"},       {"%95"}, {"%99.9"},
                                             {"max"},      {"samples"}};

std::vector<Cell> row(std::string first, std::vector<std::string> rest) {
  std::vector<Cell> cells{{std::move(first)}};
  for (std::string& text : rest) cells.push_back({std::move(text)});
  return cells;
}

bool is_measured(const PointSamples& point) {
  return merged_distribution(point, kLatency).count != 0 ||
         merged_distribution(point, kNotBlocked).count != 0;
}

/// What stands behind the sleep where something else differs between the points as well.
std::string row_name(const PointSamples& point, const Section& section) {
  std::vector<std::string> others = section.varying;
  std::erase(others, "sleep_us");
  const std::string more = parameters_text(point.key.parameters, others);
  return parameter_text(point.key.parameters, "sleep_us") + (more.empty() ? "" : " " + more);
}

std::string points_text(const RunResult& result, const Section& section,
                        const RenderOptions& options) {
  Table table{.columns = kColumns, .rows = {}};
  table.columns.push_back({"slept us"});
  table.columns.push_back({"notes", true});
  std::string beneath;
  for (const PointSamples* point : section.points) {
    const std::string name = row_name(*point, section);
    if (!point->skipped.empty()) {
      beneath += fmt::format("{}{}: skipped: {}\n", kIndent, name, one_line(point->skipped));
      continue;
    }
    const PointNotes notes = point_notes(result, *point, options.verbose);
    for (const std::string& reason : notes.reasons) {
      beneath += fmt::format("{}{}: {}\n", kIndent, name, reason);
    }
    if (!is_measured(*point)) continue;
    const Distribution all = merged_distribution(*point, kLatency);
    const Distribution not_blocked = merged_distribution(*point, kNotBlocked);
    const Distribution same = merged_distribution(*point, "latency_same_cpu_us");
    const Distribution two = merged_distribution(*point, "latency_two_cpus_us");
    const bool is_mixed = same.count != 0 && two.count != 0;
    std::string flags = fmt::format("{}", fmt::join(notes.flags, "  "));
    if (is_mixed) flags = "ends moved: see below" + (flags.empty() ? "" : "  " + flags);
    const auto add = [&table](std::string first, const Distribution& of, std::string slept,
                              Cell note) {
      table.rows.push_back(row(std::move(first), figures(of)));
      table.rows.back().push_back({std::move(slept)});
      table.rows.back().push_back(std::move(note));
    };
    add(name, all, us_text(merged_distribution(*point, "gap_us").percentile(50)),
        {flags, Style::kNotable});
    if (is_mixed) {
      add("same CPU", same, "", {});
      add("two CPUs", two, "", {});
    }
    if (not_blocked.count != 0) add("not blocked", not_blocked, "", {"left out above"});
  }
  std::string text;
  if (!table.rows.empty()) text = table_text(table, options.color);
  return text + beneath;
}

/// The two processors of a point of all pairs.
std::optional<std::pair<int, int>> cpus_of(const PointSamples& point) {
  if (parameter_text(point.key.parameters, "pair") != "all") return std::nullopt;
  const std::string text = parameter_text(point.key.parameters, "cpus");
  int from = 0;
  int to = 0;
  if (std::sscanf(text.c_str(), "%d,%d", &from, &to) != 2) return std::nullopt;
  return std::pair(from, to);
}

/// The median of a pair, or why there is none.
std::string matrix_cell(const PointSamples& point) {
  if (!point.skipped.empty()) return "skipped";
  const Distribution all = merged_distribution(point, kLatency);
  if (all.count != 0) return us_text(all.percentile(50));
  if (merged_distribution(point, kNotBlocked).count != 0) return "not blocked";
  return point.trials.empty() ? "-" : "failed";
}

/// Medians by processor of the notifier (rows) and of the waiter (columns).
std::string matrix_text(const std::string& sleep, const std::vector<const PointSamples*>& points,
                        bool color) {
  std::map<std::pair<int, int>, std::string> medians;
  std::vector<int> cpus;
  for (const PointSamples* point : points) {
    const auto pair = *cpus_of(*point);
    medians[pair] = matrix_cell(*point);
    for (const int cpu : {pair.first, pair.second}) {
      if (std::ranges::find(cpus, cpu) == cpus.end()) cpus.push_back(cpu);
    }
  }
  std::ranges::sort(cpus);
  Table table{.columns = {{"from\\to"}}, .rows = {}};
  for (const int to : cpus) table.columns.push_back({fmt::format("CPU {}", to)});
  for (const int from : cpus) {
    std::vector<Cell> cells{{fmt::format("CPU {}", from)}};
    for (const int to : cpus) {
      const auto found = medians.find({from, to});
      cells.push_back({found == medians.end() ? "-" : found->second});
    }
    table.rows.push_back(std::move(cells));
  }
  return fmt::format("# sleep {} us: medians in us, notifier's processor by waiter's\n", sleep) +
         table_text(table, color);
}

std::string matrices_text(const RunResult& result, const Section& section,
                          const RenderOptions& options) {
  std::vector<std::pair<std::string, std::vector<const PointSamples*>>> groups;
  std::string beneath;
  const auto say = [&beneath](const PointSamples& point, const std::string& what) {
    const auto [from, to] = *cpus_of(point);
    beneath += fmt::format("{}sleep {} us, CPU {} to {}: {}\n", kIndent,
                           parameter_text(point.key.parameters, "sleep_us"), from, to, what);
  };
  bool is_skipped = false;
  for (const PointSamples* point : section.points) {
    const std::string sleep = parameter_text(point->key.parameters, "sleep_us");
    auto group = std::ranges::find(groups, sleep, [](const auto& each) { return each.first; });
    if (group == groups.end()) group = groups.insert(groups.end(), {sleep, {}});
    group->second.push_back(point);
    // What keeps one from running mostly keeps all.
    if (!point->skipped.empty() && !std::exchange(is_skipped, true)) {
      beneath += fmt::format("{}skipped: {}\n", kIndent, one_line(point->skipped));
    }
    for (const std::string& reason : point_notes(result, *point, options.verbose).reasons) {
      say(*point, reason);
    }
    const std::uint64_t not_blocked = merged_distribution(*point, kNotBlocked).count;
    if (not_blocked != 0) {
      say(*point, fmt::format("{} of {} samples not blocked, left out", not_blocked,
                              not_blocked + merged_distribution(*point, kLatency).count));
    }
  }
  std::string text;
  for (const auto& [sleep, points] : groups) text += matrix_text(sleep, points, options.color);
  return text + beneath;
}

/// One line per sample: its columns by name.
std::string log_text(const Section& section) {
  std::string text;
  for (const PointSamples* point : section.points) {
    for (const TrialSample& trial : point->trials) {
      if (trial.series.empty()) continue;
      text += fmt::format("# samples of {}, round {}:", row_name(*point, section), trial.round);
      for (const auto& [name, values] : trial.series) text += " " + one_line(name);
      text += "\n";
      for (std::size_t i = 0; i < trial.series.front().second.size(); ++i) {
        for (const auto& [name, values] : trial.series) {
          if (i >= values.size()) continue;
          text +=
              fmt::format("{:>9}", values[i] == std::floor(values[i]) ? value_text(values[i])
                                                                      : fixed_text(values[i], 3));
        }
        text += "\n";
      }
    }
  }
  return text;
}

}  // namespace

bool has_latency_lines(const RunResult& result) {
  const auto has_some = [](const TrialSample& trial) { return !trial.distributions.empty(); };
  return result.benchmark == "wake-latency" &&
         std::ranges::any_of(result.points, [&](const PointSamples& point) {
           return std::ranges::any_of(point.trials, has_some);
         });
}

std::string latency_circumstances(const RunResult& result) {
  if (result.points.empty()) return "";
  const PointSamples& point = result.points.front();
  const std::string cost = fixed_text(largest_median(result, "stamp_cost"), 3);
  const double offset = largest_median(result, "clock_offset");
  const std::string apart = std::isfinite(offset)
                                ? fmt::format(", clocks apart at most {} us", fixed_text(offset, 3))
                                : "";
  std::string where = parameter_or(point, "cpus", "");
  where = where.empty() ? parameter_or(point, "pair", "placed by the scheduler") : "CPUs " + where;
  if (parameter_text(point.key.parameters, "pair") == "all") where = "all pairs of CPUs";
  return fmt::format(
      "# idle driver {}, idle governor {}, idle states {}, idle latency {}\n"
      "# frequency governor {}; policy {}; timer slack 1 ns; {} costs {} us per sample{}\n"
      "# {}, {}; from before the call that wakes to after the return of the woken\n",
      environment_text(result, "idle_driver"), environment_text(result, "idle_governor"),
      environment_text(result, "idle_states"), environment_text(result, "dma_latency"),
      environment_text(result, "governor"), parameter_or(point, "sched", "as started"),
      parameter_or(point, "clock", "tsc") == "tsc" ? "TSC" : "CLOCK_MONOTONIC", cost, apart,
      parameter_or(point, "between", "processes"), where);
}

std::string latency_section(const RunResult& result, const Section& section,
                            const RenderOptions& options) {
  const bool is_matrix = std::ranges::all_of(
      section.points, [](const PointSamples* point) { return cpus_of(*point).has_value(); });
  return (is_matrix ? matrices_text(result, section, options)
                    : points_text(result, section, options)) +
         log_text(section);
}

}  // namespace futex_bench
