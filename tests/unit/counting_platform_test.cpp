// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/counting_platform.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <map>
#include <thread>

#include "common/futex/capability.h"

namespace futex_bench {
namespace {

using enum PlatformCall;
using Counts = std::map<PlatformCall, std::uint64_t>;

constexpr FutexScope kPrivate = FutexScope::kPrivate;

/// The counts that are not 0.
Counts counts(const CallTally& tally) {
  Counts counts;
  for (std::size_t i = 0; i < kPlatformCalls; ++i) {
    const std::uint64_t count = tally.counts[i].load();
    if (count != 0) counts[static_cast<PlatformCall>(i)] = count;
  }
  return counts;
}

/// The tally of the thread that makes it, for as long as it is there.
struct OwnTally : CallTally {
  OwnTally() { CountingPlatform::count_in(*this); }
  ~OwnTally() { CountingPlatform::count_nowhere(); }
  OwnTally(const OwnTally&) = delete;
  OwnTally& operator=(const OwnTally&) = delete;
};

TEST(CountingPlatform, CountsWhatReturnsAtOnce) {
  const OwnTally tally;
  const FutexWord word{7};
  EXPECT_EQ(CountingPlatform::futex_wait(word, 8, kPrivate), WaitResult::kValueChanged);
  EXPECT_EQ(CountingPlatform::futex_wake(&word, 1, kPrivate), 0);
  CountingPlatform::pause();
  CountingPlatform::pause();
  CountingPlatform::yield();
  EXPECT_EQ(counts(tally), (Counts{{kWait, 1},
                                   {kWaitChanged, 1},
                                   {kWake, 1},
                                   {kWakeOfNobody, 1},
                                   {kPause, 2},
                                   {kYield, 1}}));
}

TEST(CountingPlatform, CountsEveryWayIntoTheKernel) {
  const OwnTally tally;
  const FutexWord word{7};
  CountingPlatform::futex_wait_by<FutexCall::kBitset>(word, 8, kPrivate);
  CountingPlatform::futex_wake_by<FutexCall::kBitset>(&word, 1, kPrivate);
  CountingPlatform::futex_wait_bits(word, 8, 2, kPrivate);
  CountingPlatform::futex_wake_bits(&word, 1, 2, kPrivate);
  EXPECT_EQ(counts(tally), (Counts{{kWait, 2}, {kWaitChanged, 2}, {kWake, 2}, {kWakeOfNobody, 2}}));
}

TEST(CountingPlatform, APiLockCountsAsAWaitAndAWake) {
  if (!futex_capability(FutexOperation::kLockPi).available) GTEST_SKIP() << "no PI futexes";
  const OwnTally tally;
  FutexWord word{0};
  CountingPlatform::futex_lock_pi(word, FUTEX_LOCK_PI, kPrivate);
  CountingPlatform::futex_unlock_pi(word, kPrivate);
  EXPECT_EQ(counts(tally), (Counts{{kWait, 1}, {kWaitWoken, 1}, {kWake, 1}}));
}

/// Has a thread wait on `word` and returns its tally, once `wake` has ended the wait.
template <class Wake>
Counts waiter_counts(FutexWord& word, const Wake& wake) {
  CallTally tally;
  std::atomic<bool> ended{false};
  std::thread waiter([&] {
    CountingPlatform::count_in(tally);
    CountingPlatform::futex_wait(word, 0, kPrivate);
    ended = true;
  });
  while (!ended) {
    // Again and again: it may not be asleep yet.
    wake(waiter);
    std::this_thread::yield();
  }
  waiter.join();
  return counts(tally);
}

TEST(CountingPlatform, TellsAWakeInVainFromOneWithANewValue) {
  FutexWord word{0};
  const auto wake = [&](std::thread&) { LinuxPlatform::futex_wake(&word, 1, kPrivate); };
  EXPECT_EQ(waiter_counts(word, wake), (Counts{{kWait, 1}, {kWaitWoken, 1}, {kWaitInVain, 1}}));

  const OwnTally tally;
  std::atomic<bool> ended{false};
  std::thread waiter([&] {
    CountingPlatform::futex_wait(word, 0, kPrivate);
    ended = true;
  });
  // One that counts as woken by somebody: the waker's own tally has no wake of nobody then.
  while (CountingPlatform::futex_wake(&word, 1, kPrivate) == 0) std::this_thread::yield();
  waiter.join();
  const Counts own = counts(tally);
  EXPECT_TRUE(ended);
  EXPECT_EQ(own.at(kWake) - (own.contains(kWakeOfNobody) ? own.at(kWakeOfNobody) : 0), 1U);
}

TEST(CountingPlatform, AWaiterThatFindsANewValueHasNotWaitedInVain) {
  FutexWord word{0};
  CallTally tally;
  std::thread waiter([&] {
    CountingPlatform::count_in(tally);
    while (word.load() == 0) CountingPlatform::futex_wait(word, 0, kPrivate);
  });
  // It may look at the word before it sleeps; then it is not woken at all.
  word = 1;
  LinuxPlatform::futex_wake(&word, 1, kPrivate);
  waiter.join();
  EXPECT_FALSE(counts(tally).contains(kWaitInVain));
}

TEST(CountingPlatform, CountsInterruptedWaits) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  struct sigaction before {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  FutexWord word{0};
  const Counts interrupted = waiter_counts(
      word, [](std::thread& waiter) { pthread_kill(waiter.native_handle(), SIGUSR1); });
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(interrupted, (Counts{{kWait, 1}, {kWaitEintr, 1}}));
}

TEST(CountingPlatform, ThreadsCountApart) {
  const OwnTally mine;
  CallTally others;
  std::thread other([&] {
    CountingPlatform::pause();  // before it has a tally: nobody reads that
    CountingPlatform::count_in(others);
    CountingPlatform::yield();
  });
  other.join();
  CountingPlatform::pause();
  EXPECT_EQ(counts(mine), (Counts{{kPause, 1}}));
  CountingPlatform::count_nowhere();
  CountingPlatform::pause();
  EXPECT_EQ(counts(mine), (Counts{{kPause, 1}}));
  EXPECT_EQ(counts(others), (Counts{{kYield, 1}}));
}

}  // namespace
}  // namespace futex_bench
