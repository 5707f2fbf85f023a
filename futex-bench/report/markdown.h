// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Results to paste into a mail, an issue or a commit message.
#pragma once

#include <string>

#include "futex-bench/report/render_options.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

/// The content of the text report as GitHub's Markdown tables. Unless verbose, the table of `lock`
/// leaves out what the text does not show either (shares, context switches, overlap).
std::string markdown_report(const RunResult& result, const RenderOptions& options);

}  // namespace futex_bench
