// SPDX-License-Identifier: GPL-2.0-only
/// The kernel: version, build configuration, boot parameters.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "common/system/environment.h"

namespace futex_bench {
namespace {

/// The configuration the kernel was built with, as text.
FileText read_kernel_config(const std::string& root, const std::string& release) {
  const std::array<std::string, 3> paths = {
      "/boot/config-" + release,
      "/lib/modules/" + release + "/config",
      "/lib/modules/" + release + "/build/.config",
  };
  for (const std::string& path : paths) {
    FileText file = read_text(root, path);
    if (file.text) return file;
  }
  std::string reason = "no " + paths[0];
  if (access(below(root, "/proc/config.gz").c_str(), R_OK) == 0) {
    reason += "; /proc/config.gz is there, but compressed";
  }
  return {std::nullopt, std::move(reason)};
}

/// The value of CONFIG_`name`: "y", "250", "not set" (its comment line), or "absent".
std::string config_value(std::string_view config, const std::string& name) {
  const std::string assigned = "CONFIG_" + name + "=";
  const std::string unset = "# CONFIG_" + name + " is not set";
  for (const std::string_view line : split(config, '\n')) {
    if (line.starts_with(assigned)) return std::string(line.substr(assigned.size()));
    if (line == unset) return "not set";
  }
  return "absent";
}

/// The first of several ways to learn which preemption model is in force, best first.
FileText preempt_model(const std::string& root, const FileText& config,
                       const std::string& version) {
  if (read_number(root, "/sys/kernel/realtime") == 1) return {"rt", ""};
  if (const FileText live = read_text(root, "/sys/kernel/debug/sched/preempt"); live.text) {
    const std::size_t open = live.text->find('(');  // "none voluntary (full) lazy"
    const std::size_t close = live.text->find(')', open);
    if (open != std::string::npos && close != std::string::npos) {
      return {live.text->substr(open + 1, close - open - 1), ""};
    }
  }
  // What was built in says only what a dynamic kernel starts with, unless told otherwise at boot.
  std::string model;
  if (config.text) {
    struct Model {
      const char* option;
      const char* name;
    };
    constexpr std::array<Model, 5> kModels = {{{"PREEMPT_RT", "rt"},
                                               {"PREEMPT_LAZY", "lazy"},
                                               {"PREEMPT", "full"},
                                               {"PREEMPT_VOLUNTARY", "voluntary"},
                                               {"PREEMPT_NONE", "none"}}};
    for (const Model& candidate : kModels) {
      if (config_value(*config.text, candidate.option) != "y") continue;
      model = candidate.name;
      break;
    }
    if (!model.empty() && config_value(*config.text, "PREEMPT_DYNAMIC") == "y") {
      model += " (dynamic, as built";
    } else if (!model.empty()) {
      return {model, ""};
    }
  }
  if (model.empty()) {
    for (const std::string_view word : split(version, ' ')) {  // "#1 SMP PREEMPT_DYNAMIC ..."
      if (word.starts_with("PREEMPT")) model = word;
    }
    if (model.empty())
      return {std::nullopt, "neither debugfs nor kernel configuration is readable"};
    model += " (from uname";
  }
  const std::string boot = read_text(root, "/proc/cmdline").text.value_or("");
  for (const std::string_view word : split(boot, ' ')) {
    if (word.starts_with("preempt=")) model += fmt::format("; booted with {}", word);
  }
  return {model + ")", ""};
}

}  // namespace

std::vector<EnvironmentField> kernel_environment(const std::string& root) {
  EnvironmentFields fields;
  utsname names{};
  uname(&names);  // fails only for a bad address
  fields.value("kernel", "kernel", fmt::format("{} {}", names.release, names.version));
  fields.value("arch", "architecture", names.machine);
  const FileText config = read_kernel_config(root, names.release);
  fields.file_text("preempt_model", "preemption model", preempt_model(root, config, names.version));
  const auto option = [&](const char* key, const char* label, const char* name) {
    if (config.text) {
      fields.value(key, label, config_value(*config.text, name));
    } else {
      fields.unknown(key, label, config.reason);
    }
  };
  option("hz", "timer frequency (HZ)", "HZ");
  option("futex_private_hash", "CONFIG_FUTEX_PRIVATE_HASH", "FUTEX_PRIVATE_HASH");
  option("futex_mpol", "CONFIG_FUTEX_MPOL", "FUTEX_MPOL");
  fields.file_text("boot_parameters", "boot parameters", read_text(root, "/proc/cmdline"));
  return fields.take();
}

}  // namespace futex_bench
