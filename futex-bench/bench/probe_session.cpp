// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/probe_session.h"

#include <memory>

#include "common/system/clock.h"

namespace futex_bench {
namespace {

template <class T>
void construct(std::span<T> slots) {
  std::uninitialized_default_construct(slots.begin(), slots.end());
}

const LockEntry* lock_for(const LockTrial& trial) {
  const LockEntry* const counting =
      trial.probes.syscalls ? find_counting_lock(trial.lock->name) : nullptr;
  return counting == nullptr ? trial.lock : counting;
}

}  // namespace

void read_probe_slots(const LockTrial& trial, const Layout<std::byte>& shared) {
  Totals& totals = *shared.totals;
  const std::uint64_t ticks = StampClock(trial.tsc).after();
  const double tick_ns = ns_per_tick(totals.start_ticks, totals.start_ns, ticks, now_ns());
  for (std::size_t i = 0; i < shared.tallies.size(); ++i) {
    shared.calls[i] = read_tally(shared.tallies[i]);
  }
  totals.stamps.ns_per_tick = totals.fairness.ns_per_tick = tick_ns;
  totals.stamps.longest_pending = longest_pending(shared.latency, ticks);
  totals.fairness.longest_pending = longest_pending(shared.owners, ticks);
}

ProbeSession::ProbeSession(const LockTrial& trial, const Layout<std::byte>& shared)
    : trial_(trial), shared_(shared), lock_(lock_for(trial)), clock_(trial.tsc) {
  construct(shared.latency);
  construct(shared.owners);
  construct(shared.tallies);
  if (trial.probes.latency) {
    latency_loop_ = latency_loop(trial.lock->name);
    shared.totals->stamps.cost_ticks = stamp_cost_ticks(clock_);
  }
  if (trial.probes.fairness) ownership_loop_ = ownership_loop(trial.lock->name);
  if (trial.probes.perf) counters_.emplace();
}

void ProbeSession::run(void* address, const LoopWork& work, unsigned index) {
  WorkerSlot& slot = shared_.slots[index];
  if (latency_loop_ != nullptr) {
    latency_loop_(address, work, slot,
                  Latency(clock_, shared_.latency[index], slot, trial_.sample, index));
  } else if (ownership_loop_ != nullptr) {
    ownership_loop_(address, work, slot, Ownership(clock_, shared_.owners[index], slot, order_));
  } else {
    lock_->run(address, work, slot);
  }
}

void ProbeSession::start() {
  shared_.totals->start_ticks = clock_.after();
  shared_.totals->start_ns = now_ns();
  if (trial_.probes.fairness) windows_.emplace(shared_.slots, shared_.totals->start_ns);
  if (counters_) shared_.totals->perf.before = counters_->read();
}

void ProbeSession::wait_until(std::int64_t deadline_ns) {
  while (windows_ && windows_->due_ns() < deadline_ns) {
    sleep_until_ns(windows_->due_ns());
    windows_->close(now_ns());
  }
  sleep_until_ns(deadline_ns);
}

void ProbeSession::wait_for_shares() {
  if (!windows_) return;
  do sleep_until_ns(windows_->due_ns());
  while (windows_->close(now_ns()));
}

void ProbeSession::stop() {
  read_probe_slots(trial_, shared_);
  Totals& totals = *shared_.totals;
  if (windows_) {
    totals.fairness.window_jain = windows_->median_index();
    totals.fairness.windows = static_cast<double>(windows_->count());
    totals.fairness.window_ms = windows_->mean_ms();
  }
  if (counters_) {
    totals.perf.after = counters_->read();
    for (std::size_t i = 0; i < kPerfEvents; ++i) {
      totals.perf.available[i] = counters_->status()[i].available;
    }
  }
}

}  // namespace futex_bench
