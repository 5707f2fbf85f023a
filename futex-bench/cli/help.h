// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The texts of --help, made from the same tables that the command line is parsed with.
#pragma once

#include <string>
#include <vector>

#include "futex-bench/cli/options.h"

namespace futex_bench {

/// No line of a help text is longer, unless an example is.
inline constexpr std::size_t kHelpWidth = 90;

/// What `futex-bench` without arguments says: how to call it, the commands, where to read on.
std::string short_usage(const std::vector<CommandSpec>& commands);

/// `futex-bench --help`: commands by group, global options, an example of each command, statuses.
std::string global_help(const std::vector<CommandSpec>& commands,
                        const std::vector<Option>& globals);

/// `futex-bench COMMAND --help`: its options, its examples and the global options.
std::string command_help(const CommandSpec& command, const std::vector<Option>& globals);

}  // namespace futex_bench
