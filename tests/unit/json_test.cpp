// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/report_samples.h"

namespace futex_bench {
namespace {

using nlohmann::json;
using samples::failed_trial;
using samples::latency_run;
using samples::lines;
using samples::lock_point;
using samples::lock_run;
using samples::nine;

RunResult two_modes() {
  std::vector<double> better = nine();
  for (double& value : better) value *= 2;
  RunResult result = lock_run({lock_point("wait", 4, nine()), lock_point("spin", 4, better)});
  result.tags = {{"patch", "v2"}};
  result.environment = {{"kernel", "Kernel", "6.18", ""}, {"cpu", "CPU", std::nullopt, "no file"}};
  result.warnings = {{"governor", "It is powersave.", "cpupower frequency-set -g performance"}};
  result.points[0].key.parameters = {{"hold_ns", "200"}};
  result.points[1].key.parameters = {{"hold_ns", "200"}};
  return result;
}

TEST(Json, CarriesTheHead) {
  const json document = json::parse(json_report(two_modes()));
  EXPECT_EQ(document.at("schema_version"), 1);
  EXPECT_EQ(document.at("tool"), "futex-bench");
  EXPECT_EQ(document.at("benchmark"), "lock");
  EXPECT_EQ(document.at("command_line"), json({"futex-bench", "lock"}));
  EXPECT_EQ(document.at("started"), "2024-05-06T07:08:09+02:00");
  EXPECT_EQ(document.at("duration_seconds"), 12.5);
  EXPECT_EQ(document.at("seed").get<std::uint64_t>(), 18446744073709551615U);
  EXPECT_EQ(document.at("repeat"), 9);
  EXPECT_EQ(document.at("runtime_seconds"), 0.2);
  EXPECT_EQ(document.at("order"), "random");
  EXPECT_EQ(document.at("complete"), true);
  EXPECT_EQ(document.at("tags").at("patch"), "v2");
  EXPECT_EQ(document.at("environment").at("kernel").at("value"), "6.18");
  EXPECT_TRUE(document.at("environment").at("cpu").at("value").is_null());
  EXPECT_EQ(document.at("environment").at("cpu").at("reason"), "no file");
  EXPECT_EQ(document.at("metrics").size(), 13U);
  EXPECT_EQ(document.at("metrics")[0].at("unit"), "Kiter/s");
  EXPECT_EQ(document.at("metrics")[0].at("direction"), "higher_is_better");
  EXPECT_EQ(document.at("metrics")[8].at("direction"), "lower_is_better");
  EXPECT_EQ(document.at("warnings")[0].at("id"), "governor");
}

TEST(Json, CarriesPointsSummariesAndEveryTrial) {
  RunResult result = two_modes();
  result.points[0].trials[3].values[5] = samples::kNaN;
  result.points[0].trials[4].values[5] = std::numeric_limits<double>::infinity();
  result.points[0].trials[8] = failed_trial(8, "gone");
  const json point = json::parse(json_report(result)).at("points")[0];
  EXPECT_EQ(point.at("mode"), "wait");
  EXPECT_EQ(point.at("threads"), 4);
  EXPECT_EQ(point.at("parameters").at("hold_ns"), "200");
  EXPECT_EQ(point.at("title"), "FUTEX_WAIT (mode wait)");
  EXPECT_EQ(point.at("skipped"), "");
  // Eight values are left; ranks 1 and 8 hold the interval, the middle two are 20700 and 20790.
  const json& summary = point.at("summary").at("throughput");
  EXPECT_EQ(summary.at("median"), 20745);
  EXPECT_EQ(summary.at("low"), 20500);
  EXPECT_EQ(summary.at("high"), 21100);
  EXPECT_EQ(summary.at("has_interval"), true);
  EXPECT_EQ(summary.at("count"), 8);
  EXPECT_EQ(point.at("summary").at("jain").at("count"), 6);
  ASSERT_EQ(point.at("trials").size(), 9U);
  EXPECT_EQ(point.at("trials")[1].at("round"), 1);
  EXPECT_EQ(point.at("trials")[1].at("start_seconds"), 0.25);
  EXPECT_EQ(point.at("trials")[1].at("status"), "ok");
  EXPECT_EQ(point.at("trials")[1].at("values").at("throughput"), 20540);
  EXPECT_TRUE(point.at("trials")[3].at("values").at("jain").is_null());
  EXPECT_TRUE(point.at("trials")[4].at("values").at("jain").is_null());
  EXPECT_EQ(point.at("trials")[8].at("status"), "failed");
  EXPECT_EQ(point.at("trials")[8].at("note"), "gone");
  EXPECT_EQ(point.at("trials")[8].at("values"), json::object());
}

TEST(Json, CarriesTheComparisonOfModes) {
  const json comparison = json::parse(json_report(two_modes())).at("comparison");
  EXPECT_EQ(comparison.at("metric"), "throughput");
  EXPECT_EQ(comparison.at("modes"), json({"wait", "spin"}));
  EXPECT_EQ(comparison.at("tests"), 1);
  EXPECT_EQ(comparison.at("rounds"), 9);
  EXPECT_EQ(comparison.at("rounds_needed"), 6);
  const json& row = comparison.at("rows")[0];
  EXPECT_EQ(row.at("threads"), 4);
  EXPECT_EQ(row.at("parameters").at("hold_ns"), "200");
  EXPECT_FALSE(row.at("modes")[0].contains("ratio"));
  EXPECT_EQ(row.at("modes")[1].at("ratio"), 2);
  EXPECT_EQ(row.at("modes")[1].at("p_value"), 2.0 / 512);
  EXPECT_EQ(row.at("modes")[1].at("verdict"), "faster");
  EXPECT_FALSE(json::parse(json_report(latency_run())).contains("comparison"));
}

TEST(Json, EmptyMapsAreObjectsAndEmptyListsArrays) {
  const json document = json::parse(json_report(RunResult{}));
  for (const char* key : {"tags", "environment"}) EXPECT_EQ(document.at(key), json::object());
  for (const char* key : {"command_line", "metrics", "points", "warnings"}) {
    EXPECT_EQ(document.at(key), json::array()) << key;
  }
}

TEST(Json, AnyByteGivesValidUtf8) {
  RunResult result = two_modes();
  result.command_line = {"a\xff\xfe", std::string("nul\0", 4), "\033[31m", "\xc3"};
  result.points[0].trials[0].note = "\xed\xa0\x80";
  for (const std::string& text : {json_report(result), jsonl_run(result),
                                  jsonl_trial(result, {}, result.points[0].trials[0])}) {
    EXPECT_TRUE(json::accept(text)) << text;
  }
  EXPECT_EQ(json::parse(json_report(result)).at("command_line")[0], "a\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Json, NoInfinityAnywhere) {
  RunResult result = two_modes();
  result.duration_seconds = std::numeric_limits<double>::infinity();
  for (PointSamples& point : result.points) {
    point.trials[0].start_seconds = samples::kNaN;
    for (TrialSample& trial : point.trials) {
      for (double& value : trial.values) value = samples::kNaN;
    }
  }
  const std::string text = json_report(result);
  EXPECT_TRUE(json::accept(text));
  const json point = json::parse(text).at("points")[0];
  EXPECT_TRUE(point.at("summary").at("throughput").at("median").is_null());
  EXPECT_TRUE(point.at("trials")[0].at("start_seconds").is_null());
}

TEST(Jsonl, EveryLineStandsAlone) {
  RunResult result = two_modes();
  for (TrialSample& trial : result.points[1].trials) trial.start_seconds += 0.125;
  const auto text = lines(jsonl_report(result));
  ASSERT_EQ(text.size(), 1U + 18 + 2 + 1);
  std::vector<json> records;
  for (const std::string& line : text) records.push_back(json::parse(line));
  EXPECT_EQ(records[0].at("type"), "run");
  EXPECT_EQ(records[0].at("schema_version"), 1);
  EXPECT_FALSE(records[0].contains("complete"));
  // In time order, so the modes alternate.
  EXPECT_EQ(records[1].at("type"), "trial");
  EXPECT_EQ(records[1].at("mode"), "wait");
  EXPECT_EQ(records[2].at("mode"), "spin");
  EXPECT_EQ(records[3].at("mode"), "wait");
  EXPECT_EQ(records[3].at("round"), 1);
  EXPECT_EQ(records[3].at("parameters").at("hold_ns"), "200");
  EXPECT_EQ(records[3].at("values").at("throughput"), 20540);
  EXPECT_EQ(records[19].at("type"), "point");
  EXPECT_EQ(records[19].at("summary").at("throughput").at("median"), 20790);
  EXPECT_FALSE(records[19].contains("trials"));
  EXPECT_EQ(records[21].at("type"), "end");
  EXPECT_EQ(records[21].at("complete"), true);
  EXPECT_EQ(records[21].at("warnings").size(), 1U);
  EXPECT_EQ(records[21].at("comparison").at("rows").size(), 1U);
}

}  // namespace
}  // namespace futex_bench
