// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What `doctor` found, and its two forms.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/system/environment.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

/// A futex operation of this kernel.
struct DoctorCapability {
  std::string name;
  std::string since;   ///< "Linux 5.16"
  std::string reason;  ///< why it cannot be used; empty if it can
};

/// Everything there is to say.
struct DoctorReport {
  std::vector<EnvironmentField> environment;
  std::vector<DoctorCapability> capabilities;
  unsigned threads = 0;     ///< that the limits were asked for
  std::string limits;       ///< all of them in words
  std::string limit_below;  ///< the one that does not allow so many threads; empty if none
  double look_seconds = 0;  ///< how long others were watched
  std::vector<std::pair<std::string, double>> look;  ///< figures, as of a trial
  std::string disturbed;  ///< what the look found; empty for a quiet machine
  std::vector<Warning> warnings;

  /// No warning but information.
  bool is_quiet() const;
};

/// Environment, operations, limits, look and checks, one after another.
std::string doctor_text(const DoctorReport& report);

/// One object: {schema_version, tool, environment (as in a result), capabilities: [{name, since,
/// available, reason}], threads: {asked, limits, limit_below or null}, look: {seconds, disturbed,
/// figures}, quiet, warnings (as in a result)}.
std::string doctor_json(const DoctorReport& report);

}  // namespace futex_bench
