// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/file_comparison_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/system/error.h"
#include "futex-bench/report/json_file_comparison.h"
#include "futex-bench/report/number_text.h"
#include "futex-bench/report/point_view.h"

namespace futex_bench {

namespace {

std::string percent(double value) { return fixed_text(value, value < 9.95 ? 1 : 0) + "%"; }

std::string ratio_text(const ShiftEstimate& shift) {
  if (!std::isfinite(shift.ratio)) return "-";
  return fmt::format(fmt::runtime(shift.has_interval ? "{}x [{} {}]" : "{}x {}..{}"),
                     ratio_number(shift.ratio), ratio_number(shift.low), ratio_number(shift.high));
}

Style difference_style(Difference difference) {
  if (difference == Difference::kFaster) return Style::kGood;
  return difference == Difference::kSlower ? Style::kBad : Style::kPlain;
}

std::string key_text(const PointKey& key) {
  std::vector<std::string> parts;
  if (!key.mode.empty()) parts.push_back(one_line(key.mode));
  if (key.threads != 0) parts.push_back(counted(key.threads, "thread"));
  for (const auto& [name, value] : key.parameters) {
    parts.push_back(one_line(fmt::format("{}={}", name, value)));
  }
  return parts.empty() ? one_line(key.benchmark) : fmt::format("{}", fmt::join(parts, ", "));
}

/// "3 of 9 trials disturbed and left out"; empty if there is nothing to say.
std::string trials_text(const ComparedTrials& trials) {
  std::vector<std::string> parts;
  const std::size_t rounds =
      trials.values.size() + trials.failed + (trials.disturbed_left_out ? trials.disturbed : 0);
  const std::string of = fmt::format(" of {}", counted(rounds, "trial"));
  if (trials.failed > 0) parts.push_back(fmt::format("{}{} without a value", trials.failed, of));
  if (trials.disturbed_left_out) {
    parts.push_back(fmt::format("{}{} disturbed and left out", trials.disturbed, of));
  } else if (trials.disturbed > 0) {
    parts.push_back(fmt::format("{}{} disturbed but used: fewer than {} others", trials.disturbed,
                                of, kEnoughUndisturbed));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string environment_text(const ResultFile& file, std::string_view key) {
  const EnvironmentField* const field = find_field(file.result.environment, key);
  return field == nullptr ? "not recorded" : one_line(field->text());
}

std::string direction_text(Direction direction) {
  switch (direction) {
    case Direction::kHigherIsBetter:
      return ", higher is better";
    case Direction::kLowerIsBetter:
      return ", lower is better";
    case Direction::kNeutral:
      break;
  }
  return "";
}

std::string heading(const FileComparisons& all) {
  return one_line(fmt::format("Compare futex/{}: {} ({}{})", all.base->result.benchmark,
                              all.metric.name,
                              all.metric.unit == "1" ? "a ratio or count" : all.metric.unit,
                              direction_text(all.metric.direction)));
}

std::string file_text(const ResultFile& file) {
  return one_line(fmt::format("{} (started {}, commit {})", file.name, file.result.started,
                              environment_text(file, "commit")));
}

std::string warning_text(const Warning& warning) { return "Warning: " + one_line(warning.text); }

std::string text_form(const FileComparisons& all, const RenderOptions& options) {
  std::string text = styled("# " + heading(all), Style::kHeading, options.color) + "\n";
  text += "# base: " + file_text(*all.base) + "\n";
  for (const FileComparison& file : all.files) {
    text += "\n" + styled("# new:  " + file_text(*file.changed), Style::kHeading, options.color);
    text += "\n";
    for (const Warning& warning : file.warnings) {
      text += "# " + styled(warning_text(warning), Style::kNotable, options.color) + "\n";
    }
    text += table_text(file_comparison_table(file), options.color);
    for (const std::string& note : trial_notes(file)) text += "# " + note + "\n";
    for (const std::string& note : partner_notes(all, file)) text += "# " + note + "\n";
  }
  text += "\n";
  for (const std::string& note : closing_notes(all)) text += "# " + note + "\n";
  return text;
}

std::string markdown_form(const FileComparisons& all, const RenderOptions&) {
  const auto item = [](const std::string& note) { return "- " + escape_markdown(note) + "\n"; };
  std::string text = "### " + escape_markdown(heading(all)) + "\n\n";
  text += item("base: " + file_text(*all.base));
  for (const FileComparison& file : all.files) {
    text += item("new: " + file_text(*file.changed));
    for (const Warning& warning : file.warnings) text += item(warning_text(warning));
    text += "\n" + table_markdown(file_comparison_table(file)) + "\n";
    for (const std::string& note : trial_notes(file)) text += item(note);
    for (const std::string& note : partner_notes(all, file)) text += item(note);
  }
  for (const std::string& note : closing_notes(all)) text += item(note);
  return text;
}

std::string json_form(const FileComparisons& all, const RenderOptions&) {
  return json_file_comparison(all);
}

struct Format {
  const char* name;
  std::string (*render)(const FileComparisons&, const RenderOptions&);
};

constexpr Format kFormats[] = {
    {"text", text_form}, {"markdown", markdown_form}, {"json", json_form}};

}  // namespace

std::string row_words(const FileComparisonRow& row) {
  if (row.difference == Difference::kNoData) return row.reason;
  std::string words(difference_words(row.difference));
  if (row.beyond_limit) words += ", beyond the limit";
  if (row.difference != Difference::kNotShown) return words;
  if (!std::isfinite(row.shift.ratio)) return words + " (no ratio: values that are not above 0)";
  if (!std::isfinite(row.detectable)) return words + " (too few trials to show any)";
  return words + fmt::format(" ({} or more would have been)", percent((row.detectable - 1) * 100));
}

Table file_comparison_table(const FileComparison& comparison) {
  std::vector<const PointSamples*> points;
  bool modes = false;
  bool threads = false;
  for (const FileComparisonRow& row : comparison.rows) {
    points.push_back(row.base.point);
    modes = modes || !row.base.point->key.mode.empty();
    threads = threads || row.base.point->key.threads != 0;
  }
  // Also what is the same in all of them: whoever reads this table sees no command line.
  std::vector<std::string> parameters;
  for (const PointSamples* point : points) {
    for (const auto& [name, value] : point->key.parameters) {
      if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) {
        parameters.push_back(name);
      }
    }
  }
  Table table;
  if (modes) table.columns.push_back({"mode", true});
  if (threads) table.columns.push_back({"threads"});
  for (const std::string& name : parameters) table.columns.push_back({one_line(name)});
  for (const char* title : {"base", "new"}) table.columns.push_back({title});
  table.columns.push_back({"ratio [95 %]", true});
  table.columns.push_back({"", true});
  for (const FileComparisonRow& row : comparison.rows) {
    const PointKey& key = row.base.point->key;
    std::vector<Cell> cells;
    if (modes) cells.push_back({key.mode.empty() ? "-" : one_line(key.mode)});
    if (threads) cells.push_back({key.threads == 0 ? "-" : fmt::format("{}", key.threads)});
    for (const std::string& name : parameters) {
      cells.push_back({parameter_text(key.parameters, name)});
    }
    cells.push_back({value_text(row.base.summary.median)});
    cells.push_back({value_text(row.changed.summary.median)});
    cells.push_back({ratio_text(row.shift)});
    cells.push_back({row_words(row), row.difference == Difference::kNoData
                                         ? Style::kNotable
                                         : difference_style(row.difference)});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::vector<std::string> trial_notes(const FileComparison& comparison) {
  std::vector<std::string> notes;
  for (const FileComparisonRow& row : comparison.rows) {
    if (!row.reason.empty()) continue;
    for (const auto& [where, trials] :
         {std::pair{"base", &row.base}, std::pair{"new", &row.changed}}) {
      const std::string text = trials_text(*trials);
      if (text.empty()) continue;
      notes.push_back(fmt::format("{}, {}: {}.", key_text(trials->point->key), where, text));
    }
  }
  return notes;
}

std::vector<std::string> partner_notes(const FileComparisons& all,
                                       const FileComparison& comparison) {
  std::vector<std::string> notes;
  const auto add = [&notes](const ResultFile& file,
                            const std::vector<const PointSamples*>& points) {
    for (const PointSamples* point : points) {
      notes.push_back(fmt::format("Only in {}: {}.", one_line(file.name), key_text(point->key)));
    }
  };
  add(*all.base, comparison.only_in_base);
  add(*comparison.changed, comparison.only_in_changed);
  return notes;
}

std::vector<std::string> closing_notes(const FileComparisons& all) {
  std::vector<std::string> notes;
  notes.push_back(fmt::format(
      "Ratios are new / base (Hodges-Lehmann); words come from an exact Mann-Whitney test at 5 % "
      "over {} (Holm).",
      all.tests == 1 ? "one comparison" : fmt::format("all {} comparisons", all.tests)));
  notes.emplace_back(
      "The runs were not interleaved: that the machine changed between them cannot be ruled out.");
  const auto without_interval = [](const FileComparisonRow& row) {
    return std::isfinite(row.shift.ratio) && !row.shift.has_interval;
  };
  if (std::any_of(all.files.begin(), all.files.end(), [&](const FileComparison& file) {
        return std::any_of(file.rows.begin(), file.rows.end(), without_interval);
      })) {
    notes.emplace_back(
        "a..b: smallest and largest ratio of two trials; too few for a 95 % interval.");
  }
  if (!all.can_show) {
    notes.push_back(fmt::format(
        "Too few trials to show any difference: {} on each side are needed for {} (--repeat {}).",
        all.trials_needed, counted(all.tests, "comparison"), all.trials_needed));
  }
  if (all.fail_above) {
    notes.push_back(fmt::format("{} shown to be worse by more than {} %.",
                                counted(all.regressions, "point"), exact_text(*all.fail_above)));
  }
  if (all.tests == 0) {
    notes.push_back(fmt::format("Nothing was compared: no point has values of {} in both files.",
                                one_line(all.metric.name)));
  }
  if (all.without_data > 0) {
    notes.push_back(fmt::format("{} not compared: no value in one of the files.",
                                counted(all.without_data, "point")));
  }
  return notes;
}

std::vector<std::string> file_comparison_formats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::string render(std::string_view format, const FileComparisons& all,
                   const RenderOptions& options) {
  for (const Format& each : kFormats) {
    if (format == each.name) return each.render(all, options);
  }
  throw UsageError(fmt::format("--format: '{}': compare has {}", format,
                               fmt::join(file_comparison_formats(), ", ")));
}

}  // namespace futex_bench
