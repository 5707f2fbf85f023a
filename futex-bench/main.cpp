// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// parse -> run -> report. The only catch and the only exit status.

#include <fmt/format.h>
#include <unistd.h>

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
#include "futex-bench/report/terminal.h"
#include "futex-bench/tools/exit_status.h"
#include "futex-bench/tools/list.h"
#include "futex-bench/tools/measure.h"

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
  commands.push_back({.name = "list",
                      .summary = "benchmarks and modes, and whether this kernel can run them",
                      .group = "Use",
                      .options = {},
                      .examples = {"futex-bench list --verbose"},
                      .positional = ""});

  const ParseOutcome parsed =
      parse_command_line({command_line.begin() + 1, command_line.end()}, commands,
                         global_options(global, format_names()), FUTEX_BENCH_VERSION);
  if (!parsed.err.empty()) write_all(STDERR_FILENO, parsed.err);
  if (!parsed.out.empty()) write_all(STDOUT_FILENO, parsed.out);
  if (parsed.action == ParseOutcome::Action::kExit) return parsed.exit_code;

  if (parsed.command == "list") {
    write_all(STDOUT_FILENO, list_text(global.verbose));
    return kExitOk;
  }
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
    return run({argv, argv + argc});
  } catch (const UsageError& error) {
    fmt::print(stderr, "futex-bench: {}\n", error.what());
    return kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "futex-bench: {}\n", error.what());
    return kExitFailed;
  }
}
