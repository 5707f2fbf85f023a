// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The points of `messaging`: the trials of pairs and of groups as the runner wants them.
#pragma once

#include <memory>

#include "futex-bench/bench/benchmark.h"
#include "futex-bench/bench/messaging_groups.h"
#include "futex-bench/bench/messaging_trial.h"

namespace futex_bench {

/// A point of pairs; key.mode is the name of the transport.
std::unique_ptr<Point> make_pair_point(PointKey key, MessagingTrial trial);

/// A point of hackbench's form; key.mode is "pipe" or "socketpair".
std::unique_ptr<Point> make_group_point(PointKey key, GroupsTrial trial);

}  // namespace futex_bench
