// SPDX-License-Identifier: GPL-2.0-only
/// The processors: model, layout, frequencies, idle states, mitigations, hypervisor.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "common/system/cpu_list.h"
#include "common/system/environment.h"

namespace futex_bench {
namespace {

constexpr std::string_view kCpuDirectory = "/sys/devices/system/cpu/";

std::string cpu_path(std::string_view name) { return std::string(kCpuDirectory).append(name); }

std::string cpu_path(int cpu, std::string_view name) {
  return fmt::format("{}cpu{}/{}", kCpuDirectory, cpu, name);
}

/// The value of the first line "name : value" in /proc/cpuinfo; empty if there is none.
std::string cpuinfo_value(std::string_view cpuinfo, std::string_view name) {
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) != name) continue;
    return std::string(trim(line.substr(colon + 1)));
  }
  return "";
}

void add_model(const std::string& root, const FileText& cpuinfo, EnvironmentFields& fields) {
  const std::string_view text = cpuinfo.text ? std::string_view(*cpuinfo.text) : "";
  const std::string missing = cpuinfo.text ? "/proc/cpuinfo does not say" : cpuinfo.reason;
  std::string model;
  // x86 and others, LoongArch, MIPS, POWER, RISC-V.
  for (const char* name : {"model name", "Model Name", "cpu model", "cpu", "uarch"}) {
    if (model.empty()) model = cpuinfo_value(text, name);
  }
  if (const std::string part = cpuinfo_value(text, "CPU part"); model.empty() && !part.empty()) {
    model = fmt::format("implementer {} part {}", cpuinfo_value(text, "CPU implementer"), part);
  }
  if (model.empty()) {
    const FileText midr = read_text(root, cpu_path("cpu0/regs/identification/midr_el1"));
    if (midr.text) model = "midr_el1 " + *midr.text;
  }
  fields.file_text("cpu_model", "CPU model",
                   model.empty() ? FileText{std::nullopt, missing} : FileText{model, ""});

  std::string signature = cpuinfo_value(text, "cpu family");
  if (!signature.empty()) {
    signature = fmt::format("family {} model {} stepping {}", signature,
                            cpuinfo_value(text, "model"), cpuinfo_value(text, "stepping"));
  } else if (const std::string variant = cpuinfo_value(text, "CPU variant"); !variant.empty()) {
    signature = fmt::format("variant {} revision {}", variant, cpuinfo_value(text, "CPU revision"));
  }
  fields.file_text("cpu_stepping", "CPU stepping",
                   signature.empty() ? FileText{std::nullopt, missing} : FileText{signature, ""});

  const std::string microcode = cpuinfo_value(text, "microcode");
  fields.file_text("microcode", "microcode",
                   microcode.empty() ? read_text(root, cpu_path("cpu0/microcode/version"))
                                     : FileText{microcode, ""});
}

/// A list of processors that may well be empty: then "none" instead of unknown.
void add_cpu_set(const std::string& root, EnvironmentFields& fields, const char* key,
                 const char* label, const char* name) {
  const std::string path = cpu_path(name);
  FileText file = read_text(root, path);
  if (file.reason == path + ": empty" || file.text == "(null)") file = {"none", ""};
  fields.file_text(key, label, std::move(file));
}

void add_smt(const std::string& root, EnvironmentFields& fields) {
  const FileText active = read_text(root, cpu_path("smt/active"));
  const FileText control = read_text(root, cpu_path("smt/control"));
  if (!active.text) {
    fields.unknown("smt", "SMT", active.reason);
    return;
  }
  fields.value("smt", "SMT",
               fmt::format("{}{}", *active.text == "1" ? "on" : "off",
                           control.text ? " (" + *control.text + ")" : ""));
}

/// Counts over the allowed processors.
void add_layout(const Topology& topology, EnvironmentFields& fields) {
  std::set<int> packages;
  std::set<int> cores;
  std::set<int> caches;
  std::vector<int> ids;
  for (const Cpu& cpu : topology.cpus()) {
    packages.insert(cpu.package);
    cores.insert(cpu.core);
    caches.insert(cpu.llc);
    ids.push_back(cpu.id);
  }
  fields.value("cpus_allowed", "CPUs allowed", format_cpu_list(ids));
  fields.value("packages", "packages used", std::to_string(packages.size()));
  fields.value("cores", "cores used", std::to_string(cores.size()));
  fields.value("last_level_caches", "last-level caches used", std::to_string(caches.size()));
  fields.value("nodes", "NUMA nodes used", format_cpu_list(topology.nodes()));
}

/// "performance" if all agree, else "performance: 0-3; powersave: 4-7".
std::string group_text(const std::map<std::string, std::vector<int>>& groups) {
  if (groups.size() == 1) return groups.begin()->first;
  std::vector<std::string> parts;
  for (const auto& [value, cpus] : groups) {
    parts.push_back(fmt::format("{}: {}", value, format_cpu_list(cpus)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

void add_core_types(const Topology& topology, EnvironmentFields& fields) {
  std::map<std::string, std::vector<int>> groups;
  bool known = false;
  for (const Cpu& cpu : topology.cpus()) {
    known = known || cpu.capacity > 0 || cpu.atom;
    std::string type = cpu.atom ? "atom" : "core";
    if (cpu.capacity > 0) type += fmt::format(" of capacity {}", cpu.capacity);
    groups[type].push_back(cpu.id);
  }
  if (!known) {
    fields.unknown("core_types", "core types", "no cpu_capacity and no cpu_atom in /sys/devices");
  } else {
    fields.value("core_types", "core types", groups.size() == 1 ? "all alike" : group_text(groups));
  }
}

/// A file that every processor has: which processors hold which value.
void add_per_cpu(const std::string& root, const Topology& topology, EnvironmentFields& fields,
                 const char* key, const char* label, const char* name) {
  std::map<std::string, std::vector<int>> groups;
  std::string reason = "no processor";
  for (const Cpu& cpu : topology.cpus()) {
    const FileText file = read_text(root, cpu_path(cpu.id, name));
    if (file.text) {
      groups[*file.text].push_back(cpu.id);
    } else {
      reason = file.reason;
    }
  }
  if (groups.empty()) {
    fields.unknown(key, label, reason);
  } else {
    fields.value(key, label, group_text(groups));
  }
}

/// Frequencies now: "800-3600 MHz". They differ between processors and change all the time.
void add_current_frequency(const std::string& root, const Topology& topology,
                           const FileText& cpuinfo, EnvironmentFields& fields) {
  std::set<std::int64_t> mhz;
  for (const Cpu& cpu : topology.cpus()) {
    const auto khz = read_number(root, cpu_path(cpu.id, "cpufreq/scaling_cur_freq"));
    if (khz) mhz.insert(*khz / 1000);
  }
  if (mhz.size() == 1) {
    fields.value("freq_now", "frequency now", fmt::format("{} MHz", *mhz.begin()));
  } else if (!mhz.empty()) {
    fields.value("freq_now", "frequency now",
                 fmt::format("{}-{} MHz", *mhz.begin(), *mhz.rbegin()));
  } else if (const std::string text = cpuinfo.text ? cpuinfo_value(*cpuinfo.text, "cpu MHz") : "";
             !text.empty()) {
    fields.value("freq_now", "frequency now", text + " MHz (first in /proc/cpuinfo)");
  } else {
    fields.unknown("freq_now", "frequency now", "no cpufreq and no \"cpu MHz\" in /proc/cpuinfo");
  }
}

void add_turbo(const std::string& root, EnvironmentFields& fields) {
  const auto no_turbo = read_number(root, cpu_path("intel_pstate/no_turbo"));
  const auto boost = read_number(root, cpu_path("cpufreq/boost"));
  if (no_turbo) {
    fields.value("turbo", "turbo", *no_turbo == 0 ? "on" : "off");
  } else if (boost) {
    fields.value("turbo", "turbo", *boost != 0 ? "on" : "off");
  } else {
    fields.unknown("turbo", "turbo", "no intel_pstate/no_turbo and no cpufreq/boost");
  }
}

/// "POLL 0 us, C1 2 us, C6 133 us disabled", of the first allowed processor.
void add_idle_states(const std::string& root, const Topology& topology, EnvironmentFields& fields) {
  const int cpu = topology.cpus().empty() ? 0 : topology.cpus().front().id;
  std::vector<std::string> states;
  FileText name;
  for (int index = 0;; ++index) {
    const std::string state = cpu_path(cpu, fmt::format("cpuidle/state{}/", index));
    name = read_text(root, state + "name");
    if (!name.text) break;
    std::string text = *name.text;
    if (const auto latency = read_number(root, state + "latency")) {
      text += fmt::format(" {} us", *latency);
    }
    if (read_number(root, state + "disable").value_or(0) != 0) text += " disabled";
    states.push_back(std::move(text));
  }
  fields.file_text("idle_states", "idle states",
                   states.empty() ? FileText{std::nullopt, name.reason}
                                  : FileText{fmt::format("{}", fmt::join(states, ", ")), ""});
}

void add_mitigations(const std::string& root, EnvironmentFields& fields) {
  const std::string directory = cpu_path("vulnerabilities");
  std::map<std::string, std::vector<std::string>> names;
  for (const std::string& name : list_directory(root, directory)) {
    const std::string text = read_text(root, directory + "/" + name).text.value_or("");
    if (text.starts_with("Not affected")) {
      names["not affected"].push_back(name);
    } else if (text.starts_with("Mitigation")) {
      names["mitigated"].push_back(name);
    } else {
      names[text.starts_with("Vulnerable") ? "vulnerable" : "unclear"].push_back(name);
    }
  }
  std::vector<std::string> parts;
  for (const auto& [state, list] : names) {
    parts.push_back(fmt::format("{} {}", list.size(), state));
    if (state != "not affected") parts.back() += fmt::format(" ({})", fmt::join(list, ", "));
  }
  if (parts.empty()) {
    fields.unknown("mitigations", "mitigations", "nothing in " + directory);
  } else {
    fields.value("mitigations", "mitigations", fmt::format("{}", fmt::join(parts, "; ")));
  }
}

void add_hypervisor(const std::string& root, const FileText& cpuinfo, EnvironmentFields& fields) {
  const FileText type = read_text(root, "/sys/hypervisor/type");
  const FileText vendor = read_text(root, "/sys/class/dmi/id/sys_vendor");
  const FileText product = read_text(root, "/sys/class/dmi/id/product_name");
  const std::string flags = cpuinfo.text ? cpuinfo_value(*cpuinfo.text, "flags") : "";
  const std::vector<std::string_view> words = split(flags, ' ');
  const bool guest = std::find(words.begin(), words.end(), "hypervisor") != words.end();
  std::string machine = vendor.text.value_or("");
  if (product.text) machine += (machine.empty() ? "" : " ") + *product.text;
  if (!machine.empty()) machine = " (" + machine + ")";
  if (type.text) {
    fields.value("hypervisor", "hypervisor", *type.text + machine);
  } else if (guest) {
    fields.value("hypervisor", "hypervisor", "yes" + machine);
  } else if (!flags.empty()) {
    fields.value("hypervisor", "hypervisor", "none" + machine);
  } else {
    fields.unknown("hypervisor", "hypervisor",
                   "no /sys/hypervisor/type and no processor flags" + machine);
  }
}

}  // namespace

std::vector<EnvironmentField> cpu_environment(const std::string& root, const Topology& topology) {
  EnvironmentFields fields;
  const FileText cpuinfo = read_text(root, "/proc/cpuinfo");
  const auto per_cpu = [&](const char* key, const char* label, const char* name) {
    add_per_cpu(root, topology, fields, key, label, name);
  };
  add_model(root, cpuinfo, fields);
  add_cpu_set(root, fields, "cpus_possible", "CPUs possible", "possible");
  add_cpu_set(root, fields, "cpus_present", "CPUs present", "present");
  add_cpu_set(root, fields, "cpus_online", "CPUs online", "online");
  add_cpu_set(root, fields, "cpus_isolated", "CPUs isolated", "isolated");
  add_cpu_set(root, fields, "cpus_nohz_full", "CPUs nohz_full", "nohz_full");
  add_layout(topology, fields);
  add_smt(root, fields);
  add_core_types(topology, fields);
  per_cpu("freq_driver", "frequency driver", "cpufreq/scaling_driver");
  per_cpu("governor", "frequency governor", "cpufreq/scaling_governor");
  per_cpu("freq_min_khz", "lowest frequency (kHz)", "cpufreq/scaling_min_freq");
  per_cpu("freq_max_khz", "highest frequency (kHz)", "cpufreq/scaling_max_freq");
  per_cpu("energy_preference", "energy preference", "cpufreq/energy_performance_preference");
  add_current_frequency(root, topology, cpuinfo, fields);
  add_turbo(root, fields);
  fields.file_text("idle_driver", "idle driver",
                   read_text(root, cpu_path("cpuidle/current_driver")));
  FileText governor = read_text(root, cpu_path("cpuidle/current_governor"));
  if (!governor.text) governor = read_text(root, cpu_path("cpuidle/current_governor_ro"));
  fields.file_text("idle_governor", "idle governor", std::move(governor));
  add_idle_states(root, topology, fields);
  add_mitigations(root, fields);
  fields.file_text(
      "clocksource", "clock source",
      read_text(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  add_hypervisor(root, cpuinfo, fields);
  return fields.take();
}

}  // namespace futex_bench
