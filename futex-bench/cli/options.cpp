// SPDX-License-Identifier: GPL-2.0-only
//
// CLI11 takes the words apart: which is a command, which an option, which belongs to which. It
// never sees a value as anything but text, since its own conversions let -5, 2^64 and nan pass, and
// none of its messages and exit codes reach the user.
#include "futex-bench/cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "common/system/error.h"
#include "common/system/numbers.h"
#include "futex-bench/cli/help.h"
#include "futex-bench/cli/names.h"
#include "futex-bench/cli/option_values.h"

namespace futex_bench {
namespace {

constexpr int kExitUsage = 2;

/// An option and how CLI11 knows it.
struct BoundOption {
  const Option* option;
  CLI::Option* parsed;
};

/// A command and how CLI11 knows it.
struct BoundCommand {
  CommandSpec* spec;
  CLI::App* parsed;
  std::vector<BoundOption> options;
  CLI::Option* positional;  ///< or null
};

/// "--threads=5" -> "--threads".
std::string option_name(std::string_view word) {
  return std::string(word.substr(0, word.find('=')));
}

const Option* find_option(const std::vector<Option>& options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [name](const Option& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

/// Makes CLI11 accept any text for an option; the texts are fetched later, from results().
CLI::callback_t keep_texts() {
  return [](const CLI::results_t&) { return true; };
}

BoundOption bind(CLI::App& app, const Option& option) {
  CLI::Option* parsed = takes_value(option) ? app.add_option(option.name, keep_texts())->expected(1)
                                            : app.add_flag(option.name)->disable_flag_override();
  // Repeated options are for store_value() to judge.
  return {&option, parsed->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)};
}

class CommandLine {
 public:
  CommandLine(std::vector<CommandSpec>& commands, const std::vector<Option>& globals)
      : specs_(commands), globals_(globals) {
    app_.set_help_flag();
    app_.require_subcommand(0, 1);
    app_.allow_extras();
    help_ = app_.add_flag("-h,--help")->disable_flag_override();
    version_ = app_.add_flag("--version")->disable_flag_override();
    for (const Option& option : globals) bound_globals_.push_back(bind(app_, option));
    for (CommandSpec& spec : commands) {
      CLI::App* sub = app_.add_subcommand(spec.name);
      sub->set_help_flag();
      sub->fallthrough();
      sub->allow_extras();
      BoundCommand command{&spec, sub, {}, nullptr};
      for (const Option& option : spec.options) command.options.push_back(bind(*sub, option));
      if (!spec.positional.empty()) {
        command.positional = sub->add_option("positional", keep_texts())->expected(-1);
        command.positional->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      }
      bound_commands_.push_back(std::move(command));
    }
  }

  /// Parses and stores all values. Throws UsageError.
  ParseOutcome parse(const std::vector<std::string>& arguments, const std::string& version) {
    take_words(arguments);
    try {
      app_.parse(std::vector<std::string>(words_.rbegin(), words_.rend()));
    } catch (const CLI::ParseError& error) {
      explain_parse_error(error);
    }
    ParseOutcome outcome;
    const BoundCommand* command = parsed_command();
    // So that `futex-bench lck --help` is a mistake, while help on a command has precedence.
    if (command == nullptr) refuse_extras(command);
    if (help_->count() > 0) {
      outcome.out = command != nullptr ? command_help(*command->spec, globals_)
                                       : global_help(specs_, globals_);
      return outcome;
    }
    if (version_->count() > 0) {
      outcome.out = fmt::format("futex-bench {}\n", version);
      return outcome;
    }
    refuse_swallowed_options();
    refuse_extras(command);
    if (command == nullptr) {
      throw UsageError(
          fmt::format("a command is missing; there are {}", fmt::join(command_names(), ", ")));
    }
    for (const BoundOption& option : bound_globals_) store(option);
    for (const BoundOption& option : command->options) store(option);
    std::vector<std::string> texts;
    if (command->positional != nullptr) texts = command->positional->results();
    texts.insert(texts.end(), after_mark_.begin(), after_mark_.end());
    store_arguments(*command->spec, texts);
    outcome.action = ParseOutcome::Action::kRun;
    outcome.command = command->spec->name;
    return outcome;
  }

 private:
  /// Prepares `arguments` for CLI11. Refuses values of flags; turns "--threads=" into "--threads"
  /// "", since the next word would be taken for the value; and keeps what follows a "--" for
  /// itself, since that would count as lost after another positional argument.
  void take_words(const std::vector<std::string>& arguments) {
    const auto mark = std::find(arguments.begin(), arguments.end(), "--");
    if (mark != arguments.end()) after_mark_.assign(mark + 1, arguments.end());
    for (auto word = arguments.begin(); word != mark; ++word) {
      const std::string name = option_name(*word);
      words_.push_back(*word);
      if (name == *word || !is_option(name)) continue;
      if (find_with_value(name) == nullptr) {
        throw UsageError(fmt::format("{}: takes no value", name));
      }
      if (word->size() == name.size() + 1) {
        words_.back() = name;
        words_.emplace_back();
      }
    }
  }

  static void store(const BoundOption& bound) {
    store_value(*bound.option, bound.parsed->results());
  }

  const BoundCommand* parsed_command() const {
    const auto found =
        std::find_if(bound_commands_.begin(), bound_commands_.end(),
                     [](const BoundCommand& command) { return command.parsed->parsed(); });
    return found == bound_commands_.end() ? nullptr : &*found;
  }

  std::vector<std::string> command_names() const {
    std::vector<std::string> names;
    for (const CommandSpec& spec : specs_) names.push_back(spec.name);
    return names;
  }

  /// Whether anybody has an option called `name`.
  bool is_option(std::string_view name) const {
    const auto has = [name](const CommandSpec& spec) {
      return find_option(spec.options, name) != nullptr;
    };
    return name == "--help" || name == "--version" || find_option(globals_, name) != nullptr ||
           std::any_of(specs_.begin(), specs_.end(), has);
  }

  /// An option called `name` that takes a value, whoever's it is, or null.
  const Option* find_with_value(std::string_view name) const {
    const Option* option = find_option(globals_, name);
    for (auto spec = specs_.begin(); option == nullptr && spec != specs_.end(); ++spec) {
      option = find_option(spec->options, name);
      if (option != nullptr && !takes_value(*option)) option = nullptr;
    }
    return option != nullptr && takes_value(*option) ? option : nullptr;
  }

  /// CLI11 gives up if a value is missing at the end. It has no reason left to do so otherwise,
  /// unless two commands use one name for a flag and for an option with a value.
  [[noreturn]] void explain_parse_error(const CLI::ParseError& error) const {
    if (const Option* last = find_with_value(words_.back())) {
      throw UsageError(fmt::format("{}: a value is missing ({})", last->name, last->value_name));
    }
    throw UsageError(quote(error.what()));
  }

  /// CLI11 takes whatever follows an option for its value, which is what makes `--threads -1` work.
  /// Finds those that were meant as an option.
  void refuse_swallowed_options() const {
    const auto check = [this](const BoundOption& bound) {
      if (!takes_value(*bound.option)) return;
      for (const std::string& text : bound.parsed->results()) {
        const std::string name = option_name(text);
        if (is_option(name)) {
          throw UsageError(fmt::format("{}: a value is missing before {} ({})", bound.option->name,
                                       name, bound.option->value_name));
        }
      }
    };
    for (const BoundOption& option : bound_globals_) check(option);
    for (const BoundCommand& command : bound_commands_) {
      for (const BoundOption& option : command.options) check(option);
    }
  }

  /// Fails at the first word that found no place.
  void refuse_extras(const BoundCommand* command) const {
    const std::vector<std::string> extras = app_.remaining(true);
    // CLI11 lists them in an order of its own.
    const auto first =
        std::find_first_of(words_.begin(), words_.end(), extras.begin(), extras.end());
    if (first == words_.end()) return;
    if (first->size() > 1 && first->starts_with('-')) refuse_option(option_name(*first), command);
    if (command == nullptr) throw UsageError(unknown_name("command", *first, command_names()));
    throw UsageError(fmt::format("{}: unexpected argument {}", command->spec->name, quote(*first)));
  }

  [[noreturn]] void refuse_option(const std::string& name, const BoundCommand* command) const {
    std::vector<std::string> owners;
    std::vector<std::string> known{"--help", "--version"};
    for (const Option& option : globals_) known.push_back(option.name);
    for (const CommandSpec& spec : specs_) {
      if (find_option(spec.options, name) != nullptr) owners.push_back(spec.name);
      for (const Option& option : spec.options) {
        if (command == nullptr || command->spec == &spec) known.push_back(option.name);
      }
    }
    if (command != nullptr && find_option(command->spec->options, name) != nullptr) {
      throw UsageError(
          fmt::format("{}: must come after the command {}", name, command->spec->name));
    }
    if (!owners.empty()) {
      throw UsageError(command != nullptr
                           ? fmt::format("{}: not an option of {}, but of {}", name,
                                         command->spec->name, fmt::join(owners, ", "))
                           : fmt::format("{}: must come after a command that has it: {}", name,
                                         fmt::join(owners, ", ")));
    }
    if (const auto nearest = nearest_name(name, known)) {
      throw UsageError(
          fmt::format("unknown option {} (did you mean '{}'?)", quote(name), *nearest));
    }
    throw UsageError(fmt::format("unknown option {}; see 'futex-bench {}--help'", quote(name),
                                 command != nullptr ? command->spec->name + ' ' : ""));
  }

  std::vector<CommandSpec>& specs_;
  const std::vector<Option>& globals_;
  CLI::App app_;
  CLI::Option* help_ = nullptr;
  CLI::Option* version_ = nullptr;
  std::vector<BoundOption> bound_globals_;
  std::vector<BoundCommand> bound_commands_;
  std::vector<std::string> words_;       ///< what CLI11 parses
  std::vector<std::string> after_mark_;  ///< what follows "--"
};

}  // namespace

ParseOutcome parse_command_line(const std::vector<std::string>& arguments,
                                std::vector<CommandSpec>& commands,
                                const std::vector<Option>& globals, const std::string& version) {
  ParseOutcome mistake;
  mistake.exit_code = kExitUsage;
  if (arguments.empty()) {
    mistake.err = short_usage(commands);
    return mistake;
  }
  try {
    return CommandLine(commands, globals).parse(arguments, version);
  } catch (const UsageError& error) {
    mistake.err = fmt::format("futex-bench: {}\n", error.what());
    return mistake;
  }
}

}  // namespace futex_bench
