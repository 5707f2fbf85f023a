// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "common/locks/adaptive.h"
#include "common/locks/barging_fair.h"
#include "common/locks/malthusian.h"
#include "common/locks/mcs.h"
#include "common/locks/mutexee.h"
#include "common/locks/one_spinner.h"
#include "common/locks/starvation.h"
#include "common/locks/wait_strategy.h"

namespace futex_bench {
namespace {

/// One thread can play two: what the owner does happens while the waiter is asleep. Counts what the
/// thread asks for, and draws the largest random numbers, so that pauses are as long as they can be.
struct FakePlatform : LinuxPlatform {
  static inline thread_local std::uint32_t pauses_ = 0;
  static inline thread_local std::uint32_t yields_ = 0;
  static inline thread_local int sleeps_ = 0;
  static inline thread_local int slow_ = 0;
  static inline thread_local std::int64_t now_ns_ = 0;
  /// What happens in a sleep, which then ends.
  static inline thread_local std::function<void()> on_sleep_ = {};

  static void reset() {
    pauses_ = yields_ = 0;
    sleeps_ = slow_ = 0;
    now_ns_ = 0;
    on_sleep_ = nullptr;
  }
  static void pause() noexcept { ++pauses_; }
  static void yield() noexcept { ++yields_; }
  static void note_slow_path() noexcept { ++slow_; }
  static std::uint32_t random() noexcept { return UINT32_MAX; }
  static std::int64_t now_ns() noexcept { return now_ns_; }
  static WaitResult futex_wait(const FutexWord&, std::uint32_t, FutexScope) noexcept {
    ++sleeps_;
    on_sleep_();
    return WaitResult::kWoken;
  }
  static int futex_wake(const FutexWord*, int, FutexScope) noexcept { return 1; }
};

/// A lock that one owner holds while one waiter comes, and is left when that one sleeps.
template <class Lock>
std::uint32_t pauses_before_sleeping(Lock& lock) {
  typename Lock::Context owner;
  typename Lock::Context waiter;
  lock.lock(owner);
  FakePlatform::reset();
  std::uint32_t before = 0;
  FakePlatform::on_sleep_ = [&] {
    before = FakePlatform::pauses_;
    lock.unlock(owner);
  };
  lock.lock(waiter);
  EXPECT_EQ(FakePlatform::sleeps_, 1) << Lock::kName;
  FakePlatform::on_sleep_ = nullptr;
  lock.unlock(waiter);
  return before;
}

template <class Lock>
class BoundOfPauses : public ::testing::Test {};
using LocksWithBound =
    ::testing::Types<AdaptiveLock<FakePlatform>,
                     MalthusianLock<FakePlatform, SpinThenPark<FakePlatform>>,
                     McsLock<FakePlatform, SpinThenPark<FakePlatform>>, MutexeeLock<FakePlatform>,
                     OneSpinnerLock<FakePlatform>, StarvationLock<FakePlatform>>;
TYPED_TEST_SUITE(BoundOfPauses, LocksWithBound);

TYPED_TEST(BoundOfPauses, IsKept) {
  for (const std::uint32_t bound : {0U, 1U, 2U, 3U, 31U, 100U, 300U}) {
    TypeParam lock(LockConfig{.spin = bound});
    EXPECT_LE(pauses_before_sleeping(lock), bound) << "of " << bound;
  }
}

TYPED_TEST(BoundOfPauses, OfTheLockItselfIsKept) {
  TypeParam lock{LockConfig{}};
  const std::uint32_t pauses = pauses_before_sleeping(lock);
  EXPECT_LE(pauses, TypeParam::kTraits.default_spin);
  EXPECT_GT(pauses, 0U);
}

TEST(BargingFair, PausesAndYieldsAsParkingLotDoes) {
  BargingFairLock<FakePlatform> lock{LockConfig{}};
  EXPECT_EQ(pauses_before_sleeping(lock), 1U + 2 + 4);
  EXPECT_EQ(FakePlatform::yields_, 7U);
}

using Starvation = StarvationLock<FakePlatform>;

class StarvationTest : public ::testing::Test {
 protected:
  StarvationTest() { FakePlatform::reset(); }
  ~StarvationTest() override { FakePlatform::reset(); }

  /// The calling thread waits, is overtaken when it was woken the first time, and has waited for that
  /// long by then. `then` happens in its second sleep, after the owner has left the lock.
  void wait_and_be_overtaken(std::int64_t waited_ns, const std::function<void()>& then) {
    lock_.lock(none_);
    FakePlatform::on_sleep_ = [&] {
      lock_.unlock(none_);
      FakePlatform::now_ns_ = waited_ns;
      if (FakePlatform::sleeps_ == 1) {
        lock_.lock(none_);  // free to all: nobody starves yet
      } else {
        then();
      }
    };
    lock_.lock(none_);
  }

  StarvationLock<FakePlatform> lock_{LockConfig{.spin = 0}};
  NoContext none_;
};

TEST_F(StarvationTest, AfterJustOneMillisecondAWaiterIsStillOvertaken) {
  wait_and_be_overtaken(1'000'000, [this] {
    if (FakePlatform::sleeps_ > 2) return;  // the second one who overtakes has left
    lock_.lock(none_);
    EXPECT_EQ(FakePlatform::sleeps_, 2);
  });
  EXPECT_EQ(FakePlatform::sleeps_, 3);
  lock_.unlock(none_);
}

TEST_F(StarvationTest, LaterTheLockIsHandedOverUntilAWaiterHasNotStarved) {
  std::atomic<bool> newcomer_slept{false};
  std::atomic<bool> newcomer_has_it{false};
  std::atomic<bool> may_wake{false};
  std::atomic<bool> newcomer_is_through{false};
  int sleeps_at_the_end = 0;
  std::thread newcomer;
  wait_and_be_overtaken(1'000'001, [&] {
    // The lock is this thread's, although it still sleeps: who comes now has to wait.
    newcomer = std::thread([&] {
      FakePlatform::on_sleep_ = [&] {
        newcomer_slept = true;
        while (!may_wake) sched_yield();
      };
      NoContext none;
      lock_.lock(none);
      newcomer_has_it = true;
      lock_.unlock(none);
      // It had not starved, so the mode has ended: it may take the lock from under the one who waits.
      FakePlatform::sleeps_ = 0;
      FakePlatform::on_sleep_ = [&] { newcomer_is_through = true; };
      lock_.lock(none);
      sleeps_at_the_end = FakePlatform::sleeps_;
      newcomer_is_through = true;
      lock_.unlock(none);
    });
    while (!newcomer_slept && !newcomer_has_it) sched_yield();
  });
  EXPECT_EQ(FakePlatform::sleeps_, 2);
  EXPECT_FALSE(newcomer_has_it);
  // This thread had starved but is not the last who waits: the mode goes on, and the newcomer is
  // handed the lock before it knows.
  lock_.unlock(none_);
  FakePlatform::reset();
  FakePlatform::on_sleep_ = [&] {
    may_wake = true;
    while (!newcomer_is_through) sched_yield();
  };
  lock_.lock(none_);
  EXPECT_GT(FakePlatform::sleeps_, 0);
  may_wake = true;
  lock_.unlock(none_);
  newcomer.join();
  EXPECT_EQ(sleeps_at_the_end, 0);
}

TEST_F(StarvationTest, TheLastWaiterEndsTheMode) {
  wait_and_be_overtaken(1'000'001, [] {});
  lock_.unlock(none_);
  FakePlatform::reset();
  lock_.lock(none_);
  EXPECT_EQ(FakePlatform::slow_, 0);
  lock_.unlock(none_);
}

}  // namespace
}  // namespace futex_bench
