// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/wake_latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/system/error.h"
#include "common/system/numbers.h"
#include "common/system/schedule.h"
#include "common/system/tsc.h"

namespace futex_bench {
namespace {

constexpr std::uint64_t kMaxGapUs = 10'000'000;
constexpr std::uint64_t kMaxSamples = 1'000'000;
constexpr std::uint64_t kMaxCpu = 65535;
constexpr std::uint64_t kMaxDmaLatencyUs = 2'000'000'000;
constexpr std::size_t kMaxPoints = 4096;
constexpr std::string_view kRandom = "random:";

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
  if (trial.method->sleeps || !trial.policy.is_real_time()) return false;
  return trial.cpus.empty() ? allowed_cpus == 1 : trial.cpus[0] == trial.cpus[1];
}

}  // namespace

std::vector<WakeGap> parse_wake_gaps(const std::string& text) {
  try {
    if (text.starts_with(kRandom)) {
      return {{.us = parse_count(text.substr(kRandom.size()), 1, kMaxGapUs), .random = true}};
    }
    std::vector<WakeGap> gaps;
    for (const std::uint64_t us : parse_ranges_in_order(text, 0, kMaxGapUs)) {
      gaps.push_back({.us = us});
    }
    return gaps;
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--sleep-us: {}", error.what()));
  }
}

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
       TextTarget{&options_.sleep_us}},
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
       "Processors of the notifier and of the waiter. Default: the scheduler's "
       "choice.",
       CountListTarget{&options_.cpus, 0, kMaxCpu, true}},
      {"--pair", "KIND",
       "The first two allowed processors of that kind: same-cpu, smt (one core), same-llc (two "
       "cores, one last-level cache), same-node (two caches), cross-node; or all for a matrix of "
       "all pairs.",
       ChoiceTarget{&options_.pair, pair_names}},
      {"--sched", "POLICY",
       "Scheduling policy of both sides: other, batch, idle, or with a real-time priority "
       "fifo:PRIO, "
       "rr:PRIO. Default: as started.",
       TextTarget{&options_.sched}},
      {"--dma-latency", "US",
       "Keep processors out of idle states that take more than US microseconds to leave, while a "
       "trial runs (/dev/cpu_dma_latency). 0 makes idle processors poll, and wakes several times "
       "faster.",
       CountTarget{&options_.dma_latency, 0, kMaxDmaLatencyUs}},
      {"--log", "", "Keep and print every sample in time order.", FlagTarget{&options_.log}},
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
  if (options_.pair == "all") return all_pairs(topology);
  if (!options_.pair.empty()) return {find_pair(options_.pair, topology)};
  if (options_.cpus.empty()) return {};
  return {{static_cast<int>(options_.cpus[0]), static_cast<int>(options_.cpus[1])}};
}

std::vector<std::unique_ptr<Point>> WakeLatencyBenchmark::points() const {
  if (!options_.cpus.empty() && !options_.pair.empty()) {
    throw UsageError("--cpus and --pair cannot go together");
  }
  if (!options_.cpus.empty() && options_.cpus.size() != 2) {
    throw UsageError("--cpus: needs two processors, the notifier's and the waiter's (0,1)");
  }
  WakeLatencyTrial trial;
  try {
    if (!options_.sched.empty()) trial.policy = parse_scheduling_policy(options_.sched);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--sched: {}", error.what()));
  }
  if (const auto why = policy_refused(trial.policy)) {
    throw UsageError(fmt::format("--sched {}: {}", options_.sched, *why));
  }
  if (options_.dma_latency) {
    if (const auto why = dma_latency_refused()) {
      throw UsageError(fmt::format("--dma-latency: {}", *why));
    }
    trial.dma_latency_us = static_cast<int>(*options_.dma_latency);
  }
  trial.between = options_.between == "threads" ? WakeBetween::kThreads : WakeBetween::kProcesses;
  trial.samples = options_.samples.value_or(trial.samples);
  trial.warmup = options_.warmup_samples.value_or(trial.warmup);
  trial.tsc = tsc_trust("/").trusted;
  trial.log = options_.log;

  const Topology topology = Topology::current();
  std::vector<std::optional<CpuPair>> places;
  for (const CpuPair& pair : pairs(topology)) places.emplace_back(pair);
  if (places.empty()) places.emplace_back(std::nullopt);
  const std::vector<WakeGap> gaps = parse_wake_gaps(options_.sleep_us);
  const std::size_t count = options_.methods.size() * gaps.size() * places.size();
  if (count > kMaxPoints) {
    throw UsageError(
        fmt::format("--pair all: {} points are more than {}; take fewer methods, "
                    "sleeps or processors (taskset)",
                    count, kMaxPoints));
  }

  std::vector<std::unique_ptr<Point>> points;
  for (const std::string& name : options_.methods) {
    trial.method = find_wake_method(name);
    const std::string unavailable = trial.method->unavailable();
    for (const auto& place : places) {
      trial.cpus.clear();
      if (place) {
        for (const int cpu : {place->first, place->second}) {
          // Checks that it is allowed, and says which are.
          trial.cpus.push_back(
              futex_bench::place({.policy = PlacementPolicy::kCpus, .node = 0, .cpus = {cpu}},
                                 topology, 1)
                  .front());
        }
      }
      std::string why_not = unavailable;
      if (why_not.empty() && spins_for_ever(trial, topology.cpus().size())) {
        why_not = "a spinner under SCHED_FIFO never lets the notifier have their one processor";
      }
      for (const WakeGap& gap : gaps) {
        trial.gap = gap;
        trial.gap.spin = options_.gap == "spin";
        std::vector<std::pair<std::string, std::string>> parameters;
        const auto add = [&parameters](const char* key, const std::string& value) {
          parameters.emplace_back(key, value);
        };
        add("sleep_us", fmt::format("{}{}", gap.random ? kRandom : "", gap.us));
        if (trial.gap.spin) add("gap", "spin");
        if (trial.between == WakeBetween::kThreads) add("between", "threads");
        if (!options_.pair.empty()) add("pair", options_.pair);
        // A kind of pair is the same thing on every machine; its processors have other numbers.
        if (place && (options_.pair.empty() || options_.pair == "all")) {
          add("cpus", fmt::format("{},{}", place->first, place->second));
        }
        if (!options_.sched.empty()) add("sched", trial.policy.to_string());
        if (trial.dma_latency_us) add("dma_latency_us", fmt::format("{}", *trial.dma_latency_us));
        if (!trial.tsc) add("clock", "monotonic");
        points.push_back(
            std::make_unique<WakeLatencyPoint>(PointKey{.benchmark = "wake-latency",
                                                        .mode = name,
                                                        .threads = 0,
                                                        .parameters = std::move(parameters)},
                                               trial, why_not));
      }
    }
  }
  return points;
}

}  // namespace futex_bench
