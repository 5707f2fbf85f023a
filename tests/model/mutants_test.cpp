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
    {"adaptive", Fault::kDropStore, "give_way_at_ns_.store(",
     "the time only says when to call sched_yield next; the lock is right whoever runs"},
    {"cohort", Fault::kRelax, "queue.tail.compare_exchange_strong(last, nullptr",
     "orders the plain member `batch` only, which ThreadSanitizer looks at"},
    {"handoff", Fault::kRelax, "next_.fetch_add(1",
     "needed where a read-modify-write is no full barrier; on the x86 of the explorer it is"},
    {"handoff", Fault::kRelax, "next_.load(",
     "needed where a read-modify-write is no full barrier; on the x86 of the explorer it is"},
    {"handoff", Fault::kSplit, "serving_.fetch_add(1", "only the owner changes the word (INV1)"},
    {"handoff", Fault::kWakeOne, "futex_wake_bits(",
     "only from 33 threads on do two waiters share a bit"},
    {"malthusian", Fault::kRelax, "tail_.compare_exchange_strong(last, chosen",
     "keeps the null in the chosen node's next before a link that comes later; x86 always does"},
    {"one-spinner", Fault::kSplit, "tokens_.fetch_add(1",
     "at most one token is out, and nobody changes the word while there is none (INV4)"},
    {"one-spinner", Fault::kSplit, "tokens_.compare_exchange_strong(seen, seen - 1",
     "a token taken twice leaves one sleeper too many in the count; the token posted for that one "
     "ends the next sleep"},
    {"wait", Fault::kSplit, "word_.compare_exchange_strong(expected, kFree",
     "the word is 2 and only the owner moves it from there, so two steps are as good as one"},
};

template <Lock L>
std::vector<Workload> workloads() {
  const ProgramFactory two = lock_program<L>({2, 2});
  const ProgramFactory three = lock_program<L>({3, 1});
  Bounds bounds;
  bounds.preemptions = 1;
  bounds.late_stores = 2;
  bounds.seconds = from_environment("FUTEX_BENCH_MODEL_SECONDS", 20);
  bounds.schedules = 30'000;
  Bounds surprises = bounds;
  surprises.late_stores = 1;
  surprises.injections = 1;
  Bounds deep = bounds;
  deep.preemptions = 2;
  std::vector<Workload> all = {{bounds, two}, {surprises, two}, {bounds, three}};
  if (L::kTraits.needs_node) all.push_back({bounds, lock_program<L>({2, 2, true})});
  all.insert(all.end(), {{surprises, three}, {deep, two}, {deep, three}});
  // Few mutants get this far.
  Bounds wide = surprises;
  wide.late_stores = 0;
  wide.schedules = 60'000;
  all.push_back({wide, lock_program<L>({3, 2})});
  wide.injections = 0;
  all.push_back({wide, lock_program<L>({4, 1})});
  return all;
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
  std::map<const Survivor*, int> used;
  for_each_lock([&]<class L>() {
    int caught = 0;
    for (const MutantVerdict& verdict : try_mutants(workloads<L>(), "common/locks/")) {
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
    std::fflush(stdout);  // a mutant that kills the process must not take the table along
  });
  for (const Survivor& survivor : kSurvivors) {
    EXPECT_GT(used[&survivor], 0) << "no such survivor: " << survivor.lock << " "
                                  << name_of(survivor.fault) << " " << survivor.source;
  }
}

}  // namespace
}  // namespace futex_bench::model
