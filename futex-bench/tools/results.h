// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Where the results of a run go, and in which form.
#pragma once

#include <optional>
#include <string>

#include "futex-bench/cli/global_options.h"
#include "futex-bench/report/render_options.h"
#include "futex-bench/report/result.h"
#include "futex-bench/report/terminal.h"

namespace futex_bench {

/// A file, if --output names one, and stdout. To be made before measuring: a file that cannot be made is
/// told at once.
class Results {
 public:
  /// Throws std::system_error naming the file.
  explicit Results(const GlobalOptions& global);

  /// Whether stdout gets each trial as it finishes (JSON Lines).
  bool streams() const { return stdout_format_ == "jsonl"; }

  /// Writes the file. Before show(): a closed stdout must not cost it. Throws std::system_error.
  void save(const RunResult& result);

  /// Prints to stdout; what has been streamed is not repeated. Throws std::system_error.
  void show(const RunResult& result) const;

 private:
  RenderOptions options_;
  std::string stdout_format_;  ///< empty: nothing to print
  std::string file_format_;
  std::optional<OutputFile> file_;
};

}  // namespace futex_bench
