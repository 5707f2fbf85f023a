// SPDX-License-Identifier: GPL-2.0-only
#include "tests/bench/ping_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <vector>

#include "common/stats/order_statistics.h"
#include "common/system/clock.h"
#include "common/system/schedule.h"
#include "common/system/shared_memory.h"
#include "common/system/thread_team.h"
#include "common/system/topology.h"
#include "futex-bench/bench/wake_latency_trial.h"

namespace futex_bench {
namespace {

constexpr int kRounds = 11;
constexpr std::uint64_t kSamples = 300;
constexpr std::uint64_t kGapUs = 10;

struct alignas(128) Line {
  std::atomic<std::uint64_t> value{0};
};

void nap(std::int64_t us) {
  const timespec time{.tv_sec = 0, .tv_nsec = us * 1000};
  nanosleep(&time, nullptr);
}

/// What one would write to time a cache line's way: stamp, store; load, stamp.
double bare_ping_us(const std::vector<std::vector<int>>& cpus) {
  Line ball;
  Line back;
  std::vector<std::int64_t> thrown(kSamples + 1);
  std::vector<std::int64_t> caught(kSamples + 1);
  ThreadTeam team(2, cpus, [&](unsigned side) {
    set_smallest_timer_slack();
    for (std::uint64_t n = 1; n <= kSamples; ++n) {
      if (side == 0) {
        nap(static_cast<std::int64_t>(kGapUs));
        thrown[n] = now_ns();
        ball.value.store(n, std::memory_order_release);
        while (back.value.load(std::memory_order_acquire) != n) nap(5);
      } else {
        while (ball.value.load(std::memory_order_acquire) != n) {
        }
        caught[n] = now_ns();
        back.value.store(n, std::memory_order_release);
      }
    }
  });
  team.open_gate();
  team.join();
  std::vector<double> us;
  for (std::uint64_t n = 1; n <= kSamples; ++n) {
    us.push_back(static_cast<double>(caught[n] - thrown[n]) / 1e3);
  }
  std::ranges::sort(us);
  return percentile(us, 50);
}

double busy_wait_us(const std::vector<std::vector<int>>& cpus) {
  const WakeLatencyTrial trial{.method = find_wake_method("busy-wait"),
                               .gap = {.us = kGapUs},
                               .samples = kSamples,
                               .warmup = 0,
                               .team = {.between = Between::kThreads, .cpus = cpus}};
  const Mapping memory(wake_latency_bytes(trial), Mapping::Kind::kShared);
  TrialControl control;
  run_wake_latency(trial, {}, control, memory.address());
  return wake_latency_values(trial, memory.address()).front();
}

}  // namespace

void print_ping_ratio() {
  const std::vector<int> allowed = allowed_cpus();
  if (allowed.size() < 2) {
    fmt::print("busy-wait / a bare cache line: needs two processors\n");
    return;
  }
  const std::vector<std::vector<int>> cpus = {{allowed[0]}, {allowed[1]}};
  std::vector<double> bare;
  std::vector<double> ours;
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    bare.push_back(bare_ping_us(cpus));
    ours.push_back(busy_wait_us(cpus));
    ratios.push_back(ours.back() / bare.back());
  }
  fmt::print("{:<52} {:.2f} ({:.3f} / {:.3f} us)\n", "busy-wait / a bare cache line, median",
             median(ratios), median(ours), median(bare));
}

}  // namespace futex_bench
