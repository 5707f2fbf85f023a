// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Where a measurement was made: everything about the machine, the kernel and the build that can
/// move the figures. Only looks, never changes anything, and starts no other program.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/system/text_file.h"
#include "common/system/topology.h"

namespace futex_bench {

/// A fact about the machine or the build: a value, or the reason why it is not known.
struct EnvironmentField {
  std::string key;                   ///< stable, snake_case: "kernel", "cpu_model", "cpus_allowed"
  std::string label;                 ///< for people
  std::optional<std::string> value;  ///< never an empty string
  std::string unknown_reason;        ///< set if there is no value

  /// The value for people; "unknown (REASON)" if there is none.
  std::string text() const { return value ? *value : "unknown (" + unknown_reason + ")"; }
};

/// Every fact, in the order in which to show them. Files are read below `root`; what comes from a
/// system call (uname, prctl, getrlimit) or from the build is the running program's. No file is
/// required and nothing throws but the lack of memory.
std::vector<EnvironmentField> capture_environment(const std::string& root,
                                                  const Topology& topology);

/// The parts of capture_environment(): kernel and its settings; processors; scheduler, memory and
/// limits; the program itself.
std::vector<EnvironmentField> kernel_environment(const std::string& root);
std::vector<EnvironmentField> cpu_environment(const std::string& root, const Topology& topology);
std::vector<EnvironmentField> system_environment(const std::string& root);
std::vector<EnvironmentField> build_environment();

/// A list of facts under construction.
class EnvironmentFields {
 public:
  /// An empty value counts as unknown, with "empty" as reason.
  void value(std::string key, std::string label, std::string value);
  void unknown(std::string key, std::string label, std::string reason);
  void file_text(std::string key, std::string label, FileText text);

  std::vector<EnvironmentField> take() { return std::move(fields_); }

 private:
  std::vector<EnvironmentField> fields_;
};

}  // namespace futex_bench
