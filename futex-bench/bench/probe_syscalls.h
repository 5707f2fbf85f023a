// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// `--probe syscalls`: what a lock asks of the kernel and the processor, per 1000 iterations. The
/// loop is the plain one around the lock on CountingPlatform.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/stats/metric.h"
#include "futex-bench/bench/counting_platform.h"
#include "futex-bench/bench/lock_table.h"

namespace futex_bench {

/// The lock of that name on CountingPlatform; nullptr for those of the system, whose calls nobody
/// sees. Everything but the platform is as in lock_table().
const LockEntry* find_counting_lock(std::string_view name);

/// A tally at one moment.
using CallCounts = std::array<std::uint64_t, kPlatformCalls>;

/// Copies a tally that its thread may still be writing.
CallCounts read_tally(const CallTally& tally);

std::span<const Metric> syscall_metrics();

/// One value per metric from the counts of all threads and their iterations; NaN if the lock could
/// not be looked into (`counted` is false) or nothing was done.
std::vector<double> syscall_values(std::span<const CallCounts> threads, std::uint64_t iterations,
                                   bool counted);

}  // namespace futex_bench
