// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// `futex-bench list`: what there is to measure.
#pragma once

#include <string>

namespace futex_bench {

/// The benchmarks and the modes of `lock`: name, whether this kernel can run it, summary, and, if
/// verbose, source and properties.
std::string list_text(bool verbose);

}  // namespace futex_bench
