// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The one data model behind every output format: what was asked, where, what was measured.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/stats/metric.h"
#include "common/stats/sample.h"
#include "common/system/environment.h"

namespace futex_bench {

/// Something that makes the figures less trustworthy, and what to do about it.
struct Warning {
  std::string id;    ///< stable, for scripts: "governor"
  std::string text;  ///< cause and size, one sentence
  std::string fix;   ///< command or advice that would mend it; may be empty
};

/// The tag that holds --kernel-label.
inline constexpr std::string_view kKernelLabelTag = "kernel";

/// A whole run.
struct RunResult {
  /// Raised when a reader of the old form would misunderstand the new one.
  static constexpr int kSchemaVersion = 1;

  std::string benchmark;
  std::vector<std::string> command_line;
  std::string started;  ///< ISO 8601 with offset
  double duration_seconds = 0;
  std::uint64_t seed = 0;
  unsigned repeat = 0;         ///< trials asked for per point
  double runtime_seconds = 0;  ///< per trial; 0 if the trials run to a count
  double warmup_seconds = 0;   ///< of the discarded round; 0 for none
  std::string order = "random";
  std::vector<std::pair<std::string, std::string>> tags;
  std::vector<EnvironmentField> environment;
  std::vector<Metric> metrics;
  std::vector<PointSamples> points;
  std::vector<Warning> warnings;
  bool complete = false;  ///< every trial of every point that can run was run
};

/// The fact of that key about the machine or the build; null if it was not recorded.
inline const EnvironmentField* find_field(std::span<const EnvironmentField> environment,
                                          std::string_view key) {
  for (const EnvironmentField& field : environment) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

}  // namespace futex_bench
