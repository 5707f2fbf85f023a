// SPDX-License-Identifier: GPL-2.0-only
// Small programs whose outcomes are known: does the explorer find exactly those? The names are the
// usual ones of memory models (SB, MP, LB, IRIW, CoRR).
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <set>
#include <vector>

#include "tests/model/explorer.h"
#include "tests/model/platform.h"

namespace futex_bench::model {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSeqCst = std::memory_order_seq_cst;

using Outcome = std::vector<int>;
using Outcomes = std::set<Outcome>;

Bounds everything(bool tso) {
  Bounds bounds;
  bounds.tso = tso;
  return bounds;
}

/// x, y: shared, 0 at first. result: what the threads saw.
class Litmus : public Program {
 public:
  using Body = std::function<void(Litmus&)>;
  Litmus(std::vector<Body> bodies, Outcomes& outcomes)
      : bodies_(std::move(bodies)), outcomes_(outcomes) {}
  int threads() const override { return static_cast<int>(bodies_.size()); }
  void run(int thread) override { bodies_[static_cast<std::size_t>(thread)](*this); }
  void finish() override {
    Outcome outcome;
    for (const int r : result) {
      if (r >= 0) outcome.push_back(r);
    }
    outcomes_.insert(outcome);
  }

  Atomic<int> x{0};
  Atomic<int> y{0};
  Var<int> data{0};
  std::array<int, 4> result{-1, -1, -1, -1};

 private:
  std::vector<Body> bodies_;
  Outcomes& outcomes_;
};

/// All outcomes of the bodies.
Outcomes outcomes_of(bool tso, const std::vector<Litmus::Body>& bodies, Result* result = nullptr) {
  Outcomes outcomes;
  const Result r =
      explore(everything(tso), [&] { return std::make_unique<Litmus>(bodies, outcomes); });
  if (result != nullptr) {
    *result = r;
  } else {
    EXPECT_TRUE(r.passed()) << r.summary();
  }
  return outcomes;
}

std::vector<Litmus::Body> store_buffering(std::memory_order store, std::memory_order load,
                                          bool fenced) {
  return {[=](Litmus& p) {
            p.x.store(1, store);
            if (fenced) fence(kSeqCst);
            p.result[0] = p.y.load(load);
          },
          [=](Litmus& p) {
            p.y.store(1, store);
            if (fenced) fence(kSeqCst);
            p.result[1] = p.x.load(load);
          }};
}

TEST(Litmus, StoreBufferingShowsBothZeroUnderTso) {
  EXPECT_THAT(outcomes_of(true, store_buffering(kRelease, kAcquire, false)),
              UnorderedElementsAre(Outcome{0, 0}, Outcome{0, 1}, Outcome{1, 0}, Outcome{1, 1}));
}

TEST(Litmus, StoreBufferingNeverShowsBothZeroWithoutBuffersSeqCstOrFences) {
  const auto three = UnorderedElementsAre(Outcome{0, 1}, Outcome{1, 0}, Outcome{1, 1});
  EXPECT_THAT(outcomes_of(false, store_buffering(kRelease, kAcquire, false)), three);
  EXPECT_THAT(outcomes_of(true, store_buffering(kSeqCst, kSeqCst, false)), three);
  EXPECT_THAT(outcomes_of(true, store_buffering(kRelaxed, kRelaxed, true)), three);
}

TEST(Litmus, LateStoresAreBounded) {
  Outcomes outcomes;
  Bounds bounds;
  bounds.late_stores = 0;
  const Result r = explore(bounds, [&] {
    return std::make_unique<Litmus>(store_buffering(kRelease, kAcquire, false), outcomes);
  });
  EXPECT_TRUE(r.passed());
  EXPECT_THAT(outcomes, Not(Contains(Outcome{0, 0})));
}

TEST(Litmus, OwnStoresAreForwardedBeforeTheyArrive) {
  const Outcomes outcomes = outcomes_of(true, {[](Litmus& p) {
                                                 p.x.store(1, kRelaxed);
                                                 p.result[0] = p.x.load(kRelaxed);
                                                 p.result[1] = p.y.load(kRelaxed);
                                               },
                                               [](Litmus& p) {
                                                 p.y.store(1, kRelaxed);
                                                 p.result[2] = p.y.load(kRelaxed);
                                                 p.result[3] = p.x.load(kRelaxed);
                                               }});
  EXPECT_THAT(outcomes, Contains(Outcome{1, 0, 1, 0}));
  for (const Outcome& outcome : outcomes) EXPECT_TRUE(outcome[0] == 1 && outcome[2] == 1);
}

std::vector<Litmus::Body> message_passing(std::memory_order store, std::memory_order load) {
  return {[=](Litmus& p) {
            p.data.write(7);
            p.x.store(1, store);
          },
          [=](Litmus& p) {
            if (p.x.load(load) == 1) p.result[0] = p.data.read();
          }};
}

TEST(Litmus, MessagePassingIsNeverStaleWithReleaseAndAcquire) {
  EXPECT_THAT(outcomes_of(true, message_passing(kRelease, kAcquire)),
              UnorderedElementsAre(Outcome{}, Outcome{7}));
}

TEST(Litmus, MessagePassingRacesWhenEitherSideIsRelaxed) {
  for (const auto& [store, load] : {std::pair{kRelaxed, kAcquire}, std::pair{kRelease, kRelaxed}}) {
    Result r;
    outcomes_of(true, message_passing(store, load), &r);
    EXPECT_TRUE(r.failed());
    EXPECT_THAT(r.failure, HasSubstr("data race"));
  }
}

TEST(Litmus, FencesMakeRelaxedMessagePassingSafe) {
  EXPECT_THAT(outcomes_of(true, {[](Litmus& p) {
                                   p.data.write(7);
                                   fence(kRelease);
                                   p.x.store(1, kRelaxed);
                                 },
                                 [](Litmus& p) {
                                   const bool sent = p.x.load(kRelaxed) == 1;
                                   fence(kAcquire);
                                   if (sent) p.result[0] = p.data.read();
                                 }}),
              UnorderedElementsAre(Outcome{}, Outcome{7}));
}

// C++ allows 1 1 here; no store buffer shows it. A limit, as explorer.h says.
TEST(Litmus, LoadBufferingIsNotCovered) {
  EXPECT_THAT(outcomes_of(true, {[](Litmus& p) {
                                   p.result[0] = p.x.load(kRelaxed);
                                   p.y.store(1, kRelaxed);
                                 },
                                 [](Litmus& p) {
                                   p.result[1] = p.y.load(kRelaxed);
                                   p.x.store(1, kRelaxed);
                                 }}),
              UnorderedElementsAre(Outcome{0, 0}, Outcome{0, 1}, Outcome{1, 0}));
}

// C++ allows the readers to disagree (1 0 1 0) with acquire loads; a single memory does not. A
// limit, as explorer.h says.
TEST(Litmus, IndependentReadsOfIndependentWritesAgree) {
  const Outcomes outcomes = outcomes_of(
      true, {[](Litmus& p) { p.x.store(1, kRelease); }, [](Litmus& p) { p.y.store(1, kRelease); },
             [](Litmus& p) {
               p.result[0] = p.x.load(kAcquire);
               p.result[1] = p.y.load(kAcquire);
             },
             [](Litmus& p) {
               p.result[2] = p.y.load(kAcquire);
               p.result[3] = p.x.load(kAcquire);
             }});
  EXPECT_EQ(outcomes.size(), 15U);
  EXPECT_THAT(outcomes, Not(Contains(Outcome{1, 0, 1, 0})));
}

TEST(Litmus, TwoReadsOfOneLocationNeverGoBack) {
  EXPECT_THAT(outcomes_of(true, {[](Litmus& p) {
                                   p.x.store(1, kRelaxed);
                                   p.x.store(2, kRelaxed);
                                 },
                                 [](Litmus& p) {
                                   p.result[0] = p.x.load(kRelaxed);
                                   p.result[1] = p.x.load(kRelaxed);
                                 }}),
              UnorderedElementsAre(Outcome{0, 0}, Outcome{0, 1}, Outcome{0, 2}, Outcome{1, 1},
                                   Outcome{1, 2}, Outcome{2, 2}));
}

// 2+2W: the last store of each thread may be the one that is overwritten, but not both.
TEST(Litmus, BufferedStoresArriveInTheOrderOfTheirThread) {
  class TwoWrites : public Litmus {
   public:
    using Litmus::Litmus;
    void finish() override {
      result = {x.load(), y.load(), -1, -1};
      Litmus::finish();
    }
  };
  Outcomes outcomes;
  const std::vector<Litmus::Body> bodies = {[](Litmus& p) {
                                              p.x.store(1, kRelaxed);
                                              p.y.store(2, kRelaxed);
                                            },
                                            [](Litmus& p) {
                                              p.y.store(1, kRelaxed);
                                              p.x.store(2, kRelaxed);
                                            }};
  const Result r =
      explore(everything(true), [&] { return std::make_unique<TwoWrites>(bodies, outcomes); });
  EXPECT_TRUE(r.passed()) << r.summary();
  EXPECT_THAT(outcomes, UnorderedElementsAre(Outcome{1, 2}, Outcome{2, 1}, Outcome{2, 2}));
}

/// Peterson's algorithm ("Myths about the mutual exclusion problem", 1981).
template <std::memory_order kStore, std::memory_order kLoad>
class Peterson : public Program {
 public:
  int threads() const override { return 2; }
  void run(int me) override {
    const auto mine = static_cast<std::size_t>(me);
    const std::size_t other = 1 - mine;
    for (int round = 0; round < 2; ++round) {
      wants_[mine].store(1, kStore);
      turn_.store(1 - me, kStore);
      while (wants_[other].load(kLoad) == 1 && turn_.load(kLoad) == 1 - me) Platform::pause();
      count_.write(count_.read() + 1);
      wants_[mine].store(0, kStore);
    }
  }
  void finish() override { require(count_.read() == 4, "a count is lost"); }

 private:
  std::array<Atomic<int>, 2> wants_;
  Atomic<int> turn_{0};
  Var<int> count_;
};

TEST(Litmus, PetersonNeedsSeqCstUnderTso) {
  Bounds bounds;
  bounds.preemptions = 4;
  const auto correct = explore<Peterson<kSeqCst, kSeqCst>>(bounds);
  EXPECT_TRUE(correct.passed()) << correct.summary();
  EXPECT_GT(correct.schedules, 100U);
  using Weak = Peterson<kRelease, kAcquire>;
  bounds.tso = false;
  const auto sequential = explore<Weak>(bounds);
  EXPECT_TRUE(sequential.passed()) << sequential.summary();
  bounds.tso = true;
  const auto buffered = explore<Weak>(bounds);
  EXPECT_TRUE(buffered.failed()) << buffered.summary();
  EXPECT_THAT(buffered.failure, HasSubstr("data race"));
  fmt::print("Peterson, 2 threads x 2 rounds {}\n", correct.summary());
}

}  // namespace
}  // namespace futex_bench::model
