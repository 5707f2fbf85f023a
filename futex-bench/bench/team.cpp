// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/team.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>

#include "common/system/clock.h"
#include "common/system/error.h"
#include "common/system/process_team.h"
#include "common/system/thread_team.h"

namespace futex_bench {
namespace {

void open_gate(auto& team, TrialControl& control) {
  control.gate_ns.store(now_ns(), std::memory_order_relaxed);
  control.phase.store(TrialPhase::kRunning, std::memory_order_release);
  team.open_gate();
  team.join();
}

}  // namespace

std::string_view to_string(Between between) {
  return between == Between::kProcesses ? "processes" : "threads";
}

int pshared_of(Between between) {
  return between == Between::kProcesses ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
}

void run_team(const TeamPlan& plan, const std::function<void(unsigned)>& body,
              TrialControl& control) {
  apply_policy(plan.policy);
  if (plan.between == Between::kProcesses) {
    ProcessTeam team(plan.members, plan.cpus, body);
    open_gate(team, control);
    return;
  }
  const auto guarded = [&](unsigned index) {
    try {
      body(index);
    } catch (const std::exception& error) {
      // Its partner would wait for ever, so nobody could join it.
      control.fail(error.what());
      _exit(EXIT_FAILURE);
    }
  };
  ThreadTeam team(plan.members, plan.cpus, guarded);
  open_gate(team, control);
}

}  // namespace futex_bench
