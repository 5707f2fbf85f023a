// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/probe_fairness.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

namespace futex_bench {
namespace {

/// Time passes by one tick per look.
struct CountingClock {
  std::uint64_t* now;
  std::uint64_t before() noexcept { return ++*now; }
  std::uint64_t after() noexcept { return ++*now; }
};

/// Threads taking a lock in an order that the test says.
struct Play {
  explicit Play(std::size_t threads) : workers(threads), slots(threads) {
    for (std::size_t i = 0; i < threads; ++i) {
      workers[i].limit = kUntilStopped;
      probes.emplace_back(CountingClock{&now}, slots[i], workers[i], order);
    }
  }
  void take(std::size_t thread) {
    probes[thread].ask();
    probes[thread].enter();
    probes[thread].leave();
    probes[thread].done();
  }
  std::vector<double> values(std::uint64_t pending = 0, bool excludes = true) const {
    return fairness_values(slots,
                           {.window_jain = 0.5,
                            .windows = 3,
                            .window_ms = 10,
                            .longest_pending = pending,
                            .ns_per_tick = 1000},
                           excludes);
  }
  std::vector<WorkerSlot> workers;
  std::vector<OwnerSlot> slots;
  std::vector<Ownership<CountingClock>> probes;
  AdmissionOrder order;
  std::uint64_t now = 0;
};

// Positions in the values.
constexpr std::size_t kLongest = 3;
constexpr std::size_t kOwners = 4;
constexpr std::size_t kDistance = 5;

TEST(Fairness, TakingTurnsGivesAllOwnersAndTheDistanceOfARound) {
  Play play(7);
  for (int round = 0; round < 1000; ++round) {
    for (std::size_t thread = 0; thread < 7; ++thread) play.take(thread);
  }
  const auto values = play.values();
  ASSERT_EQ(values.size(), fairness_metrics().size());
  EXPECT_EQ(values[kOwners], 7);
  EXPECT_EQ(values[kDistance], 7);
}

TEST(Fairness, OneThreadAtATimeInTheShortRunIsNotHiddenByTheLongRun) {
  // Equal shares in the end, but each thread has whole windows to itself.
  Play play(4);
  for (std::size_t thread = 0; thread < 4; ++thread) {
    for (std::uint64_t i = 0; i < 2 * kOwnerWindow; ++i) play.take(thread);
  }
  EXPECT_EQ(play.values()[kOwners], 1);
  EXPECT_EQ(play.values()[kDistance], 1);
}

TEST(Fairness, AWindowThatIsNotFullDoesNotCount) {
  Play play(5);
  for (std::uint64_t i = 0; i < kOwnerWindow - 1; ++i) play.take(i % 2);
  EXPECT_TRUE(std::isnan(play.values()[kOwners]));
  play.take(0);
  EXPECT_EQ(play.values()[kOwners], 2);
  for (std::size_t thread = 0; thread < 5; ++thread) play.take(thread);
  EXPECT_EQ(play.values()[kOwners], 2);
}

TEST(Fairness, LongestWaitIsOfAnyThreadAndOfThoseStillWaiting) {
  Play play(2);
  play.probes[0].ask();
  play.now += 41;
  play.probes[0].enter();
  play.probes[0].done();
  play.take(1);
  EXPECT_EQ(play.values()[kLongest], 42);  // ticks of 1000 ns, in us
  EXPECT_EQ(play.values(99)[kLongest], 99);

  play.probes[1].ask();
  EXPECT_EQ(longest_pending(std::span<const OwnerSlot>(play.slots), play.now + 7), 7U);
  play.probes[1].enter();
  EXPECT_EQ(longest_pending(std::span<const OwnerSlot>(play.slots), play.now + 7), 0U);
}

TEST(Fairness, NothingIsRecordedAfterTheDeadline) {
  Play play(1);
  play.take(0);
  play.workers[0].stop();
  play.take(0);
  EXPECT_EQ(play.slots[0].last, 1U);
  EXPECT_EQ(play.slots[0].distances.count(), 0U);
}

TEST(Fairness, WhatIsNoLockHasNoOrder) {
  Play play(1);
  for (int i = 0; i < 5000; ++i) play.take(0);
  const auto values = play.values(0, false);
  EXPECT_TRUE(std::isnan(values[kOwners]));
  EXPECT_TRUE(std::isnan(values[kDistance]));
  EXPECT_FALSE(std::isnan(values[kLongest]));
}

TEST(JainWindows, MedianOfWindowsNotOfTheWhole) {
  std::array<WorkerSlot, 2> slots;
  JainWindows windows(slots, 1'000'000'000);
  EXPECT_EQ(windows.due_ns(), 1'010'000'000);
  EXPECT_TRUE(std::isnan(windows.median_index()));
  EXPECT_TRUE(std::isnan(windows.mean_ms()));
  // By turns one of them gets all: fair as a whole, 1/2 in each window.
  for (unsigned i = 1; i <= 4; ++i) {
    slots[i % 2].acquisitions.fetch_add(100);
    EXPECT_TRUE(windows.close(1'000'000'000 + 12'000'000 * i));
  }
  EXPECT_EQ(windows.count(), 4U);
  EXPECT_EQ(windows.median_index(), 0.5);
  EXPECT_EQ(windows.mean_ms(), 12);
  EXPECT_EQ(windows.due_ns(), 1'058'000'000);
}

TEST(JainWindows, EndWithTheFirstThreadThatHasDoneItsShare) {
  std::array<WorkerSlot, 2> slots;
  JainWindows windows(slots, 0);
  slots[0].acquisitions = 10;
  slots[1].acquisitions = 10;
  EXPECT_TRUE(windows.close(10));
  slots[1].acquisitions = 20;
  slots[0].end_ns = 15;
  EXPECT_FALSE(windows.close(20));
  EXPECT_EQ(windows.count(), 1U);
  EXPECT_EQ(windows.median_index(), 1);
}

}  // namespace
}  // namespace futex_bench
