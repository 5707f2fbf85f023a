// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/tools/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <iterator>
#include <optional>
#include <vector>

#include "common/futex/capability.h"
#include "common/system/clock.h"
#include "common/system/disturbance.h"
#include "common/system/error.h"
#include "common/system/limits.h"
#include "common/system/thread_team.h"
#include "common/system/topology.h"
#include "futex-bench/report/terminal.h"
#include "futex-bench/report/warnings.h"
#include "futex-bench/tools/exit_status.h"
#include "futex-bench/tools/streams.h"

namespace futex_bench {
namespace {

/// The most threads that the classical ladder asks for.
constexpr unsigned kThreads = 1024;

void look_at_others(const std::string& root, const std::vector<int>& cpus, DoctorReport& report) {
  const OwnUsage own_before = read_own_usage();
  const MachineCounters before = read_machine_counters(root, cpus);
  sleep_until_ns(now_ns() + static_cast<std::int64_t>(kDoctorLookSeconds * 1e9));
  const MachineCounters after = read_machine_counters(root, cpus);
  const Disturbance disturbance = between(before, after, own_before, read_own_usage(),
                                          static_cast<unsigned>(cpus.size()), tick_seconds());
  report.look_seconds = kDoctorLookSeconds;
  report.look = disturbance.figures();
  report.disturbed = disturbance_words(disturbance, kDoctorLookSeconds, disturbance.wall_seconds);
}

}  // namespace

DoctorReport examine(const std::string& root) {
  const std::vector<int> cpus = allowed_cpus();
  DoctorReport report;
  report.environment = capture_environment(root, Topology::read(root, cpus));
  for (const FutexCapability& capability : futex_capabilities()) {
    report.capabilities.push_back({std::string(capability.name), std::string(capability.since),
                                   capability.available ? "" : capability.reason});
  }
  const ThreadLimits limits = read_thread_limits(root);
  report.threads = kThreads;
  report.limits = describe(limits);
  report.limit_below = limit_below(kThreads, limits, ThreadTeam::kStackBytes).value_or("");
  look_at_others(root, cpus, report);

  const MachineFacts facts{.allowed_cpus = static_cast<unsigned>(cpus.size()),
                           .clock_cost_ns = clock_cost_ns(),
                           .cpus_allowed_after = ""};
  report.warnings = environment_warnings(report.environment, facts);
  const std::array<Circumstances, 1> look = {{{report.look, !report.disturbed.empty()}}};
  std::vector<Warning> seen = circumstance_warnings(look, report.environment);
  std::move(seen.begin(), seen.end(), std::back_inserter(report.warnings));
  if (!report.limit_below.empty()) {
    report.warnings.push_back(
        {"thread-limit", fmt::format("{} threads do not fit: {}", kThreads, report.limit_below),
         "raise what is named (ulimit -u, ulimit -v, pids.max, sysctl kernel.threads-max, "
         "kernel.pid_max, vm.max_map_count), "
         "or ask for fewer --threads"});
  }
  return report;
}

int doctor(const GlobalOptions& global) {
  if (global.format_given() && global.format != "text" && global.format != "json") {
    throw UsageError(fmt::format("--format: doctor prints text or json, not '{}'", global.format));
  }
  std::optional<OutputFile> file;
  if (!global.output.empty()) file.emplace(global.output);
  const DoctorReport report = examine("/");
  const std::string text = global.format == "json" ? doctor_json(report) : doctor_text(report);
  if (file) {
    file->commit(text);
  } else {
    print(text);
  }
  return report.is_quiet() ? kExitOk : kExitIncomplete;
}

}  // namespace futex_bench
