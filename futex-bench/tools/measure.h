// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A command that measures, from checked options to the exit status.
#pragma once

#include <string>
#include <vector>

#include "futex-bench/bench/benchmark.h"
#include "futex-bench/cli/global_options.h"

namespace futex_bench {

/// Plans, runs and reports. `command_line` is argv, for the record. Returns the exit status. Throws
/// UsageError before anything has started, std::system_error if results cannot be written.
int measure(const std::string& name, const Benchmark& benchmark, const GlobalOptions& global,
            const std::vector<std::string>& command_line);

}  // namespace futex_bench
