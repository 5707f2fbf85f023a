// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/perf_counters.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "common/system/error.h"
#include "common/system/text_file.h"

namespace futex_bench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct EventCode {
  std::uint32_t type;
  std::uint64_t config;
};

constexpr std::array<EventCode, kPerfEvents> kCodes = {{
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
}};

perf_event_attr attributes_for(const EventCode& code, bool exclude_kernel) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = code.type;
  attributes.config = code.config;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.inherit = 1;
  attributes.exclude_kernel = exclude_kernel ? 1 : 0;
  return attributes;
}

std::string paranoia() {
  const auto level = read_number("/", "/proc/sys/kernel/perf_event_paranoid");
  return level ? fmt::format("kernel.perf_event_paranoid is {}", *level)
               : std::string("the kernel does not allow it");
}

std::string reason_for(int error) {
  const auto named = [error](std::string_view text) {
    const char* const name = strerrorname_np(error);
    return fmt::format("{}: {}", name == nullptr ? "unknown error" : name, text);
  };
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return named("this processor, or the virtual machine, has no such counter");
    case EACCES:
      return named(paranoia());
    case EPERM:
      return named("not permitted; containers deny perf_event_open by a seccomp filter");
    case ENOSYS:
      return named("the kernel, or a seccomp filter, has no perf_event_open");
    case EMFILE:
      return named("too many open files");
    case EBUSY:
      return named("somebody else has the counters, such as the NMI watchdog");
    default:
      return named(strerrordesc_np(error));
  }
}

bool denied(int error) { return error == EACCES || error == EPERM; }

}  // namespace

double perf_difference(const PerfSample& before, const PerfSample& after) {
  const auto count = static_cast<double>(after.count - before.count);
  const auto enabled = static_cast<double>(after.enabled - before.enabled);
  const auto running = static_cast<double>(after.running - before.running);
  if (running == 0) return enabled == 0 ? count : kNone;
  return count * (enabled / running);
}

double perf_running_share(const PerfSample& before, const PerfSample& after) {
  if (after.enabled == before.enabled) return kNone;
  return static_cast<double>(after.running - before.running) /
         static_cast<double>(after.enabled - before.enabled);
}

int open_perf_event(perf_event_attr& attributes) {
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

PerfCounters::PerfCounters(const PerfOpen& open) {
  for (std::size_t i = 0; i < kPerfEvents; ++i) {
    perf_event_attr attributes = attributes_for(kCodes[i], false);
    files_[i] = open(attributes);
    if (files_[i] < 0) {
      status_[i].reason = reason_for(errno);
      if (denied(errno) && kCodes[i].type == PERF_TYPE_HARDWARE) {
        attributes = attributes_for(kCodes[i], true);
        files_[i] = open(attributes);
        status_[i].user_only = files_[i] >= 0;
        // Why not even that: without a counter at all, leave to count would be no help.
        if (files_[i] < 0) status_[i].reason = reason_for(errno);
      }
    }
    status_[i].available = files_[i] >= 0;
  }
}

PerfCounters::~PerfCounters() {
  for (const int file : files_) {
    if (file >= 0) close(file);
  }
}

PerfSamples PerfCounters::read() const {
  PerfSamples samples{};
  for (std::size_t i = 0; i < kPerfEvents; ++i) {
    if (files_[i] < 0) continue;
    // PerfSample has the layout of the read format asked for: the count and both times.
    static_assert(sizeof(PerfSample) == 3 * sizeof(std::uint64_t));
    if (::read(files_[i], &samples[i], sizeof samples[i]) != sizeof samples[i]) {
      throw_errno(fmt::format("reading the {} counter", kPerfEventNames[i]));
    }
  }
  return samples;
}

}  // namespace futex_bench
