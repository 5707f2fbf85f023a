// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/schedule.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdint>

#include "common/system/error.h"
#include "common/system/numbers.h"

namespace futex_bench {
namespace {

constexpr const char* kDmaLatencyFile = "/dev/cpu_dma_latency";
constexpr std::string_view kFifo = "fifo:";

bool try_fifo(int priority) {
  sched_param parameter{};
  parameter.sched_priority = priority;
  return sched_setscheduler(0, SCHED_FIFO, &parameter) == 0;
}

}  // namespace

std::string SchedulingPolicy::to_string() const {
  return fifo_priority ? fmt::format("fifo:{}", *fifo_priority) : "other";
}

SchedulingPolicy parse_scheduling_policy(const std::string& text) {
  if (text == "other") return {};
  if (!text.starts_with(kFifo)) {
    throw UsageError(fmt::format("{}: neither other nor fifo:PRIO", quote(text)));
  }
  const auto highest = static_cast<std::uint64_t>(sched_get_priority_max(SCHED_FIFO));
  return {static_cast<int>(parse_count(text.substr(kFifo.size()), 1, highest))};
}

void apply_policy(const SchedulingPolicy& policy) {
  if (policy.fifo_priority && !try_fifo(*policy.fifo_priority)) throw_errno("set SCHED_FIFO");
}

std::optional<std::string> policy_refused(const SchedulingPolicy& policy) {
  if (!policy.fifo_priority) return std::nullopt;
  const int before = sched_getscheduler(0);
  sched_param parameter{};
  if (before < 0 || sched_getparam(0, &parameter) != 0) throw_errno("read the scheduling policy");
  if (!try_fifo(*policy.fifo_priority)) {
    return fmt::format("{}; needs root, CAP_SYS_NICE or `ulimit -r {}`", errno_name(errno),
                       *policy.fifo_priority);
  }
  if (sched_setscheduler(0, before, &parameter) != 0) throw_errno("give SCHED_FIFO back");
  return std::nullopt;
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
