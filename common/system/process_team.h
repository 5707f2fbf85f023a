// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A team of processes that start together and leave nothing behind.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "common/system/shared_memory.h"

namespace futex_bench {

/// Not all processes could be made. Those that were have been killed again. what() names the limits
/// that may be to blame.
class ProcessesNotCreated : public std::runtime_error {
 public:
  ProcessesNotCreated(unsigned created, unsigned wanted, int error);
  unsigned created() const { return created_; }

 private:
  unsigned created_;
};

/// N child processes that exist and sleep on one futex until the gate is opened. They share what was
/// mapped shared before, and descriptors; everything else is a copy.
///
/// The kernel kills every member with SIGKILL when the thread that made the team ends, however it
/// does (PR_SET_PDEATHSIG); so that thread should be the first of its process. Nothing a member has
/// can outlive it, unless it has a name.
class ProcessTeam {
 public:
  /// Makes `processes` children; child i may run on cpus[i], or anywhere if cpus[i] is empty or cpus
  /// itself is. Returns when all of them have reached the gate. A body that returns ends its process
  /// well, one that throws std::exception ends the team with that message. Throws
  /// ProcessesNotCreated, std::system_error, or what join() throws. The caller must have no other
  /// child.
  ProcessTeam(unsigned processes, const std::vector<std::vector<int>>& cpus,
              const std::function<void(unsigned)>& body);

  /// Kills and reaps those that have not ended.
  ~ProcessTeam();
  ProcessTeam(const ProcessTeam&) = delete;
  ProcessTeam& operator=(const ProcessTeam&) = delete;

  /// Lets all members run their body.
  void open_gate();

  /// Waits until every body has returned. As soon as one member ends in another way, kills all
  /// others and throws std::runtime_error, which names the member.
  void join();

  /// Of all members, in order, also of those that have ended.
  std::span<const pid_t> pids() const { return pids_; }

 private:
  struct Shared;

  [[noreturn]] void run_member(unsigned index, pid_t maker, const std::vector<int>& cpus,
                               const std::function<void(unsigned)>& body);
  void wait_until_all_arrived();
  /// Waits for a member to end, without blocking if `flags` is WNOHANG. False if none has.
  bool reap_one(int flags);
  void kill_all() noexcept;

  Mapping mapping_;
  Shared& shared_;
  std::vector<pid_t> pids_;
  std::vector<bool> ended_;
  std::size_t running_ = 0;
};

}  // namespace futex_bench
