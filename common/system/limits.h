// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What would stop this process from having N threads or child processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/system/cgroup.h"

namespace futex_bench {

/// The limits on tasks and what is already in use. A limit is empty if there is none or it cannot
/// be read; then it is not held against anybody.
struct ThreadLimits {
  std::optional<std::uint64_t> nproc;          ///< RLIMIT_NPROC: tasks of this user
  bool nproc_applies = true;                   ///< false for the superuser, whom fork(2) exempts
  std::optional<PidsLimit> pids;               ///< tightest of the cgroups
  std::optional<std::uint64_t> threads_max;    ///< tasks of the machine
  std::optional<std::uint64_t> pid_max;        ///< task ids of the machine
  std::optional<std::uint64_t> tasks_now;      ///< tasks of the machine that exist (loadavg)
  std::optional<std::uint64_t> max_map_count;  ///< mappings of a process
  std::optional<std::uint64_t> address_space;  ///< RLIMIT_AS, bytes of a process
  std::uint64_t address_space_used = 0;        ///< bytes mapped now (VmSize)
};

/// Reads the limits of this process: getrlimit(2) as it is, the rest below `root`. No file is
/// required.
ThreadLimits read_thread_limits(const std::string& root);

/// One line: "RLIMIT_NPROC=256, pids.max=20 (in use 18), threads-max=192729"; "none known" if there
/// is no limit.
std::string describe(const ThreadLimits& limits);

/// Each limit that does not let this process create `tasks` more, in words: "RLIMIT_NPROC=8, needed:
/// 64 more; pids.max=20 (in use 18) in /sys/fs/cgroup/a, needed: 64 more". All of them, for which one
/// is hit first depends on what cannot be seen, and raising one alone does not help. Nothing if none is known to be too small, which
/// is no promise: memory can run out, and others create tasks too. With `stack_bytes` the tasks are
/// threads with stacks of that size, and the limits on memory mappings count as well; 0 means
/// processes.
std::optional<std::string> limit_below(unsigned tasks, const ThreadLimits& limits,
                                       std::size_t stack_bytes);

/// For the message that `tasks` more could not be made: what limit_below() finds now, or all limits that
/// are known if none of them is to blame.
std::string limits_in_words(unsigned tasks, std::size_t stack_bytes);

}  // namespace futex_bench
