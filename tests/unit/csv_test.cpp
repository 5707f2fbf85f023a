// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/report_samples.h"

namespace futex_bench {
namespace {

using samples::failed_trial;
using samples::latency_run;
using samples::lines;
using samples::lock_point;
using samples::lock_run;
using ::testing::ElementsAre;

/// Splits a document as RFC 4180 defines it.
std::vector<std::vector<std::string>> parse(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      rows.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();
  return rows;
}

TEST(Csv, HeaderAndOneRowPerTrial) {
  EXPECT_EQ(csv_report(lock_run({lock_point("wait", 4, {20790.125, 1})})),
            "benchmark,mode,threads,round,start_seconds,status,note,throughput_kiter_per_s,user_s,"
            "system_s,wall_s,cores,jain,min_share,max_share,starved,slow_share,voluntary_switches,"
            "involuntary_switches,overlap,disturbed\n"
            "lock,wait,4,0,0,ok,,20790.125,5.73,10.53,4.81,3.38,0.98,0.71,1.2,0,0.314,1200,34,"
            "0.99,0\n"
            "lock,wait,4,1,0.25,ok,,1,5.73,10.53,4.81,3.38,0.98,0.71,1.2,0,0.314,1200,34,0.99,0\n");
}

TEST(Csv, ParametersAreColumnsAndMissingValuesEmpty) {
  RunResult result = latency_run();
  result.points[1].key.parameters = {{"color", "red"}};
  EXPECT_THAT(
      lines(csv_report(result)),
      ElementsAre("benchmark,mode,threads,size,iterations,color,round,start_seconds,status,"
                  "note,latency_us,lost,disturbed",
                  "wake-latency,,,8,1000,,0,0,ok,,4.5,,0", "wake-latency,,,8,1000,,1,0,ok,,5.5,,0",
                  "wake-latency,,,,,red,0,0,ok,,4.5,,0", "wake-latency,,,,,red,1,0,ok,,5.5,,0"));
}

TEST(Csv, DisturbedTrialsAreMarkedInTheLastColumn) {
  RunResult result = lock_run({lock_point("wait", 4, {1, 2})});
  result.points[0].trials[1].disturbed = true;
  const auto rows = parse(csv_report(result));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].back(), "disturbed");
  EXPECT_EQ(rows[1].back(), "0");
  EXPECT_EQ(rows[2].back(), "1");
}

TEST(Csv, QuotesWhatWouldBreakARow) {
  const std::string note = "say \"no\", twice\nor once\r";
  PointSamples point = lock_point("wait", 4, {});
  point.trials = {failed_trial(0, note)};
  const std::string text = csv_report(lock_run({point}));
  EXPECT_NE(text.find(R"(,failed,"say ""no"", twice)"), std::string::npos);
  const auto rows = parse(text);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].size(), rows[0].size());
  EXPECT_EQ(rows[1][6], note);
  EXPECT_EQ(rows[1][7], "");
}

TEST(Csv, ASkippedPointIsARow) {
  PointSamples point = lock_point("wait", 4, {});
  point.skipped = "ENOSYS, really";
  const auto rows = parse(csv_report(lock_run({point})));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].size(), rows[0].size());
  EXPECT_THAT(std::vector<std::string>(rows[1].begin(), rows[1].begin() + 8),
              ElementsAre("lock", "wait", "4", "", "", "skipped", "ENOSYS, really", ""));
}

TEST(Csv, NumbersReadBackExactly) {
  const double value = 1.0 / 3;
  const auto rows = parse(csv_report(lock_run({lock_point("wait", 4, {value})})));
  EXPECT_EQ(std::stod(rows[1][7]), value);
}

TEST(Csv, ColumnsCarryTheUnit) {
  EXPECT_EQ(csv_column({"rate", "Kiter/s", Direction::kNeutral, ""}), "rate_kiter_per_s");
  EXPECT_EQ(csv_column({"load", "%", Direction::kNeutral, ""}), "load_percent");
  EXPECT_EQ(csv_column({"cores", "1", Direction::kNeutral, ""}), "cores");
  EXPECT_EQ(csv_column({"area", "m 2", Direction::kNeutral, ""}), "area_m_2");
}

}  // namespace
}  // namespace futex_bench
