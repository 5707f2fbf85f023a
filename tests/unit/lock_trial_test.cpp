// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/lock_trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "common/system/shared_memory.h"

namespace futex_bench {
namespace {

TEST(IterationShare, SplitsExactly) {
  for (const std::uint64_t total :
       std::initializer_list<std::uint64_t>{0, 1, 7, 100'000'000, UINT64_MAX}) {
    for (const unsigned threads : {1U, 3U, 8U, 1024U}) {
      std::uint64_t sum = 0;
      for (unsigned i = 0; i < threads; ++i) {
        const std::uint64_t share = iteration_share(total, threads, i);
        EXPECT_LE(share - total / threads, 1U);
        sum += share;
      }
      EXPECT_EQ(sum, total);
    }
  }
}

/// Runs a trial in this process and returns its values by name.
std::map<std::string, double> run_here(const LockTrial& trial, const TrialRequest& request,
                                       TrialControl& control) {
  const Mapping memory(lock_trial_bytes(trial), Mapping::Kind::kPrivate);
  run_lock_trial(trial, request, control, memory.address());
  std::map<std::string, double> values;
  const std::vector<double> list = lock_trial_values(trial, memory.address());
  EXPECT_EQ(list.size(), lock_trial_metrics().size());
  for (std::size_t i = 0; i < list.size(); ++i) values[lock_trial_metrics()[i].name] = list[i];
  EXPECT_EQ(lock_trial_progress(trial, memory.address()) > 0, values["throughput"] > 0);
  return values;
}

TEST(LockTrial, TimedFormMeasuresTheInterval) {
  TrialControl control;
  const auto values =
      run_here({.lock = find_lock("wait"), .threads = 3}, {.runtime = 0.05}, control);
  EXPECT_EQ(control.phase.load(), TrialPhase::kMeasured);
  EXPECT_GE(values.at("wall"), 0.05);
  EXPECT_GT(values.at("throughput"), 0);
  EXPECT_LE(values.at("min_share"), 1);
  EXPECT_GE(values.at("max_share"), 1);
  EXPECT_LE(values.at("overlap"), 1);
  EXPECT_NEAR(values.at("cores"), (values.at("user") + values.at("system")) / values.at("wall"),
              1e-9);
  EXPECT_GE(values.at("slow_share"), 0);
  EXPECT_LE(values.at("slow_share"), 1);
}

TEST(LockTrial, CountedFormDoesExactlyTheIterations) {
  TrialControl control;
  const auto values =
      run_here({.lock = find_lock("wait-xchg"), .threads = 3, .iterations = 100'001}, {}, control);
  EXPECT_NEAR(values.at("throughput") * values.at("wall") * 1e3, 100'001, 0.5);
  EXPECT_EQ(values.at("starved"), 0);
}

TEST(LockTrial, MoreThreadsThanIterationsLeaveSomeWithNothing) {
  TrialControl control;
  const auto values =
      run_here({.lock = find_lock("wait"), .threads = 8, .iterations = 5}, {}, control);
  EXPECT_EQ(values.at("starved"), 3);
  EXPECT_EQ(values.at("min_share"), 0);
}

TEST(LockTrial, WhatALockDoesNotCountIsNotAvailable) {
  TrialControl control;
  const auto values =
      run_here({.lock = find_lock("pthread"), .threads = 1}, {.runtime = 0.01}, control);
  EXPECT_TRUE(std::isnan(values.at("slow_share")));
}

TEST(LockTrial, AnUncontendedLockIsNeverSlow) {
  TrialControl control;
  const auto values =
      run_here({.lock = find_lock("wait"), .threads = 1}, {.runtime = 0.01}, control);
  EXPECT_EQ(values.at("slow_share"), 0);
  EXPECT_EQ(values.at("jain"), 1);
}

TEST(LockTrial, VerifyPassesForALock) {
  TrialControl control;
  run_here({.lock = find_lock("adaptive"), .threads = 4}, {.runtime = 0.05, .verify = true},
           control);
  EXPECT_EQ(control.phase.load(), TrialPhase::kMeasured);
}

TEST(LockTrial, VerifyNamesALockThatDoesNotExclude) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the race this test makes on purpose is what ThreadSanitizer reports";
#endif
  // The empty lock, said to be one.
  LockEntry liar = *find_lock("null");
  liar.name = "liar";
  liar.traits.excludes = true;
  TrialControl control;
  run_here({.lock = &liar, .threads = 4, .hold_units = 100'000}, {.runtime = 0.3, .verify = true},
           control);
  EXPECT_EQ(control.phase.load(), TrialPhase::kViolated);
  EXPECT_NE(std::string(control.message).find("mode liar, 4 threads"), std::string::npos)
      << control.message;
}

TEST(LockTrial, SharedFutexesAndVerifyOptionWork) {
  TrialControl control;
  LockTrial trial{.lock = find_lock("wait"), .threads = 2, .iterations = 1000, .verify = true};
  trial.config.scope = FutexScope::kShared;
  const auto values = run_here(trial, {}, control);
  EXPECT_EQ(control.phase.load(), TrialPhase::kMeasured);
  EXPECT_EQ(values.at("starved"), 0);
}

}  // namespace
}  // namespace futex_bench
