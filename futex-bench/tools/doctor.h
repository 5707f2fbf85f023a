// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// `futex-bench doctor`: what this machine can measure and what disturbs it. Looks, and changes
/// nothing.
#pragma once

#include <string>

#include "futex-bench/cli/global_options.h"
#include "futex-bench/report/doctor_report.h"

namespace futex_bench {

/// How long doctor() watches the machine.
inline constexpr double kDoctorLookSeconds = 0.5;

/// Looks at the machine, for kDoctorLookSeconds at what others do on it. Files are read below
/// `root`; system calls ask the running kernel.
DoctorReport examine(const std::string& root);

/// Prints the report as text or json. Returns kExitOk, or kExitIncomplete if there are warnings
/// that one could do something about. Throws UsageError for another format.
int doctor(const GlobalOptions& global);

}  // namespace futex_bench
