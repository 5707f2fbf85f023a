// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "common/system/error.h"
#include "futex-bench/bench/lock_trial.h"
#include "futex-bench/bench/probe_perf.h"
#include "futex-bench/bench/probe_syscalls.h"

namespace futex_bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ProbeSet, NamesAreInAFixedOrder) {
  EXPECT_EQ(to_string(probe_set({"syscalls", "perf"})), "perf+syscalls");
  EXPECT_EQ(to_string(probe_set({"perf", "syscalls"})), "perf+syscalls");
  EXPECT_EQ(to_string(probe_set({})), "");
  EXPECT_FALSE(probe_set({}).any());
  for (const std::string& name : probe_names()) EXPECT_EQ(to_string(probe_set({name})), name);
}

TEST(ProbeSet, RefusesTwoThatChangeTheLoop) {
  for (const auto& [one, other] :
       {std::pair{"fairness", "latency"}, std::pair{"latency", "syscalls"},
        std::pair{"fairness", "syscalls"}}) {
    try {
      probe_set({other, "perf", one});
      ADD_FAILURE() << one << " " << other;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string(one) + " and " + other));
    }
  }
}

TEST(ProbeMetrics, AreAddedToThoseOfEveryTrial) {
  const std::size_t base = lock_trial_metrics().size();
  const auto plain = lock_trial_metrics();
  for (const std::string& name : probe_names()) {
    const ProbeSet probes = probe_set({name});
    const std::vector<Metric> own = probe_metrics(probes);
    const auto all = lock_trial_metrics(probes);
    ASSERT_GT(own.size(), 0U);
    ASSERT_EQ(all.size(), base + own.size());
    EXPECT_EQ(all.front().name, "throughput");
    EXPECT_EQ(all.back().name, own.back().name);
    std::set<std::string> names;
    for (const Metric& metric : all) EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
  }
  EXPECT_EQ(plain.data(), lock_trial_metrics().data());
  EXPECT_EQ(plain.size(), base);
}

TEST(SyscallValues, ArePerThousandIterations) {
  CallCounts first{};
  CallCounts second{};
  first[0] = 30;
  second[0] = 20;
  second[kPlatformCalls - 1] = 5;
  const std::vector<CallCounts> threads = {first, second};
  const auto values = syscall_values(threads, 10'000, true);
  ASSERT_EQ(values.size(), syscall_metrics().size());
  EXPECT_EQ(values.front(), 5);
  EXPECT_EQ(values.back(), 0.5);
  EXPECT_TRUE(std::isnan(syscall_values(threads, 10'000, false).front()));
  EXPECT_TRUE(std::isnan(syscall_values(threads, 0, true).front()));
}

TEST(SyscallValues, OnlyLocksOnAPlatformCanBeLookedInto) {
  for (const LockEntry& lock : lock_table()) {
    const LockEntry* const counting = find_counting_lock(lock.name);
    if (counting == nullptr) continue;
    EXPECT_EQ(counting->size, lock.size) << lock.name;
    EXPECT_EQ(counting->alignment, lock.alignment) << lock.name;
    EXPECT_NE(counting->run, lock.run) << lock.name;
  }
  EXPECT_NE(find_counting_lock("setwait"), nullptr);
  EXPECT_NE(find_counting_lock("pi"), nullptr);
  EXPECT_EQ(find_counting_lock("pthread"), nullptr);
}

TEST(PerfValues, ArePerIterationAndNothingWhereThereIsNoCounter) {
  PerfInterval interval{.available = {true, false, true, true, false}, .before = {}, .after = {}};
  interval.after[0] = {.count = 5000, .enabled = 10, .running = 5};
  interval.after[2] = {.count = 100, .enabled = 10, .running = 10};
  interval.after[3] = {.count = 100, .enabled = 10, .running = 1};
  const auto values = perf_values(interval, 1000);
  ASSERT_EQ(values.size(), perf_metrics().size());
  EXPECT_EQ(values[0], 10);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_EQ(values[2], 0.1);
  EXPECT_EQ(values[3], 1000);  // per 1000 iterations
  EXPECT_TRUE(std::isnan(values[4]));
  EXPECT_EQ(values[5], 0.5);  // of the processor's counters only
  for (const double value : perf_values(interval, 0)) EXPECT_TRUE(std::isnan(value));
}

TEST(PerfNotes, NameTheCounterTheReasonAndTheOtherSource) {
  const PerfCounters counters([](perf_event_attr& attributes) {
    errno = attributes.type == PERF_TYPE_HARDWARE ? ENOENT : EACCES;
    return -1;
  });
  const auto notes = perf_notes(counters);
  ASSERT_EQ(notes.size(), kPerfEvents);
  EXPECT_THAT(notes[0], HasSubstr("--probe perf: cycles unavailable: ENOENT: "));
  EXPECT_THAT(notes[3], HasSubstr("context_switches unavailable: EACCES: "));
  EXPECT_THAT(notes[3], HasSubstr("voluntary_switches"));
  EXPECT_FALSE(perf_user_only(counters));
}

}  // namespace
}  // namespace futex_bench
