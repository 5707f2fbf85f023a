// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The command line: from argv to checked values, before anything starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "futex-bench/bench/option.h"

namespace futex_bench {

/// A command as the command line sees it.
struct CommandSpec {
  std::string name;                   ///< "lock"
  std::string summary;                ///< one line
  std::string group;                  ///< heading in the list of commands: "Measure" or "Use"
  std::vector<Option> options;        ///< besides the global ones
  std::vector<std::string> examples;  ///< whole command lines

  /// What may follow besides options, one word per argument. The last word may end in "..." (one
  /// or more) or stand in brackets (may be left out), or both: "A.json B.json", "FILE...",
  /// "[NAME...]". Empty for nothing.
  std::string positional;
  std::vector<std::string>* positional_target = nullptr;  ///< set if `positional` is not empty
};

/// What the caller is to do next.
struct ParseOutcome {
  enum class Action : std::uint8_t { kRun, kExit };

  Action action = Action::kExit;
  int exit_code = 0;    ///< for kExit: 0 after help or version, 2 after a mistake of the user
  std::string command;  ///< for kRun: the name of a CommandSpec
  std::string out;      ///< to be printed to stdout; with a newline at the end if not empty
  std::string err;      ///< likewise to stderr
};

/// Parses `arguments` (argv without the program's name) and stores the values given in the targets
/// of `globals` and of the command found. Global options may stand before and after the command.
/// Prints nothing and throws nothing: a mistake of the user is one line in `err`. After a mistake
/// some targets may be set already.
///
/// --help (-h) and --version are understood besides the options listed.
ParseOutcome parse_command_line(const std::vector<std::string>& arguments,
                                std::vector<CommandSpec>& commands,
                                const std::vector<Option>& globals, const std::string& version);

}  // namespace futex_bench
