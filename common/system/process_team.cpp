// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/process_team.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <iterator>
#include <new>
#include <string>
#include <string_view>

#include "common/futex/futex.h"
#include "common/system/cpu_set.h"
#include "common/system/error.h"
#include "common/system/limits.h"

namespace futex_bench {
namespace {

std::string failed_fork(unsigned created, unsigned wanted, int error) {
  return "created " + std::to_string(created) + " of " + std::to_string(wanted) +
         " processes: " + std::generic_category().message(error) + "; " +
         limits_in_words(wanted, 0);
}

void run_on(const std::vector<int>& cpus) {
  const CpuSet set(cpus);
  if (sched_setaffinity(0, set.bytes(), set.get()) != 0) {
    throw_errno("run on CPU " + std::to_string(cpus.front()));
  }
}

}  // namespace

/// In memory that all members see.
struct ProcessTeam::Shared {
  FutexWord gate_open{0};
  FutexWord arrived{0};
  /// 0: nobody has failed; 1: a member writes its message; 2: it is there.
  std::atomic<std::uint32_t> message_state{0};
  char message[256] = {};

  void fail(std::string_view text) noexcept {
    std::uint32_t nobody = 0;
    if (!message_state.compare_exchange_strong(nobody, 1)) return;
    text.copy(message, std::size(message) - 1);
    message_state.store(2, std::memory_order_release);
  }
};

ProcessesNotCreated::ProcessesNotCreated(unsigned created, unsigned wanted, int error)
    : std::runtime_error(failed_fork(created, wanted, error)), created_(created) {}

ProcessTeam::ProcessTeam(unsigned processes, const std::vector<std::vector<int>>& cpus,
                         const std::function<void(unsigned)>& body)
    : mapping_(sizeof(Shared), Mapping::Kind::kShared), shared_(*new (mapping_.address()) Shared) {
  pids_.reserve(processes);
  ended_.assign(processes, false);
  const pid_t maker = getpid();
  // What stdio holds would be written once per member.
  std::fflush(nullptr);
  try {
    for (unsigned index = 0; index < processes; ++index) {
      const pid_t pid = fork();
      if (pid == 0) run_member(index, maker, cpus.empty() ? std::vector<int>{} : cpus[index], body);
      if (pid < 0) {
        const int error = errno;
        // First of all: what was made may be what takes the room to say why.
        kill_all();
        throw ProcessesNotCreated(index, processes, error);
      }
      pids_.push_back(pid);
      ++running_;
    }
    wait_until_all_arrived();
  } catch (...) {
    kill_all();
    throw;
  }
}

ProcessTeam::~ProcessTeam() { kill_all(); }

void ProcessTeam::run_member(unsigned index, pid_t maker, const std::vector<int>& cpus,
                             const std::function<void(unsigned)>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It went before the call took effect.
  if (getppid() != maker) _exit(EXIT_FAILURE);
  try {
    if (!cpus.empty()) run_on(cpus);
    if (shared_.arrived.fetch_add(1, std::memory_order_release) + 1 == ended_.size()) {
      futex_wake(&shared_.arrived, 1, FutexScope::kShared);
    }
    // Acquire pairs with open_gate(): what the opener prepared is visible to the body.
    while (shared_.gate_open.load(std::memory_order_acquire) == 0) {
      futex_wait(shared_.gate_open, 0, FutexScope::kShared);
    }
    body(index);
  } catch (const std::exception& error) {
    shared_.fail(error.what());
    _exit(EXIT_FAILURE);
  }
  // No destructors and no stdio: both belong to the maker.
  _exit(EXIT_SUCCESS);
}

void ProcessTeam::wait_until_all_arrived() {
  // Looked at now and then, since a member that died will not come.
  constexpr timespec kPatience{.tv_sec = 0, .tv_nsec = 50'000'000};
  const auto expected = static_cast<std::uint32_t>(ended_.size());
  for (;;) {
    const std::uint32_t arrived = shared_.arrived.load(std::memory_order_acquire);
    if (arrived == expected) return;
    const WaitResult result = futex_wait(shared_.arrived, arrived, FutexScope::kShared, &kPatience);
    if (result == WaitResult::kTimedOut && reap_one(WNOHANG)) {
      throw std::runtime_error("a member of the team ended before it began");
    }
  }
}

void ProcessTeam::open_gate() {
  shared_.gate_open.store(1, std::memory_order_release);
  futex_wake(&shared_.gate_open, kWakeAll, FutexScope::kShared);
}

void ProcessTeam::join() {
  while (running_ > 0) reap_one(0);
}

bool ProcessTeam::reap_one(int flags) {
  int status = 0;
  const pid_t pid = waitpid(-1, &status, flags);
  if (pid == 0 || (pid < 0 && errno == EINTR)) return false;
  if (pid < 0) throw_errno("wait for a process of the team");
  const auto found = std::ranges::find(pids_, pid);
  if (found == pids_.end()) return false;
  const auto index = static_cast<std::size_t>(found - pids_.begin());
  ended_[index] = true;
  --running_;
  if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) return true;
  kill_all();
  if (shared_.message_state.load(std::memory_order_acquire) == 2) {
    throw std::runtime_error(shared_.message);
  }
  const std::string who =
      "process " + std::to_string(index + 1) + " of " + std::to_string(pids_.size());
  throw std::runtime_error(WIFSIGNALED(status)
                               ? who + " was killed by " + signal_name(WTERMSIG(status))
                               : who + " ended early with status " +
                                     std::to_string(WEXITSTATUS(status)));
}

void ProcessTeam::kill_all() noexcept {
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    if (!ended_[i]) kill(pids_[i], SIGKILL);
  }
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    if (ended_[i]) continue;
    while (waitpid(pids_[i], nullptr, 0) < 0 && errno == EINTR) {
    }
    ended_[i] = true;
  }
  running_ = 0;
}

}  // namespace futex_bench
