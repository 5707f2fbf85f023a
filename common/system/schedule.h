// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What changes when the scheduler and the idle driver let a thread run: policy, timer slack and
/// the latency that idle states may cost. All of it is opt-in and refused aloud where forbidden.
#pragma once

#include <optional>
#include <string>

namespace futex_bench {

/// A policy of sched(7). The default stands for the one that the program was started with.
struct SchedulingPolicy {
  std::optional<int> policy;  ///< SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO or SCHED_RR
  int priority = 0;           ///< 1 to 99 for SCHED_FIFO and SCHED_RR, else 0

  bool is_real_time() const;

  /// As parse_scheduling_policy() reads it; empty for the default.
  std::string to_string() const;
};

/// Reads "other", "batch", "idle", "fifo:PRIO" or "rr:PRIO". Throws UsageError.
SchedulingPolicy parse_scheduling_policy(const std::string& text);

/// Gives the calling thread the policy; those that it makes inherit it. The default changes nothing.
/// Throws std::system_error.
void apply_policy(const SchedulingPolicy& policy);

/// Why this process may not have the policy and what would help; nothing if it may. Tried in a child.
std::optional<std::string> policy_refused(const SchedulingPolicy& policy);

/// Lets the calling thread's timers fire at most 1 ns late instead of 50 us, as far as slack goes.
/// Threads made by it inherit that. Source: man 2 PR_SET_TIMERSLACK.
void set_smallest_timer_slack();

/// While it lives, no processor enters an idle state that takes longer than so many microseconds to
/// leave. Source: Documentation/power/pm_qos_interface.rst.
class DmaLatency {
 public:
  /// Throws std::system_error.
  explicit DmaLatency(int microseconds);
  ~DmaLatency();
  DmaLatency(const DmaLatency&) = delete;
  DmaLatency& operator=(const DmaLatency&) = delete;

 private:
  int file_;
};

/// Why /dev/cpu_dma_latency cannot be held and what would help; nothing if it can.
std::optional<std::string> dma_latency_refused();

}  // namespace futex_bench
