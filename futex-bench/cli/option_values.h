// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// From the text of an option or argument to its checked value.
#pragma once

#include <string>
#include <vector>

#include "futex-bench/bench/option.h"
#include "futex-bench/cli/options.h"

namespace futex_bench {

/// Whether the option is followed by a value; only flags are not.
bool takes_value(const Option& option);

/// Checks the texts that `option` was given, in their order, and stores the value in its target. A
/// flag has one text for each time it was given. Throws UsageError, with the name of the option in
/// front, if a text is refused or if an option other than tags is given more than once; the target
/// is then as before.
void store_value(const Option& option, const std::vector<std::string>& texts);

/// Stores the arguments that are not options, if there are as many as CommandSpec::positional says
/// and none is empty. Throws UsageError, with the name of the command in front.
void store_arguments(const CommandSpec& command, const std::vector<std::string>& texts);

}  // namespace futex_bench
