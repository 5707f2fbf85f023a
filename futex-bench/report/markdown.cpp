// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/markdown.h"

#include <fmt/format.h>

#include "futex-bench/report/number_text.h"
#include "futex-bench/report/tables.h"

namespace futex_bench {

namespace {

std::string list_item(std::string_view text) {
  return fmt::format("- {}\n", escape_markdown(text));
}

std::string section_markdown(const RunResult& result, const Section& section, bool verbose) {
  std::string text = fmt::format("### {}\n\n{}", escape_markdown(section.heading),
                                 table_markdown(points_table(result, section, verbose)));
  std::string list;
  for (const PointSamples* point : section.points) {
    for (const std::string& reason : point_notes(result, *point, verbose).reasons) {
      list += list_item(fmt::format("{}: {}", point_name(*point, section), reason));
    }
  }
  return list.empty() ? text : text + "\n" + list;
}

}  // namespace

std::string markdown_report(const RunResult& result, const RenderOptions& options) {
  const bool per_mode = result.benchmark == "lock";
  std::string text;
  for (const Section& section : sections(result, per_mode, "futex/" + one_line(result.benchmark))) {
    if (!text.empty()) text += "\n";
    text += section_markdown(result, section, options.verbose);
  }
  std::string notes;
  const auto comparison = compare_modes(result);
  if (comparison) {
    text +=
        fmt::format("\n### {}\n\n{}", escape_markdown(comparison_heading(*comparison)),
                    table_markdown(comparison_table(*comparison, 1, comparison->modes.size() - 1)));
    for (const std::string& note : comparison_notes(*comparison)) notes += list_item(note);
  }
  for (const std::string& note : closing_notes(result, comparison ? &*comparison : nullptr))
    notes += list_item(note);
  return notes.empty() ? text : text + "\n" + notes;
}

}  // namespace futex_bench
