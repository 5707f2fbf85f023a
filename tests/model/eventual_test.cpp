// SPDX-License-Identifier: GPL-2.0-only
// Locks that promise a waiter its turn after a time, or with some probability: with the time always
// up and the dice always falling, it has to come within a stated number of sleeps, or of other
// acquisitions that began after it had begun to wait. The mutant of each lock is the same source on
// a machine where the clock stands still and all random numbers are 0: it never hands over, and the
// check has to see that.
//
// `cohort` hands over after 100 acquisitions on one node, which is beyond these bounds.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "tests/model/each_lock.h"

namespace futex_bench::model {
namespace {

using ::testing::HasSubstr;

/// The most that may happen to a waiter.
struct Promise {
  /// How often it goes to sleep. For locks that wake a waiter to let it try: each vain attempt ends
  /// in another sleep, however the threads are scheduled.
  std::uint32_t sleeps = kUnbounded;
  /// Acquisitions of others that began while it waited already. For locks that hand over.
  std::uint32_t overtaken = kUnbounded;
};

const std::map<std::string_view, Promise> kPromises = {
    {"barging-fair", {.sleeps = 1}},   // the first unlock that finds it queued hands over
    {"starvation", {.sleeps = 2}},     // woken once in vain; it then starves, and is handed over
    {"malthusian", {.overtaken = 1}},  // set aside once, and served by the next unlock
    {"cna", {.overtaken = 0}},         // the main queue is never searched for neighbours
    {"cohort", {}},                    // beyond the bounds, see above
};

/// What happened at most in any schedule.
struct Extremes {
  std::uint32_t sleeps = 0;
  std::uint32_t overtaken = 0;
};

/// The last thread, which is on the other node if there are three, takes the lock once, the others
/// several times.
template <Lock L>
class Patience : public Program {
 public:
  static constexpr int kRounds = 4;

  Patience(int threads, bool hurries, const Promise& promise, Extremes& seen)
      : threads_(threads), hurries_(hurries), promise_(promise), seen_(seen), lock_(config()) {
    for (int t = 0; t < threads_; ++t) contexts_[at(t)].emplace();
  }
  int threads() const override { return threads_; }
  bool hurries() const override { return hurries_; }

  void run(int me) override {
    const int waiter = threads_ - 1;
    Run& run = Run::current();
    for (int round = 0; round < (me == waiter ? 1 : kRounds); ++round) {
      const bool behind = me != waiter && locking_ && run.has_waited(waiter);
      if (me == waiter) {
        run.begin_acquisition();
        locking_ = true;
      }
      lock_.lock(*contexts_[at(me)]);
      if (me == waiter) {
        locking_ = false;
        seen_.sleeps = std::max(seen_.sleeps, run.sleeps(me));
        require(run.sleeps(me) <= promise_.sleeps, "eventual: slept too often for one turn");
      } else if (behind && locking_) {
        seen_.overtaken = std::max(seen_.overtaken, ++overtaken_);
        require(overtaken_ <= promise_.overtaken, "eventual: overtaken too often");
      }
      linger();
      lock_.unlock(*contexts_[at(me)]);
    }
  }

 private:
  static std::size_t at(int thread) { return static_cast<std::size_t>(thread); }
  static LockConfig config() {
    LockConfig config;
    config.spin = 0;  // to sleep at once
    return config;
  }

  int threads_;
  bool hurries_;
  Promise promise_;
  Extremes& seen_;
  L lock_;
  std::array<std::optional<typename L::Context>, kMaxThreads> contexts_;
  bool locking_ = false;
  std::uint32_t overtaken_ = 0;
};

template <Lock L>
Result check_patience(int threads, bool hurries, const Promise& promise, Extremes& seen) {
  Bounds bounds;
  bounds.preemptions = 1;
  bounds.late_stores = 0;
  bounds.steps = 4000;
  bounds.schedules = 10'000;
  bounds.seconds = from_environment("FUTEX_BENCH_MODEL_SECONDS", 20);
  return explore(bounds,
                 [&] { return std::make_unique<Patience<L>>(threads, hurries, promise, seen); });
}

TEST(Eventual, AWaiterGetsItsTurnAndWouldNotWithoutTheHandOver) {
  int locks = 0;
  for_each_lock([&]<class L>() {
    if constexpr (L::kTraits.fairness == Fairness::kEventual) {
      const auto found = kPromises.find(L::kName);
      ASSERT_NE(found, kPromises.end()) << L::kName << " promises a turn, but not when";
      const Promise& promise = found->second;
      ++locks;
      bool mutant_caught = false;
      for (const int threads : {2, 3}) {
        Extremes seen;
        const Result result = check_patience<L>(threads, true, promise, seen);
        fmt::print("{:<14} {} threads: slept {} times, overtaken {} times at most; {}\n", L::kName,
                   threads, seen.sleeps, seen.overtaken, result.summary());
        EXPECT_FALSE(result.failed()) << L::kName;
        const Result mutant = check_patience<L>(threads, false, promise, seen);
        mutant_caught = mutant_caught || mutant.failure.find("eventual: ") != std::string::npos;
        fmt::print("{:<14} {} threads, never handing over: {}\n", L::kName, threads,
                   mutant.failed() ? "caught" : "not caught");
      }
      EXPECT_EQ(mutant_caught, L::kName != "cohort") << L::kName;
    }
  });
  EXPECT_EQ(locks, static_cast<int>(kPromises.size()));
}

TEST(Eventual, ALockThatPromisesNothingIsSeenToBreakThePromise) {
  Extremes seen;
  const Result result = check_patience<WaitXchgLock<Platform>>(2, true, {.sleeps = 2}, seen);
  EXPECT_THAT(result.failure, HasSubstr("eventual: slept too often"));
}

}  // namespace
}  // namespace futex_bench::model
