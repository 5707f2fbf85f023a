// SPDX-License-Identifier: GPL-2.0-only
#include "tests/model/mutants.h"

#include <algorithm>
#include <fstream>

namespace futex_bench::model {
namespace {

// Schedules, of each workload: enough to come by every place of a lock, and a first try.
constexpr std::uint64_t kEveryPlace = 15'000;
constexpr std::uint64_t kALittle = 3000;

std::string line_of(const Site& site) {
  std::ifstream file(site.file);
  std::string line;
  for (std::uint32_t i = 0; i < site.line; ++i) {
    if (!std::getline(file, line)) return "";
  }
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first);
}

}  // namespace

std::vector<Mutation> mutations_at(const std::set<Site>& sites) {
  std::vector<Mutation> mutations;
  for (const Site& site : sites) {
    const auto add = [&](Fault fault) { mutations.push_back({fault, site}); };
    switch (site.kind) {
      case OpKind::kLoad:
      case OpKind::kFence:
        break;
      case OpKind::kStore:
        add(Fault::kDropStore);
        break;
      case OpKind::kRmw:
        add(Fault::kSplit);
        break;
      case OpKind::kWait:
        add(Fault::kSleepAlways);
        break;
      case OpKind::kWake:
        add(Fault::kDropWake);
        add(Fault::kDropEvenWakes);
        if (site.wakes_many) add(Fault::kWakeOne);
        break;
    }
    if (site.order != std::memory_order_relaxed) add(Fault::kRelax);
  }
  return mutations;
}

std::vector<MutantVerdict> try_mutants(const std::vector<Workload>& workloads,
                                       std::string_view folder) {
  std::set<Site> sites;
  for (const Workload& workload : workloads) {
    Bounds bounds = workload.bounds;
    bounds.schedules = std::min(bounds.schedules, kEveryPlace);
    explore(bounds, workload.make, {}, &sites);
  }
  std::erase_if(sites, [&](const Site& site) {
    return std::string_view(site.file).find(folder) == std::string_view::npos;
  });
  std::vector<MutantVerdict> verdicts;
  for (const Mutation& mutation : mutations_at(sites)) {
    MutantVerdict& verdict = verdicts.emplace_back();
    verdict.mutation = mutation;
    verdict.source = line_of(mutation.site);
    // A little of each first: what one workload only catches late, another one catches early.
    for (const bool all : {false, true}) {
      verdict.exhausted = true;
      for (const Workload& workload : workloads) {
        Bounds bounds = workload.bounds;
        if (!all) bounds.schedules = std::min(bounds.schedules, kALittle);
        const Result result = explore(bounds, workload.make, mutation);
        verdict.schedules += result.schedules;
        verdict.caught = result.failed();
        verdict.exhausted = verdict.exhausted && result.verdict != Verdict::kOutOfBudget;
        if (!verdict.caught) continue;
        verdict.failure = result.failure.substr(0, result.failure.find('\n'));
        break;
      }
      if (verdict.caught) break;
    }
  }
  return verdicts;
}

}  // namespace futex_bench::model
