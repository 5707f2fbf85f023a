// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The parent's side: what the samples of a trial say.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "common/stats/histogram.h"
#include "common/stats/order_statistics.h"
#include "common/system/clock.h"
#include "common/system/tsc.h"
#include "futex-bench/bench/wake_latency_memory.h"
#include "futex-bench/bench/wake_latency_trial.h"

namespace futex_bench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const auto kMetrics = std::to_array<Metric>({
    {"latency", "us", Direction::kLowerIsBetter,
     "Median time from just before the call that wakes until the blocked waiter has returned from "
     "its own."},
    {"mean", "us", Direction::kLowerIsBetter, "Mean of the same."},
    {"stddev", "us", Direction::kNeutral, "Standard deviation of the same (n - 1)."},
    {"min", "us", Direction::kNeutral, "Smallest of the same."},
    {"p90", "us", Direction::kLowerIsBetter, "90th percentile of the same, by nearest rank."},
    {"p95", "us", Direction::kLowerIsBetter, "95th percentile."},
    {"p99", "us", Direction::kLowerIsBetter, "99th percentile; the largest of fewer than 100."},
    {"p99_9", "us", Direction::kNeutral, "99.9th percentile; the largest of fewer than 1000."},
    {"max", "us", Direction::kNeutral, "Largest of the same."},
    {"samples", "1", Direction::kNeutral, "Samples of which all of these were made."},
    {"not_blocked", "1", Direction::kNeutral,
     "Samples left out because the waiter had not been asleep."},
    {"backwards", "1", Direction::kNeutral,
     "Samples left out because they seem to have ended before they began: the clocks of two "
     "processors disagree."},
    {"gap_p50", "us", Direction::kNeutral,
     "Median time that the waiter had slept when it was notified, of the same samples."},
    {"same_cpu", "1", Direction::kNeutral,
     "Share of the same samples whose ends were on one processor."},
    {"stamp_cost", "us", Direction::kNeutral,
     "What the two stamps by themselves add to every latency."},
    {"clock_offset", "us", Direction::kNeutral,
     "The clocks of the first two processors that a sample went between differ by no more than "
     "this: "
     "the offset seen and half of the quickest exchange. Not available if all samples were on "
     "one."},
});

bool is_backwards(const WakeSample& sample) { return sample.woken < sample.notified; }
bool is_same_cpu(const WakeSample& sample) { return sample.notifier_cpu == sample.waiter_cpu; }

/// The samples and the tick of a trial in shared memory.
WakeSamples samples_in(const WakeLatencyTrial& trial, const void* memory) {
  const auto& shared = *static_cast<const WakeMemory*>(memory);
  const double tick =
      trial.tsc ? ns_per_tick(shared.start_ticks, shared.start_ns, shared.end_ticks, shared.end_ns)
                : 1;
  return {.method = trial.method,
          .samples = {shared.all() + shared.warmup, static_cast<std::size_t>(shared.samples)},
          .ns_per_tick = tick,
          .stamp_cost_ns = shared.stamp_cost_ticks * tick,
          .clock_offset_ns = shared.clock_offset_ticks * tick};
}

/// Samples that both sides have done with, warm-up left out.
std::uint64_t samples_done(const WakeMemory& shared) {
  if (shared.end_ns != 0) return shared.samples;
  // The waiter has done with all before this one. The notifier writes the stamp of one after it has
  // woken the waiter, and before it wakes it again; so it may still owe that of the one before.
  // Acquire pairs with the release of the waiter, which has seen what the notifier did before its wake.
  const std::uint64_t armed = shared.armed.load(std::memory_order_acquire);
  return armed < shared.warmup + 2 ? 0 : armed - 2 - shared.warmup;
}

}  // namespace

std::span<const Metric> wake_latency_metrics() { return kMetrics; }

std::uint64_t wake_latency_progress(const void* memory) {
  return static_cast<const WakeMemory*>(memory)->armed.load(std::memory_order_relaxed);
}

std::string wake_latency_how_far(const WakeLatencyTrial& trial, const void* memory) {
  const auto& shared = *static_cast<const WakeMemory*>(memory);
  const std::uint64_t done = samples_done(shared);
  if (done == 0) return {};
  const double tick = trial.tsc ? ns_per_tick(shared.start_ticks, shared.start_ns,
                                              StampClock(true).after(), now_ns())
                                : 1;
  const WakeSamples so_far{
      .method = trial.method,
      .samples = {shared.all() + shared.warmup, static_cast<std::size_t>(done)},
      .ns_per_tick = tick,
      .stamp_cost_ns = 0,
      .clock_offset_ns = kNone};
  std::vector<double> us;
  for (const WakeSample& sample : so_far.samples) {
    if (!was_blocked(*trial.method, sample) || is_backwards(sample)) continue;
    us.push_back(static_cast<double>(sample.woken - sample.notified) * tick / 1e3);
  }
  std::string text = fmt::format("after {} of {} samples", done, shared.samples);
  if (us.empty()) return text;
  std::ranges::sort(us);
  return text + fmt::format(", min {:.2f} median {:.2f} max {:.2f} us", us.front(),
                            percentile(us, 50), us.back());
}

bool cut_short_wake_latency(const WakeLatencyTrial& trial, void* memory) {
  auto& shared = *static_cast<WakeMemory*>(memory);
  shared.samples = samples_done(shared);
  if (shared.end_ns == 0) {
    shared.end_ticks = StampClock(trial.tsc).after();
    shared.end_ns = now_ns();
  }
  return shared.samples != 0;
}

std::vector<double> wake_values(const WakeSamples& all) {
  std::vector<double> us;
  std::vector<double> gaps;
  double not_blocked = 0;
  double backwards = 0;
  double same_cpu = 0;
  const double us_per_tick = all.ns_per_tick / 1e3;
  for (const WakeSample& sample : all.samples) {
    if (!was_blocked(*all.method, sample)) {
      ++not_blocked;
    } else if (is_backwards(sample)) {
      ++backwards;
    } else {
      us.push_back(static_cast<double>(sample.woken - sample.notified) * us_per_tick);
      gaps.push_back(static_cast<double>(sample.gap) * us_per_tick);
      same_cpu += is_same_cpu(sample) ? 1 : 0;
    }
  }
  std::ranges::sort(us);
  std::ranges::sort(gaps);
  const auto count = static_cast<double>(us.size());
  const double mean = us.empty() ? kNone : std::accumulate(us.begin(), us.end(), 0.0) / count;
  double squares = 0;
  for (const double value : us) squares += (value - mean) * (value - mean);
  return {percentile(us, 50),
          mean,
          us.size() < 2 ? kNone : std::sqrt(squares / (count - 1)),
          us.empty() ? kNone : us.front(),
          percentile(us, 90),
          percentile(us, 95),
          percentile(us, 99),
          percentile(us, 99.9),
          us.empty() ? kNone : us.back(),
          count,
          not_blocked,
          backwards,
          percentile(gaps, 50),
          us.empty() ? kNone : same_cpu / count,
          all.stamp_cost_ns / 1e3,
          all.clock_offset_ns / 1e3};
}

std::vector<std::pair<std::string, Distribution>> wake_distributions(const WakeSamples& all) {
  enum { kAll, kGap, kSame, kTwo, kNotBlocked, kKinds };
  static constexpr std::array<const char*, kKinds> kNames = {
      kWakeLatencyUs, kWakeGapUs, kWakeSameCpuUs, kWakeTwoCpusUs, kWakeNotBlockedUs};
  const auto histograms = std::make_unique<std::array<Histogram, kKinds>>();
  const auto record = [&](int kind, std::uint64_t ticks) {
    const double ns = static_cast<double>(ticks) * all.ns_per_tick;
    (*histograms)[static_cast<std::size_t>(kind)].record(
        static_cast<std::uint64_t>(std::llround(ns)));
  };
  for (const WakeSample& sample : all.samples) {
    if (is_backwards(sample)) continue;
    const std::uint64_t latency = sample.woken - sample.notified;
    if (!was_blocked(*all.method, sample)) {
      record(kNotBlocked, latency);
      continue;
    }
    record(kAll, latency);
    record(kGap, sample.gap);
    record(is_same_cpu(sample) ? kSame : kTwo, latency);
  }
  std::vector<std::pair<std::string, Distribution>> list;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const Histogram& histogram = (*histograms)[kind];
    if (kind != kAll && histogram.count() == 0) continue;
    list.emplace_back(kNames[kind], distribution_of(histogram, 1e-3));
  }
  return list;
}

std::vector<double> wake_latency_values(const WakeLatencyTrial& trial, const void* memory) {
  return wake_values(samples_in(trial, memory));
}

std::vector<std::pair<std::string, Distribution>> wake_latency_distributions(
    const WakeLatencyTrial& trial, const void* memory) {
  return wake_distributions(samples_in(trial, memory));
}

std::vector<std::pair<std::string, std::vector<double>>> wake_latency_series(
    const WakeLatencyTrial& trial, const void* memory) {
  if (!trial.log) return {};
  const WakeSamples all = samples_in(trial, memory);
  std::vector<double> latency;
  std::vector<double> gap;
  std::vector<double> from;
  std::vector<double> to;
  std::vector<double> blocked;
  for (const WakeSample& sample : all.samples) {
    // Signed: a clock that went backwards shows.
    const auto ticks = static_cast<std::int64_t>(sample.woken - sample.notified);
    latency.push_back(static_cast<double>(ticks) * all.ns_per_tick / 1e3);
    gap.push_back(static_cast<double>(sample.gap) * all.ns_per_tick / 1e3);
    from.push_back(sample.notifier_cpu);
    to.push_back(sample.waiter_cpu);
    blocked.push_back(was_blocked(*all.method, sample) ? 1 : 0);
  }
  return {{"latency_us", std::move(latency)},
          {"gap_us", std::move(gap)},
          {"notifier_cpu", std::move(from)},
          {"waiter_cpu", std::move(to)},
          {"blocked", std::move(blocked)}};
}

}  // namespace futex_bench
