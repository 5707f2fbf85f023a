// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Processes or threads that exchange messages, all ready before the first of them begins.
#pragma once

#include <functional>
#include <vector>

#include "common/system/schedule.h"
#include "futex-bench/bench/message_channel.h"
#include "futex-bench/run/trial.h"

namespace futex_bench {

/// How the members of a team run.
struct TeamPlan {
  Between between;
  unsigned members;
  std::vector<std::vector<int>> cpus;  ///< one list per member, or empty for anywhere
  SchedulingPolicy policy{};
};

/// Runs body(0) ... body(members - 1) and returns when all have returned. Stamps the time when the
/// gate opens in `control`. Must be called by the first thread of a trial's process. Throws, with a
/// text for the user, what keeps the members from being made or a member from ending well; an exception
/// in a member that is a thread ends this process after it has been written to `control`.
void run_team(const TeamPlan& plan, const std::function<void(unsigned)>& body,
              TrialControl& control);

}  // namespace futex_bench
