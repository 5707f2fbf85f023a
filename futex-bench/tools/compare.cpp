// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/tools/compare.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "common/system/error.h"
#include "futex-bench/report/file_comparison.h"
#include "futex-bench/report/file_comparison_tables.h"
#include "futex-bench/report/formats.h"
#include "futex-bench/report/json_reader.h"
#include "futex-bench/report/number_text.h"
#include "futex-bench/report/terminal.h"
#include "futex-bench/tools/exit_status.h"
#include "futex-bench/tools/streams.h"

namespace futex_bench {
namespace {

/// Far above the largest result; keeps /dev/zero from filling the memory.
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 28;

[[noreturn]] void refuse(const std::string& path, std::string_view reason) {
  throw UsageError(one_line(fmt::format("{}: {}", path, reason)));
}

std::string read_file(const std::string& path) {
  const auto fail = [&path] { refuse(path, std::generic_category().message(errno)); };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail();
  struct Closer {
    int fd;
    ~Closer() { close(fd); }
  } const closer{fd};
  std::string text;
  std::array<char, 1 << 16> buffer{};
  while (true) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail();
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxFileBytes) {
      refuse(path, fmt::format("is larger than {} MiB", kMaxFileBytes >> 20));
    }
  }
}

ResultFile read_result(const std::string& path) { return {path, read_json(read_file(path), path)}; }

void refuse_measuring_options(const GlobalOptions& global) {
  const std::pair<const char*, bool> given[] = {
      {"--repeat", global.repeat.has_value()},
      {"--runtime", global.runtime.has_value()},
      {"--warmup", global.warmup.has_value()},
      {"--seed", global.seed.has_value()},
      {"--order", global.order != GlobalOptions().order},
      {"--precision", global.precision.has_value()},
      {"--max-repeat", global.max_repeat.has_value()},
      {"--max-time", global.max_time.has_value()},
      {"--retry-disturbed", global.retry_disturbed.has_value()},
      {"--quick", global.quick},
      {"--thorough", global.thorough},
      {"--tag", !global.tags.empty()},
      {"--kernel-label", !global.kernel_label.empty()},
      {"--dry-run", global.dry_run},
  };
  for (const auto& [name, is_given] : given) {
    if (is_given) throw UsageError(fmt::format("{}: has no meaning for compare", name));
  }
}

/// The format given, or the one that the file's name stands for. Throws UsageError if a comparison
/// has no such format.
std::string chosen_format(const GlobalOptions& global) {
  std::string format = global.format;
  if (format.empty() && !global.output.empty()) {
    format = format_for_file(global.output).value_or("json");
  }
  const std::vector<std::string> known = file_comparison_formats();
  if (format.empty()) return known.front();
  if (std::find(known.begin(), known.end(), format) == known.end()) {
    throw UsageError(fmt::format("{}: compare has no format '{}', only {}",
                                 global.format_given() ? "--format" : "--output", format,
                                 fmt::join(known, ", ")));
  }
  return format;
}

void warn_of(const FileComparisons& all) {
  for (const FileComparison& file : all.files) {
    for (const Warning& warning : file.warnings) tell(warning.text);
  }
  // A gate that cannot close must not look like one that was passed.
  if (all.tests == 0) {
    tell(fmt::format("nothing was compared: no point has values of {} in both files",
                     one_line(all.metric.name)));
  } else if (all.fail_above && !all.can_show) {
    tell(fmt::format("--fail-above cannot fail: too few trials to show any difference ({} needed)",
                     all.trials_needed));
  }
}

}  // namespace

CommandSpec compare_command(CompareOptions& options) {
  return {
      .name = "compare",
      .summary = "whether the results in JSON files differ: each NEW against BASE",
      .group = "Use",
      .options =
          {{"--fail-above", "PCT",
            "Exit status 4 if a point is shown to be worse than in BASE by more than PCT percent, "
            "0 to 1000; 3 if a point has values in one of the files only. Default: no limit.",
            RealTarget{&options.fail_above, 0, 1000}},
           {"--metric", "NAME",
            "What to compare, as named in the files. Default: the first one, for lock throughput.",
            TextTarget{&options.metric}}},
      .examples = {"futex-bench compare base.json new.json",
                   "futex-bench compare --fail-above 5 base.json new.json"},
      .positional = "BASE.json NEW.json [MORE.json...]",
      .positional_target = &options.files,
  };
}

int compare(const CompareOptions& options, const GlobalOptions& global) {
  refuse_measuring_options(global);
  const std::string format = chosen_format(global);
  const ResultFile base = read_result(options.files.front());
  std::vector<ResultFile> changed;
  for (std::size_t i = 1; i < options.files.size(); ++i) {
    changed.push_back(read_result(options.files[i]));
  }
  const FileComparisons all =
      compare_files(base, changed, {.metric = options.metric, .fail_above = options.fail_above});
  if (!global.quiet) warn_of(all);

  RenderOptions look{.verbose = global.verbose, .color = false};
  if (!global.output.empty()) {
    OutputFile(global.output).commit(render(format, all, look));
  }
  if (global.output.empty() || !global.quiet) {
    look.color = use_color(color_choice(global.color), STDOUT_FILENO);
    print(render(global.output.empty() ? format : file_comparison_formats().front(), all, look));
  }
  if (all.regressions > 0) return kExitRegression;
  return all.without_data > 0 || all.tests == 0 ? kExitIncomplete : kExitOk;
}

}  // namespace futex_bench
