// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/lock_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "common/system/perf_counters.h"
#include "common/system/sanitizer.h"
#include "common/system/shared_memory.h"
#include "common/system/tsc.h"
#include "futex-bench/bench/lock_trial_memory.h"

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
  const auto metrics = lock_trial_metrics(trial.probes);
  EXPECT_EQ(list.size(), metrics.size());
  for (std::size_t i = 0; i < list.size(); ++i) values[metrics[i].name] = list[i];
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

/// What verification says of a trial that is run in this process.
std::optional<std::string> verdict_here(const LockTrial& trial, double runtime) {
  const Mapping memory(lock_trial_bytes(trial), Mapping::Kind::kPrivate);
  TrialControl control;
  run_lock_trial(trial, {.runtime = runtime, .verify = true}, control, memory.address());
  EXPECT_EQ(control.phase.load(), TrialPhase::kMeasured);
  return lock_trial_violation(trial, memory.address());
}

TEST(LockTrial, AWarmUpDoesNotDoTheWholeCount) {
  const LockTrial trial{.lock = find_lock("wait"), .threads = 3, .iterations = 1'000'000'000'000};
  const Mapping memory(lock_trial_bytes(trial), Mapping::Kind::kPrivate);
  TrialControl control;
  run_lock_trial(trial, {.verify = true}, control, memory.address());
  EXPECT_EQ(lock_trial_progress(trial, memory.address()), 100'000U);
  EXPECT_EQ(lock_trial_violation(trial, memory.address()), std::nullopt);
}

TEST(LockTrial, VerifyPassesForALock) {
  EXPECT_EQ(verdict_here({.lock = find_lock("adaptive"), .threads = 4}, 0.05), std::nullopt);
}

TEST(LockTrial, VerifyNamesALockThatDoesNotExclude) {
  if (kThreadSanitizer) {
    GTEST_SKIP() << "the race this test makes on purpose is what ThreadSanitizer reports";
  }
  // The empty lock, said to be one.
  LockEntry liar = *find_lock("null");
  liar.name = "liar";
  liar.traits.excludes = true;
  std::optional<std::string> verdict;
  for (int attempt = 0; attempt < 20 && !verdict; ++attempt) {
    verdict = verdict_here({.lock = &liar, .threads = 4, .hold_units = 100'000}, 0.3);
  }
  ASSERT_TRUE(verdict.has_value());
  EXPECT_NE(verdict->find("mode liar, 4 threads"), std::string::npos) << *verdict;
}

TEST(LockTrial, CanBeReadFromOutsideWithoutWhatOnlyTheChildKnows) {
  const std::set<std::string> from_child = {
      "user",       "system",       "cores",         "voluntary_switches",
      "windows",    "window_jain",  "window_length", "involuntary_switches",
      "cycles",     "instructions", "cache_misses",  "context_switches",
      "migrations", "perf_running"};
  for (const char* probe : {"", "syscalls", "latency", "fairness", "perf"}) {
    SCOPED_TRACE(probe);
    LockTrial trial{.lock = find_lock("wait"), .threads = 2, .iterations = 100'000};
    if (*probe != '\0') trial.probes = probe_set({probe});
    trial.sample = 1;
    const Mapping memory(lock_trial_bytes(trial), Mapping::Kind::kPrivate);
    TrialControl control;
    run_lock_trial(trial, {}, control, memory.address());
    const auto metrics = lock_trial_metrics(trial.probes);
    const std::vector<double> all = lock_trial_values(trial, memory.address());
    // All that a controller does at the deadline has not been done.
    const Layout shared(static_cast<std::byte*>(memory.address()), trial);
    Totals& totals = *shared.totals;
    const Totals before = totals;
    totals = {};
    totals.gate_ns = before.gate_ns;
    totals.start_ticks = before.start_ticks;
    totals.start_ns = before.start_ns;
    totals.stamps.cost_ticks = before.stamps.cost_ticks;
    totals.perf.before = before.perf.before;
    std::ranges::fill(shared.calls, CallCounts{});
    read_lock_trial_late(trial, memory.address());
    const std::vector<double> values = lock_trial_values(trial, memory.address());
    ASSERT_EQ(values.size(), metrics.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string& name = metrics[i].name;
      EXPECT_EQ(std::isnan(values[i]), from_child.count(name) != 0) << name;
      // What happened is still seen.
      if (!std::isnan(values[i]) && all[i] > 0) {
        EXPECT_GT(values[i], 0) << name;
      }
    }
  }
}

TEST(LockTrial, ALongGapDoesNotHideTheAcquisitionBeforeIt) {
  TrialControl control;
  const auto values = run_here({.lock = find_lock("wait"), .threads = 1, .gap_units = 100'000'000},
                               {.runtime = 0.01}, control);
  EXPECT_GT(values.at("throughput"), 0);
}

TEST(LockTrial, SharedFutexesAndVerifyOptionWork) {
  TrialControl control;
  LockTrial trial{.lock = find_lock("wait"), .threads = 2, .iterations = 1000, .verify = true};
  trial.config.scope = FutexScope::kShared;
  const auto values = run_here(trial, {}, control);
  EXPECT_EQ(control.phase.load(), TrialPhase::kMeasured);
  EXPECT_EQ(values.at("starved"), 0);
}

LockTrial probed(const char* mode, unsigned threads, const ProbeSet& probes) {
  // Some work, so that threads meet also where one processor runs them all.
  return {.lock = find_lock(mode),
          .threads = threads,
          .hold_units = 200,
          .probes = probes,
          .sample = 1,
          .tsc = tsc_trust("/").trusted};
}

TEST(LockTrialSyscalls, ThreadsThatMeetWaitAndWake) {
  for (const char* mode : {"wait", "wait-xchg", "setwait", "setwait-lite"}) {
    TrialControl control;
    const auto values = run_here(probed(mode, 4, {.syscalls = true}), {.runtime = 0.15}, control);
    EXPECT_GT(values.at("futex_waits"), 0) << mode;
    EXPECT_GT(values.at("futex_wakes"), 0) << mode;
    // Each wait is of one kind or still going on: 4 at most, in 1000 iterations at least.
    const double ended =
        values.at("waits_eagain") + values.at("waits_eintr") + values.at("waits_woken");
    EXPECT_LE(ended, values.at("futex_waits") * (1 + 1e-12)) << mode;
    EXPECT_GE(ended, values.at("futex_waits") - 4) << mode;
    EXPECT_LE(values.at("waits_in_vain"), values.at("waits_woken")) << mode;
    EXPECT_LE(values.at("wakes_of_nobody"), values.at("futex_wakes")) << mode;
    EXPECT_EQ(values.at("waits_eintr"), 0) << mode;
  }
}

TEST(LockTrialSyscalls, OneThreadNeedsNone) {
  TrialControl control;
  auto trial = probed("wait", 1, {.syscalls = true});
  trial.iterations = 1000;
  const auto values = run_here(trial, {}, control);
  EXPECT_EQ(values.at("futex_waits"), 0);
  EXPECT_EQ(values.at("futex_wakes"), 0);
}

TEST(LockTrialSyscalls, LocksOfTheSystemAreNotLookedInto) {
  TrialControl control;
  const auto values =
      run_here(probed("pthread", 2, {.syscalls = true}), {.runtime = 0.01}, control);
  EXPECT_TRUE(std::isnan(values.at("futex_waits")));
  EXPECT_GT(values.at("throughput"), 0);
}

TEST(LockTrialSyscalls, TheCountingLockIsVerifiedToo) {
  TrialControl control;
  auto trial = probed("setwait", 4, {.syscalls = true});
  trial.verify = true;
  // On a full machine the threads may run one after the other, and never wait.
  double waits = 0;
  for (int attempt = 0; attempt < 50 && waits == 0; ++attempt) {
    const auto values = run_here(trial, {.runtime = 0.1}, control);
    EXPECT_EQ(control.phase.load(), TrialPhase::kMeasured);
    waits = values.at("futex_waits");
  }
  EXPECT_GT(waits, 0);
}

TEST(LockTrialLatency, TimesEveryAcquisitionIfAsked) {
  for (const bool tsc : {false, tsc_trust("/").trusted}) {
    TrialControl control;
    auto trial = probed("wait", 3, {.latency = true});
    trial.iterations = 30'000;
    trial.tsc = tsc;
    const auto values = run_here(trial, {}, control);
    EXPECT_EQ(values.at("latency_samples"), 30'000);
    EXPECT_GT(values.at("clock_cost"), 0);
    EXPECT_LT(values.at("clock_cost"), 100'000);
    EXPECT_GT(values.at("latency_p50"), 0);
    EXPECT_LE(values.at("latency_p50"), values.at("latency_p90"));
    EXPECT_LE(values.at("latency_p90"), values.at("latency_p99"));
    EXPECT_LE(values.at("latency_p99"), values.at("latency_p99_9"));
    EXPECT_LE(values.at("latency_p99_9"), values.at("latency_max") * 1.02);
    EXPECT_LE(values.at("latency_max"), values.at("wall") * 1e9 * 1.01);
  }
}

TEST(LockTrialLatency, SamplesAFew) {
  TrialControl control;
  auto trial = probed("adaptive", 2, {.latency = true});
  trial.iterations = 64'000;
  trial.sample = 64;
  const auto values = run_here(trial, {}, control);
  EXPECT_NEAR(values.at("latency_samples"), 1000, 150);
}

TEST(LockTrialFairness, OneThreadHasItAllAtOnce) {
  TrialControl control;
  const auto values = run_here(probed("wait", 1, {.fairness = true}), {.runtime = 0.08}, control);
  EXPECT_EQ(values.at("window_jain"), 1);
  EXPECT_GE(values.at("windows"), 1);
  EXPECT_LE(values.at("windows"), 7);
  EXPECT_GE(values.at("window_length"), 10);
  EXPECT_EQ(values.at("window_owners"), 1);
  EXPECT_EQ(values.at("reacquire_distance"), 1);
  EXPECT_GT(values.at("longest_wait"), 0);
}

TEST(LockTrialFairness, FiguresOfSeveralThreadsAreWithinTheirBounds) {
  TrialControl control;
  const auto values = run_here(probed("wait", 4, {.fairness = true}), {.runtime = 0.1}, control);
  EXPECT_GE(values.at("window_jain"), 0.25 - 1e-9);
  EXPECT_LE(values.at("window_jain"), 1);
  EXPECT_GE(values.at("window_owners"), 1);
  EXPECT_LE(values.at("window_owners"), 4);
  EXPECT_LE(values.at("longest_wait"), values.at("wall") * 1e6 * 1.1);
}

TEST(LockTrialFairness, CountedFormEndsByItself) {
  TrialControl control;
  auto trial = probed("wait", 3, {.fairness = true});
  trial.iterations = 100'000;
  const auto values = run_here(trial, {}, control);
  EXPECT_EQ(control.phase.load(), TrialPhase::kMeasured);
  EXPECT_NEAR(values.at("throughput") * values.at("wall") * 1e3, 100'000, 0.5);
}

TEST(LockTrialPerf, GoesWithTheOthersAndGivesAValueOrNone) {
  const PerfCounters counters;
  TrialControl control;
  const auto values =
      run_here(probed("wait", 2, {.syscalls = true, .perf = true}), {.runtime = 0.05}, control);
  for (std::size_t i = 0; i < kPerfEvents; ++i) {
    const double value = values.at(std::string(kPerfEventNames[i]));
    EXPECT_EQ(std::isnan(value), !counters.status()[i].available) << kPerfEventNames[i];
  }
  EXPECT_FALSE(std::isnan(values.at("futex_waits")));
}

}  // namespace
}  // namespace futex_bench
