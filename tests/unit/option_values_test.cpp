// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/cli/option_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/made_up_tool.h"

namespace futex_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

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

TEST_F(Tool, TimesToSleepAreAListOrRandom) {
  expect_run({"grind", "--rest", "10k,1,5-6"}, "grind");
  ASSERT_EQ(rest_.size(), 4U);
  EXPECT_EQ(rest_[0].us, 10'000U);
  EXPECT_EQ(rest_[3].us, 6U);
  EXPECT_FALSE(rest_[0].random);
  expect_run({"grind", "--rest", "random:50"}, "grind");
  ASSERT_EQ(rest_.size(), 1U);
  EXPECT_TRUE(rest_[0].random);
  EXPECT_EQ(rest_[0].us, 50U);
  for (const char* const bad :
       {"", "random", "random:", "random:0", "random:2M", "-1", "1,1", "1.5", "2M", "x"}) {
    EXPECT_THAT(mistake({"grind", "--rest", bad}), StartsWith("--rest: ")) << bad;
  }
}

TEST_F(Tool, SchedulingPolicies) {
  expect_run({"grind", "--policy", "fifo:3"}, "grind");
  EXPECT_EQ(policy_.to_string(), "fifo:3");
  EXPECT_THAT(mistake({"grind", "--policy", "fifo"}), StartsWith("--policy: 'fifo': not one of"));
}

}  // namespace
}  // namespace futex_bench
