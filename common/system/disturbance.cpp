// SPDX-License-Identifier: GPL-2.0-only
/// How well foreign processor time can be known, and the limit that follows.
///
/// foreign = busy time of /proc/stat - processor time of our own. Ours is exact (the scheduler's
/// clock, in nanoseconds). That of /proc/stat is not: at every tick a processor charges a whole
/// tick to whatever it runs. If we use a share p of n processors for w seconds, that is n w / tick
/// looks of which each hits us with probability p, so the sum has the standard deviation
///
///     sqrt(n w tick p (1 - p))
///
/// and on top each number of the file is rounded down to 10 ms, at both ends of the interval: a
/// triangular error with the standard deviation 10 ms / sqrt(6) for each number in the sum. Three
/// standard deviations of both together are foreign_error_seconds. A trial is disturbed if more
/// than that and kForeignLimitCpus are used by others. For the default trial of 0.2 s on 2
/// processors at HZ=250 (so 100 looks) and 3 numbers:
///
///     both processors ours (p = 1):    limit 20 ms + 3 * 7 ms                      =  41 ms
///     p = 0.75, or 0.25:               limit 20 ms + 3 * sqrt(17 ms ^2 + 7 ms ^2)  =  76 ms
///     one competing busy process gets 100 ms of two fully used processors, 200 ms of an idle one
///
/// so it is flagged, and of quiet trials about one in a thousand is. (It stays below the limit if
/// dozens of runnable threads of ours leave it a small share: then it also disturbs little.) At
/// 1 s and p = 0.75 the limit is 100 ms + 119 ms and the busy process gets 500 ms.
///
/// Steal is rounded likewise but adds up exactly; only the rounding, of less than 10 ms for each
/// number, can make it look larger than it is.
#include "common/system/disturbance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "common/system/cgroup.h"
#include "common/system/error.h"
#include "common/system/text_file.h"

namespace futex_bench {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Fields of /proc/stat, counted from behind the name of the line (proc(5)).
constexpr std::array<std::size_t, 3> kBusyFields = {0, 1, 2};  // user (with guest), nice, system
constexpr std::size_t kStealField = 7;
constexpr unsigned kErrorDeviations = 3;

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// USER_HZ, the unit of /proc/stat; 100 on every architecture but Alpha.
double file_tick() { return 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK)); }

/// Adds one line "cpu3 1 2 3 ..." of /proc/stat.
void add_cpu_line(std::string_view numbers, MachineCounters& counters) {
  std::vector<double> fields;
  for (const std::string_view word : split(trim(numbers), ' ')) {
    if (word.empty()) continue;  // two blanks follow "cpu"
    fields.push_back(static_cast<double>(to_number(word).value_or(0)) * file_tick());
  }
  if (fields.size() <= kStealField) return;
  double busy = counters.busy_seconds.value_or(0);
  for (const std::size_t field : kBusyFields) busy += fields[field];
  counters.busy_seconds = busy;
  counters.steal_seconds = counters.steal_seconds.value_or(0) + fields[kStealField];
  counters.rounded += static_cast<unsigned>(kBusyFields.size());
}

void read_stat(const std::string& root, const std::vector<int>& cpus, MachineCounters& counters) {
  const FileText file = read_text(root, "/proc/stat");
  if (!file.text) return;
  std::string_view sum;
  std::vector<std::pair<int, std::string_view>> online;
  for (const std::string_view line : split(*file.text, '\n')) {
    if (!line.starts_with("cpu")) continue;
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view id = line.substr(3, blank - 3);
    if (id.empty()) sum = line.substr(blank);
    if (const auto number = to_number(id)) {
      online.emplace_back(static_cast<int>(*number), line.substr(blank));
    }
  }
  const auto is_allowed = [&cpus](const auto& line) {
    return std::find(cpus.begin(), cpus.end(), line.first) != cpus.end();
  };
  if (std::all_of(online.begin(), online.end(), is_allowed)) {
    add_cpu_line(sum, counters);  // the same, but rounded once
    return;
  }
  for (const auto& line : online) {
    if (is_allowed(line)) add_cpu_line(line.second, counters);
  }
}

/// "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", in microseconds.
std::optional<double> read_pressure(const std::string& root) {
  const FileText file = read_text(root, "/proc/pressure/cpu");
  if (!file.text || !file.text->starts_with("some")) return std::nullopt;
  constexpr std::string_view kTotal = "total=";
  const std::string_view line = std::string_view(*file.text).substr(0, file.text->find('\n'));
  const std::size_t at = line.find(kTotal);
  if (at == std::string_view::npos) return std::nullopt;
  const auto microseconds = to_number(line.substr(at + kTotal.size()));
  if (!microseconds) return std::nullopt;
  return static_cast<double>(*microseconds) / 1e6;
}

std::optional<std::uint64_t> read_thermal_throttles(const std::string& root,
                                                    const std::vector<int>& cpus) {
  std::optional<std::uint64_t> sum;
  for (const int cpu : cpus) {
    const auto count = read_number(
        root,
        fmt::format("/sys/devices/system/cpu/cpu{}/thermal_throttle/core_throttle_count", cpu));
    if (count && *count >= 0) sum = sum.value_or(0) + static_cast<std::uint64_t>(*count);
  }
  return sum;
}

/// after - before, at least 0; NaN if either is not known.
template <class T>
double difference(const std::optional<T>& before, const std::optional<T>& after) {
  if (!before || !after || *after < *before) return before && after ? 0 : kNaN;
  return static_cast<double>(*after - *before);
}

}  // namespace

MachineCounters read_machine_counters(const std::string& root, const std::vector<int>& cpus) {
  MachineCounters counters;
  counters.monotonic_seconds = seconds_of(CLOCK_MONOTONIC);
  counters.suspended_seconds = seconds_of(CLOCK_BOOTTIME) - counters.monotonic_seconds;
  read_stat(root, cpus, counters);
  if (const auto throttling = read_cgroup_cpu(root).throttling) {
    counters.throttled_periods = throttling->periods;
    counters.throttled_seconds = static_cast<double>(throttling->time_us) / 1e6;
  }
  counters.pressure_seconds = read_pressure(root);
  counters.thermal_throttles = read_thermal_throttles(root, cpus);
  counters.reading_seconds = seconds_of(CLOCK_MONOTONIC) - counters.monotonic_seconds;
  return counters;
}

OwnUsage read_own_usage() {
  OwnUsage usage;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    if (getrusage(who, &used) != 0) throw_errno("getrusage");
    for (const timeval& time : {used.ru_utime, used.ru_stime}) {
      usage.cpu_seconds +=
          static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    }
    if (who == RUSAGE_CHILDREN) {
      usage.involuntary_switches = static_cast<std::uint64_t>(used.ru_nivcsw);
    }
  }
  return usage;
}

double tick_seconds() {
  // The coarse clock advances once per tick and says so.
  timespec resolution{};
  if (clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) != 0) return file_tick();
  return static_cast<double>(resolution.tv_sec) + static_cast<double>(resolution.tv_nsec) / 1e9;
}

Disturbance between(const MachineCounters& before, const MachineCounters& after,
                    const OwnUsage& own_before, const OwnUsage& own_after, unsigned cpus,
                    double tick_seconds) {
  Disturbance d;
  d.cpus = std::max(1U, cpus);
  d.wall_seconds = after.monotonic_seconds + after.reading_seconds - before.monotonic_seconds;
  d.suspended_seconds = std::max(0.0, after.suspended_seconds - before.suspended_seconds);
  d.own_cpu_seconds = own_after.cpu_seconds - own_before.cpu_seconds;
  d.involuntary_switches =
      static_cast<double>(own_after.involuntary_switches - own_before.involuntary_switches);
  d.steal_seconds = difference(before.steal_seconds, after.steal_seconds);
  d.throttled_periods = difference(before.throttled_periods, after.throttled_periods);
  d.throttled_seconds = difference(before.throttled_seconds, after.throttled_seconds);
  d.pressure_seconds = difference(before.pressure_seconds, after.pressure_seconds);
  d.thermal_throttles = difference(before.thermal_throttles, after.thermal_throttles);

  const double busy = difference(before.busy_seconds, after.busy_seconds);
  const double capacity = d.cpus * d.wall_seconds;
  // Ticks may charge more than there was; NaN stays.
  const double foreign = busy - d.own_cpu_seconds;
  d.foreign_cpu_seconds = foreign > capacity ? capacity : foreign;
  const double share = capacity > 0 ? std::clamp(d.own_cpu_seconds / capacity, 0.0, 1.0) : 0;
  const double sampling = capacity * tick_seconds * share * (1 - share);
  const double rounding = after.rounded * file_tick() * file_tick() / 6;
  d.foreign_error_seconds = kErrorDeviations * std::sqrt(sampling + rounding);
  d.steal_error_seconds = file_tick() * after.rounded / static_cast<double>(kBusyFields.size());
  return d;
}

std::vector<std::pair<std::string, double>> Disturbance::figures() const {
  return {{"window_seconds", wall_seconds},
          {"cpus", cpus},
          {"own_cpu_seconds", own_cpu_seconds},
          {"foreign_cpu_seconds", foreign_cpu_seconds},
          {"steal_seconds", steal_seconds},
          {"throttled_periods", throttled_periods},
          {"throttled_seconds", throttled_seconds},
          {"pressure_seconds", pressure_seconds},
          {"suspended_seconds", suspended_seconds},
          {"thermal_throttles", thermal_throttles},
          {"involuntary_switches", involuntary_switches},
          {"foreign_error_seconds", foreign_error_seconds},
          {"steal_error_seconds", steal_error_seconds}};
}

std::string disturbance_words(const Disturbance& d, std::optional<double> asked_seconds,
                              std::optional<double> measured_seconds) {
  // NaN compares as "not more" throughout.
  std::vector<std::string> words;
  const double capacity = d.cpus * d.wall_seconds;
  if (d.foreign_cpu_seconds > kForeignLimitCpus * d.wall_seconds + d.foreign_error_seconds) {
    words.push_back(fmt::format("other processes used {:.2f} of {} CPUs",
                                d.foreign_cpu_seconds / d.wall_seconds, d.cpus));
  }
  if (d.steal_seconds - d.steal_error_seconds > kStealLimit * capacity) {
    words.push_back(
        fmt::format("the hypervisor took {:.1f} % (steal)", 100 * d.steal_seconds / capacity));
  }
  if (d.throttled_periods > 0) {
    words.push_back(fmt::format("throttled by the cgroup quota: {:.0f} times, {:.0f} ms",
                                d.throttled_periods, 1e3 * d.throttled_seconds));
  }
  if (d.thermal_throttles > 0) {
    words.push_back(fmt::format("slowed down by heat {:.0f} times (thermal)", d.thermal_throttles));
  }
  if (d.suspended_seconds > kSuspendedLimitSeconds) {
    words.push_back(fmt::format("the machine was suspended for {:.1f} s", d.suspended_seconds));
  }
  // A machine that is busy with more threads of ours than it has processors gets to the end late
  // as well, but then they have used the time.
  if (asked_seconds && measured_seconds && *measured_seconds > kLateFactor * *asked_seconds &&
      *measured_seconds > *asked_seconds + kLateSeconds &&
      d.own_cpu_seconds < kLateFactor * *asked_seconds * d.cpus) {
    words.push_back(fmt::format("took {:.2f} s instead of {:.2f} s (stopped, or kept from the CPU)",
                                *measured_seconds, *asked_seconds));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace futex_bench
