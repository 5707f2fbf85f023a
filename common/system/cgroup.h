// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What control groups take away from this process: processor time, tasks, processors. Works with
/// cgroup v1, v2 and both at once (cgroups(7)).
///
/// Every function reads `root`/proc/self/{cgroup,mountinfo} and the files of the process's own
/// group and all groups above it that are visible. Inside a container, groups above its own may be
/// hidden; a limit set there cannot be seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace futex_bench {

/// The groups of this process under one controller.
struct CgroupPath {
  int version = 0;                       ///< 1 or 2; 0 if not known
  std::vector<std::string> directories;  ///< own group first, then those above it
  std::string reason;                    ///< why there are no directories
};

/// Where this process stands under `controller` ("cpu", "pids", "cpuset"): the v1 hierarchy that
/// has it, else the v2 one.
CgroupPath find_cgroup(const std::string& root, const std::string& controller);

/// Processor time that a group may use: `quota_us` in every `period_us`, both in microseconds.
struct CpuQuota {
  std::int64_t quota_us = 0;
  std::int64_t period_us = 0;
  std::string directory;  ///< the group that sets it

  /// In processors: 0.5 is half of one.
  double cpus() const { return static_cast<double>(quota_us) / static_cast<double>(period_us); }
};

/// How often and how long groups had to wait because their quota was used up. Counters since the
/// groups exist; take the difference of two.
struct Throttling {
  std::uint64_t periods = 0;  ///< nr_throttled
  std::uint64_t time_us = 0;  ///< throttled_usec; summed by the kernel over processors
};

/// Processor time as cgroups grant it.
struct CgroupCpu {
  std::optional<CpuQuota> quota;         ///< the tightest; none set if empty and `reason` is empty
  std::optional<Throttling> throttling;  ///< sum over own group and those above; empty if not kept
  std::string reason;                    ///< why nothing is known
};

CgroupCpu read_cgroup_cpu(const std::string& root);

/// How many tasks (threads and processes) a group may hold.
struct PidsLimit {
  std::uint64_t max = 0;
  std::uint64_t current = 0;  ///< in use now
  std::string directory;      ///< the group that sets it
};

/// Tasks as cgroups grant them.
struct CgroupPids {
  std::optional<PidsLimit> limit;  ///< the one with least room; none set if empty and no `reason`
  std::string reason;              ///< why nothing is known
};

CgroupPids read_cgroup_pids(const std::string& root);

/// Processors the cpuset controller grants, in the kernel's list form.
struct CgroupCpuset {
  std::optional<std::string> cpus;
  std::string reason;  ///< why nothing is known
};

CgroupCpuset read_cgroup_cpuset(const std::string& root);

}  // namespace futex_bench
