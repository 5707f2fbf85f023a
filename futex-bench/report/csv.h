// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Every trial as a row, for spreadsheets and statistics programs.
#pragma once

#include <string>

#include "futex-bench/report/result.h"

namespace futex_bench {

/// Comma-separated values with a header row, quoted as RFC 4180 asks; lines end with a line feed
/// alone, as tools of this system expect.
///
/// Columns: benchmark, mode, threads, one per parameter under its own name, round, start_seconds,
/// status (ok, not_drained, cut_short, failed, skipped), note, then one per metric. A metric's column is its
/// name, followed by its unit unless that is "1": "throughput_kiter_per_s", "wall_s",
/// "load_percent". One row per trial in time order; a skipped point has one row with the reason as
/// its note. Numbers are exact and use '.'; what does not exist is empty.
std::string csv_report(const RunResult& result);

/// The name of a metric's column.
std::string csv_column(const Metric& metric);

}  // namespace futex_bench
