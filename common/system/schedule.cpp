// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/schedule.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/system/error.h"
#include "common/system/numbers.h"

namespace futex_bench {
namespace {

constexpr const char* kDmaLatencyFile = "/dev/cpu_dma_latency";

constexpr std::array<std::pair<std::string_view, int>, 5> kPolicies = {{{"other", SCHED_OTHER},
                                                                        {"batch", SCHED_BATCH},
                                                                        {"idle", SCHED_IDLE},
                                                                        {"fifo", SCHED_FIFO},
                                                                        {"rr", SCHED_RR}}};

bool has_priority(int policy) { return policy == SCHED_FIFO || policy == SCHED_RR; }

/// Of the caller. Returns 0 or an errno.
int use_policy(const SchedulingPolicy& policy) {
  if (!policy.policy) return 0;
  sched_param parameter{};
  parameter.sched_priority = policy.priority;
  return sched_setscheduler(0, *policy.policy, &parameter) == 0 ? 0 : errno;
}

}  // namespace

bool SchedulingPolicy::is_real_time() const { return policy && has_priority(*policy); }

std::string SchedulingPolicy::to_string() const {
  for (const auto& [name, number] : kPolicies) {
    if (policy != number) continue;
    return has_priority(number) ? fmt::format("{}:{}", name, priority) : std::string(name);
  }
  return {};
}

SchedulingPolicy parse_scheduling_policy(const std::string& text) {
  const std::size_t colon = text.find(':');
  for (const auto& [name, number] : kPolicies) {
    if (text.substr(0, colon) != name || (colon != std::string::npos) != has_priority(number)) {
      continue;
    }
    if (colon == std::string::npos) return {.policy = number};
    const auto highest = static_cast<std::uint64_t>(sched_get_priority_max(number));
    return {.policy = number,
            .priority = static_cast<int>(parse_count(text.substr(colon + 1), 1, highest))};
  }
  throw UsageError(
      fmt::format("{}: not one of other, batch, idle, fifo:PRIO, rr:PRIO", quote(text)));
}

void apply_policy(const SchedulingPolicy& policy) {
  if (const int error = use_policy(policy)) {
    throw std::system_error(error, std::generic_category(),
                            fmt::format("set the policy {}", policy.to_string()));
  }
}

std::optional<std::string> policy_refused(const SchedulingPolicy& policy) {
  const pid_t child = fork();
  if (child == 0) _exit(use_policy(policy));
  int status = 0;
  // Without a child there is no answer either; the trials will say what is wrong.
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return std::nullopt;
  if (WEXITSTATUS(status) == 0) return std::nullopt;
  // What is started under SCHED_IDLE may leave it if it may have its niceness, which is mostly 0 and
  // stands for 20 in this limit (can_nice in kernel/sched/syscalls.c).
  return fmt::format(
      "{}; needs root, CAP_SYS_NICE or `ulimit {}`", errno_name(WEXITSTATUS(status)),
      policy.is_real_time() ? fmt::format("-r {}", policy.priority) : std::string("-e 20"));
}

void set_smallest_timer_slack() { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

DmaLatency::DmaLatency(int microseconds) : file_(open(kDmaLatencyFile, O_WRONLY | O_CLOEXEC)) {
  if (file_ < 0) throw_errno(fmt::format("open {}", kDmaLatencyFile));
  const std::int32_t value = microseconds;
  if (write(file_, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) {
    const int error = errno;
    close(file_);
    errno = error;
    throw_errno(fmt::format("write {}", kDmaLatencyFile));
  }
}

DmaLatency::~DmaLatency() { close(file_); }

std::optional<std::string> dma_latency_refused() {
  const int file = open(kDmaLatencyFile, O_WRONLY | O_CLOEXEC);
  if (file < 0) {
    return fmt::format("open {}: {}; needs root or a udev rule that grants it", kDmaLatencyFile,
                       errno_name(errno));
  }
  close(file);
  return std::nullopt;
}

}  // namespace futex_bench
