// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/tools/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "common/system/error.h"
#include "futex-bench/report/json.h"
#include "futex-bench/tools/exit_status.h"
#include "tests/unit/report_samples.h"

namespace futex_bench {
namespace {

using samples::lock_point;
using samples::lock_run;
using samples::nine;
using testing::HasSubstr;

class CompareTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "compare-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    global_.quiet = true;
    global_.output = (folder_ / "out.json").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }
  std::string put_run(const std::string& name, double factor) {
    std::vector<double> values = nine();
    for (double& value : values) value *= factor;
    return put(name, json_report(lock_run({lock_point("wait", 1, values)})));
  }
  std::string refusal(const CompareOptions& options) {
    try {
      compare(options, global_);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
  GlobalOptions global_;
};

TEST_F(CompareTest, ExitStatusSaysWhetherTheLimitWasCrossed) {
  const std::string base = put_run("base.json", 1);
  const std::string slow = put_run("slow.json", 0.9);
  EXPECT_EQ(compare({{base, slow}, std::nullopt, ""}, global_), kExitOk);
  EXPECT_EQ(compare({{base, slow}, 5, ""}, global_), kExitRegression);
  EXPECT_EQ(compare({{base, slow}, 15, ""}, global_), kExitOk);
  EXPECT_EQ(compare({{base, base, slow}, 5, ""}, global_), kExitRegression);
  EXPECT_EQ(compare({{slow, base}, 0, ""}, global_), kExitOk) << "faster is no regression";
}

TEST_F(CompareTest, APointThatHasLostItsValuesIsNotPassedOver) {
  PointSamples broken = lock_point("wait", 1, {});
  broken.trials = {samples::failed_trial(0, "killed")};
  const std::string base = put_run("base.json", 1);
  const std::string bad = put("bad.json", json_report(lock_run({broken})));
  EXPECT_EQ(compare({{base, bad}, 5, ""}, global_), kExitIncomplete);
  EXPECT_EQ(compare({{bad, bad}, 5, ""}, global_), kExitIncomplete) << "nothing was compared";
}

TEST_F(CompareTest, FilesThatAreNoResultsAreNamed) {
  const std::string base = put_run("base.json", 1);
  const std::string missing = (folder_ / "none.json").string();
  EXPECT_EQ(refusal({{base, missing}, {}, ""}), missing + ": No such file or directory");
  EXPECT_EQ(refusal({{folder_.string(), base}, {}, ""}), folder_.string() + ": Is a directory");
  EXPECT_THAT(refusal({{base, put("empty", "")}, {}, ""}), HasSubstr("empty: is empty"));
  EXPECT_THAT(refusal({{base, put("foreign", "{}")}, {}, ""}), HasSubstr("not a result"));
  EXPECT_THAT(refusal({{base, "/dev/zero"}, {}, ""}), HasSubstr("larger than"));
}

TEST_F(CompareTest, ItsOwnOutputIsNotTakenForAResult) {
  const std::string base = put_run("base.json", 1);
  ASSERT_EQ(compare({{base, base}, {}, ""}, global_), kExitOk);
  EXPECT_THAT(refusal({{base, global_.output}, {}, ""}), HasSubstr("not a result"));
}

TEST_F(CompareTest, OptionsOfMeasuringAndOtherFormatsAreRefused) {
  const std::string base = put_run("base.json", 1);
  const CompareOptions options{{base, base}, {}, ""};
  global_.repeat = 3;
  EXPECT_EQ(refusal(options), "--repeat: has no meaning for compare");
  global_.repeat.reset();
  global_.dry_run = true;
  EXPECT_EQ(refusal(options), "--dry-run: has no meaning for compare");
  global_.dry_run = false;
  global_.format = "csv";
  EXPECT_EQ(refusal(options), "--format: compare has no format 'csv', only text, markdown, json");
  global_.format = "";
  global_.output = (folder_ / "out.csv").string();
  EXPECT_THAT(refusal(options), HasSubstr("--output: compare has no format 'csv'"));
  EXPECT_FALSE(std::filesystem::exists(global_.output));
}

}  // namespace
}  // namespace futex_bench
