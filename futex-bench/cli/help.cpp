// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>

#include "futex-bench/cli/thread_spec.h"

namespace futex_bench {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kTextColumn = 26;

constexpr std::string_view kExitStatus[][2] = {
    {"0", "all well"},
    {"1", "a run or a write failed"},
    {"2", "mistake on the command line; nothing was started"},
    {"3", "finished, but some points were skipped or are incomplete"},
    {"4", "compare found a regression beyond the limit"},
    {"77", "nothing of what was asked for can run on this kernel"},
    {"128+n", "ended by signal n; what was finished has been printed"},
};

/// `text` filled to lines of at most kHelpWidth, of which all but the first begin with `column`
/// spaces. The first one continues a line that is `used` characters long.
std::string fill(std::string_view text, std::size_t used, std::size_t column) {
  std::string filled;
  bool first_word = true;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (word.empty()) continue;
    if (!first_word && used + 1 + word.size() > kHelpWidth) {
      filled += '\n' + std::string(column, ' ');
      used = column;
    } else if (!first_word) {
      filled += ' ';
      ++used;
    }
    filled += word;
    used += word.size();
    first_word = false;
  }
  return filled;
}

/// A row of two columns; a long `term` has a line of its own.
std::string row(std::string_view term, std::string_view text) {
  std::string line = std::string(kIndent, ' ') + std::string(term);
  if (line.size() + 2 > kTextColumn) {
    line += '\n' + std::string(kTextColumn, ' ');
  } else {
    line.resize(kTextColumn, ' ');
  }
  return line + fill(text, kTextColumn, kTextColumn) + '\n';
}

std::string option_rows(const std::vector<Option>& options) {
  std::string rows;
  for (const Option& option : options) {
    rows += row(option.value_name.empty() ? option.name : option.name + ' ' + option.value_name,
                option.help);
  }
  return rows;
}

bool is_threads(const Option& option) {
  return std::holds_alternative<ThreadsTarget>(option.target);
}

}  // namespace

std::string short_usage(const std::vector<CommandSpec>& commands) {
  std::string names = "Commands:";
  for (const CommandSpec& command : commands) names += ' ' + command.name;
  return "Usage: futex-bench [global options] COMMAND [options]\n" + fill(names, 0, 10) +
         "\nTry 'futex-bench --help' or 'futex-bench COMMAND --help'.\n";
}

std::string global_help(const std::vector<CommandSpec>& commands,
                        const std::vector<Option>& globals) {
  std::string help =
      "Usage: futex-bench [global options] COMMAND [options]\n"
      "Measures futexes and the locks built on them.\n";

  std::vector<std::string> groups;
  for (const CommandSpec& command : commands) {
    if (std::find(groups.begin(), groups.end(), command.group) == groups.end()) {
      groups.push_back(command.group);
    }
  }
  for (const std::string& group : groups) {
    help += '\n' + group + ":\n";
    for (const CommandSpec& command : commands) {
      if (command.group == group) help += row(command.name, command.summary);
    }
  }

  help += "\nGlobal options, before or after the command:\n" + option_rows(globals);
  help += row("-h, --help", "Show this help, or after a command that of the command.");
  help += row("--version", "Show the version.");

  std::string examples;
  for (const CommandSpec& command : commands) {
    if (!command.examples.empty()) examples += "  " + command.examples.front() + '\n';
  }
  if (!examples.empty()) help += "\nExamples:\n" + examples;

  help += "\nExit status:\n";
  for (const auto& [status, meaning] : kExitStatus) help += row(status, meaning);
  return help;
}

std::string command_help(const CommandSpec& command, const std::vector<Option>& globals) {
  std::string help = "Usage: futex-bench [global options] " + command.name;
  if (!command.options.empty()) help += " [options]";
  if (!command.positional.empty()) help += ' ' + command.positional;
  help += '\n' + fill(command.summary, 0, 0) + '\n';
  if (!command.options.empty()) help += "\nOptions:\n" + option_rows(command.options);
  if (std::any_of(command.options.begin(), command.options.end(), is_threads)) {
    help += '\n' + fill(kThreadSpecHelp, 0, 0) + '\n';
  }
  help += "\nGlobal options:\n" + option_rows(globals);
  help += row("-h, --help", "Show this help.");
  if (!command.examples.empty()) {
    help += "\nExamples:\n";
    for (const std::string& example : command.examples) help += "  " + example + '\n';
  }
  return help;
}

}  // namespace futex_bench
