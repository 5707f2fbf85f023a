// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// THE table of benchmarks. A row brings dispatch, help and the smoke test.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "futex-bench/bench/benchmark.h"

namespace futex_bench {

/// One benchmark: a command that measures.
struct BenchmarkEntry {
  std::string_view name;     ///< the command
  std::string_view summary;  ///< one line for the list of commands
  std::unique_ptr<Benchmark> (*make)();
};

/// All benchmarks, in the order of the help.
std::span<const BenchmarkEntry> benchmarks();

}  // namespace futex_bench
