// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A command line that no program has, for tests of what is made of it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "futex-bench/cli/global_options.h"
#include "futex-bench/cli/options.h"

namespace futex_bench {

using Action = ParseOutcome::Action;
using Words = std::vector<std::string>;

inline const Words kFormats{"text", "csv", "json"};

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
          {"--gaps", "LIST", "Gaps.", RealListTarget{&gaps_, 0, 10}},
          {"--rest", "LIST", "Rests.", SleepTarget{&rest_, 1'000'000}},
          {"--policy", "POLICY", "How it is scheduled.", PolicyTarget{&policy_}}},
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
    EXPECT_THAT(outcome.err, ::testing::IsEmpty());
    EXPECT_THAT(outcome.out, ::testing::IsEmpty());
  }

  /// Expects `arguments` to be a mistake, and returns what is said of it after the tool's name.
  std::string mistake(const Words& arguments) {
    const std::string start = "futex-bench: ";
    const ParseOutcome outcome = parse(arguments);
    EXPECT_EQ(outcome.action, Action::kExit);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, ::testing::IsEmpty());
    EXPECT_THAT(outcome.err, ::testing::StartsWith(start));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, ::testing::EndsWith("\n"));
    if (outcome.err.size() <= start.size()) return "";
    return outcome.err.substr(start.size(), outcome.err.size() - start.size() - 1);
  }

  /// Expects success and returns what goes to stdout.
  std::string printed(const Words& arguments) {
    const ParseOutcome outcome = parse(arguments);
    EXPECT_EQ(outcome.action, Action::kExit);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, ::testing::IsEmpty());
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
  std::vector<SleepTime> rest_;
  SchedulingPolicy policy_;
  Words files_;
  std::vector<CommandSpec> commands_;
  GlobalOptions global_;
  std::vector<Option> options_;
};

}  // namespace futex_bench
