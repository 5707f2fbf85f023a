// SPDX-License-Identifier: GPL-2.0-only
#include "common/futex/futex.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <csignal>
#include <thread>

#include "common/system/sanitizer.h"

namespace futex_bench {
namespace {

constexpr timespec kMillisecond{.tv_sec = 0, .tv_nsec = 1'000'000};

class FutexTest : public testing::TestWithParam<FutexScope> {};

TEST_P(FutexTest, DoesNotSleepOnAnotherValue) {
  const FutexWord word{1};
  EXPECT_EQ(futex_wait(word, 2, GetParam()), WaitResult::kValueChanged);
}

TEST_P(FutexTest, TimesOut) {
  const FutexWord word{1};
  EXPECT_EQ(futex_wait(word, 1, GetParam(), &kMillisecond), WaitResult::kTimedOut);
}

TEST_P(FutexTest, WakesNobodyWhereNobodyWaits) {
  const FutexWord word{0};
  EXPECT_EQ(futex_wake(&word, kWakeAll, GetParam()), 0);
}

TEST_P(FutexTest, WakesASleeper) {
  FutexWord word{0};
  WaitResult result = WaitResult::kTimedOut;
  std::thread sleeper([&] { result = futex_wait(word, 0, GetParam()); });
  // The wake is repeated until it has found the sleeper: then, and only then, it was asleep.
  while (futex_wake(&word, 1, GetParam()) == 0) std::this_thread::yield();
  sleeper.join();
  EXPECT_EQ(result, WaitResult::kWoken);
}

TEST_P(FutexTest, AnAddressThatIsGoneIsNobodyWaiting) {
  void* const page =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  munmap(page, 4096);
  EXPECT_EQ(futex_wake(static_cast<FutexWord*>(page), 1, GetParam()), 0);
}

INSTANTIATE_TEST_SUITE_P(Scopes, FutexTest,
                         testing::Values(FutexScope::kPrivate, FutexScope::kShared),
                         [](const auto& scope) {
                           return scope.param == FutexScope::kPrivate ? "Private" : "Shared";
                         });

TEST(FutexScopeTest, PrivateWakesDoNotReachSharedWaiters) {
  FutexWord word{0};
  std::thread sleeper([&] { futex_wait(word, 0, FutexScope::kShared); });
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(futex_wake(&word, 1, FutexScope::kPrivate), 0);
    std::this_thread::yield();
  }
  while (futex_wake(&word, 1, FutexScope::kShared) == 0) std::this_thread::yield();
  sleeper.join();
}

TEST(FutexDeathTest, AnErrorThatCannotHappenEndsTheProcessWithItsName) {
  if (kThreadSanitizer)
    GTEST_SKIP() << "death tests fork, which ThreadSanitizer dislikes with threads about";
  alignas(8) static char bytes[8] = {};
  auto* const misaligned = reinterpret_cast<FutexWord*>(bytes + 1);
  EXPECT_DEATH(futex_wake(misaligned, 1, FutexScope::kPrivate), "FUTEX_WAKE.*EINVAL");
}

}  // namespace
}  // namespace futex_bench
