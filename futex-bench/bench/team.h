// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The processes or threads of a trial, whichever the user asks for: all ready before the first of
/// them begins.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "common/futex/futex.h"
#include "common/system/schedule.h"
#include "futex-bench/run/trial.h"

namespace futex_bench {

/// What the members of a team are.
enum class Between : std::uint8_t { kProcesses, kThreads };

/// "processes", "threads".
std::string_view to_string(Between between);

/// Of futexes in memory that the members share.
inline FutexScope scope_of(Between between) {
  return between == Between::kProcesses ? FutexScope::kShared : FutexScope::kPrivate;
}

/// The pshared argument of pthread_mutexattr_setpshared(3) and its kin for such memory.
int pshared_of(Between between);

/// How the members of a team run.
struct TeamPlan {
  Between between = Between::kProcesses;
  unsigned members = 2;
  std::vector<std::vector<int>> cpus{};  ///< one list per member, or empty for anywhere
  SchedulingPolicy policy{};
};

/// Runs body(0) ... body(members - 1) and returns when all have returned. Stamps the time when the
/// gate opens in `control`, and says that the trial runs. Must be called by the first thread of a
/// trial's process, which takes on the policy too. Throws, with a text for the user, what keeps the
/// members from being made or a member from ending well; an exception in a member that is a thread
/// ends this process after it has been written to `control`.
void run_team(const TeamPlan& plan, const std::function<void(unsigned)>& body,
              TrialControl& control);

}  // namespace futex_bench
