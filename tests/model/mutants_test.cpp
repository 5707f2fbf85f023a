// SPDX-License-Identifier: GPL-2.0-only
// Every mutant of every lock: caught, or listed below with the reason why it cannot be. Run from
// the top of the repository: the lines of the locks are read from their files.
#include "tests/model/mutants.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/model/each_lock.h"

namespace futex_bench::model {
namespace {

/// Mutants of a lock that no test can catch. `source` is a part of the mutated line.
struct Survivor {
  std::string_view lock;
  Fault fault;
  std::string_view source;
  std::string_view reason;
};

const std::vector<Survivor> kSurvivors = {
    {"adaptive", Fault::kDropStore, "average_.store(",
     "the average only guesses how long to spin; the lock is right with any value"},
    {"wait", Fault::kSplit, "word_.compare_exchange_strong(expected, kFree",
     "the word is 2 and only the owner moves it from there, so two steps are as good as one"},
};

std::vector<Workload> workloads(const ProgramFactory& two, const ProgramFactory& three) {
  Bounds bounds;
  bounds.preemptions = 2;
  bounds.late_stores = 2;
  bounds.seconds = from_environment("FUTEX_BENCH_MODEL_SECONDS", 5);
  Bounds surprises = bounds;
  surprises.preemptions = 1;
  surprises.late_stores = 1;
  surprises.injections = 1;
  return {{bounds, two}, {bounds, three}, {surprises, two}, {surprises, three}};
}

const Survivor* find_survivor(std::string_view lock, const MutantVerdict& verdict) {
  for (const Survivor& survivor : kSurvivors) {
    if (survivor.lock == lock && survivor.fault == verdict.mutation.fault &&
        verdict.source.find(survivor.source) != std::string::npos) {
      return &survivor;
    }
  }
  return nullptr;
}

TEST(Mutants, AreCaughtOrKnownToBeHarmless) {
  if (!kFibersWork) GTEST_SKIP() << "ThreadSanitizer has nothing to find in one thread";
  std::map<const Survivor*, int> used;
  for_each_lock([&]<class L>() {
    int caught = 0;
    for (const MutantVerdict& verdict : try_mutants(
             workloads(lock_program<L>({2, 2}), lock_program<L>({3, 1})), "common/locks/")) {
      const std::string mutant =
          fmt::format("{:<14} {:<15} {:<42}", L::kName, name_of(verdict.mutation.fault),
                      describe(verdict.mutation.site));
      if (verdict.caught) {
        ++caught;
        fmt::print("{} caught at schedule {}: {}\n", mutant, verdict.schedules, verdict.failure);
        continue;
      }
      EXPECT_NE(verdict.source, "") << "cannot read " << verdict.mutation.site.file;
      const Survivor* const survivor = find_survivor(L::kName, verdict);
      fmt::print("{} survived {}{} schedules: {}\n", mutant, verdict.exhausted ? "all " : "",
                 verdict.schedules, survivor != nullptr ? survivor->reason : "NOBODY KNOWS WHY");
      EXPECT_NE(survivor, nullptr) << mutant << " survived: " << verdict.source;
      ++used[survivor];
    }
    EXPECT_GE(caught, 3) << L::kName;
  });
  for (const Survivor& survivor : kSurvivors) {
    EXPECT_GT(used[&survivor], 0) << "no such survivor: " << survivor.lock << " "
                                  << name_of(survivor.fault) << " " << survivor.source;
  }
}

}  // namespace
}  // namespace futex_bench::model
