// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// THE list of output formats. A new one is one row in formats.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futex-bench/report/render_options.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

/// The run in the format of that name, ending in a line feed. Throws UsageError for an unknown
/// name.
std::string render(std::string_view format, const RunResult& result, const RenderOptions& options);

/// The names, in the order help shows them; the first is the default.
std::vector<std::string> format_names();

/// The format that the extension of a file's name stands for: .json .jsonl .csv .md .txt, in any
/// case. Nothing if it has none of these.
std::optional<std::string> format_for_file(std::string_view path);

}  // namespace futex_bench
