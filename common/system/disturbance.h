// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What others took from a measurement: the hypervisor, other processes, control groups, a stop.
///
/// A disturbed machine does not look slow, it looks different: with one of two processors taken
/// away a contended lock is contended no longer and counts more acquisitions than on the quiet
/// machine. So a disturbance is looked for by itself and never guessed from the figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace futex_bench {

/// Counters since the machine started. Empty: the kernel does not tell.
struct MachineCounters {
  double monotonic_seconds = 0;  ///< CLOCK_MONOTONIC when reading began
  double reading_seconds = 0;    ///< how long it took: on a full machine longer than a trial
  double suspended_seconds = 0;  ///< CLOCK_BOOTTIME - CLOCK_MONOTONIC
  /// Of the allowed processors, in steps of 1/100 s: user, nice and system time of all processes of
  /// /proc/stat. Interrupts are left out, since wake-ups of our own make them.
  std::optional<double> busy_seconds;
  std::optional<double> steal_seconds;  ///< taken by the hypervisor, likewise
  unsigned rounded = 0;  ///< numbers that busy_seconds is the sum of, each rounded down
  std::optional<std::uint64_t> throttled_periods;  ///< of our control groups
  std::optional<double> throttled_seconds;
  std::optional<double> pressure_seconds;          ///< PSI: some task waited for a processor
  std::optional<std::uint64_t> thermal_throttles;  ///< events of the allowed processors (x86)
};

/// Reads what is below `root`; the clocks are the running machine's. `cpus` are the allowed
/// processors. No file is required.
MachineCounters read_machine_counters(const std::string& root, const std::vector<int>& cpus);

/// Processor time of this process and the children it has waited for (getrusage(2)). Throws
/// std::system_error.
struct OwnUsage {
  double cpu_seconds = 0;
  std::uint64_t involuntary_switches = 0;  ///< of the children alone
};
OwnUsage read_own_usage();

/// What happened between two readings. Figures are NaN where a reading has nothing to tell.
struct Disturbance {
  double wall_seconds = 0;     ///< what the counters may cover: both readings included
  unsigned cpus = 1;           ///< allowed
  double own_cpu_seconds = 0;  ///< ours
  /// Of everybody else on the allowed processors. Below 0, within the error, where the ticks charged
  /// less than we used: cut off at 0, short trials would add up to foreign use that never was.
  /// Never more than the processors had.
  double foreign_cpu_seconds = 0;
  double steal_seconds = 0;
  double throttled_periods = 0;
  double throttled_seconds = 0;  ///< as the kernel counts it: summed over processors
  double pressure_seconds = 0;   ///< not judged: more threads than processors raise it, too
  double suspended_seconds = 0;
  double thermal_throttles = 0;
  double involuntary_switches = 0;  ///< not judged, for the same reason
  /// What foreign_cpu_seconds and steal_seconds may be wrong by (three standard deviations; see
  /// disturbance.cpp).
  double foreign_error_seconds = 0;
  double steal_error_seconds = 0;

  /// Name with unit, and value, of everything: what a result file keeps.
  std::vector<std::pair<std::string, double>> figures() const;
};

/// The difference. `tick_seconds` is how often the kernel looks who is running; see tick_seconds().
Disturbance between(const MachineCounters& before, const MachineCounters& after,
                    const OwnUsage& own_before, const OwnUsage& own_after, unsigned cpus,
                    double tick_seconds);

/// The length of a timer tick of this kernel, 1/HZ: 0.004 s for HZ=250.
double tick_seconds();

/// Share of the processors from which on steal is a disturbance.
inline constexpr double kStealLimit = 0.01;
/// Processors in use by others from which on that is a disturbance, on top of the error.
inline constexpr double kForeignLimitCpus = 0.1;
/// Suspend is a disturbance from this on; the two clocks are not read at the same instant.
inline constexpr double kSuspendedLimitSeconds = 0.01;
/// An interval this many times as long as asked for, and by so many seconds longer, means that the
/// trial was stopped: waking up late on a full machine is worth milliseconds.
inline constexpr double kLateFactor = 1.2;
inline constexpr double kLateSeconds = 0.02;

/// Why a trial should not be trusted: "other processes used 0.52 CPUs, the hypervisor took 3.1 % of
/// the CPU time"; empty if nothing speaks against it. `asked_seconds` and `measured_seconds` are
/// the interval that was to be measured and what came of it, if there is such a thing.
std::string disturbance_words(const Disturbance& disturbance, std::optional<double> asked_seconds,
                              std::optional<double> measured_seconds);

}  // namespace futex_bench
