// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/probe_latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "common/locks/system.h"
#include "common/stats/order_statistics.h"

namespace futex_bench {
namespace {

/// A clock that gives the times listed, in turn: asked, entered, asked, entered...
class FakeClock {
 public:
  explicit FakeClock(const std::vector<std::uint64_t>& waits) : waits_(&waits) {}
  std::uint64_t before() noexcept { return 1000; }
  std::uint64_t after() noexcept { return 1000 + (*waits_)[next_++]; }

 private:
  const std::vector<std::uint64_t>* waits_;
  std::size_t next_ = 0;
};

TEST(Latency, PercentilesAreThoseOfTheWaits) {
  std::vector<std::uint64_t> waits;
  for (std::uint64_t i = 0; i < 5000; ++i) waits.push_back(i * i % 100'003 + 20);
  const auto slot = std::make_unique<LatencySlot>();
  WorkerSlot worker;
  worker.limit = waits.size();
  NullLock lock{LockConfig{}};
  lock_loop(lock, LoopWork{}, worker, Latency(FakeClock(waits), *slot, worker, 1, 0));

  std::vector<double> exact(waits.begin(), waits.end());
  std::sort(exact.begin(), exact.end());
  const StampTimes times{.ns_per_tick = 0.5, .cost_ticks = 30, .longest_pending = 0};
  const auto values = latency_values({slot.get(), 1}, times);
  ASSERT_EQ(values.size(), latency_metrics().size());
  const double percents[] = {50, 90, 99, 99.9};
  for (std::size_t i = 0; i < std::size(percents); ++i) {
    const double expected = percentile(exact, percents[i]) * 0.5;
    EXPECT_NEAR(values[i], expected, expected * Histogram::kRelativeError) << percents[i];
  }
  EXPECT_EQ(values[4], exact.back() * 0.5);
  EXPECT_EQ(values[5], 5000);
  EXPECT_EQ(values[6], 15);
}

TEST(Latency, SamplesOneInNOnAverageAndNoFixedStep) {
  const std::vector<std::uint64_t> waits(200'000, 7);
  for (const std::uint32_t seed : {0U, 1U, 77U}) {
    const auto slot = std::make_unique<LatencySlot>();
    WorkerSlot worker;
    worker.limit = waits.size();
    NullLock lock{LockConfig{}};
    lock_loop(lock, LoopWork{}, worker, Latency(FakeClock(waits), *slot, worker, 64, seed));
    EXPECT_NEAR(static_cast<double>(slot->ticks.count()), 200'000.0 / 64, 200);
  }
}

TEST(Latency, ThreadsThatSeldomGetTheLockAreSampledToo) {
  // 2000 threads with 8 acquisitions each: a step of 64 from the first on would time none or all.
  const std::vector<std::uint64_t> waits(8, 7);
  std::uint64_t sampled = 0;
  const auto slot = std::make_unique<LatencySlot>();
  for (std::uint32_t thread = 0; thread < 2000; ++thread) {
    WorkerSlot worker;
    worker.limit = waits.size();
    NullLock lock{LockConfig{}};
    lock_loop(lock, LoopWork{}, worker, Latency(FakeClock(waits), *slot, worker, 64, thread));
  }
  sampled = slot->ticks.count();
  // The first distance is uniform in 1..127, so about 8 in 127 threads have one.
  EXPECT_NEAR(static_cast<double>(sampled), 2000.0 * 8 / 127, 60);
}

TEST(Latency, NothingIsRecordedAfterTheDeadline) {
  const std::vector<std::uint64_t> waits(1, 7);
  const auto slot = std::make_unique<LatencySlot>();
  WorkerSlot worker;
  worker.limit = kUntilStopped;
  Latency probe(FakeClock(waits), *slot, worker, 1, 0);
  probe.ask();
  EXPECT_EQ(slot->asked.load(), 1000U);
  EXPECT_EQ(longest_pending(std::span<const LatencySlot>(slot.get(), 1), 1500), 500U);
  worker.stop();
  probe.enter();
  EXPECT_EQ(longest_pending(std::span<const LatencySlot>(slot.get(), 1), 1500), 0U);
  probe.leave();
  probe.done();
  EXPECT_EQ(slot->ticks.count(), 0U);
}

TEST(Latency, AWaitThatHasNotEndedIsTheMaximum) {
  const auto slot = std::make_unique<LatencySlot>();
  slot->ticks.record(10);
  const StampTimes times{.ns_per_tick = 1, .cost_ticks = 0, .longest_pending = 5000};
  EXPECT_EQ(latency_values({slot.get(), 1}, times)[4], 5000);
}

TEST(Latency, WithoutASampleThereIsNoFigure) {
  const auto slot = std::make_unique<LatencySlot>();
  const auto values =
      latency_values({slot.get(), 1}, {.ns_per_tick = 1, .cost_ticks = 9, .longest_pending = 0});
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(std::isnan(values[i])) << i;
  EXPECT_EQ(values[5], 0);
}

TEST(Latency, TheClocksCostIsMoreThanNothing) {
  EXPECT_GT(stamp_cost_ticks(StampClock(tsc_trust("/").trusted)), 0);
  EXPECT_EQ(latency_loop("no such lock"), nullptr);
}

}  // namespace
}  // namespace futex_bench
