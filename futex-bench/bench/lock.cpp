// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/lock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "common/system/error.h"
#include "common/system/perf_counters.h"
#include "common/system/shared_memory.h"
#include "common/system/topology.h"
#include "common/system/tsc.h"
#include "futex-bench/bench/lock_trial.h"
#include "futex-bench/bench/probe.h"
#include "futex-bench/bench/probe_perf.h"
#include "futex-bench/bench/probe_syscalls.h"
#include "futex-bench/bench/workload.h"

namespace futex_bench {
namespace {

/// Longest hold or gap: longer than any critical section, and 1024 threads still end in time.
constexpr double kMaxWorkNs = 1e9;
constexpr std::uint64_t kMaxSpin = 1'000'000;
constexpr std::uint64_t kMaxNode = 1023;
constexpr std::uint64_t kMaxSample = 1'000'000;

class LockPoint : public Point {
 public:
  LockPoint(PointKey key, LockTrial trial, std::optional<std::string> unavailable)
      : key_(std::move(key)), trial_(std::move(trial)), unavailable_(std::move(unavailable)) {}

  const PointKey& key() const override { return key_; }
  /// The kind of lock without its details, and the mode.
  std::string title() const override {
    const std::string_view summary = trial_.lock->summary;
    return fmt::format("{} (mode {})", summary.substr(0, summary.find(':')), trial_.lock->name);
  }
  std::optional<std::string> unavailable() const override { return unavailable_; }
  std::optional<double> expected_seconds(const TrialRequest& request) const override {
    if (trial_.iterations) return std::nullopt;
    return request.runtime;
  }
  std::uint64_t progress(const void* memory) const override {
    return lock_trial_progress(trial_, memory);
  }
  std::size_t memory_bytes() const override { return lock_trial_bytes(trial_); }
  void run(const TrialRequest& request, TrialControl& control, void* memory) const override {
    run_lock_trial(trial_, request, control, memory);
  }
  bool read_in_place_of_child(void* memory) const override {
    read_lock_trial_late(trial_, memory);
    return true;
  }
  std::optional<std::string> violation(const void* memory) const override {
    return lock_trial_violation(trial_, memory);
  }
  std::vector<double> collect(const void* memory) const override {
    return lock_trial_values(trial_, memory);
  }

 private:
  PointKey key_;
  LockTrial trial_;
  std::optional<std::string> unavailable_;
};

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (const LockEntry& lock : lock_table()) names.emplace_back(lock.name);
  return names;
}

/// Whether the loop reads a clock.
bool times_acquisitions(const ProbeSet& probes) { return probes.latency || probes.fairness; }

/// Why the lock cannot run: it is not part of the program, or the kernel lacks what it needs.
std::optional<std::string> missing_for(const LockEntry& lock) {
  if (!lock.traits.not_built_in.empty()) return std::string(lock.traits.not_built_in);
  if (!lock.traits.needs) return std::nullopt;
  const FutexCapability& capability = futex_capability(*lock.traits.needs);
  if (capability.available) return std::nullopt;
  return fmt::format("{}: {}", capability.name, capability.reason);
}

}  // namespace

std::vector<Option> LockBenchmark::options() {
  return {
      {"--threads", "SPEC",
       "Numbers of threads: 4, 1-8, 1-64:8 (step), 1-64:x2 (factor) and lists of these; a range of "
       "more than 16 numbers means the classical ladder 1 2 3 4 5 6 8 10 12 16 24 32 64 128 256 "
       "512 "
       "1024 within it. Default: 1-1024.",
       ThreadsTarget{&options_.threads}},
      {"--mode", "LIST",
       "Kinds of lock, separated by commas, or all; `futex-bench list` explains them. With "
       "several, "
       "each is set beside the first. "
       "setwait emulates FUTEX_SET_WAIT with a queue in user space: it keeps that the word says "
       "contended only while a waiter is queued, and loses the kernel's own cost, requeueing and "
       "the "
       "process-shared form. setwait-lite keeps its state machine alone and loses that marking and "
       "queueing are one step. Default: wait.",
       NamesTarget{&options_.modes, mode_names()}},
      {"--iterations", "N",
       "Historical form: N iterations in total, split over the threads, and the time until the "
       "last "
       "thread ends, instead of as many as fit in --runtime.",
       CountTarget{&options_.iterations, 1, 1'000'000'000'000'000}},
      {"--hold", "LIST",
       "Work inside the critical section, in nanoseconds, 0 to 1e9; with several, separated by "
       "commas, each makes a point of its own. Default: 0.",
       RealListTarget{&options_.hold_ns, 0, kMaxWorkNs}},
      {"--gap", "LIST",
       "Work between two critical sections, in nanoseconds, 0 to 1e9; several as with --hold. "
       "Default: 0.",
       RealListTarget{&options_.gap_ns, 0, kMaxWorkNs}},
      {"--shared", "", "Process-shared instead of private futexes, in memory mapped shared.",
       FlagTarget{&options_.shared}},
      {"--spin", "N",
       "Bound of spinning in pauses, 0 to 1000000, for the modes that have one. Default: each "
       "mode's own.",
       CountTarget{&options_.spin, 0, kMaxSpin}},
      {"--placement", "HOW",
       "none, compact (fill a core, a cache, a node before the next), scatter (as far apart as "
       "possible), node=N (anywhere on that node) or cpus=LIST (one thread each, in turn); always "
       "within the processors this process may use. Default: none.",
       PlacementTarget{&options_.placement}},
      {"--lock-node", "N", "Memory node of the lock word. Default: wherever the kernel puts it.",
       CountTarget{&options_.lock_node, 0, kMaxNode}},
      {"--verify", "",
       "Check in every trial that no two threads are inside at once: a counter that is not atomic, "
       "and the owner. The discarded warm-up round always does; measured figures suffer.",
       FlagTarget{&options_.verify}},
      {"--probe", "LIST",
       "Measure also why, at the cost of other figures. syscalls: futex waits, wakes, pauses and "
       "yields per 1000 iterations, counted in every lock but those of libraries. latency: time "
       "to get "
       "the lock, for sampled acquisitions. fairness: Jain's index over 10 ms, the longest wait, "
       "distinct owners in a row and acquisitions until the same thread has the lock again; it "
       "times every acquisition and takes a number inside the critical section, which makes both "
       "longer. perf: counters of the processor and the scheduler. Only perf goes together with "
       "another.",
       NamesTarget{&options_.probes, probe_names()}},
      {"--sample", "N",
       "With --probe latency: time one acquisition in N, on average, at random distances; 1 for "
       "all, and 1/N is the same as N. Two clock reads take longer than a free lock. Default: 64.",
       CountTarget{&options_.sample, 1, kMaxSample, "1/"}},
  };
}

std::span<const Metric> LockBenchmark::metrics() const {
  return lock_trial_metrics(probe_set(options_.probes));
}

std::vector<std::string> LockBenchmark::notes() const {
  const ProbeSet probes = probe_set(options_.probes);
  std::vector<std::string> notes;
  if (probes.perf) notes = perf_notes(PerfCounters());
  if (probes.syscalls) {
    for (const std::string& mode : options_.modes) {
      if (find_counting_lock(mode) != nullptr) continue;
      notes.push_back(
          fmt::format("--probe syscalls: mode {} does not show what it asks of the kernel", mode));
    }
  }
  if (times_acquisitions(probes)) {
    const TscTrust tsc = tsc_trust("/");
    if (!tsc.trusted) {
      notes.push_back(
          fmt::format("--probe {}: timed by CLOCK_MONOTONIC; {}", to_string(probes), tsc.reason));
    }
  }
  return notes;
}

std::vector<std::string> LockBenchmark::examples() const {
  return {
      "futex-bench lock",
      "futex-bench lock --threads 1-64:x2 --mode wait,setwait,adaptive",
      "futex-bench lock --threads 4 --mode all --hold 200 --gap 400",
      "futex-bench lock --threads 1-1024 --iterations 100M",
      "futex-bench lock --threads 1-16 --mode wait,pthread --output result.json",
      "futex-bench lock --threads 1-16 --mode wait,setwait --probe syscalls",
  };
}

void LockBenchmark::check_mode(const LockEntry& lock) const {
  if (options_.spin && !lock.traits.takes_spin) {
    std::vector<std::string_view> takers;
    for (const LockEntry& other : lock_table()) {
      if (other.traits.takes_spin) takers.push_back(other.name);
    }
    throw UsageError(fmt::format("--spin: mode {} has no bound to set (modes with one: {})",
                                 lock.name, fmt::join(takers, ", ")));
  }
  if (options_.shared && !lock.traits.takes_shared) {
    throw UsageError(fmt::format("--shared: mode {} has no process-shared form", lock.name));
  }
  if (options_.verify && !lock.traits.excludes && lock.traits.not_built_in.empty()) {
    throw UsageError(
        fmt::format("--verify: mode {} is no lock, there is nothing to check", lock.name));
  }
}

void LockBenchmark::check_probes() const {
  const ProbeSet probes = probe_set(options_.probes);
  if (options_.sample && !probes.latency) {
    throw UsageError("--sample: has no meaning without --probe latency");
  }
  if (options_.verify && times_acquisitions(probes)) {
    throw UsageError(fmt::format(
        "--verify: cannot go with --probe {}: both change the measured loop", to_string(probes)));
  }
}

std::vector<std::unique_ptr<Point>> LockBenchmark::points() const {
  check_probes();
  const Topology topology = Topology::current();
  if (options_.lock_node) {
    // A page to try it on: a node that is not there is the user's mistake, not every trial's.
    const Mapping page(1, Mapping::Kind::kPrivate);
    bind_memory(page.address(), page.bytes(), static_cast<unsigned>(*options_.lock_node));
  }
  LockTrial trial;
  trial.config.scope = options_.shared ? FutexScope::kShared : FutexScope::kPrivate;
  if (options_.spin) trial.config.spin = static_cast<std::uint32_t>(*options_.spin);
  trial.iterations = options_.iterations;
  trial.verify = options_.verify;
  if (options_.lock_node) trial.lock_node = static_cast<unsigned>(*options_.lock_node);
  trial.probes = probe_set(options_.probes);
  trial.sample = options_.sample.value_or(kDefaultSample);
  trial.tsc = times_acquisitions(trial.probes) && tsc_trust("/").trusted;

  // "all" asks for whatever can be had; a mode asked for by name has to understand every option.
  const bool all_modes = options_.modes.size() == lock_table().size();
  struct Work {
    double hold_ns, gap_ns;
    std::uint64_t hold_units, gap_units;
  };
  std::vector<Work> works;
  for (const double hold : options_.hold_ns) {
    for (const double gap : options_.gap_ns) {
      works.push_back({hold, gap, busy_work_units(hold), busy_work_units(gap)});
    }
  }
  std::vector<std::unique_ptr<Point>> points;
  for (const std::string& mode : options_.modes) {
    trial.lock = find_lock(mode);
    std::optional<std::string> unavailable = missing_for(*trial.lock);
    try {
      check_mode(*trial.lock);
    } catch (const UsageError& error) {
      if (!all_modes) throw;
      unavailable = error.what();
    }
    for (const Work& work : works) {
      trial.hold_units = work.hold_units;
      trial.gap_units = work.gap_units;
      for (const unsigned threads : options_.threads) {
        trial.threads = threads;
        trial.cpus = place(options_.placement, topology, threads);
        points.push_back(std::make_unique<LockPoint>(
            PointKey{.benchmark = "lock",
                     .mode = mode,
                     .threads = threads,
                     .parameters = parameters(work.hold_ns, work.gap_ns)},
            trial, unavailable));
      }
    }
  }
  return points;
}

/// What the user set; a parameter that is not there has its default.
std::vector<std::pair<std::string, std::string>> LockBenchmark::parameters(double hold_ns,
                                                                           double gap_ns) const {
  std::vector<std::pair<std::string, std::string>> list;
  const auto add = [&list](const char* name, const std::string& value) {
    list.emplace_back(name, value);
  };
  if (options_.iterations) add("iterations", fmt::format("{}", *options_.iterations));
  // Of several, 0 has to be told from the others; a comparison takes it for one value of a parameter
  // and not for a parameter that the point does not have.
  if (hold_ns > 0 || options_.hold_ns.size() > 1) add("hold_ns", fmt::format("{}", hold_ns));
  if (gap_ns > 0 || options_.gap_ns.size() > 1) add("gap_ns", fmt::format("{}", gap_ns));
  if (options_.shared) add("futexes", "shared");
  if (options_.spin) add("spin", fmt::format("{}", *options_.spin));
  if (options_.placement.policy != PlacementPolicy::kNone) {
    add("placement", options_.placement.to_string());
  }
  if (options_.lock_node) add("lock_node", fmt::format("{}", *options_.lock_node));
  if (options_.verify) add("verify", "yes");
  const ProbeSet probes = probe_set(options_.probes);
  if (probes.any()) add("probe", to_string(probes));
  if (probes.latency) add("sample", fmt::format("{}", options_.sample.value_or(kDefaultSample)));
  if (times_acquisitions(probes)) add("clock", tsc_trust("/").trusted ? "tsc" : "monotonic");
  if (probes.perf && perf_user_only(PerfCounters())) add("perf", "user_space_only");
  return list;
}

}  // namespace futex_bench
