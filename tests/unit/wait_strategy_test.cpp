// SPDX-License-Identifier: GPL-2.0-only
#include "common/locks/wait_strategy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace futex_bench {
namespace {

/// Counts what a strategy asks for, per thread. A wait signals the word that it is for, so that one
/// thread can look at a whole sleep.
struct FakePlatform : LinuxPlatform {
  static inline thread_local int pauses_ = 0;
  static inline thread_local int yields_ = 0;
  static inline thread_local int waits_ = 0;
  static inline thread_local int wakes_ = 0;
  static inline thread_local int early_returns_ = 0;  ///< of waits, before one that is signalled
  static void reset(int returns_early = 0) {
    pauses_ = yields_ = waits_ = wakes_ = 0;
    early_returns_ = returns_early;
  }
  static void pause() noexcept { ++pauses_; }
  static void yield() noexcept { ++yields_; }
  static WaitResult futex_wait(const FutexWord& word, std::uint32_t expected, FutexScope) noexcept {
    EXPECT_EQ(word.load(), kAsleep);
    EXPECT_EQ(expected, kAsleep);
    ++waits_;
    if (early_returns_-- > 0) return WaitResult::kInterrupted;
    const_cast<FutexWord&>(word).store(kSignalled);
    return WaitResult::kWoken;
  }
  static int futex_wake(const FutexWord*, int count, FutexScope) noexcept {
    EXPECT_EQ(count, 1);
    return ++wakes_;
  }
};

static_assert(SpinStrategy<Spin<LinuxPlatform>, LinuxPlatform>);
static_assert(SpinStrategy<SpinYield<LinuxPlatform>, LinuxPlatform>);
static_assert(WaitStrategy<Park<LinuxPlatform>, LinuxPlatform>);
static_assert(!SpinStrategy<SpinThenPark<LinuxPlatform>, LinuxPlatform>);

TEST(WaitStrategy, ParkSleepsAtOnceAndAgainAfterAnInterruption) {
  const Park<FakePlatform> strategy{LockConfig{.spin = 5}};
  FakePlatform::reset(2);
  FutexWord word{kAwaiting};
  strategy.await(word);
  EXPECT_EQ(word.load(), kSignalled);
  EXPECT_EQ(FakePlatform::pauses_, 0);
  EXPECT_EQ(FakePlatform::waits_, 3);
}

TEST(WaitStrategy, SpinThenParkSpinsForItsBoundFirst) {
  FakePlatform::reset();
  FutexWord word{kAwaiting};
  SpinThenPark<FakePlatform>{LockConfig{}}.await(word);
  EXPECT_EQ(FakePlatform::pauses_, 2700);
  EXPECT_EQ(FakePlatform::waits_, 1);
  FakePlatform::reset();
  word = kAwaiting;
  SpinThenPark<FakePlatform>{LockConfig{.spin = 7}}.await(word);
  EXPECT_EQ(FakePlatform::pauses_, 7);
  EXPECT_EQ(FakePlatform::waits_, 1);
}

TEST(WaitStrategy, NobodyWaitsForWhatIsSignalled) {
  FakePlatform::reset();
  FutexWord word{kSignalled};
  Spin<FakePlatform>{LockConfig{}}.await(word);
  SpinYield<FakePlatform>{LockConfig{}}.await(word);
  Park<FakePlatform>{LockConfig{}}.await(word);
  SpinThenPark<FakePlatform>{LockConfig{}}.await(word);
  EXPECT_EQ(FakePlatform::pauses_ + FakePlatform::yields_ + FakePlatform::waits_, 0);
  EXPECT_EQ(word.load(), kSignalled);
}

TEST(WaitStrategy, OnlyASleeperCostsASystemCall) {
  const Park<FakePlatform> strategy{LockConfig{}};
  FakePlatform::reset();
  FutexWord word{kAwaiting};
  strategy.signal(&word);
  EXPECT_EQ(word.load(), kSignalled);
  EXPECT_EQ(FakePlatform::wakes_, 0);
  word = kAsleep;
  strategy.signal(&word);
  EXPECT_EQ(word.load(), kSignalled);
  EXPECT_EQ(FakePlatform::wakes_, 1);
}

/// Signals a word at the third yield.
struct ThirdYieldSignals : FakePlatform {
  static inline thread_local FutexWord* word_ = nullptr;
  static void yield() noexcept {
    if (++yields_ == 3) word_->store(kSignalled);
  }
};

TEST(WaitStrategy, SpinYieldGivesWayAfterItsBound) {
  for (const bool awaits : {true, false}) {
    FakePlatform::reset();
    FutexWord word{kAwaiting};
    ThirdYieldSignals::word_ = &word;
    const SpinYield<ThirdYieldSignals> strategy{LockConfig{.spin = 4}};
    if (awaits) {
      strategy.await(word);
    } else {
      strategy.wait_while(word, kAwaiting);
    }
    EXPECT_EQ(FakePlatform::pauses_, 4);
    EXPECT_EQ(FakePlatform::yields_, 3);
  }
}

TEST(WaitStrategy, ABriefWaitPausesAndThenGivesWay) {
  FakePlatform::reset();
  int looks = 0;
  wait_briefly_until<FakePlatform>([&] { return ++looks == 71; });
  EXPECT_EQ(FakePlatform::pauses_, 64);
  EXPECT_EQ(FakePlatform::yields_, 6);
}

template <class W>
void check_hand_over() {
  const W strategy{LockConfig{.spin = 3}};
  for (int round = 0; round < 200; ++round) {
    FutexWord word{kAwaiting};
    int data = 0;
    std::thread waiter([&] {
      strategy.await(word);
      EXPECT_EQ(data, round + 1);
    });
    data = round + 1;
    strategy.signal(&word);
    waiter.join();
  }
}

TEST(WaitStrategy, EachHandsOverBetweenRealThreads) {
  check_hand_over<Spin<YieldingPlatform>>();
  check_hand_over<SpinYield<YieldingPlatform>>();
  check_hand_over<Park<YieldingPlatform>>();
  check_hand_over<SpinThenPark<YieldingPlatform>>();
}

}  // namespace
}  // namespace futex_bench
