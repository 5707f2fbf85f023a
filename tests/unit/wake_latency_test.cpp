// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/wake_latency.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <new>
#include <set>
#include <string>

#include "common/futex/parked.h"
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
class EachMethod : public testing::TestWithParam<WakeBetween> {};

TEST_P(EachMethod, WakesABlockedWaiterAsOftenAsAsked) {
  if (kThreadSanitizer && GetParam() == WakeBetween::kProcesses) {
    GTEST_SKIP() << "it sees one process only";
  }
  for (const WakeMethodEntry& method : wake_methods()) {
    SCOPED_TRACE(std::string(method.name));
    if (!method.unavailable().empty()) continue;
    const WakeLatencyTrial trial{.method = &method,
                                 .between = GetParam(),
                                 .gap = {.us = 50},
                                 .samples = 9,
                                 .warmup = 2,
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

INSTANTIATE_TEST_SUITE_P(, EachMethod,
                         testing::Values(WakeBetween::kProcesses, WakeBetween::kThreads),
                         [](const auto& instance) {
                           return std::string(
                               instance.param == WakeBetween::kThreads ? "Threads" : "Processes");
                         });

TEST(WakeLatencyTrial, OneProcessorIsEnough) {
  const int cpu = allowed_cpus().front();
  const WakeLatencyTrial trial{.method = find_wake_method("sem"),
                               .between = WakeBetween::kThreads,
                               .gap = {.us = 20, .spin = true},
                               .samples = 10,
                               .warmup = 0,
                               .cpus = {{cpu}, {cpu}}};
  const Mapping memory(wake_latency_bytes(trial), Mapping::Kind::kShared);
  TrialControl control;
  run_wake_latency(trial, {}, control, memory.address());
  auto values = by_name(wake_latency_values(trial, memory.address()));
  EXPECT_EQ(values["same_cpu"], 1);
  EXPECT_EQ(values["samples"] + values["not_blocked"], 10);
  EXPECT_TRUE(wake_latency_series(trial, memory.address()).empty());
}

TEST(WakeLatencyTrial, ARehearsalIsShort) {
  const WakeLatencyTrial trial{.method = find_wake_method("pipe"),
                               .between = WakeBetween::kThreads,
                               .gap = {.us = 1000},
                               .samples = 1'000,
                               .warmup = 1'000};
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
  samples.push_back(sample(1, 1, 0));  // did not sleep
  samples.push_back(sample(2));
  samples.back().seen_asleep = 0;  // its helper did not
  samples.push_back(sample(0));
  samples.back().woken = 999;  // woken before it was notified
  const WakeSamples all{.method = find_wake_method("futex"),
                        .samples = samples,
                        .ns_per_tick = 0.5,
                        .stamp_cost_ns = 20};
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
  EXPECT_EQ(values["not_blocked"], 2);
  EXPECT_EQ(values["backwards"], 1);
  EXPECT_DOUBLE_EQ(values["gap_p50"], 5);
  EXPECT_EQ(values["same_cpu"], 0);
  EXPECT_DOUBLE_EQ(values["stamp_cost"], 0.02);
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

TEST(WakeValues, WithoutASampleThereIsNone) {
  const WakeSamples all{
      .method = find_wake_method("futex"), .samples = {}, .ns_per_tick = 1, .stamp_cost_ns = 20};
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
                        .stamp_cost_ns = 20};
  auto values = by_name(wake_values(all));
  EXPECT_EQ(values["samples"], 3);
  EXPECT_EQ(values["not_blocked"], 0);
}

TEST(WakeDistributions, KeepOneProcessorAndTwoApart) {
  const std::vector<WakeSample> samples = {sample(2000, 0), sample(2000, 0), sample(40'000, 1),
                                           sample(100, 1, 0)};
  const WakeSamples all{.method = find_wake_method("futex"),
                        .samples = samples,
                        .ns_per_tick = 1,
                        .stamp_cost_ns = 20};
  const auto list = wake_distributions(all);
  EXPECT_EQ(find(list, kWakeLatencyUs)->count, 3U);
  EXPECT_EQ(find(list, kWakeSameCpuUs)->count, 2U);
  EXPECT_DOUBLE_EQ(find(list, kWakeSameCpuUs)->max, 2);
  EXPECT_EQ(find(list, kWakeTwoCpusUs)->count, 1U);
  EXPECT_DOUBLE_EQ(find(list, kWakeTwoCpusUs)->min, 40);
  EXPECT_EQ(find(list, kWakeNotBlockedUs)->count, 1U);
  EXPECT_EQ(find(list, kWakeGapUs)->count, 4U);
  EXPECT_DOUBLE_EQ(by_name(wake_values(all))["same_cpu"], 0.5);
}

TEST(ParseWakeGaps, TakesListsAndRandom) {
  const auto list = parse_wake_gaps("1,10,10k");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[2].us, 10'000U);
  EXPECT_FALSE(list[2].random);
  const auto random = parse_wake_gaps("random:50");
  ASSERT_EQ(random.size(), 1U);
  EXPECT_TRUE(random[0].random);
  EXPECT_EQ(random[0].us, 50U);
  for (const char* bad : {"", "random", "random:", "random:0", "-1", "1,1", "1.5", "20M", "x"}) {
    EXPECT_THROW(parse_wake_gaps(bad), UsageError) << bad;
  }
}

Cpu cpu(int id, int core, int llc, int node) {
  return {.id = id, .core = core, .llc = llc, .node = node};
}

TEST(FindPair, TakesTheFirstOfTheKind) {
  // Two nodes; the first has two caches of two cores with two threads each.
  const Topology topology({cpu(0, 0, 0, 0), cpu(1, 1, 0, 0), cpu(2, 2, 2, 0), cpu(3, 3, 2, 0),
                           cpu(4, 0, 0, 0), cpu(5, 1, 0, 0), cpu(8, 8, 8, 1)});
  EXPECT_EQ(find_pair("same-cpu", topology), CpuPair(0, 0));
  EXPECT_EQ(find_pair("smt", topology), CpuPair(0, 4));
  EXPECT_EQ(find_pair("same-llc", topology), CpuPair(0, 1));
  EXPECT_EQ(find_pair("same-node", topology), CpuPair(0, 2));
  EXPECT_EQ(find_pair("cross-node", topology), CpuPair(0, 8));
}

TEST(FindPair, OneProcessorHasOnlyItself) {
  const Topology topology({cpu(3, 3, 3, 0)});
  EXPECT_EQ(find_pair("same-cpu", topology), CpuPair(3, 3));
  EXPECT_EQ(all_pairs(topology), std::vector<CpuPair>({{3, 3}}));
  for (const char* kind : {"smt", "same-llc", "same-node", "cross-node"}) {
    EXPECT_THROW(find_pair(kind, topology), UsageError) << kind;
  }
}

TEST(AllPairs, AreOrderedAndIncludeTheDiagonal) {
  const Topology topology({cpu(0, 0, 0, 0), cpu(2, 2, 0, 0)});
  EXPECT_EQ(all_pairs(topology), std::vector<CpuPair>({{0, 0}, {0, 2}, {2, 0}, {2, 2}}));
}

TEST(SchedulingPolicy, IsParsedStrictly) {
  EXPECT_FALSE(parse_scheduling_policy("other").is_real_time());
  EXPECT_TRUE(parse_scheduling_policy("fifo:80").is_real_time());
  EXPECT_EQ(parse_scheduling_policy("fifo:80").priority, 80);
  for (const char* const text : {"other", "batch", "idle", "fifo:80", "rr:1"}) {
    EXPECT_EQ(parse_scheduling_policy(text).to_string(), text);
  }
  EXPECT_EQ(SchedulingPolicy().to_string(), "");
  for (const char* bad :
       {"", "fifo", "fifo:", "fifo:0", "fifo:100", "rr", "fifo:-1", "batch:1", "other:"}) {
    EXPECT_THROW(parse_scheduling_policy(bad), UsageError) << bad;
  }
}

TEST(TaskState, ReadsTheLetterBehindAnyName) {
  EXPECT_EQ(TaskState::state_of("12 (a b) S 1 2"), 'S');
  EXPECT_EQ(TaskState::state_of("12 (a) R (b) R 1 2"), 'R');
  EXPECT_EQ(TaskState::state_of("12 (a) "), '\0');
  EXPECT_EQ(TaskState::state_of(""), '\0');
}

TEST(TaskState, KnowsWhoSleeps) {
  EXPECT_FALSE(TaskState(getpid(), gettid()).asleep()) << "whoever asks is awake";
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  const TaskState state(child, child);
  for (int i = 0; i < 5000 && !state.asleep(); ++i) usleep(1000);
  EXPECT_TRUE(state.asleep());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(state.asleep()) << "it has ended";
  EXPECT_THROW(TaskState(child, child), std::system_error);
}

}  // namespace
}  // namespace futex_bench
