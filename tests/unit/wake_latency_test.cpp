// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/wake_latency.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <mqueue.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <new>
#include <set>
#include <string>

#include "common/system/error.h"
#include "common/system/sanitizer.h"
#include "common/system/shared_memory.h"
#include "common/system/tsc.h"
#include "futex-bench/bench/wake_latency_memory.h"

namespace futex_bench {
namespace {

std::map<std::string, double> by_name(const std::vector<double>& values) {
  std::map<std::string, double> map;
  const auto metrics = wake_latency_metrics();
  EXPECT_EQ(values.size(), metrics.size());
  for (std::size_t i = 0; i < values.size(); ++i) map[metrics[i].name] = values[i];
  return map;
}

const Distribution* find(const std::vector<std::pair<std::string, Distribution>>& list,
                         const std::string& name) {
  for (const auto& [key, distribution] : list) {
    if (key == name) return &distribution;
  }
  return nullptr;
}

TEST(WakeMethods, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const WakeMethodEntry& method : wake_methods()) {
    EXPECT_TRUE(names.insert(method.name).second) << method.name;
    EXPECT_EQ(find_wake_method(method.name), &method);
  }
  EXPECT_EQ(names.size(), 13U);
  EXPECT_EQ(find_wake_method("smoke"), nullptr);
}

/// A few wakes by every method, between threads and between processes.
class EachMethod : public testing::TestWithParam<Between> {};

TEST_P(EachMethod, WakesABlockedWaiterAsOftenAsAsked) {
  if (kThreadSanitizer && GetParam() == Between::kProcesses) {
    GTEST_SKIP() << "it sees one process only";
  }
  for (const WakeMethodEntry& method : wake_methods()) {
    SCOPED_TRACE(std::string(method.name));
    if (!method.unavailable().empty()) continue;
    const WakeLatencyTrial trial{.method = &method,
                                 .gap = {.us = 50},
                                 .samples = 9,
                                 .warmup = 2,
                                 .team = {.between = GetParam()},
                                 .tsc = tsc_trust("/").trusted,
                                 .log = true};
    const Mapping memory(wake_latency_bytes(trial), Mapping::Kind::kShared);
    TrialControl control;
    // The first of two trials has the odd one of the samples.
    run_wake_latency(trial, {.round = 0, .rounds = 2}, control, memory.address());
    ASSERT_EQ(control.phase.load(), TrialPhase::kMeasured) << control.message;
    EXPECT_EQ(wake_latency_progress(memory.address()), 6U);
    auto values = by_name(wake_latency_values(trial, memory.address()));
    EXPECT_EQ(values["samples"] + values["not_blocked"] + values["backwards"], 5);
    EXPECT_EQ(values["backwards"], 0);
    EXPECT_GT(values["samples"], 0) << "none was blocked";
    EXPECT_GT(values["latency"], 0);
    EXPECT_GE(values["max"], values["latency"]);
    EXPECT_GE(values["gap_p50"], 50);
    EXPECT_GT(values["stamp_cost"], 0);
    const auto series = wake_latency_series(trial, memory.address());
    ASSERT_EQ(series.size(), 5U);
    EXPECT_EQ(series[0].second.size(), 5U);
  }
}

INSTANTIATE_TEST_SUITE_P(, EachMethod, testing::Values(Between::kProcesses, Between::kThreads),
                         [](const auto& instance) {
                           return std::string(instance.param == Between::kThreads ? "Threads"
                                                                                  : "Processes");
                         });

TEST(WakeLatencyTrial, OneProcessorIsEnough) {
  const int cpu = allowed_cpus().front();
  const WakeLatencyTrial trial{.method = find_wake_method("sem"),
                               .gap = {.us = 20},
                               .spin = true,
                               .samples = 10,
                               .warmup = 0,
                               .team = {.between = Between::kThreads, .cpus = {{cpu}, {cpu}}}};
  const Mapping memory(wake_latency_bytes(trial), Mapping::Kind::kShared);
  TrialControl control;
  run_wake_latency(trial, {}, control, memory.address());
  auto values = by_name(wake_latency_values(trial, memory.address()));
  EXPECT_EQ(values["same_cpu"], 1);
  EXPECT_EQ(values["samples"] + values["not_blocked"], 10);
  EXPECT_TRUE(wake_latency_series(trial, memory.address()).empty());
}

// The kernel lets the first waiter of a PI futex spin while its holder runs.
TEST(WakeLatencyTrial, APiWaiterIsBlockedThoughTheHolderNeverLeavesItsProcessor) {
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "nobody spins with one processor";
  const WakeLatencyTrial trial{
      .method = find_wake_method("futex-pi"),
      .gap = {.us = 1},
      .spin = true,
      .samples = 40,
      .warmup = 0,
      .team = {.between = Between::kThreads, .cpus = {{cpus[0]}, {cpus[1]}}}};
  if (!trial.method->unavailable().empty()) GTEST_SKIP() << trial.method->unavailable();
  const Mapping memory(wake_latency_bytes(trial), Mapping::Kind::kShared);
  TrialControl control;
  run_wake_latency(trial, {}, control, memory.address());
  auto values = by_name(wake_latency_values(trial, memory.address()));
  EXPECT_GT(values["samples"], values["not_blocked"]);
}

TEST(WakeLatencyTrial, AQueueThatAKilledProcessHasLeftIsNotInTheWay) {
  const WakeMethodEntry& method = *find_wake_method("mqueue");
  if (!method.unavailable().empty()) GTEST_SKIP() << method.unavailable();
  const std::string name = "/futex-bench-" + std::to_string(getpid());
  const mqd_t left = mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600, nullptr);
  ASSERT_NE(left, static_cast<mqd_t>(-1));
  mq_close(left);
  EXPECT_EQ(method.unavailable(), "");
  EXPECT_EQ(mq_unlink(name.c_str()), -1) << "still there";
}

TEST(WakeLatencyTrial, ARehearsalIsShort) {
  const WakeLatencyTrial trial{.method = find_wake_method("pipe"),
                               .gap = {.us = 1000},
                               .samples = 1'000,
                               .warmup = 1'000,
                               .team = {.between = Between::kThreads}};
  const Mapping memory(wake_latency_bytes(trial), Mapping::Kind::kShared);
  TrialControl control;
  run_wake_latency(trial, {.verify = true}, control, memory.address());
  EXPECT_EQ(wake_latency_progress(memory.address()), 3U);
}

TEST(WakeShare, SplitsExactly) {
  for (const std::uint64_t total : {0U, 1U, 5U, 1000U}) {
    std::uint64_t sum = 0;
    for (unsigned round = 0; round < 6; ++round) sum += wake_share(total, round, 6);
    EXPECT_EQ(sum, total);
  }
  EXPECT_EQ(wake_share(1000, 0, 6), 167U);
  EXPECT_EQ(wake_share(1000, 5, 6), 166U);
}

WakeSample sample(std::uint64_t latency, std::int32_t to = 1, std::uint32_t switches = 1) {
  return {.notified = 1000,
          .woken = 1000 + latency,
          .gap = 10'000,
          .notifier_cpu = 0,
          .waiter_cpu = to,
          .switches = switches,
          .seen_asleep = 1};
}

TEST(WakeValues, AreThoseOfTheBlockedSamples) {
  std::vector<WakeSample> samples;
  for (std::uint64_t i = 1; i <= 100; ++i) samples.push_back(sample(i * 1000));
  // Neither their gaps nor where they were count: both would change figures below.
  samples.insert(samples.begin(), 101, sample(1, 0, 0));  // did not sleep
  for (std::size_t i = 0; i < 101; ++i) samples[i].gap = 1;
  samples.push_back(sample(2));
  samples.back().seen_asleep = 0;  // its helper did not
  samples.push_back(sample(0));
  samples.back().woken = 999;  // woken before it was notified
  const WakeSamples all{.method = find_wake_method("futex"),
                        .samples = samples,
                        .ns_per_tick = 0.5,
                        .stamp_cost_ns = 20,
                        .clock_offset_ns = 60};
  auto values = by_name(wake_values(all));
  EXPECT_DOUBLE_EQ(values["latency"], 25);  // tick 0.5 ns, nearest rank 50
  EXPECT_DOUBLE_EQ(values["mean"], 25.25);
  EXPECT_NEAR(values["stddev"], 14.5057, 1e-4);
  EXPECT_DOUBLE_EQ(values["min"], 0.5);
  EXPECT_DOUBLE_EQ(values["p90"], 45);
  EXPECT_DOUBLE_EQ(values["p95"], 47.5);
  EXPECT_DOUBLE_EQ(values["p99"], 49.5);
  EXPECT_DOUBLE_EQ(values["p99_9"], 50);
  EXPECT_DOUBLE_EQ(values["max"], 50);
  EXPECT_EQ(values["samples"], 100);
  EXPECT_EQ(values["not_blocked"], 102);
  EXPECT_EQ(values["backwards"], 1);
  EXPECT_DOUBLE_EQ(values["gap_p50"], 5);
  EXPECT_EQ(values["same_cpu"], 0);
  EXPECT_DOUBLE_EQ(values["stamp_cost"], 0.02);
  EXPECT_DOUBLE_EQ(values["clock_offset"], 0.06);
}

TEST(WakeValues, ALatencyBelowATickIsNotBackwards) {
  const std::vector<WakeSample> samples = {sample(0)};
  const WakeSamples all{.method = find_wake_method("futex"),
                        .samples = samples,
                        .ns_per_tick = 1,
                        .stamp_cost_ns = 20,
                        .clock_offset_ns = 60};
  auto values = by_name(wake_values(all));
  EXPECT_EQ(values["samples"], 1);
  EXPECT_EQ(values["backwards"], 0);
  EXPECT_EQ(values["max"], 0);
}

TEST(WakeValues, LeaveTheWarmUpOut) {
  const WakeLatencyTrial trial{.method = find_wake_method("futex"), .samples = 2, .warmup = 1};
  const Mapping memory(wake_latency_bytes(trial), Mapping::Kind::kPrivate);
  auto& shared = *new (memory.address()) WakeMemory;
  shared.warmup = 1;
  shared.samples = 2;
  shared.all()[0] = sample(1'000'000);
  shared.all()[1] = sample(3000);
  shared.all()[2] = sample(5000);
  auto values = by_name(wake_latency_values(trial, memory.address()));
  EXPECT_DOUBLE_EQ(values["mean"], 4);
  EXPECT_DOUBLE_EQ(values["max"], 5);
}

TEST(WakeValues, OfATrialThatWasCutShortAreOfWhatBothSidesHadDone) {
  const WakeLatencyTrial trial{.method = find_wake_method("futex"), .samples = 5, .warmup = 1};
  const Mapping memory(wake_latency_bytes(trial), Mapping::Kind::kPrivate);
  auto& shared = *new (memory.address()) WakeMemory;
  shared.warmup = 1;
  shared.samples = 5;
  shared.all()[0] = sample(1'000'000);
  shared.all()[1] = sample(3000);
  shared.all()[2] = sample(5000);
  // The waiter is through with this one, the notifier has not written its stamp yet.
  shared.all()[3] = sample(7000);
  shared.all()[3].notified = 0;
  for (const std::uint64_t armed : {0U, 1U, 2U, 3U}) {
    shared.armed = armed;
    EXPECT_EQ(wake_latency_how_far(trial, memory.address()), "") << armed;
  }
  shared.armed = 5;
  EXPECT_EQ(wake_latency_how_far(trial, memory.address()),
            "after 2 of 5 samples, min 3.00 median 3.00 max 5.00 us");
  // What the table leaves out is left out here, too.
  shared.all()[1].switches = 0;
  EXPECT_EQ(wake_latency_how_far(trial, memory.address()),
            "after 2 of 5 samples, min 5.00 median 5.00 max 5.00 us");
  shared.all()[2].woken = shared.all()[2].notified - 1;
  EXPECT_EQ(wake_latency_how_far(trial, memory.address()), "after 2 of 5 samples");
  shared.all()[1] = sample(3000);
  shared.all()[2] = sample(5000);
  ASSERT_TRUE(cut_short_wake_latency(trial, memory.address()));
  EXPECT_NE(shared.end_ns, 0);  // with which the length of a tick is found
  auto values = by_name(wake_latency_values(trial, memory.address()));
  EXPECT_EQ(values["samples"], 2);
  EXPECT_DOUBLE_EQ(values["mean"], 4);
  EXPECT_DOUBLE_EQ(values["max"], 5);
}

TEST(WakeValues, OfATrialThatWasCutShortBeforeItsFirstSampleThereAreNone) {
  const WakeLatencyTrial trial{.method = find_wake_method("futex"), .samples = 5, .warmup = 1};
  const Mapping memory(wake_latency_bytes(trial), Mapping::Kind::kPrivate);
  auto& shared = *new (memory.address()) WakeMemory;
  EXPECT_FALSE(cut_short_wake_latency(trial, memory.address()));
  shared.end_ns = 0;
  shared.warmup = 1;
  shared.samples = 5;
  shared.armed = 3;
  EXPECT_FALSE(cut_short_wake_latency(trial, memory.address()));
}

TEST(WakeValues, OfATrialThatHadEndedWhenTheSignalCameAreAll) {
  const WakeLatencyTrial trial{.method = find_wake_method("futex"), .samples = 2, .warmup = 0};
  const Mapping memory(wake_latency_bytes(trial), Mapping::Kind::kPrivate);
  auto& shared = *new (memory.address()) WakeMemory;
  shared.samples = 2;
  shared.all()[0] = sample(3000);
  shared.all()[1] = sample(5000);
  shared.armed = 2;
  shared.end_ns = 1;
  ASSERT_TRUE(cut_short_wake_latency(trial, memory.address()));
  EXPECT_EQ(by_name(wake_latency_values(trial, memory.address()))["samples"], 2);
}

TEST(WakeValues, WithoutASampleThereIsNone) {
  const WakeSamples all{.method = find_wake_method("futex"),
                        .samples = {},
                        .ns_per_tick = 1,
                        .stamp_cost_ns = 20,
                        .clock_offset_ns = 60};
  auto values = by_name(wake_values(all));
  for (const char* name : {"latency", "mean", "stddev", "min", "max", "gap_p50", "same_cpu"}) {
    EXPECT_TRUE(std::isnan(values[name])) << name;
  }
  EXPECT_EQ(values["samples"], 0);
  EXPECT_EQ(find(wake_distributions(all), kWakeLatencyUs)->count, 0U);
}

TEST(WakeValues, WhatNeverSleepsIsNotHeldAgainstIt) {
  const std::vector<WakeSample> samples(3, sample(100, 1, 0));
  const WakeSamples all{.method = find_wake_method("busy-wait"),
                        .samples = samples,
                        .ns_per_tick = 1,
                        .stamp_cost_ns = 20,
                        .clock_offset_ns = 60};
  auto values = by_name(wake_values(all));
  EXPECT_EQ(values["samples"], 3);
  EXPECT_EQ(values["not_blocked"], 0);
}

TEST(WakeDistributions, KeepOneProcessorAndTwoApart) {
  const std::vector<WakeSample> samples = {sample(2000, 0), sample(2000, 0), sample(40'000, 1),
                                           sample(100, 1, 0)};
  const WakeSamples all{.method = find_wake_method("futex"),
                        .samples = samples,
                        .ns_per_tick = 2,
                        .stamp_cost_ns = 20,
                        .clock_offset_ns = 60};
  const auto list = wake_distributions(all);
  EXPECT_EQ(find(list, kWakeLatencyUs)->count, 3U);
  EXPECT_EQ(find(list, kWakeSameCpuUs)->count, 2U);
  EXPECT_DOUBLE_EQ(find(list, kWakeSameCpuUs)->max, 4);
  EXPECT_EQ(find(list, kWakeTwoCpusUs)->count, 1U);
  EXPECT_DOUBLE_EQ(find(list, kWakeTwoCpusUs)->min, 80);
  EXPECT_EQ(find(list, kWakeNotBlockedUs)->count, 1U);
  EXPECT_EQ(find(list, kWakeGapUs)->count, 3U);
  EXPECT_NEAR(by_name(wake_values(all))["same_cpu"], 2.0 / 3, 1e-9);
}

}  // namespace
}  // namespace futex_bench
