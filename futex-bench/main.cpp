// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// parse -> run -> report. The only catch and the only exit status.

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "common/system/error.h"
#include "futex-bench/bench/registry.h"
#include "futex-bench/cli/global_options.h"
#include "futex-bench/cli/options.h"
#include "futex-bench/report/formats.h"
#include "futex-bench/tools/compare.h"
#include "futex-bench/tools/doctor.h"
#include "futex-bench/tools/exit_status.h"
#include "futex-bench/tools/list.h"
#include "futex-bench/tools/measure.h"
#include "futex-bench/tools/streams.h"

#ifndef FUTEX_BENCH_VERSION
#define FUTEX_BENCH_VERSION "unversioned"
#endif

namespace futex_bench {
namespace {

int run(const std::vector<std::string>& command_line) {
  GlobalOptions global;
  std::vector<std::unique_ptr<Benchmark>> made;
  std::vector<CommandSpec> commands;
  for (const BenchmarkEntry& entry : benchmarks()) {
    made.push_back(entry.make());
    commands.push_back({.name = std::string(entry.name),
                        .summary = std::string(entry.summary),
                        .group = "Measure",
                        .options = made.back()->options(),
                        .examples = made.back()->examples(),
                        .positional = ""});
  }
  commands.push_back({.name = "doctor",
                      .summary = "what this machine can measure, what disturbs it, what mends it",
                      .group = "Use",
                      .options = {},
                      .examples = {"futex-bench doctor", "futex-bench doctor --format json"},
                      .positional = ""});
  commands.push_back({.name = "list",
                      .summary = "benchmarks and modes, and whether this kernel can run them",
                      .group = "Use",
                      .options = {},
                      .examples = {"futex-bench list --verbose"},
                      .positional = ""});
  CompareOptions compare_options;
  commands.push_back(compare_command(compare_options));

  const ParseOutcome parsed =
      parse_command_line({command_line.begin() + 1, command_line.end()}, commands,
                         global_options(global, format_names()), FUTEX_BENCH_VERSION);
  if (!parsed.err.empty()) std::fputs(parsed.err.c_str(), stderr);
  if (!parsed.out.empty()) print(parsed.out);
  if (parsed.action == ParseOutcome::Action::kExit) return parsed.exit_code;

  if (parsed.command == "doctor") return doctor(global);
  if (parsed.command == "list") {
    if (global.format_given() || !global.output.empty()) {
      throw UsageError("list prints text only: it has no --format and no --output");
    }
    print(list_text(global.verbose));
    return kExitOk;
  }
  if (parsed.command == "compare") return compare(compare_options, global);
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (parsed.command == benchmarks()[i].name) {
      return measure(parsed.command, *made[i], global, command_line);
    }
  }
  throw std::logic_error("command '" + parsed.command + "' is in no table");
}

}  // namespace
}  // namespace futex_bench

int main(int argc, char** argv) {
  using namespace futex_bench;
  try {
    prepare_streams();
    return run({argv, argv + argc});
  } catch (const UsageError& error) {
    tell(error.what());
    return kExitUsage;
  } catch (const std::exception& error) {
    tell(error.what());
    return kExitFailed;
  }
}
