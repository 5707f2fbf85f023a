// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// `futex-bench compare`: whether the results of one file differ from those of another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "futex-bench/cli/global_options.h"
#include "futex-bench/cli/options.h"

namespace futex_bench {

/// What the user asked of it.
struct CompareOptions {
  std::vector<std::string> files;    ///< the first one is the base
  std::optional<double> fail_above;  ///< percent
  std::string metric;                ///< empty: the first one of the base
};

/// The command for the command line, bound to `options`, which must outlive it.
CommandSpec compare_command(CompareOptions& options);

/// Reads, compares and prints; warnings also go to stderr unless --quiet. Returns the exit status:
/// kExitRegression if a point is shown to be worse by more than --fail-above, else kExitIncomplete
/// if a point has values in one of the files only. Throws UsageError if a file cannot be read or
/// compared or an option has no meaning here, std::system_error if results cannot be written.
int compare(const CompareOptions& options, const GlobalOptions& global);

}  // namespace futex_bench
