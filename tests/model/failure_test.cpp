// SPDX-License-Identifier: GPL-2.0-only
// Does the explorer notice each kind of failure, allow what is allowed, and show a schedule again?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "tests/model/explorer.h"
#include "tests/model/platform.h"

namespace futex_bench::model {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr FutexScope kScope = FutexScope::kPrivate;

Bounds sequential() {
  Bounds bounds;
  bounds.tso = false;
  return bounds;
}

/// A waiter and a waker. Without the second look at the flag the wake can come too early.
template <bool kCompares>
class Handshake : public Program {
 public:
  int threads() const override { return 2; }
  void run(int thread) override {
    if (thread == 1) {
      flag_.store(1, kRelease);
      Platform::futex_wake(&flag_, 1, kScope);
      return;
    }
    while (flag_.load(kAcquire) == 0) {
      Platform::futex_wait(kCompares ? flag_ : always_zero_, 0, kScope);
    }
  }

 private:
  Atomic<std::uint32_t> flag_{0};
  Atomic<std::uint32_t> always_zero_{0};
};

TEST(Explorer, FindsALostWakeUp) {
  const Result good = explore<Handshake<true>>(Bounds{});
  EXPECT_TRUE(good.passed()) << good.summary();
  const Result bad = explore<Handshake<false>>(Bounds{});
  EXPECT_TRUE(bad.failed());
  EXPECT_THAT(bad.failure, HasSubstr("lost wake-up"));
  EXPECT_THAT(bad.failure, HasSubstr("thread 0 sleeps on #1"));
}

/// Collects what a wait returned.
class Sleeper : public Program {
 public:
  explicit Sleeper(std::set<WaitResult>& results) : results_(results) {}
  int threads() const override { return 2; }
  void run(int thread) override {
    if (thread == 0) {
      results_.insert(Platform::futex_wait(word_, 0, kScope));
    } else {
      Platform::futex_wake(&word_, 1, kScope);
      word_.store(1);
      Platform::futex_wake(&word_, 1, kScope);
    }
  }

 private:
  Atomic<std::uint32_t> word_{0};
  std::set<WaitResult>& results_;
};

TEST(Explorer, InterruptsAndWakesForNoReasonOnlyWhenAskedTo) {
  std::set<WaitResult> results;
  const auto make = [&] { return std::make_unique<Sleeper>(results); };
  EXPECT_TRUE(explore(Bounds{}, make).passed());
  EXPECT_EQ(results, (std::set{WaitResult::kWoken, WaitResult::kValueChanged}));
  Bounds bounds;
  bounds.injections = 1;
  EXPECT_TRUE(explore(bounds, make).passed());
  EXPECT_EQ(results,
            (std::set{WaitResult::kWoken, WaitResult::kValueChanged, WaitResult::kInterrupted}));
}

/// Waits once and believes that it was woken for a reason.
class Credulous : public Program {
 public:
  int threads() const override { return 2; }
  void run(int thread) override {
    if (thread == 1) {
      word_.store(1);
      Platform::futex_wake(&word_, 1, kScope);
    } else if (Platform::futex_wait(word_, 0, kScope) == WaitResult::kWoken) {
      require(word_.load() == 1, "woken and nothing has changed");
    }
  }

 private:
  Atomic<std::uint32_t> word_{0};
};

TEST(Explorer, FindsProgramsThatBelieveInWakes) {
  Bounds bounds;
  EXPECT_TRUE(explore<Credulous>(bounds).passed());
  bounds.injections = 1;
  EXPECT_THAT(explore<Credulous>(bounds).failure, HasSubstr("woken and nothing has changed"));
}

class WrongScope : public Program {
 public:
  int threads() const override { return 2; }
  void run(int thread) override {
    if (thread == 0) {
      Platform::futex_wait(word_, 0, FutexScope::kShared);
    } else {
      word_.store(1);
      Platform::futex_wake(&word_, 1, FutexScope::kPrivate);
    }
  }

 private:
  Atomic<std::uint32_t> word_{0};
};

TEST(Explorer, PrivateAndSharedFutexesDoNotMeet) {
  EXPECT_THAT(explore<WrongScope>(Bounds{}).failure, HasSubstr("lost wake-up"));
}

/// Thread 1 lets thread 0 go; thread 0 then takes its node away. With kEarly the release comes
/// before the last access.
template <bool kEarly, bool kWakes>
class Node : public Program {
 public:
  Node() { node_.emplace(0); }
  int threads() const override { return 2; }
  void run(int thread) override {
    if (thread == 0) {
      while (go_.load(kAcquire) == 0) Platform::pause();
      node_.reset();
      return;
    }
    Atomic<std::uint32_t>* const node = &*node_;
    if (!kEarly) node->store(1, kRelaxed);
    go_.store(1, kRelease);
    if (kWakes) Platform::futex_wake(node, 1, kScope);
    if (kEarly) node->store(1, kRelaxed);
  }

 private:
  std::optional<Atomic<std::uint32_t>> node_;
  Atomic<int> go_{0};
};

TEST(Explorer, FindsTheUseOfADeadNodeButAllowsAWakeOfItsAddress) {
  const Result fine = explore<Node<false, true>>(Bounds{});
  EXPECT_TRUE(fine.passed()) << fine.summary();
  const Result dead = explore<Node<true, false>>(sequential());
  EXPECT_THAT(dead.failure,
              ContainsRegex("store of atomic #0, which is destroyed|may still be using it"));
}

/// Hands the address of an atomic over without ordering, or keeps using it after re-use.
class Unordered : public Program {
 public:
  int threads() const override { return 2; }
  void run(int thread) override {
    if (thread == 0) {
      node_.emplace(5);
      pointer_.store(&*node_, kRelaxed);
    } else if (Atomic<int>* const node = pointer_.load(kAcquire); node != nullptr) {
      require(node->load(kRelaxed) == 5, "wrong value");
    }
  }

 private:
  std::optional<Atomic<int>> node_;
  Atomic<Atomic<int>*> pointer_{nullptr};
};

TEST(Explorer, FindsAccessNotOrderedAfterConstruction) {
  EXPECT_THAT(explore<Unordered>(Bounds{}).failure, HasSubstr("after its construction"));
}

/// Spins for what never comes.
class Forever : public Program {
 public:
  int threads() const override { return 1; }
  void run(int) override {
    while (word_.load(kRelaxed) == 0) Platform::pause();
  }

 private:
  Atomic<int> word_{0};
};

/// Two threads that undo each other's work.
class PingPong : public Program {
 public:
  int threads() const override { return 2; }
  void run(int) override {
    for (;;) word_.fetch_add(1);
  }

 private:
  Atomic<std::uint32_t> word_{0};
};

TEST(Explorer, FindsLivelock) {
  EXPECT_THAT(explore<Forever>(Bounds{}).failure, HasSubstr("nobody will change"));
  EXPECT_THAT(explore<PingPong>(Bounds{}).failure, HasSubstr("more than 2000 operations"));
}

TEST(Replay, RunsTheFailingScheduleAgainInWords) {
  Bounds bounds;
  bounds.preemptions = 3;
  bounds.late_stores = 2;
  const Result found = explore<Handshake<false>>(bounds);
  ASSERT_TRUE(found.failed());
  EXPECT_THAT(found.summary(), HasSubstr("replay string: " + found.replay));
  const Result again = replay<Handshake<false>>(found.replay);
  EXPECT_TRUE(again.failed());
  EXPECT_EQ(again.failure, found.failure);
  EXPECT_EQ(again.trace, found.trace);
  EXPECT_EQ(again.replay, found.replay);
  EXPECT_EQ(again.bounds.preemptions, 3U);
  EXPECT_THAT(again.trace,
              ContainsRegex("thread 0  failure_test.cpp:[0-9]+ +load #0 acquire gives 0"));
  EXPECT_THAT(again.trace, ContainsRegex("futex_wait #1 while 0: sleeps"));
}

TEST(Replay, ShowsASchedulesThatDoesNotFailToo) {
  const Result r = replay<Handshake<true>>("tso,p*,l*,b4,i0,o1,s2000:");
  EXPECT_TRUE(r.passed());
  EXPECT_THAT(r.trace, HasSubstr("thread 1  ends"));
}

TEST(Replay, RefusesWhatIsNotAReplayString) {
  for (const char* text :
       {"", "tso", "tso,p1:0", "xyz,p*,l*,b4,i0,o1,s2000:0", "tso,p*,l*,b4,i0,o1,s2000,z:0",
        "tso,p-1,l*,b4,i0,o1,s2000:0", "tso,p*,l*,b4,i0,o1,s2000:0?"}) {
    EXPECT_THROW(replay<Handshake<true>>(text), std::invalid_argument) << text;
  }
  const Result r = replay<Handshake<true>>("tso,p*,l*,b4,i0,o1,s2000:zz");
  EXPECT_THAT(r.failure, HasSubstr("does not fit"));
}

}  // namespace
}  // namespace futex_bench::model
