// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/message_team.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "common/system/clock.h"
#include "common/system/error.h"
#include "common/system/limits.h"
#include "common/system/process_team.h"
#include "common/system/thread_team.h"

namespace futex_bench {
namespace {

struct Policy {
  std::string_view name;
  int policy;
  int priority;
};

constexpr std::array<Policy, 5> kPolicies = {{{"other", SCHED_OTHER, 0},
                                              {"batch", SCHED_BATCH, 0},
                                              {"idle", SCHED_IDLE, 0},
                                              {"fifo", SCHED_FIFO, 1},
                                              {"rr", SCHED_RR, 1}}};

/// Of the caller; whoever it makes inherits it. Returns 0 or an errno.
int use_policy(std::string_view name) {
  const auto policy = std::ranges::find(kPolicies, name, &Policy::name);
  if (policy == kPolicies.end()) return 0;
  const sched_param parameter{.sched_priority = policy->priority};
  return sched_setscheduler(0, policy->policy, &parameter) == 0 ? 0 : errno;
}

void open_gate(auto& team, TrialControl& control) {
  control.gate_ns.store(now_ns(), std::memory_order_relaxed);
  control.phase.store(TrialPhase::kRunning, std::memory_order_release);
  team.open_gate();
  team.join();
}

std::unique_ptr<ThreadTeam> make_threads(const TeamPlan& plan,
                                         const std::function<void(unsigned)>& body) {
  try {
    return std::make_unique<ThreadTeam>(plan.members, plan.cpus, body);
  } catch (const ThreadsNotCreated& error) {
    const ThreadLimits limits = read_thread_limits("/");
    const auto hit = limit_below(plan.members, limits, ThreadTeam::kStackBytes);
    throw std::runtime_error(fmt::format("{}; {}", error.what(), hit.value_or(describe(limits))));
  }
}

}  // namespace

std::vector<std::string> sched_names() {
  std::vector<std::string> names;
  for (const Policy& policy : kPolicies) names.emplace_back(policy.name);
  return names;
}

std::optional<std::string> sched_refused(const std::string& name) {
  const pid_t child = fork();
  if (child == 0) _exit(use_policy(name));
  int status = 0;
  // Without a child there is no answer either; the trials will say what is wrong.
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return std::nullopt;
  if (WEXITSTATUS(status) == 0) return std::nullopt;
  return errno_name(WEXITSTATUS(status));
}

void run_team(const TeamPlan& plan, const std::function<void(unsigned)>& body,
              TrialControl& control) {
  if (const int error = use_policy(plan.sched)) {
    throw std::system_error(error, std::generic_category(), "use the policy of --sched");
  }
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
  const std::unique_ptr<ThreadTeam> team = make_threads(plan, guarded);
  open_gate(*team, control);
}

}  // namespace futex_bench
