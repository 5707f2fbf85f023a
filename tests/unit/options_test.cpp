// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "futex-bench/cli/global_options.h"
#include "futex-bench/cli/help.h"

namespace futex_bench {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;
using Action = ParseOutcome::Action;
using Words = std::vector<std::string>;

const Words kFormats{"text", "csv", "json"};

/// A made-up tool with a command for each kind of option and argument.
class Tool : public ::testing::Test {
 protected:
  Tool() {
    commands_ = {
        {"brew",
         "Measures how fast coffee is made.",
         "Measure",
         {{"--threads", "SPEC", "Cups at once.", ThreadsTarget{&threads_}},
          {"--mode", "NAMES", "Kinds of coffee.",
           NamesTarget{&modes_, {"filter", "espresso", "mocha"}}},
          {"--iterations", "N", "Cups in total.", CountTarget{&iterations_, 1, 1'000'000}},
          {"--heat", "SEC", "Seconds to heat.", RealTarget{&heat_, 0.001, 100}},
          {"--placement", "WHERE", "Where to stand.", PlacementTarget{&placement_}},
          {"--verify", "", "Taste it.", FlagTarget{&verify_}}},
         {"futex-bench brew --threads 1-8", "futex-bench brew --mode all"},
         "",
         nullptr},
        {"grind",
         "Measures the mill.",
         "Measure",
         {{"--grain", "SIZE", "Size of the grain.", ChoiceTarget{&grain_, {"fine", "coarse"}}},
          {"--turns", "LIST", "Turns of the mill.", CountListTarget{&turns_, 1, 1000}},
          {"--beans", "LIST", "Beans.", CountListTarget{&beans_, 0, 10'000, true}},
          {"--gaps", "LIST", "Gaps.", RealListTarget{&gaps_, 0, 10}}},
         {},
         "",
         nullptr},
        {"show", "Shows files.", "Use", {}, {"futex-bench show a.json"}, "FILE...", &files_},
        {"weigh", "Weighs two files.", "Use", {}, {}, "A.json B.json", &files_},
        {"names", "Lists names.", "Use", {}, {}, "[NAME...]", &files_},
    };
    options_ = global_options(global_, kFormats);
  }

  ParseOutcome parse(const Words& arguments) {
    return parse_command_line(arguments, commands_, options_, "1.2.3");
  }

  /// Expects `arguments` to run `command`.
  void expect_run(const Words& arguments, const std::string& command) {
    const ParseOutcome outcome = parse(arguments);
    EXPECT_EQ(outcome.action, Action::kRun);
    EXPECT_EQ(outcome.command, command);
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_THAT(outcome.out, IsEmpty());
  }

  /// Expects `arguments` to be a mistake, and returns what is said of it after the tool's name.
  std::string mistake(const Words& arguments) {
    const std::string start = "futex-bench: ";
    const ParseOutcome outcome = parse(arguments);
    EXPECT_EQ(outcome.action, Action::kExit);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, StartsWith(start));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, EndsWith("\n"));
    if (outcome.err.size() <= start.size()) return "";
    return outcome.err.substr(start.size(), outcome.err.size() - start.size() - 1);
  }

  /// Expects success and returns what goes to stdout.
  std::string printed(const Words& arguments) {
    const ParseOutcome outcome = parse(arguments);
    EXPECT_EQ(outcome.action, Action::kExit);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, IsEmpty());
    return outcome.out;
  }

  std::vector<unsigned> threads_{99};
  Words modes_;
  std::optional<std::uint64_t> iterations_;
  std::optional<double> heat_;
  PlacementSpec placement_;
  bool verify_ = false;
  std::string grain_;
  std::vector<std::uint64_t> turns_{7};
  std::vector<std::uint64_t> beans_;
  std::vector<double> gaps_;
  Words files_;
  std::vector<CommandSpec> commands_;
  GlobalOptions global_;
  std::vector<Option> options_;
};

TEST_F(Tool, ListsOfNumbersKeepTheirOrder) {
  expect_run({"grind", "--turns", "100,20,1k", "--beans=5,5,0", "--gaps", "2.5,1"}, "grind");
  EXPECT_THAT(gaps_, ElementsAre(2.5, 1.0));
  EXPECT_THAT(turns_, ElementsAre(100, 20, 1000));
  EXPECT_THAT(beans_, ElementsAre(5, 5, 0));
}

TEST_F(Tool, ListsOfNumbersAreChecked) {
  EXPECT_EQ(mistake({"grind", "--turns", "5,6,5"}), "--turns: '5,6,5': 5 is given twice");
  EXPECT_EQ(mistake({"grind", "--gaps", "0.5,1,.5"}), "--gaps: '0.5,1,.5': .5 is given twice");
  for (const char* const text :
       {"", ",", "1,", ",1", "1,,2", "0", "1001", "2k", "1-3", "-1", "x"}) {
    EXPECT_THAT(mistake({"grind", "--turns", text}), StartsWith("--turns: ")) << text;
  }
  EXPECT_THAT(turns_, ElementsAre(7));
}

TEST_F(Tool, StoresEveryKindOfValue) {
  expect_run({"brew", "--threads", "4,1-2", "--mode=mocha,filter", "--iterations", "10k", "--heat",
              ".5", "--placement", "compact", "--verify"},
             "brew");
  EXPECT_THAT(threads_, ElementsAre(1, 2, 4));
  EXPECT_THAT(modes_, ElementsAre("mocha", "filter"));
  EXPECT_EQ(iterations_, 10'000u);
  EXPECT_EQ(heat_, 0.5);
  EXPECT_EQ(placement_.policy, PlacementPolicy::kCompact);
  EXPECT_TRUE(verify_);
  expect_run({"grind", "--grain", "fine"}, "grind");
  EXPECT_EQ(grain_, "fine");
}

TEST_F(Tool, KeepsDefaults) {
  expect_run({"brew"}, "brew");
  EXPECT_THAT(threads_, ElementsAre(99));
  EXPECT_EQ(iterations_, std::nullopt);
  EXPECT_FALSE(verify_);
  EXPECT_FALSE(global_.format_given());
  EXPECT_EQ(global_.color, "auto");
  EXPECT_EQ(global_.seed, std::nullopt);
}

TEST_F(Tool, StoresGlobalOptionsBeforeAndAfterTheCommand) {
  expect_run({"--format",
              "csv",
              "--output=x.csv",
              "--repeat",
              "3",
              "--quiet",
              "--quick",
              "brew",
              "--runtime",
              "0.2",
              "--warmup",
              "0",
              "--seed",
              "18446744073709551615",
              "--verbose",
              "--dry-run",
              "--thorough",
              "--color",
              "never",
              "--tag",
              "host=a b",
              "--tag",
              "x="},
             "brew");
  EXPECT_TRUE(global_.format_given());
  EXPECT_EQ(global_.format, "csv");
  EXPECT_EQ(global_.output, "x.csv");
  EXPECT_EQ(global_.repeat, 3u);
  EXPECT_EQ(global_.runtime, 0.2);
  EXPECT_EQ(global_.warmup, 0.0);
  EXPECT_EQ(global_.seed, UINT64_MAX);
  EXPECT_EQ(global_.color, "never");
  EXPECT_TRUE(global_.quiet && global_.verbose && global_.dry_run && global_.quick &&
              global_.thorough);
  EXPECT_THAT(global_.tags, ElementsAre(Pair("host", "a b"), Pair("x", "")));
}

TEST_F(Tool, GlobalNumbersHaveBounds) {
  const char* const bad[][2] = {
      {"--repeat", "0"},       {"--repeat", "10001"},    {"--runtime", "0"},
      {"--runtime", "0.0009"}, {"--runtime", "86401"},   {"--warmup", "-1"},
      {"--warmup", "86401"},   {"--seed", "-1"},         {"--seed", "18446744073709551616"},
      {"--runtime", "nan"},    {"--runtime", "inf"},     {"--warmup", "1e-400"},
      {"--repeat", "1.5"},     {"--color", "sometimes"}, {"--format", "xml"}};
  for (const auto& [option, value] : bad) {
    EXPECT_THAT(mistake({"brew", option, value}), StartsWith(std::string(option) + ": ")) << value;
  }
}

TEST_F(Tool, BadNumbersNameTheOptionAndTheText) {
  EXPECT_EQ(mistake({"brew", "--threads", "5-1"}),
            "--threads: '5-1': range end is below its start (did you mean 1-5?)");
  for (const std::string text : {"0", "-1", "5-1", "1-", "-", "1,,2", "99999999999", "nan", "inf",
                                 "1e400", "0x10", " 7", "", "\n"}) {
    for (const std::string option : {"--threads", "--iterations", "--heat"}) {
      const std::string start = option + ": '" + (text == "\n" ? "\\x0a" : text) + "': ";
      EXPECT_THAT(mistake({"brew", option, text}), StartsWith(start));
      EXPECT_THAT(mistake({"brew", option + "=" + text}), StartsWith(start));
      EXPECT_THAT(mistake({"brew", option + "=" + text, "--verify"}), StartsWith(start));
    }
  }
}

TEST_F(Tool, ValuesMayBeginWithAMinus) {
  EXPECT_EQ(mistake({"brew", "--threads", "-1"}), "--threads: '-1': must be from 1 to 65536");
  expect_run({"brew", "--output", "-x", "--tag", "--k=v"}, "brew");
  EXPECT_EQ(global_.output, "-x");
  EXPECT_THAT(global_.tags, ElementsAre(Pair("--k", "v")));
}

TEST_F(Tool, ValuesAreTakenLiterally) {
  expect_run({"brew", "--output", "brew", "--tag", "[a]=[b,c]", "--tag={}=a=b"}, "brew");
  EXPECT_EQ(global_.output, "brew");
  EXPECT_THAT(global_.tags, ElementsAre(Pair("[a]", "[b,c]"), Pair("{}", "a=b")));
}

TEST_F(Tool, MissingValues) {
  EXPECT_EQ(mistake({"brew", "--threads"}), "--threads: a value is missing (SPEC)");
  EXPECT_EQ(mistake({"--output"}), "--output: a value is missing (FILE)");
  EXPECT_EQ(mistake({"brew", "--threads", "--mode", "mocha"}),
            "--threads: a value is missing before --mode (SPEC)");
  EXPECT_EQ(mistake({"brew", "--threads", "--help"}),
            "--threads: a value is missing before --help (SPEC)");
  EXPECT_EQ(mistake({"brew", "--output="}), "--output: '': a text is missing");
  EXPECT_EQ(mistake({"brew", "--mode", ""}), "--mode: '': a mode is missing");
  EXPECT_EQ(mistake({"grind", "--grain", ""}), "--grain: '': a grain is missing");
  EXPECT_THAT(mistake({"brew", "--placement="}), StartsWith("--placement: "));
}

TEST_F(Tool, FlagsTakeNoValue) {
  for (const char* word : {"--verify=1", "--verify=", "--verify=false"}) {
    EXPECT_EQ(mistake({"brew", word}), "--verify: takes no value");
  }
  EXPECT_EQ(mistake({"brew", "--help=all"}), "--help: takes no value");
  EXPECT_FALSE(verify_);
}

TEST_F(Tool, RepeatedOptionsAreRefused) {
  EXPECT_EQ(mistake({"brew", "--threads", "1", "--threads", "1"}), "--threads: given twice");
  EXPECT_EQ(mistake({"--seed=1", "brew", "--seed=1", "--seed=2"}), "--seed: given 3 times");
  EXPECT_EQ(mistake({"--quiet", "brew", "--quiet"}), "--quiet: given twice");
}

TEST_F(Tool, Names) {
  expect_run({"brew", "--mode", "all"}, "brew");
  EXPECT_THAT(modes_, ElementsAre("filter", "espresso", "mocha"));
  EXPECT_EQ(mistake({"brew", "--mode", "expresso"}),
            "--mode: unknown mode 'expresso' (did you mean 'espresso'?)");
  EXPECT_EQ(mistake({"brew", "--mode", "tea"}),
            "--mode: unknown mode 'tea'; there are filter, espresso, mocha");
  EXPECT_EQ(mistake({"brew", "--mode", "mocha,mocha"}),
            "--mode: 'mocha,mocha': mocha is given twice");
  EXPECT_EQ(mistake({"brew", "--mode", "mocha,,filter"}),
            "--mode: 'mocha,,filter': a mode is missing next to a comma");
  EXPECT_EQ(mistake({"brew", "--mode", "mocha,"}),
            "--mode: 'mocha,': a mode is missing next to a comma");
  EXPECT_EQ(mistake({"brew", "--mode", "all,mocha"}),
            "--mode: 'all,mocha': 'all' cannot be combined with names");
  EXPECT_EQ(mistake({"grind", "--grain", "fien"}),
            "--grain: unknown grain 'fien' (did you mean 'fine'?)");
  EXPECT_THAT(mistake({"grind", "--grain", "fine,coarse"}), HasSubstr("unknown grain"));
}

TEST_F(Tool, Tags) {
  EXPECT_EQ(mistake({"brew", "--tag", "a"}), "--tag: 'a': must be KEY=VALUE, like host=lab3");
  EXPECT_THAT(mistake({"brew", "--tag", "=a"}), HasSubstr("must be KEY=VALUE"));
  EXPECT_THAT(mistake({"brew", "--tag", ""}), HasSubstr("must be KEY=VALUE"));
  EXPECT_THAT(mistake({"brew", "--tag", "a=\x1b[1m"}), HasSubstr("control characters"));
  EXPECT_EQ(mistake({"brew", "--tag", "a=1", "--tag", "a=2"}),
            "--tag: 'a=2': the key 'a' is given twice");
}

TEST_F(Tool, UnknownCommands) {
  EXPECT_EQ(mistake({"brwe"}), "unknown command 'brwe' (did you mean 'brew'?)");
  EXPECT_EQ(mistake({"brwe", "--threads", "4"}), "unknown command 'brwe' (did you mean 'brew'?)");
  EXPECT_EQ(mistake({"brwe", "--help"}), "unknown command 'brwe' (did you mean 'brew'?)");
  EXPECT_EQ(mistake({"paint"}),
            "unknown command 'paint'; there are brew, grind, show, weigh, names");
  EXPECT_THAT(mistake({""}), StartsWith("unknown command ''"));
  EXPECT_THAT(mistake({"a\nb"}), StartsWith("unknown command 'a\\x0ab'"));
  EXPECT_EQ(mistake({"--quiet"}),
            "a command is missing; there are brew, grind, show, weigh, names");
  EXPECT_THAT(mistake({"--", "brew"}), StartsWith("a command is missing"));
}

TEST_F(Tool, UnknownOptions) {
  EXPECT_EQ(mistake({"brew", "--thread", "3"}),
            "unknown option '--thread' (did you mean '--threads'?)");
  EXPECT_EQ(mistake({"brew", "--thread=3", "--bogus"}),
            "unknown option '--thread' (did you mean '--threads'?)");
  EXPECT_EQ(mistake({"--ouptut", "x", "brew"}),
            "unknown option '--ouptut' (did you mean '--output'?)");
  EXPECT_EQ(mistake({"brew", "-threads", "4"}),
            "unknown option '-threads' (did you mean '--threads'?)");
  EXPECT_EQ(mistake({"brew", "-t", "4"}), "unknown option '-t'; see 'futex-bench brew --help'");
  EXPECT_EQ(mistake({"--wobble"}), "unknown option '--wobble'; see 'futex-bench --help'");
  EXPECT_EQ(mistake({"brew", "--x\ny"}),
            "unknown option '--x\\x0ay'; see 'futex-bench brew --help'");
}

TEST_F(Tool, OptionsOfAnotherCommand) {
  EXPECT_EQ(mistake({"brew", "--grain", "fine"}), "--grain: not an option of brew, but of grind");
  EXPECT_EQ(mistake({"--threads", "4", "brew"}), "--threads: must come after the command brew");
  EXPECT_EQ(mistake({"--threads=4"}), "--threads: must come after a command that has it: brew");
}

TEST_F(Tool, UnexpectedArguments) {
  EXPECT_EQ(mistake({"brew", "4"}), "brew: unexpected argument '4'");
  EXPECT_EQ(mistake({"brew", "b", "a"}), "brew: unexpected argument 'b'");
  EXPECT_EQ(mistake({"brew", "grind"}), "brew: unexpected argument 'grind'");
  EXPECT_EQ(mistake({"brew", "--threads=", "4"}), "brew: unexpected argument '4'");
  EXPECT_EQ(mistake({"brew", "--", "--threads=4"}), "brew: unexpected argument '--threads=4'");
}

TEST_F(Tool, Arguments) {
  expect_run({"show", "a", "--quiet", "brew", "-"}, "show");
  EXPECT_THAT(files_, ElementsAre("a", "brew", "-"));
  expect_run({"show", "a", "--", "--quiet=", "-x", "--"}, "show");
  EXPECT_THAT(files_, ElementsAre("a", "--quiet=", "-x", "--"));
  expect_run({"weigh", "a", "b"}, "weigh");
  EXPECT_THAT(files_, ElementsAre("a", "b"));
  expect_run({"names"}, "names");
  EXPECT_THAT(files_, IsEmpty());
  expect_run({"names", "a", "b"}, "names");
  EXPECT_THAT(files_, ElementsAre("a", "b"));
}

TEST_F(Tool, NumberOfArguments) {
  EXPECT_EQ(mistake({"show"}), "show: needs FILE..., but got 0 arguments");
  EXPECT_EQ(mistake({"weigh", "a"}), "weigh: needs A.json B.json, but got 1 argument");
  EXPECT_EQ(mistake({"weigh", "a", "b", "c"}), "weigh: needs A.json B.json, but got 3 arguments");
  EXPECT_EQ(mistake({"show", ""}), "show: '': an argument is empty");
}

TEST_F(Tool, NoArgumentsAtAll) {
  const ParseOutcome outcome = parse({});
  EXPECT_EQ(outcome.action, Action::kExit);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("Usage: futex-bench "));
  for (const CommandSpec& command : commands_) EXPECT_THAT(outcome.err, HasSubstr(command.name));
  EXPECT_THAT(outcome.err, HasSubstr("--help"));
}

TEST_F(Tool, Version) {
  EXPECT_EQ(printed({"--version"}), "futex-bench 1.2.3\n");
  EXPECT_EQ(printed({"brew", "--version"}), "futex-bench 1.2.3\n");
}

/// No line too long, none with trailing space, and the text ends with a newline.
void expect_tidy(const std::string& text) {
  EXPECT_THAT(text, EndsWith("\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), kHelpWidth) << line;
    EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
  }
}

TEST_F(Tool, GlobalHelp) {
  const std::string help = printed({"--help"});
  EXPECT_EQ(printed({"-h"}), help);
  expect_tidy(help);
  for (const CommandSpec& command : commands_) {
    EXPECT_THAT(help, HasSubstr("\n  " + command.name + " ")) << "no row for " << command.name;
    EXPECT_THAT(help, HasSubstr(command.summary));
  }
  for (const Option& option : options_) EXPECT_THAT(help, HasSubstr("\n  " + option.name));
  for (const char* part :
       {"\nMeasure:\n", "\nUse:\n", "\nExamples:\n", "\nExit status:\n", "--help", "--version",
        "futex-bench show a.json", "text, csv, json", "128+n"}) {
    EXPECT_THAT(help, HasSubstr(part));
  }
  EXPECT_LT(help.find("\nMeasure:\n"), help.find("\nUse:\n"));
}

TEST_F(Tool, CommandHelp) {
  const std::string help = printed({"brew", "--help"});
  EXPECT_EQ(printed({"--help", "brew"}), help);
  EXPECT_EQ(printed({"brew", "--bogus", "-h", "--threads", "0"}), help);
  expect_tidy(help);
  const CommandSpec& brew = commands_.front();
  EXPECT_THAT(help, HasSubstr(brew.summary));
  for (const Option& option : brew.options) {
    EXPECT_THAT(help, HasSubstr("\n  " + option.name));
    EXPECT_THAT(help, HasSubstr(option.help));
  }
  for (const Option& option : options_) EXPECT_THAT(help, HasSubstr("\n  " + option.name));
  for (const std::string& example : brew.examples) EXPECT_THAT(help, HasSubstr(example));
  EXPECT_THAT(help, HasSubstr("SPEC is a number"));
  EXPECT_THAT(help, HasSubstr("--iterations N "));
  EXPECT_THAT(help, AnyOf(HasSubstr("--verify "), HasSubstr("--verify\n")));
}

TEST_F(Tool, HelpNamesArguments) {
  EXPECT_THAT(printed({"show", "--help"}),
              StartsWith("Usage: futex-bench [global options] show FILE..."));
}

}  // namespace
}  // namespace futex_bench
