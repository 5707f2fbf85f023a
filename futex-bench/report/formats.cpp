// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include <array>
#include <filesystem>

#include "common/system/error.h"
#include "futex-bench/report/csv.h"
#include "futex-bench/report/json.h"
#include "futex-bench/report/markdown.h"
#include "futex-bench/report/simple.h"
#include "futex-bench/report/text.h"

namespace futex_bench {

namespace {

struct Format {
  const char* name;
  const char* extension;  ///< with the dot; null if no kind of file stands for it
  std::string (*render)(const RunResult&, const RenderOptions&);
};

/// For formats that have nothing to choose.
template <std::string (*report)(const RunResult&)>
std::string plain(const RunResult& result, const RenderOptions&) {
  return report(result);
}

constexpr std::array kFormats = {
    Format{"text", ".txt", text_report},
    Format{"simple", nullptr, plain<simple_report>},
    Format{"csv", ".csv", plain<csv_report>},
    Format{"json", ".json", plain<json_report>},
    Format{"jsonl", ".jsonl", plain<jsonl_report>},
    Format{"markdown", ".md", markdown_report},
};

}  // namespace

std::string render(std::string_view format, const RunResult& result, const RenderOptions& options) {
  for (const Format& each : kFormats) {
    if (format == each.name) return each.render(result, options);
  }
  throw UsageError(
      fmt::format("unknown format '{}'; known are {}", format, fmt::join(format_names(), ", ")));
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  names.reserve(kFormats.size());
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::optional<std::string> format_for_file(std::string_view path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const Format& format : kFormats) {
    if (format.extension != nullptr && strcasecmp(extension.c_str(), format.extension) == 0) {
      return format.name;
    }
  }
  return std::nullopt;
}

}  // namespace futex_bench
