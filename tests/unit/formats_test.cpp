// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/system/error.h"
#include "tests/unit/report_samples.h"

namespace futex_bench {
namespace {

using samples::lock_point;
using samples::lock_run;
using samples::nine;
using ::testing::ElementsAre;

TEST(Formats, AllAreListedAndRender) {
  EXPECT_THAT(format_names(), ElementsAre("text", "simple", "csv", "json", "jsonl", "markdown"));
  const RunResult result = lock_run({lock_point("wait", 4, nine())});
  std::vector<std::string> seen;
  for (const std::string& name : format_names()) {
    const std::string text = render(name, result, {});
    ASSERT_FALSE(text.empty()) << name;
    EXPECT_EQ(text.back(), '\n') << name;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), text), 0) << name;
    seen.push_back(text);
  }
}

TEST(Formats, OptionsReachTheFormatsForPeople) {
  const RunResult result = lock_run({lock_point("wait", 4, nine())});
  for (const std::string& name : format_names()) {
    const bool for_people = name == "text" || name == "markdown";
    EXPECT_EQ(render(name, result, {.verbose = true}) != render(name, result, {}), for_people)
        << name;
    EXPECT_EQ(render(name, result, {.color = true}).find('\033') != std::string::npos,
              name == "text")
        << name;
  }
}

TEST(Formats, AnUnknownNameIsAUsageError) {
  try {
    render("xml", lock_run({}), {});
    FAIL() << "xml is a format now";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown format 'xml'; known are text, simple, csv, json, jsonl, markdown");
  }
}

TEST(Formats, TheExtensionOfAFileNamesOne) {
  EXPECT_EQ(format_for_file("out.json"), "json");
  EXPECT_EQ(format_for_file("a.b/c.JSONL"), "jsonl");
  EXPECT_EQ(format_for_file("x.csv"), "csv");
  EXPECT_EQ(format_for_file("x.md"), "markdown");
  EXPECT_EQ(format_for_file("x.txt"), "text");
  for (const char* none : {"x", "x.", "", ".json", "x.json.gz", "d.json/x", "x.jso"}) {
    EXPECT_EQ(format_for_file(none), std::nullopt) << none;
  }
}

}  // namespace
}  // namespace futex_bench
