// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/wake_latency.h"

#include <fmt/format.h>

#include <utility>

#include "common/system/error.h"
#include "common/system/schedule.h"
#include "common/system/tsc.h"

namespace futex_bench {
namespace {

constexpr std::uint64_t kMaxGapUs = 10'000'000;
constexpr std::uint64_t kMaxSamples = 1'000'000;
constexpr std::uint64_t kMaxCpu = 65535;
constexpr std::size_t kMaxPoints = 4096;

class WakeLatencyPoint : public Point {
 public:
  WakeLatencyPoint(PointKey key, WakeLatencyTrial trial, std::string unavailable)
      : key_(std::move(key)), trial_(std::move(trial)), unavailable_(std::move(unavailable)) {}

  const PointKey& key() const override { return key_; }
  std::string title() const override {
    return fmt::format("{} (mode {})", trial_.method->summary, trial_.method->name);
  }
  std::optional<std::string> unavailable() const override {
    if (unavailable_.empty()) return std::nullopt;
    return unavailable_;
  }
  std::optional<double> expected_seconds(const TrialRequest&) const override {
    return std::nullopt;
  }
  std::uint64_t progress(const void* memory) const override {
    return wake_latency_progress(memory);
  }
  std::string how_far(const void* memory) const override {
    return wake_latency_how_far(trial_, memory);
  }
  std::size_t memory_bytes() const override { return wake_latency_bytes(trial_); }
  void run(const TrialRequest& request, TrialControl& control, void* memory) const override {
    run_wake_latency(trial_, request, control, memory);
  }
  bool cut_short(const TrialControl&, void* memory) const override {
    return cut_short_wake_latency(trial_, memory);
  }
  std::vector<double> collect(const void* memory) const override {
    return wake_latency_values(trial_, memory);
  }
  std::vector<std::pair<std::string, Distribution>> distributions(
      const void* memory) const override {
    return wake_latency_distributions(trial_, memory);
  }
  std::vector<std::pair<std::string, std::vector<double>>> series(
      const void* memory) const override {
    return wake_latency_series(trial_, memory);
  }

 private:
  PointKey key_;
  WakeLatencyTrial trial_;
  std::string unavailable_;
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const WakeMethodEntry& method : wake_methods()) names.emplace_back(method.name);
  return names;
}

/// Whether a spinner of a real-time policy would keep the notifier from ever running.
bool spins_for_ever(const WakeLatencyTrial& trial, std::size_t allowed_cpus) {
  if (trial.method->sleeps || !trial.team.policy.is_real_time()) return false;
  const auto& cpus = trial.team.cpus;
  return cpus.empty() ? allowed_cpus == 1 : cpus[0] == cpus[1];
}

}  // namespace

std::vector<Option> WakeLatencyBenchmark::options() {
  std::vector<std::string> pair_names(kPairNames.begin(), kPairNames.end());
  pair_names.emplace_back("all");
  return {
      {"--method", "LIST",
       "How the waiter is woken: methods, separated by commas, or all. pipe-cond is a message that "
       "wakes a thread, which wakes the waiter by a condition variable; busy-wait never sleeps and "
       "is the floor. Default: futex.",
       NamesTarget{&options_.methods, method_names()}},
      {"--between", "WHAT", "What the two sides are: processes or threads. Default: processes.",
       ChoiceTarget{&options_.between, {"processes", "threads"}}},
      {"--sleep-us", "LIST",
       "How long the notifier lets the waiter sleep, in microseconds, 0 to 10M, several for "
       "several "
       "points; or random:N for 1 to N, another one for each sample. What came of it is reported "
       "as "
       "gap. Default: 1,10,100,1000,10000.",
       SleepTarget{&options_.sleep_us, kMaxGapUs}},
      {"--gap", "HOW",
       "What the notifier does meanwhile: sleep, or spin, which keeps to short times and its own "
       "processor awake. Default: sleep.",
       ChoiceTarget{&options_.gap, {"sleep", "spin"}}},
      {"--samples", "N",
       "Samples of a point in total, 1 to 1M, split over its --repeat trials. Default: 1000.",
       CountTarget{&options_.samples, 1, kMaxSamples}},
      {"--warmup-samples", "N",
       "Samples in total, split in the same way, that are discarded at the start of the trials. "
       "Default: 100.",
       CountTarget{&options_.warmup_samples, 0, kMaxSamples}},
      {"--cpus", "A,B",
       "Processors of the notifier and of the waiter. Default: the scheduler's choice.",
       CountListTarget{&options_.cpus, 0, kMaxCpu, true}},
      {"--pair", "KIND",
       "The first two allowed processors of that kind: same-cpu, smt (one core), same-llc (two "
       "cores, one last-level cache), same-node (two caches), cross-node; or all for a matrix of "
       "all pairs.",
       ChoiceTarget{&options_.pair, pair_names}},
      {"--sched", "POLICY",
       "Scheduling policy of both sides: other, batch, idle, or with a real-time priority "
       "fifo:PRIO, rr:PRIO. Default: as started.",
       PolicyTarget{&options_.sched}},
      {"--log", "", "Keep every sample in time order. Text, json and jsonl have them all.",
       FlagTarget{&options_.log}},
  };
}

std::span<const Metric> WakeLatencyBenchmark::metrics() const { return wake_latency_metrics(); }

std::vector<std::string> WakeLatencyBenchmark::examples() const {
  return {
      "futex-bench wake-latency",
      "futex-bench wake-latency --method sem,signal,pipe,socketpair,busy-wait --cpus 0,1",
      "futex-bench wake-latency --method mutex,pipe,pipe-cond --sleep-us random:1000",
      "futex-bench wake-latency --method all --between threads --pair same-llc --dma-latency 0",
      "futex-bench wake-latency --method futex --sleep-us 100 --pair all",
  };
}

std::vector<std::string> WakeLatencyBenchmark::notes() const {
  std::vector<std::string> notes;
  const TscTrust tsc = tsc_trust("/");
  if (!tsc.trusted) notes.push_back("stamped by CLOCK_MONOTONIC; " + tsc.reason);
  return notes;
}

std::vector<CpuPair> WakeLatencyBenchmark::pairs(const Topology& topology) const {
  if (!options_.cpus.empty() && !options_.pair.empty()) {
    throw UsageError("--cpus and --pair cannot go together");
  }
  if (options_.pair == "all") return all_pairs(topology);
  if (!options_.pair.empty()) return {find_pair(options_.pair, topology)};
  if (options_.cpus.empty()) return {};
  if (options_.cpus.size() != 2) {
    throw UsageError("--cpus: needs two processors, the notifier's and the waiter's (0,1)");
  }
  return {{static_cast<int>(options_.cpus[0]), static_cast<int>(options_.cpus[1])}};
}

std::vector<std::pair<std::string, std::string>> WakeLatencyBenchmark::parameters(
    const WakeLatencyTrial& trial, const CpuPair* place) const {
  std::vector<std::pair<std::string, std::string>> list;
  list.emplace_back("sleep_us",
                    fmt::format("{}{}", trial.gap.random ? "random:" : "", trial.gap.us));
  if (trial.spin) list.emplace_back("gap", "spin");
  if (trial.team.between == Between::kThreads) list.emplace_back("between", "threads");
  if (!options_.pair.empty()) list.emplace_back("pair", options_.pair);
  // A kind of pair is the same thing on every machine; its processors have other numbers.
  if (place != nullptr && (options_.pair.empty() || options_.pair == "all")) {
    list.emplace_back("cpus", fmt::format("{},{}", place->first, place->second));
  }
  if (trial.team.policy.policy) list.emplace_back("sched", trial.team.policy.to_string());
  if (!trial.tsc) list.emplace_back("clock", "monotonic");
  return list;
}

std::vector<std::unique_ptr<Point>> WakeLatencyBenchmark::points() const {
  if (const auto why = policy_refused(options_.sched)) {
    throw UsageError(fmt::format("--sched {}: {}", options_.sched.to_string(), *why));
  }
  WakeLatencyTrial trial;
  trial.team.policy = options_.sched;
  trial.team.between = options_.between == "threads" ? Between::kThreads : Between::kProcesses;
  trial.spin = options_.gap == "spin";
  trial.samples = options_.samples.value_or(trial.samples);
  trial.warmup = options_.warmup_samples.value_or(trial.warmup);
  trial.tsc = tsc_trust("/").trusted;
  trial.log = options_.log;

  const Topology topology = Topology::current();
  const std::vector<CpuPair> pairs = this->pairs(topology);
  std::vector<const CpuPair*> places{nullptr};
  if (!pairs.empty()) places.clear();
  for (const CpuPair& pair : pairs) places.push_back(&pair);
  const std::size_t count = options_.methods.size() * options_.sleep_us.size() * places.size();
  if (count > kMaxPoints) {
    throw UsageError(
        fmt::format("--pair all: {} points are more than {}; take fewer methods, sleeps or "
                    "processors (taskset)",
                    count, kMaxPoints));
  }

  std::vector<std::unique_ptr<Point>> points;
  for (const std::string& name : options_.methods) {
    trial.method = find_wake_method(name);
    const std::string unavailable = trial.method->unavailable();
    for (const CpuPair* const place : places) {
      trial.team.cpus.clear();
      if (place != nullptr) {
        // Checks that both are allowed, and says which are.
        trial.team.cpus = futex_bench::place(
            {.policy = PlacementPolicy::kCpus, .node = 0, .cpus = {place->first, place->second}},
            topology, 2);
      }
      std::string why_not = unavailable;
      if (why_not.empty() && spins_for_ever(trial, topology.cpus().size())) {
        why_not = "a spinner under a real-time policy never lets the notifier have their processor";
      }
      for (const SleepTime& gap : options_.sleep_us) {
        trial.gap = gap;
        points.push_back(
            std::make_unique<WakeLatencyPoint>(PointKey{.benchmark = "wake-latency",
                                                        .mode = name,
                                                        .threads = 0,
                                                        .parameters = parameters(trial, place)},
                                               trial, why_not));
      }
    }
  }
  return points;
}

}  // namespace futex_bench
