// SPDX-License-Identifier: GPL-2.0-only
/// Warnings that need no measurement.
#include "futex-bench/report/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

#include "futex-bench/report/warning_text.h"

namespace futex_bench {
namespace {

/// Clock sources that are read from a device or that only tick. The others (tsc, arch_sys_counter,
/// kvm-clock, ...) are read in user space; one that is not shows in what it costs.
constexpr std::array<std::string_view, 5> kSlowClocks = {"hpet", "acpi_pm", "pit", "jiffies",
                                                         "refined-jiffies"};
constexpr double kSlowClockNs = 250;
constexpr std::int64_t kLongSlackNs = 1000;

constexpr std::array<std::string_view, 4> kInformation = {"oversubscribed", "smt", "timer-slack",
                                                          "vm"};

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

/// The warnings under construction and the fields they come from.
class Rules {
 public:
  Rules(std::span<const EnvironmentField> environment, const MachineFacts& facts)
      : environment_(environment), facts_(facts) {}

  std::vector<Warning> take() {
    frequency();
    processors();
    clock();
    build();
    scheduler();
    return std::move(warnings_);
  }

 private:
  std::string value(std::string_view key) const { return field_value(environment_, key); }

  void warn(const char* id, std::string text, std::string fix) {
    warnings_.push_back({id, std::move(text), std::move(fix)});
  }

  void frequency() {
    if (const std::string governor = value("governor");
        !governor.empty() && governor != "performance") {
      warn("governor",
           fmt::format("the frequency governor is {}: the clock changes with the load", governor),
           "sudo cpupower frequency-set -g performance");
    }
    if (value("turbo") == "on") {
      const bool intel = value("freq_driver").starts_with("intel_");
      warn("turbo", "turbo is on: the clock depends on heat and on how many cores are busy",
           intel ? "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
                 : "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
    }
    const std::string lowest = value("freq_min_khz");
    const std::string highest = value("freq_max_khz");
    if (!lowest.empty() && !highest.empty() && lowest != highest) {
      const bool alike = highest.find(':') == std::string::npos;
      warn("freq-range", fmt::format("the clock may go from {} to {} kHz", lowest, highest),
           alike ? fmt::format("sudo cpupower frequency-set -d {0}kHz -u {0}kHz", highest)
                 : std::string("sudo cpupower -c LIST frequency-set -d KHZ -u KHZ for each kind of "
                               "core"));
    }
  }

  void processors() {
    const std::string allowed = value("cpus_allowed");
    const std::string online = value("cpus_online");
    if (!allowed.empty() && !online.empty() && allowed != online) {
      warn("affinity", fmt::format("only the CPUs {} of {} may be used", allowed, online),
           value("cgroup_cpuset") == allowed
               ? fmt::format("leave the cpuset of this cgroup or container, or take the result as "
                             "one for {} CPUs",
                             facts_.allowed_cpus)
               : fmt::format("taskset -c {} futex-bench ...", online));
    }
    const std::string quota = value("cgroup_cpu_quota");  // "0.50 CPUs (50000 us in ..., /a/b)"
    if (const auto cpus = number(quota); cpus && *cpus < facts_.allowed_cpus) {
      warn("quota",
           fmt::format("the cgroup may use {} of {} CPUs: trials will be throttled", quota,
                       facts_.allowed_cpus),
           quota_fix(quota));
    }
    if (const std::string types = value("core_types"); !types.empty() && types != "all alike") {
      warn("mixed-cores", fmt::format("the CPUs are not all alike ({})", types),
           "taskset -c LIST futex-bench ... with CPUs of one kind");
    }
    const std::string hypervisor = value("hypervisor");
    if (!hypervisor.empty() && !hypervisor.starts_with("none")) {
      warn("vm", fmt::format("this is a virtual machine (hypervisor: {})", hypervisor),
           "compare only with results of the same guest; watch [steal]");
    }
  }

  static std::string quota_fix(std::string_view quota) {
    const std::size_t slash = quota.find('/');
    if (slash == std::string_view::npos) return "run outside of that cgroup";
    std::string_view directory = quota.substr(slash);
    directory = directory.substr(0, directory.find(')'));
    return directory.starts_with("/sys/fs/cgroup/cpu")
               ? fmt::format("echo -1 | sudo tee {}/cpu.cfs_quota_us", directory)
               : fmt::format("echo max | sudo tee {}/cpu.max", directory);
  }

  void clock() {
    const std::string source = value("clocksource");
    const bool slow =
        std::find(kSlowClocks.begin(), kSlowClocks.end(), source) != kSlowClocks.end();
    if (!slow && facts_.clock_cost_ns <= kSlowClockNs) return;
    warn("clocksource",
         fmt::format("reading the clock ({}) costs {:.0f} ns: times of single operations suffer",
                     source.empty() ? "unknown source" : source, facts_.clock_cost_ns),
         "echo tsc | sudo tee "
         "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  }

  void build() {
    const std::string flags = value("build_flags");
    if (!flags.empty() && flags.find("-O2") == std::string::npos &&
        flags.find("-O3") == std::string::npos) {
      warn("debug-build", fmt::format("built without optimisation ({})", flags),
           "make clean && make");
    }
    if (const std::string sanitizer = value("sanitizer");
        !sanitizer.empty() && sanitizer != "none") {
      warn("sanitizer", fmt::format("built with the {} sanitizer: figures mean nothing", sanitizer),
           "make");
    }
  }

  void scheduler() {
    const std::string nodes = value("nodes");
    const bool several = nodes.find_first_of(",-") != std::string::npos;
    const std::string balancing = value("numa_balancing");
    if (several && !balancing.empty() && balancing != "0") {
      warn("numa-balancing",
           fmt::format("NUMA balancing is on and {} are in use: memory moves while it is measured",
                       "nodes " + nodes),
           "echo 0 | sudo tee /proc/sys/kernel/numa_balancing");
    }
    if (const auto slack = number(value("timer_slack_ns"));
        slack && *slack > static_cast<double>(kLongSlackNs)) {
      warn("timer-slack",
           fmt::format("sleeps with a time limit may end {:.0f} us late (timer slack)",
                       *slack / 1000),
           "chrt -f 1 futex-bench ... where timed sleeps matter; a futex wake is not affected");
    }
  }

  std::span<const EnvironmentField> environment_;
  const MachineFacts& facts_;
  std::vector<Warning> warnings_;
};

}  // namespace

std::vector<Warning> environment_warnings(std::span<const EnvironmentField> environment,
                                          const MachineFacts& facts) {
  return Rules(environment, facts).take();
}

std::vector<Warning> plan_warnings(const RunResult& result, const MachineFacts& facts) {
  std::set<unsigned> over;
  bool compact = false;
  for (const PointSamples& point : result.points) {
    // Taking turns is what the pairs of `messaging` are for.
    if (result.benchmark != "messaging" && point.key.threads > facts.allowed_cpus)
      over.insert(point.key.threads);
    for (const auto& [name, value] : point.key.parameters) {
      compact = compact || (name == "placement" && value == "compact" && point.key.threads > 1);
    }
  }
  std::vector<Warning> warnings;
  if (!over.empty()) {
    warnings.push_back({"oversubscribed",
                        fmt::format("{} threads share {} CPUs: they take turns, and figures depend "
                                    "on the scheduler as much as on the lock",
                                    fmt::join(over, ", "), facts.allowed_cpus),
                        fmt::format("--threads 1-{} for a run without", facts.allowed_cpus)});
  }
  if (compact && field_value(result.environment, "smt").starts_with("on")) {
    warnings.push_back(
        {"smt", "--placement compact puts two threads on one core (SMT)", "--placement scatter"});
  }
  return warnings;
}

bool is_information(std::string_view id) {
  return std::find(kInformation.begin(), kInformation.end(), id) != kInformation.end();
}

}  // namespace futex_bench
