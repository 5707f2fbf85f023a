// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What the tool itself costs: the measuring loop against a bare one around the same lock, the loop
/// alone, and a trial beyond its runtime. Both sides of a ratio alternate in one run. Prints
/// figures and judges nothing: machines differ.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/locks/all.h"
#include "common/stats/histogram.h"
#include "common/stats/order_statistics.h"
#include "common/system/clock.h"
#include "futex-bench/bench/lock_trial.h"
#include "futex-bench/bench/registry.h"
#include "futex-bench/run/watchdog.h"
#include "tests/bench/ping_bench.h"

namespace futex_bench {
namespace {

constexpr int kRounds = 21;
constexpr std::uint64_t kIterations = 5'000'000;

double ns_per_iteration(const std::function<void()>& loop) {
  const std::int64_t start = now_ns();
  loop();
  return static_cast<double>(now_ns() - start) / kIterations;
}

template <Lock L>
double measured_loop() {
  const auto lock = std::make_unique<L>(LockConfig{});
  const auto slot = std::make_unique<WorkerSlot>();
  slot->limit = kIterations;
  return ns_per_iteration([&] { lock_loop(*lock, LoopWork{}, *slot, Count{}); });
}

/// What one would write by hand to time a lock.
template <Lock L>
[[gnu::noinline]] void bare(L& lock) {
  typename L::Context context;
  for (std::uint64_t i = 0; i < kIterations; ++i) {
    lock.lock(context);
    lock.unlock(context);
  }
}

template <Lock L>
double bare_loop() {
  const auto lock = std::make_unique<L>(LockConfig{});
  return ns_per_iteration([&] { bare(*lock); });
}

void print_ratio(const char* what, double (*base)(), double (*other)()) {
  std::vector<double> base_speed;
  std::vector<double> other_speed;
  for (int round = 0; round < kRounds; ++round) {
    const bool base_first = round % 2 == 0;
    if (base_first) base_speed.push_back(1 / base());
    other_speed.push_back(1 / other());
    if (!base_first) base_speed.push_back(1 / base());
  }
  const RatioEstimate ratio = paired_ratio(base_speed, other_speed);
  fmt::print("{:<52} {:.3f} [{:.3f} {:.3f}]  ({:.2f} ns against {:.2f} ns)\n", what, ratio.ratio,
             ratio.low, ratio.high, 1 / median(other_speed), 1 / median(base_speed));
}

/// One trial's wall time beyond its runtime, and the most memory a trial's process has had.
void print_trial_cost(unsigned threads) {
  constexpr double kRuntime = 0.1;
  Watchdog watchdog;
  const auto benchmark = benchmarks().front().make();
  for (Option& option : benchmark->options()) {
    if (auto* const target = std::get_if<ThreadsTarget>(&option.target))
      *target->target = {threads};
  }
  const auto points = benchmark->points();
  std::vector<double> milliseconds;
  for (int round = 0; round < 9; ++round) {
    const std::int64_t start = now_ns();
    watchdog.run(*points.front(), {.runtime = kRuntime, .verify = false});
    milliseconds.push_back(static_cast<double>(now_ns() - start) / 1e6 - kRuntime * 1e3);
  }
  const Summary summary = summarize(milliseconds);
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  fmt::print("a trial beyond its runtime, {:>4} threads: {:>28.1f} ms [{:.1f} {:.1f}], {:.1f} MB\n",
             threads, summary.median, summary.low, summary.high,
             static_cast<double>(usage.ru_maxrss) / 1e3);
}

/// What counting one latency takes, the clock apart: values of many sizes, so that the slots touched
/// vary as they do under contention.
double histogram_record() {
  constexpr std::size_t kValues = 1024;
  std::vector<std::uint64_t> values(kValues);
  std::uint64_t random = 1;
  for (std::uint64_t& value : values) {
    random = random * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX generator
    value = random >> (40 + random % 20);
  }
  const auto histogram = std::make_unique<Histogram>();
  const double ns = ns_per_iteration([&] {
    for (std::uint64_t i = 0; i < kIterations; ++i) histogram->record(values[i % kValues]);
  });
  return histogram->count() == kIterations ? ns : 0;
}

}  // namespace
}  // namespace futex_bench

int main() {
  using namespace futex_bench;
  using Wait = WaitLock<LinuxPlatform>;
  using WaitXchg = WaitXchgLock<LinuxPlatform>;
  fmt::print("Speed as a ratio, median and 95 % interval of {} alternating rounds:\n", kRounds);
  print_ratio("wait in the measured loop / in a bare loop", bare_loop<Wait>, measured_loop<Wait>);
  print_ratio("wait-xchg / wait, measured loop, 1 thread", measured_loop<Wait>,
              measured_loop<WaitXchg>);
  std::vector<double> null_ns;
  for (int round = 0; round < kRounds; ++round) null_ns.push_back(measured_loop<NullLock>());
  fmt::print("{:<52} {:.3f} ns\n", "the measured loop alone (null), per iteration",
             median(null_ns));
  std::vector<double> record_ns;
  for (int round = 0; round < kRounds; ++round) record_ns.push_back(histogram_record());
  fmt::print("{:<52} {:.3f} ns\n", "recording one latency, besides the clock", median(record_ns));
  print_trial_cost(1);
  print_trial_cost(1024);
  print_ping_ratios();
}
