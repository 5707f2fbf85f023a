// SPDX-License-Identifier: GPL-2.0-only
#include "tests/bench/ping_bench.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <string>
#include <vector>

#include "common/stats/order_statistics.h"
#include "common/system/clock.h"
#include "common/system/error.h"
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

using Cpus = std::vector<std::vector<int>>;

struct alignas(128) Line {
  std::atomic<std::uint64_t> value{0};
};

void nap(std::int64_t us) {
  const timespec time{.tv_sec = 0, .tv_nsec = us * 1000};
  nanosleep(&time, nullptr);
}

/// Between two stamps each, in nanoseconds.
double median_us(const std::vector<std::int64_t>& starts, const std::vector<std::int64_t>& ends) {
  std::vector<double> us;
  for (std::size_t n = 0; n < starts.size(); ++n) {
    us.push_back(static_cast<double>(ends[n] - starts[n]) / 1e3);
  }
  std::ranges::sort(us);
  return percentile(us, 50);
}

/// What one would write to time a cache line's way: stamp, store; load, stamp.
double bare_line_us(const Cpus& cpus) {
  Line ball;
  Line back;
  std::vector<std::int64_t> thrown(kSamples);
  std::vector<std::int64_t> caught(kSamples);
  ThreadTeam team(2, cpus, [&](unsigned side) {
    set_smallest_timer_slack();
    for (std::uint64_t n = 1; n <= kSamples; ++n) {
      if (side == 0) {
        nap(static_cast<std::int64_t>(kGapUs));
        thrown[n - 1] = now_ns();
        ball.value.store(n, std::memory_order_release);
        while (back.value.load(std::memory_order_acquire) != n) nap(5);
      } else {
        while (ball.value.load(std::memory_order_acquire) != n) {
        }
        caught[n - 1] = now_ns();
        back.value.store(n, std::memory_order_release);
      }
    }
  });
  team.open_gate();
  team.join();
  return median_us(thrown, caught);
}

/// The two ends of a pipe.
class Pipe {
 public:
  Pipe() {
    if (pipe(ends_.data()) != 0) throw_errno("pipe");
  }
  ~Pipe() {
    for (const int end : ends_) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void send() const { pass(write(ends_[1], "m", 1), "write"); }
  void receive() const {
    char message = 0;
    pass(read(ends_[0], &message, 1), "read");
  }

 private:
  static void pass(ssize_t bytes, const char* what) {
    if (bytes != 1) throw_errno(what);
  }
  std::array<int, 2> ends_{};
};

/// Likewise a pipe's: the reader has long been asleep when it is written to. The writer sleeps
/// before each message, or only waits for the answer to the last one.
double bare_pipe_us(const Cpus& cpus, bool sleeps) {
  const Pipe there;
  const Pipe back;
  std::vector<std::int64_t> written(kSamples);
  std::vector<std::int64_t> read(kSamples);
  ThreadTeam team(2, cpus, [&](unsigned side) {
    set_smallest_timer_slack();
    for (std::uint64_t n = 0; n < kSamples; ++n) {
      if (side == 0) {
        if (sleeps) nap(static_cast<std::int64_t>(kGapUs));
        written[n] = now_ns();
        there.send();
        back.receive();
      } else {
        there.receive();
        read[n] = now_ns();
        back.send();
      }
    }
  });
  team.open_gate();
  team.join();
  return median_us(written, read);
}

double ours_us(const char* method, const Cpus& cpus) {
  const WakeLatencyTrial trial{.method = find_wake_method(method),
                               .gap = {.us = kGapUs},
                               .samples = kSamples,
                               .warmup = 0,
                               .team = {.between = Between::kThreads, .cpus = cpus}};
  const Mapping memory(wake_latency_bytes(trial), Mapping::Kind::kShared);
  TrialControl control;
  run_wake_latency(trial, {}, control, memory.address());
  return wake_latency_values(trial, memory.address()).front();
}

/// Alternates, and prints the ratio of `other` to `base`.
template <class Base, class Other>
void print_latency_ratio(const std::string& what, const Base& base, const Other& other) {
  std::vector<double> base_us;
  std::vector<double> other_us;
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    base_us.push_back(base());
    other_us.push_back(other());
    ratios.push_back(other_us.back() / base_us.back());
  }
  fmt::print("{:<52} {:.2f} ({:.3f} / {:.3f} us)\n", what, median(ratios), median(other_us),
             median(base_us));
}

}  // namespace

void print_ping_ratios() {
  const std::vector<int> allowed = allowed_cpus();
  const Cpus one = {{allowed[0]}, {allowed[0]}};
  const auto sleeping = [&] { return bare_pipe_us(one, true); };
  print_latency_ratio("pipe / a bare pipe, same sleep, median", sleeping,
                      [&] { return ours_us("pipe", one); });
  print_latency_ratio(
      "a bare pipe with that sleep / without", [&] { return bare_pipe_us(one, false); }, sleeping);
  if (allowed.size() < 2) {
    fmt::print("busy-wait / a bare cache line: needs two processors\n");
    return;
  }
  const Cpus two = {{allowed[0]}, {allowed[1]}};
  print_latency_ratio(
      "busy-wait / a bare cache line, median", [&] { return bare_line_us(two); },
      [&] { return ours_us("busy-wait", two); });
}

}  // namespace futex_bench
