// SPDX-License-Identifier: GPL-2.0-only
#include "common/futex/futex2.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "common/futex/capability.h"
#include "common/locks/platform.h"

namespace futex_bench {
namespace {

/// The word of every kind of futex, with its node behind it for FUTEX2_NUMA.
struct alignas(8) Cell {
  FutexWord word{1};
  std::uint32_t node = LinuxPlatform::node();
};

template <FutexCall kCall>
constexpr FutexOperation kOperation = kCall == FutexCall::kBitset  ? FutexOperation::kBitset
                                      : kCall == FutexCall::kWait2 ? FutexOperation::kWait2
                                      : kCall == FutexCall::kWaitv ? FutexOperation::kWaitv
                                      : kCall == FutexCall::kNuma  ? FutexOperation::kNuma
                                                                   : FutexOperation::kWait;

template <class Call>
class FutexCalls : public ::testing::Test {
 protected:
  static constexpr FutexCall kCall = Call::value;
  void SetUp() override {
    const FutexCapability& capability = futex_capability(kOperation<kCall>);
    if (!capability.available) GTEST_SKIP() << capability.reason;
  }
};

template <FutexCall kCall>
using Constant = std::integral_constant<FutexCall, kCall>;
using AllCalls = ::testing::Types<Constant<FutexCall::kFutex>, Constant<FutexCall::kBitset>,
                                  Constant<FutexCall::kWait2>, Constant<FutexCall::kWaitv>,
                                  Constant<FutexCall::kNuma>>;
TYPED_TEST_SUITE(FutexCalls, AllCalls);

TYPED_TEST(FutexCalls, DoesNotSleepOnAnotherValue) {
  Cell cell;
  for (const FutexScope scope : {FutexScope::kPrivate, FutexScope::kShared}) {
    EXPECT_EQ(LinuxPlatform::futex_wait_by<TestFixture::kCall>(cell.word, 2, scope),
              WaitResult::kValueChanged);
    EXPECT_EQ(LinuxPlatform::futex_wake_by<TestFixture::kCall>(&cell.word, 1, scope), 0);
  }
}

TYPED_TEST(FutexCalls, WakesASleeperOfTheSameScope) {
  for (const FutexScope scope : {FutexScope::kPrivate, FutexScope::kShared}) {
    const FutexScope other =
        scope == FutexScope::kPrivate ? FutexScope::kShared : FutexScope::kPrivate;
    Cell cell;
    WaitResult result = WaitResult::kTimedOut;
    std::thread sleeper(
        [&] { result = LinuxPlatform::futex_wait_by<TestFixture::kCall>(cell.word, 1, scope); });
    // Somebody is found asleep only when the sleeper really is.
    while (LinuxPlatform::futex_wake_by<TestFixture::kCall>(&cell.word, 1, scope) == 0) {
      EXPECT_EQ(LinuxPlatform::futex_wake_by<TestFixture::kCall>(&cell.word, 1, other), 0);
      std::this_thread::yield();
    }
    sleeper.join();
    EXPECT_EQ(result, WaitResult::kWoken);
  }
}

TEST(FutexBits, AWakeReachesOnlyWhoHasABitInCommon) {
  const FutexCapability& capability = futex_capability(FutexOperation::kBitset);
  if (!capability.available) GTEST_SKIP() << capability.reason;
  FutexWord word{1};
  std::thread sleeper([&] {
    EXPECT_EQ(futex_wait_bitset(word, 1, 0b0110, FutexScope::kPrivate), WaitResult::kWoken);
  });
  while (futex_wake_bitset(&word, 1, 0b0100, FutexScope::kPrivate) == 0) {
    EXPECT_EQ(futex_wake_bitset(&word, 1, 0b1001, FutexScope::kPrivate), 0);
    std::this_thread::yield();
  }
  sleeper.join();
}

TEST(FutexPi, HandsOverToASleeperAndMarksTheWord) {
  for (const int operation : {FUTEX_LOCK_PI, kFutexLockPi2}) {
    const FutexOperation needed =
        operation == kFutexLockPi2 ? FutexOperation::kLockPi2 : FutexOperation::kLockPi;
    if (!futex_capability(needed).available) continue;
    const auto own_id = static_cast<std::uint32_t>(gettid());
    FutexWord word{0};
    futex_lock_pi(word, operation, FutexScope::kPrivate);
    EXPECT_EQ(word.load(), own_id);
    std::uint32_t sleepers_id = 0;
    std::thread sleeper([&] {
      sleepers_id = static_cast<std::uint32_t>(gettid());
      futex_lock_pi(word, operation, FutexScope::kPrivate);
      EXPECT_EQ(word.load() & FUTEX_TID_MASK, sleepers_id);
      futex_unlock_pi(word, FutexScope::kPrivate);
    });
    while (word.load() != (own_id | FUTEX_WAITERS)) std::this_thread::yield();
    futex_unlock_pi(word, FutexScope::kPrivate);
    sleeper.join();
    EXPECT_EQ(word.load(), 0U);
  }
}

TEST(FutexPiDeathTest, UnlockOfWhatIsNotOursEndsTheProcess) {
  FutexWord word{1};
  EXPECT_DEATH(futex_unlock_pi(word, FutexScope::kPrivate), "FUTEX_UNLOCK_PI on .*EPERM");
}

}  // namespace
}  // namespace futex_bench
