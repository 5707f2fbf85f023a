// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "common/system/error.h"
#include "futex-bench/report/json.h"
#include "tests/unit/report_samples.h"

namespace futex_bench {
namespace {

using samples::failed_trial;
using samples::lock_point;
using samples::lock_run;

/// A run with something in every member.
RunResult full_run() {
  PointSamples skipped = lock_point("spin", 8, {});
  skipped.skipped = "no reason";
  RunResult result = lock_run({lock_point("wait", 4, {1.0 / 3, 2e-308, 20790}), skipped});
  PointSamples& point = result.points[0];
  point.key.parameters = {{"zeta", "1"}, {"alpha", "2"}};
  point.trials.push_back(failed_trial(3, "line\nbreak \"quoted\" \xc3\xa9"));
  point.trials[1].status = TrialStatus::kNotDrained;
  point.trials[1].note = "killed";
  result.order = "latin";
  result.tags = {{"z", "1"}, {"a", ""}};
  result.environment = {{"kernel", "Kernel", "6.18", ""}, {"cpu", "CPU", std::nullopt, "no file"}};
  result.warnings = {{"id", "text", "fix"}};
  result.complete = false;
  return result;
}

void expect_equal(const RunResult& a, const RunResult& b) {
  EXPECT_EQ(a.benchmark, b.benchmark);
  EXPECT_EQ(a.command_line, b.command_line);
  EXPECT_EQ(a.started, b.started);
  EXPECT_EQ(a.duration_seconds, b.duration_seconds);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.repeat, b.repeat);
  EXPECT_EQ(a.runtime_seconds, b.runtime_seconds);
  EXPECT_EQ(a.warmup_seconds, b.warmup_seconds);
  EXPECT_EQ(a.order, b.order);
  EXPECT_EQ(a.tags, b.tags);
  EXPECT_EQ(a.complete, b.complete);
  ASSERT_EQ(a.environment.size(), b.environment.size());
  for (std::size_t i = 0; i < a.environment.size(); ++i) {
    EXPECT_EQ(a.environment[i].key, b.environment[i].key);
    EXPECT_EQ(a.environment[i].label, b.environment[i].label);
    EXPECT_EQ(a.environment[i].value, b.environment[i].value);
    EXPECT_EQ(a.environment[i].unknown_reason, b.environment[i].unknown_reason);
  }
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    EXPECT_EQ(a.metrics[i].name, b.metrics[i].name);
    EXPECT_EQ(a.metrics[i].unit, b.metrics[i].unit);
    EXPECT_EQ(a.metrics[i].direction, b.metrics[i].direction);
    EXPECT_EQ(a.metrics[i].description, b.metrics[i].description);
  }
  ASSERT_EQ(a.warnings.size(), b.warnings.size());
  EXPECT_EQ(a.warnings[0].id, b.warnings[0].id);
  EXPECT_EQ(a.warnings[0].text, b.warnings[0].text);
  EXPECT_EQ(a.warnings[0].fix, b.warnings[0].fix);
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(a.points[i].key, b.points[i].key);
    EXPECT_EQ(a.points[i].title, b.points[i].title);
    EXPECT_EQ(a.points[i].skipped, b.points[i].skipped);
    ASSERT_EQ(a.points[i].trials.size(), b.points[i].trials.size());
    for (std::size_t j = 0; j < a.points[i].trials.size(); ++j) {
      EXPECT_EQ(a.points[i].trials[j].round, b.points[i].trials[j].round);
      EXPECT_EQ(a.points[i].trials[j].start_seconds, b.points[i].trials[j].start_seconds);
      EXPECT_EQ(a.points[i].trials[j].status, b.points[i].trials[j].status);
      EXPECT_EQ(a.points[i].trials[j].note, b.points[i].trials[j].note);
      EXPECT_EQ(a.points[i].trials[j].values, b.points[i].trials[j].values);
      EXPECT_EQ(a.points[i].trials[j].disturbed, b.points[i].trials[j].disturbed);
      EXPECT_EQ(a.points[i].trials[j].circumstances, b.points[i].trials[j].circumstances);
    }
  }
}

/// The message with which a text is refused.
std::string refusal(const std::string& text) {
  try {
    read_json(text, "f.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

/// The document of full_run with the first occurrence of one text replaced.
std::string edited(const std::string& from, const std::string& to) {
  std::string text = json_report(full_run());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(JsonReader, ReadsBackExactlyWhatWasWritten) {
  const RunResult result = full_run();
  const RunResult again = read_json(json_report(result), "f.json");
  expect_equal(result, again);
  EXPECT_EQ(json_report(again), json_report(result));
}

TEST(JsonReader, ReadsWhatDisturbedATrial) {
  RunResult result = full_run();
  TrialSample& trial = result.points[0].trials[0];
  trial.disturbed = true;
  trial.note = "steal";
  trial.circumstances = {{"window_seconds", 0.25}, {"steal_seconds", 0.1}, {"cpus", 2}};
  expect_equal(result, read_json(json_report(result), "f.json"));
  trial.circumstances = {{"steal_seconds", samples::kNaN}};
  const RunResult again = read_json(json_report(result), "f.json");
  EXPECT_TRUE(std::isnan(again.points[0].trials[0].circumstances.at(0).second));
}

TEST(JsonReader, ReadsFilesThatDoNotKnowOfDisturbances) {
  const RunResult result = full_run();
  std::string text = json_report(result);
  for (const std::string gone : {"\"disturbed\": false,", "\"circumstances\": {},"}) {
    std::size_t count = 0;
    for (std::size_t at; (at = text.find(gone)) != std::string::npos; ++count) {
      text.erase(at, gone.size());
    }
    EXPECT_GT(count, 0U) << gone;
  }
  expect_equal(result, read_json(text, "f.json"));
}

/// A run whose first trial has a distribution and every single value.
RunResult run_with_single_values() {
  RunResult result = lock_run({lock_point("wait", 4, {1, 2})});
  Distribution spread;
  spread.buckets = {{1.5, 2.25, 3}, {7, 7, 1}};
  spread.count = 4;
  spread.min = 1.75;
  spread.max = 7;
  spread.mean = 1.0 / 3;
  result.points[0].trials[0].distributions = {{"latency_us", spread}, {"none_us", Distribution()}};
  result.points[0].trials[0].series = {{"latency_us", {0.125, 7}}, {"gap_us", {1, 3}}};
  return result;
}

TEST(JsonReader, ReadsDistributionsAndSingleValues) {
  const RunResult result = run_with_single_values();
  const TrialSample trial = read_json(json_report(result), "f").points[0].trials[0];
  ASSERT_EQ(trial.distributions.size(), 2U);
  EXPECT_EQ(trial.distributions[0].first, "latency_us");
  const Distribution& read = trial.distributions[0].second;
  const Distribution& written = result.points[0].trials[0].distributions[0].second;
  EXPECT_EQ(read.buckets, written.buckets);
  EXPECT_EQ(read.count, 4U);
  EXPECT_EQ(read.min, 1.75);
  EXPECT_EQ(read.max, 7);
  EXPECT_EQ(read.mean, written.mean);
  EXPECT_EQ(trial.distributions[1].second.count, 0U);
  EXPECT_TRUE(std::isnan(trial.distributions[1].second.mean));
  EXPECT_EQ(trial.series, result.points[0].trials[0].series);
}

TEST(JsonReader, RefusesSingleValuesThatContradictEachOther) {
  const std::string text = json_report(run_with_single_values());
  const auto with = [&text](const std::string& old, const std::string& changed) {
    std::string copy = text;
    const std::size_t at = copy.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return copy.replace(at, old.size(), changed);
  };
  EXPECT_THROW(read_json(with("\"count\": 4", "\"count\": 5"), "f"), UsageError);
  EXPECT_THROW(read_json(with("0.125,", "0.125, 1,"), "f"), UsageError);
}

TEST(JsonReader, NullIsNaN) {
  RunResult result = full_run();
  result.points[0].trials[0].values[5] = samples::kNaN;
  const RunResult again = read_json(json_report(result), "f.json");
  EXPECT_TRUE(std::isnan(again.points[0].trials[0].values[5]));
  EXPECT_EQ(again.points[0].trials[0].values[4], 3.38);
}

TEST(JsonReader, IgnoresMembersItDoesNotKnow) {
  EXPECT_EQ(refusal(edited(R"("tool":)", R"("more": {"x": [1]}, "tool":)")), "accepted");
}

TEST(JsonReader, EveryTruncationIsRefusedInOneLine) {
  const std::string text = json_report(full_run());
  // The last two bytes are the closing brace and the line feed.
  for (std::size_t size = 1; size + 2 < text.size(); size += 97) {
    const std::string message = refusal(text.substr(0, size));
    EXPECT_THAT(message, ::testing::StartsWith("f.json: is truncated")) << size;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(JsonReader, RefusesWhatIsNoResult) {
  EXPECT_EQ(refusal(""), "f.json: is empty");
  EXPECT_EQ(refusal(" \n"), "f.json: is empty");
  EXPECT_EQ(refusal("hello"), "f.json: is not valid JSON: byte 1 does not fit");
  EXPECT_EQ(refusal("{}"), "f.json: is not a result of futex-bench");
  EXPECT_EQ(refusal("[1, 2]"), "f.json: is not a result of futex-bench");
  EXPECT_EQ(refusal("null"), "f.json: is not a result of futex-bench");
  EXPECT_EQ(refusal(R"({"tool": "perf", "schema_version": 1})"),
            "f.json: is not a result of futex-bench");
  EXPECT_EQ(refusal("{\"context\": {}, \"benchmarks\": []}"),
            "f.json: is not a result of futex-bench");
  EXPECT_EQ(refusal(std::string(100000, '[')).substr(0, 20), "f.json: is truncated");
  EXPECT_EQ(refusal("{\"tool\": \"\xff\"}").substr(0, 25), "f.json: is not valid JSON");
  EXPECT_EQ(refusal(json_report(full_run()) + "x").substr(0, 25), "f.json: is not valid JSON");
  const std::string lines =
      "f.json: is JSON Lines; only files written with --format json can be read";
  EXPECT_EQ(refusal(jsonl_report(full_run())), lines);
  EXPECT_EQ(refusal(jsonl_run(full_run())), lines);
}

TEST(JsonReader, RefusesAFutureSchema) {
  EXPECT_EQ(refusal(edited(R"("schema_version": 1)", R"("schema_version": 2)")),
            "f.json: schema 2 is newer than this program's 1");
  for (const char* version : {"0", "-1", "1.5", "\"1\"", "null"}) {
    EXPECT_EQ(
        refusal(edited(R"("schema_version": 1)", R"("schema_version": )" + std::string(version))),
        "f.json: schema_version is not a whole number from 1 on")
        << version;
  }
}

TEST(JsonReader, RefusesWrongTypesAndContradictions) {
  struct Case {
    const char* from;
    const char* to;
    const char* message;
  };
  const Case cases[] = {
      {R"("seed": 18446744073709551615)", R"("seed": -1)",
       "seed is not a whole number from 0 to 18446744073709551615"},
      {R"("repeat": 9)", R"("repeat": 4294967296)",
       "repeat is not a whole number from 0 to 4294967295"},
      {R"("repeat": 9)", R"("repeat": 9.5)", "repeat is not a whole number from 0 to 4294967295"},
      {R"("repeat": 9,)", "", "repeat is missing"},
      {R"("runtime_seconds": 0.2)", R"("runtime_seconds": "0.2")",
       "runtime_seconds is not a number"},
      {R"("runtime_seconds": 0.2)", R"("runtime_seconds": -0.2)", "runtime_seconds is negative"},
      {R"("runtime_seconds": 0.2)", R"("runtime_seconds": 1e999)",
       "is not valid JSON: it has a number out of range"},
      {R"("complete": false)", R"("complete": 0)", "complete is neither true nor false"},
      {R"("started": "2024-05-06T07:08:09+02:00")", R"("started": 5)", "started is not a text"},
      {R"("order": "latin")", R"("order": null)", "order is not a text"},
      {R"("points": [)", R"("points": 5, "other": [)", "points is not an array"},
      {R"("tags": {)", R"("tags": [], "other": {)", "tags is not an object"},
      {R"("value": "6.18")", R"("value": 6.18)", "environment.kernel.value is not a text"},
      {R"("direction": "higher_is_better")", R"("direction": "up\nwards")",
       "metrics[0].direction is \"up wards\", which this program does not know"},
      {R"("name": "user")", R"("name": "throughput")",
       "metrics[1] repeats the metric \"throughput\""},
      {R"("name": "jain")", R"("name": "fairness")",
       "points[0].trials[0].values.fairness is missing"},
      {R"("throughput": 20790.0,)", R"("throughput": "much",)",
       "points[0].trials[2].values.throughput is not a number"},
      {R"("throughput": 20790.0,)", R"("throughput": 20790.0, "speed": 1,)",
       "points[0].trials[2].values.speed is not among the metrics of this file"},
      {R"("status": "failed")", R"("status": "ok")",
       "points[0].trials[3].values.throughput is missing"},
      {R"("status": "not_drained")", R"("status": "failed")",
       "points[0].trials[1].values has values though the trial failed"},
      {R"("status": "not_drained")", R"("status": "drained")",
       "points[0].trials[1].status is \"drained\", which this program does not know"},
      {R"("skipped": "")", R"("skipped": "why")", "points[0] was skipped and yet has trials"},
      {R"("benchmark": "lock",)", R"("benchmark": "hash",)",
       "points[0].benchmark is not that of the file, hash"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(refusal(edited(each.from, each.to)), "f.json: " + std::string(each.message));
  }
}

TEST(JsonReader, RefusesAPointThatOccursTwice) {
  RunResult result = full_run();
  result.points.push_back(result.points[0]);
  EXPECT_EQ(refusal(json_report(result)), "f.json: points[2] repeats points[0]");
}

TEST(JsonReader, RefusesPointsWithoutMetrics) {
  RunResult result = lock_run({lock_point("wait", 4, {})});
  result.metrics.clear();
  EXPECT_EQ(refusal(json_report(result)), "f.json: points are there but no metrics");
}

}  // namespace
}  // namespace futex_bench
