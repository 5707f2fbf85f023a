// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "futex-bench/cli/help.h"
#include "tests/unit/made_up_tool.h"

namespace futex_bench {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

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
