// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/clock.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "common/system/error.h"

namespace futex_bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

CpuTimes cpu_times_of(int who) {
  rusage usage{};
  if (getrusage(who, &usage) != 0) throw_errno("getrusage");
  return {seconds(usage.ru_utime), seconds(usage.ru_stime),
          static_cast<std::uint64_t>(usage.ru_nvcsw), static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

}  // namespace

std::string wall_clock_iso8601() {
  const time_t now = time(nullptr);
  tm local{};
  if (localtime_r(&now, &local) == nullptr) throw_errno("converting the wall clock time");
  const long minutes = std::labs(local.tm_gmtoff) / 60;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{:02}:{:02}", local.tm_year + 1900,
                     local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec,
                     local.tm_gmtoff < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

double clock_cost_ns() {
  constexpr int kBatches = 20;
  constexpr int kReads = 1000;
  double cheapest = std::numeric_limits<double>::infinity();
  for (int batch = 0; batch < kBatches; ++batch) {
    const std::int64_t start = now_ns();
    std::int64_t end = start;
    for (int i = 0; i < kReads; ++i) end = now_ns();
    cheapest = std::min(cheapest, static_cast<double>(end - start) / kReads);
  }
  return cheapest;
}

void sleep_until_ns(std::int64_t deadline_ns) {
  if (deadline_ns <= now_ns()) return;
  timespec deadline{};
  deadline.tv_sec = deadline_ns / 1'000'000'000;
  deadline.tv_nsec = deadline_ns % 1'000'000'000;
  int error = 0;
  do {
    error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr);
  } while (error == EINTR);
  if (error != 0) throw std::system_error(error, std::generic_category(), "clock_nanosleep");
}

CpuTimes process_cpu_times() { return cpu_times_of(RUSAGE_SELF); }

CpuTimes thread_cpu_times() { return cpu_times_of(RUSAGE_THREAD); }

}  // namespace futex_bench
