// SPDX-License-Identifier: GPL-2.0-only
// Does the model's platform behave as its description says, and does what a lock says of itself fail
// the run?
#include "tests/model/platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "tests/model/explorer.h"

namespace futex_bench::model {
namespace {

using ::testing::HasSubstr;

constexpr FutexScope kScope = FutexScope::kPrivate;

/// Does one thing in one of two threads.
class Once : public Program {
 public:
  explicit Once(std::function<void()> what) : what_(std::move(what)) {}
  int threads() const override { return 2; }
  void run(int thread) override {
    if (thread == 1) what_();
  }

 private:
  std::function<void()> what_;
};
Result explore_once(const Bounds& bounds, const std::function<void()>& what) {
  return explore(bounds, [&] { return std::make_unique<Once>(what); });
}

TEST(Explorer, ABadPointerFailsTheRunAndNotTheProcess) {
  const Result result = explore_once(Bounds{}, [] { std::raise(SIGSEGV); });
  EXPECT_THAT(result.failure, HasSubstr("thread 1: segmentation fault"));
  EXPECT_TRUE(explore_once(Bounds{}, [] {}).passed());
}

TEST(Explorer, FindsABrokenInvariant) {
  const Result result = explore_once(Bounds{}, [] { Platform::invariant(false, "INV7"); });
  EXPECT_THAT(result.failure, HasSubstr("invariant: INV7"));
  EXPECT_TRUE(explore_once(Bounds{}, [] { Platform::invariant(true, "INV7"); }).passed());
}

TEST(Explorer, TheClockStandsStillOrJumpsAsAnInjection) {
  std::set<std::int64_t> differences;
  const auto measure = [&] {
    const std::int64_t before = Platform::now_ns();
    differences.insert(Platform::now_ns() - before);
  };
  EXPECT_TRUE(explore_once(Bounds{}, measure).passed());
  EXPECT_EQ(differences, (std::set<std::int64_t>{0}));
  Bounds bounds;
  bounds.injections = 1;
  EXPECT_TRUE(explore_once(bounds, measure).passed());
  EXPECT_EQ(differences, (std::set<std::int64_t>{0, 1'000'000'000}));
}

/// A sleeper with two bits and a waker with one.
class Bits : public Program {
 public:
  explicit Bits(std::uint32_t bits) : bits_(bits) {}
  int threads() const override { return 2; }
  void run(int thread) override {
    if (thread == 0) {
      Platform::futex_wait_bits(word_, 0, 0b0110, kScope);
    } else {
      word_.store(1);
      Platform::futex_wake_bits(&word_, 1, bits_, kScope);
    }
  }

 private:
  std::uint32_t bits_;
  Atomic<std::uint32_t> word_{0};
};

TEST(Explorer, AWakeReachesOnlyWhoHasABitInCommon) {
  const auto with = [](std::uint32_t bits) {
    return explore(Bounds{}, [bits] { return std::make_unique<Bits>(bits); });
  };
  EXPECT_TRUE(with(0b0100).passed());
  EXPECT_THAT(with(0b1001).failure, HasSubstr("lost wake-up"));
}

}  // namespace
}  // namespace futex_bench::model
