// SPDX-License-Identifier: GPL-2.0-only
//
//     notifier                                   waiter
//                                                reads its count of voluntary switches
//     naps until armed                  <------  armed = n, then waits
//     sleeps or spins for the gap                (asleep)
//     looks at the waiter's state until it is asleep
//     stamp, notify(n)                  ------>  wait(n) returns, stamp
//     naps                                       processor, count of switches, leaves locks
//
// Nothing passes from the waiter to the notifier but the store to `armed`: the notifier looks at it
// when it wakes from its naps, so it neither spins beside the waiter nor has to be woken by it.
#include "futex-bench/bench/wake_latency_trial.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "common/futex/parked.h"
#include "common/system/clock.h"
#include "common/system/clock_offset.h"
#include "common/system/schedule.h"
#include "common/system/tsc.h"
#include "futex-bench/bench/wake_latency_memory.h"

namespace futex_bench {
namespace {

/// Side 1; side 0 is the notifier.
constexpr unsigned kWaiter = 1;

/// Between two looks at the other side. Really some ten microseconds, since timers have their cost.
constexpr std::int64_t kNapNs = 5'000;
/// A waiter that is not asleep by then is notified nevertheless, and counted as not blocked.
constexpr std::int64_t kPatienceNs = 100'000'000;
/// In a warm-up round, which only shows that the method works.
constexpr std::uint64_t kRehearsal = 3;

void sleep_ns(std::int64_t ns) { sleep_until_ns(now_ns() + ns); }

void spin_ns(std::int64_t ns) noexcept {
  const std::int64_t end = now_ns() + ns;
  while (now_ns() < end) {
  }
}

std::uint32_t voluntary_switches() {
  return static_cast<std::uint32_t>(thread_cpu_times().voluntary_switches);
}

/// Makes the pages this process's own before they count. Zeroes do not change by it.
void touch(std::byte* begin, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t at = 0; at < bytes; at += page) {
    std::atomic_ref(reinterpret_cast<unsigned char&>(begin[at])).fetch_add(0);
  }
}

/// The gaps of a trial in order; random ones in an order that depends on the round.
class Gaps {
 public:
  Gaps(const SleepTime& gap, unsigned round) : gap_(gap), state_(round) {}
  std::int64_t next_ns() noexcept {
    std::uint64_t us = gap_.us;
    if (gap_.random) {
      // splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
      std::uint64_t bits = state_ += 0x9e3779b97f4a7c15;
      bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
      bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
      us = 1 + (bits ^ (bits >> 31)) % gap_.us;
    }
    return static_cast<std::int64_t>(us) * 1000;
  }

 private:
  SleepTime gap_;
  std::uint64_t state_;
};

/// Both sides of a trial, and what they share.
class Sides {
 public:
  Sides(const WakeLatencyTrial& trial, unsigned round, WakeMemory& memory, WakeMethod& method)
      : trial_(trial),
        memory_(memory),
        method_(method),
        clock_(trial.tsc),
        wakes_(memory.warmup + memory.samples),
        gaps_(trial.gap, round) {}

  void run(unsigned side) {
    set_smallest_timer_slack();
    touch(reinterpret_cast<std::byte*>(&memory_),
          sizeof memory_ + static_cast<std::size_t>(wakes_) * sizeof(WakeSample));
    if (side == kWaiter) {
      wait_for_all();
    } else {
      notify_all();
    }
  }

 private:
  void wait_for_all() {
    memory_.parties.waiter_process.store(getpid(), std::memory_order_relaxed);
    memory_.parties.waiter.store(gettid(), std::memory_order_relaxed);
    method_.waiter_begins();
    // Acquire pairs with the release in notify_all().
    while (memory_.ready.load(std::memory_order_acquire) == 0) nap();
    for (std::uint64_t n = 1; n <= wakes_; ++n) {
      WakeSample& sample = memory_.all()[n - 1];
      const std::uint32_t before = voluntary_switches();
      // Release pairs with the acquire in await_armed(): also the tasks' ids are visible.
      memory_.armed.store(n, std::memory_order_release);
      method_.wait(n);
      sample.woken = clock_.after();
      sample.waiter_cpu = sched_getcpu();
      sample.switches = voluntary_switches() - before;
      method_.taken(n);
    }
    method_.waiter_ends();
  }

  void notify_all() {
    method_.notifier_begins();
    memory_.ready.store(1, std::memory_order_release);
    for (std::uint64_t n = 1; n <= wakes_; ++n) {
      await_armed(n);
      if (n == 1) watch_sleepers();
      method_.prepare(n);
      WakeSample& sample = memory_.all()[n - 1];
      const std::int64_t gap_ns = gaps_.next_ns();
      const std::uint64_t start = clock_.before();
      if (trial_.spin) {
        spin_ns(gap_ns);
      } else if (gap_ns > 0) {
        sleep_ns(gap_ns);
      }
      sample.seen_asleep = await_asleep() ? 1 : 0;
      sample.notifier_cpu = sched_getcpu();
      const std::uint64_t notified = clock_.before();
      method_.notify(n);
      // Gives the processor up first: the waiter may need this one.
      nap();
      sample.notified = notified;
      sample.gap = notified - start;
    }
  }

  void await_armed(std::uint64_t n) const {
    while (memory_.armed.load(std::memory_order_acquire) < n) nap();
  }

  void watch_sleepers() {
    if (!trial_.method->sleeps) return;
    const pid_t process = memory_.parties.waiter_process.load(std::memory_order_relaxed);
    sleepers_.emplace_back(process, memory_.parties.waiter.load(std::memory_order_relaxed));
    const pid_t helper = memory_.parties.helper.load(std::memory_order_acquire);
    if (helper != 0) sleepers_.emplace_back(process, helper);
  }

  bool await_asleep() const {
    const auto all_asleep = [this] { return std::ranges::all_of(sleepers_, &TaskState::asleep); };
    const std::int64_t start = now_ns();
    while (!all_asleep()) {
      if (now_ns() - start > kPatienceNs) return false;
      nap();
    }
    return true;
  }

  /// Lets the other side run, for a moment at least. A timer this short may have gone off before its
  /// owner has left the processor; under SCHED_FIFO it then goes on at once, ahead of an equal that
  /// waits for the same processor, and may do so for ever. So to the end of the queue first.
  void nap() const {
    if (trial_.team.policy.is_real_time()) sched_yield();
    sleep_ns(kNapNs);
  }

  const WakeLatencyTrial& trial_;
  WakeMemory& memory_;
  WakeMethod& method_;
  StampClock clock_;
  std::uint64_t wakes_;
  Gaps gaps_;
  std::vector<TaskState> sleepers_;
};

/// What the two stamps of a sample add to it: the least that one after the other shows.
double least_stamp_cost_ticks(const StampClock& clock) {
  std::uint64_t least = UINT64_MAX;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t before = clock.before();
    least = std::min(least, clock.after() - before);
  }
  return static_cast<double>(least);
}

/// By how much the clocks of the first two processors that a sample went between may differ; NaN if
/// none did. After the samples: nobody is disturbed by it, and it is known which processors matter.
double clock_offset_ticks(const StampClock& clock, std::span<const WakeSample> samples) {
  const auto between = std::ranges::find_if(
      samples, [](const WakeSample& sample) { return sample.notifier_cpu != sample.waiter_cpu; });
  if (between == samples.end()) return std::nan("");
  const auto offset =
      clock_offset(exchange_stamps(clock, between->notifier_cpu, between->waiter_cpu));
  return offset ? std::abs(offset->ticks) + offset->error : std::nan("");
}

}  // namespace

std::uint64_t wake_share(std::uint64_t total, unsigned round, unsigned rounds) {
  return total / rounds + (round < total % rounds ? 1 : 0);
}

std::size_t wake_latency_bytes(const WakeLatencyTrial& trial) {
  const std::uint64_t most = std::max(trial.samples + trial.warmup, kRehearsal);
  return sizeof(WakeMemory) + static_cast<std::size_t>(most) * sizeof(WakeSample);
}

void run_wake_latency(const WakeLatencyTrial& trial, const TrialRequest& request,
                      TrialControl& control, void* memory) {
  WakeMemory& shared = *new (memory) WakeMemory;
  shared.warmup = request.verify ? 0 : wake_share(trial.warmup, request.round, request.rounds);
  shared.samples =
      request.verify ? kRehearsal : wake_share(trial.samples, request.round, request.rounds);
  const WakeSite site{.between = trial.team.between,
                      .wakes = shared.warmup + shared.samples,
                      .parties = &shared.parties,
                      .words = shared.words};
  const std::unique_ptr<WakeMethod> method = trial.method->make(site);
  Sides sides(trial, request.round, shared, *method);
  const StampClock clock(trial.tsc);
  shared.stamp_cost_ticks = least_stamp_cost_ticks(clock);
  shared.clock_offset_ticks = std::nan("");
  shared.start_ns = now_ns();
  shared.start_ticks = clock.before();
  run_team(
      trial.team, [&](unsigned side) { sides.run(side); }, control);
  shared.end_ticks = clock.after();
  shared.end_ns = now_ns();
  shared.clock_offset_ticks = clock_offset_ticks(
      clock, {shared.all(), static_cast<std::size_t>(shared.warmup + shared.samples)});
  control.phase.store(TrialPhase::kMeasured, std::memory_order_release);
}

}  // namespace futex_bench
