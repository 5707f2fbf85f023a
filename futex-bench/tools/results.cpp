// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/tools/results.h"

#include <unistd.h>

#include "futex-bench/report/formats.h"
#include "futex-bench/report/json.h"
#include "futex-bench/tools/streams.h"

namespace futex_bench {
Results::Results(const GlobalOptions& global)
    : options_{.verbose = global.verbose,
               .color = use_color(color_choice(global.color), STDOUT_FILENO)} {
  const std::string table = format_names().front();
  if (global.output.empty()) {
    stdout_format_ = global.format_given() ? global.format : table;
    return;
  }
  // The file gets the format, and the terminal the table.
  file_format_ =
      global.format_given() ? global.format : format_for_file(global.output).value_or("json");
  if (!global.quiet) stdout_format_ = table;
  file_.emplace(global.output);
}

void Results::save(const RunResult& result) {
  if (!file_) return;
  file_->commit(render(file_format_, result, {.verbose = options_.verbose, .color = false}));
}

void Results::show(const RunResult& result) const {
  if (streams()) {
    std::string text;
    for (const PointSamples& point : result.points) text += jsonl_point(result, point);
    print(text + jsonl_end(result));
  } else if (!stdout_format_.empty()) {
    print(render(stdout_format_, result, options_));
  }
}

}  // namespace futex_bench
