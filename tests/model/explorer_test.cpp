// SPDX-License-Identifier: GPL-2.0-only
// The search itself: does the explorer run every schedule within the bounds, and each only once?
#include "tests/model/explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/model/platform.h"

namespace futex_bench::model {
namespace {

using ::testing::HasSubstr;

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

Bounds sequential() {
  Bounds bounds;
  bounds.tso = false;
  return bounds;
}

/// Three threads of two additions each; writes down who came when.
class Additions : public Program {
 public:
  explicit Additions(std::set<std::string>& orders) : orders_(orders) {}
  int threads() const override { return 3; }
  void run(int thread) override {
    for (int i = 0; i < 2; ++i) {
      sum_.fetch_add(1);
      order_ += static_cast<char>('A' + thread);
    }
  }
  void finish() override { orders_.insert(order_); }

 private:
  Atomic<int> sum_{0};
  std::string order_;
  std::set<std::string>& orders_;
};

/// The orders with at most so many switches away from a thread that has not ended, counted without
/// the explorer.
std::set<std::string> orders_by_hand(int preemptions) {
  std::set<std::string> orders;
  std::string order = "AABBCC";
  do {
    int count = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      const bool goes_on = order.find(order[i], i + 1) != std::string::npos;
      if (order[i] != order[i + 1] && goes_on) ++count;
    }
    if (count <= preemptions) orders.insert(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

TEST(Explorer, RunsEveryScheduleExactlyOnce) {
  std::set<std::string> orders;
  const Result r = explore(sequential(), [&] { return std::make_unique<Additions>(orders); });
  EXPECT_TRUE(r.passed());
  EXPECT_EQ(r.schedules, 90U);  // 6! / (2! 2! 2!)
  EXPECT_EQ(orders.size(), 90U);
}

TEST(Explorer, PreemptionBoundKeepsExactlyTheSchedulesBelowIt) {
  for (const std::uint32_t bound : {0U, 1U, 2U, 3U}) {
    Bounds bounds = sequential();
    bounds.preemptions = bound;
    std::set<std::string> orders;
    const Result r = explore(bounds, [&] { return std::make_unique<Additions>(orders); });
    EXPECT_EQ(orders, orders_by_hand(static_cast<int>(bound))) << bound;
    EXPECT_EQ(r.schedules, orders.size()) << bound;
  }
}

TEST(Explorer, SaysBoundedByBudgetWhenItStopsEarly) {
  Bounds bounds = sequential();
  bounds.schedules = 89;
  std::set<std::string> orders;
  const Result r = explore(bounds, [&] { return std::make_unique<Additions>(orders); });
  EXPECT_EQ(r.verdict, Verdict::kOutOfBudget);
  EXPECT_EQ(r.schedules, 89U);
  EXPECT_THAT(r.summary(), HasSubstr("bounded by budget"));
  EXPECT_THAT(r.summary(), ::testing::Not(HasSubstr("exhaustive")));
  bounds.schedules = 90;
  EXPECT_THAT(explore(bounds, [&] { return std::make_unique<Additions>(orders); }).summary(),
              HasSubstr("exhaustive, all 90 schedules with preemptions <= any"));
}

/// Gives up spinning after three looks, and then says so.
class Impatient : public Program {
 public:
  explicit Impatient(bool& gave_up) : gave_up_(gave_up) {}
  int threads() const override { return 2; }
  void run(int thread) override {
    if (thread == 1) {
      owner_works_ = true;
      linger();
      owner_works_ = false;
      word_.store(1, kRelease);
      return;
    }
    for (int looks = 0; word_.load(kAcquire) == 0; ++looks) {
      if (looks == 3) {
        gave_up_ = gave_up_ || owner_works_;
        return;
      }
      Platform::pause();
    }
  }

 private:
  Atomic<int> word_{0};
  bool owner_works_ = false;
  bool& gave_up_;
};

TEST(Explorer, ASpinnerCanGiveUpWhileTheOthersWork) {
  bool gave_up = false;
  Bounds bounds;
  bounds.preemptions = 0;
  EXPECT_TRUE(explore(bounds, [&] { return std::make_unique<Impatient>(gave_up); }).passed());
  EXPECT_TRUE(gave_up);
  gave_up = false;
  bounds.spin_ons = 0;
  EXPECT_TRUE(explore(bounds, [&] { return std::make_unique<Impatient>(gave_up); }).passed());
  EXPECT_FALSE(gave_up);
}

TEST(Explorer, WeakCompareExchangeAndRandomNumbersSurpriseAsInjections) {
  class Surprised : public Program {
   public:
    explicit Surprised(std::set<std::pair<bool, std::uint32_t>>& seen) : seen_(seen) {}
    int threads() const override { return 1; }
    void run(int) override {
      int expected = 0;
      const bool done = word_.compare_exchange_weak(expected, 1);
      require(done || expected == 0, "a refusal for no reason must show the value");
      seen_.insert({done, Platform::random()});
    }

   private:
    Atomic<int> word_{0};
    std::set<std::pair<bool, std::uint32_t>>& seen_;
  };
  std::set<std::pair<bool, std::uint32_t>> seen;
  Bounds bounds;
  bounds.injections = 1;
  const Result r = explore(bounds, [&] { return std::make_unique<Surprised>(seen); });
  EXPECT_TRUE(r.passed()) << r.summary();
  EXPECT_EQ(seen, (std::set<std::pair<bool, std::uint32_t>>{{true, 0}, {true, ~0U}, {false, 0}}));
}

}  // namespace
}  // namespace futex_bench::model
