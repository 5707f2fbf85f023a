// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Reads back what json.h writes.
#pragma once

#include <string>

#include "futex-bench/report/result.h"

namespace futex_bench {

/// The run that `text` describes; `name` is the file's name for messages. Reading what json_report
/// wrote gives an equal RunResult (infinite values come back as NaN, bytes that were not UTF-8 as
/// U+FFFD). Summaries and the comparison are not read: they follow from the trials.
///
/// Throws UsageError with one line, "NAME: what is wrong", if the text is truncated or no JSON, was
/// not written by this program or by a newer form of it, lacks a member or has one of the wrong
/// type, or contradicts itself: trials whose values do not match the metrics, a point that occurs
/// twice or is skipped and yet has trials.
RunResult read_json(const std::string& text, const std::string& name);

}  // namespace futex_bench
