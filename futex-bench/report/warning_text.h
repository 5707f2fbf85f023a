// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Warnings in words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/system/environment.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

/// "[governor] the frequency governor is powersave ...; fix: sudo cpupower ...", on one line.
std::string warning_text(const Warning& warning);

/// The value of a field; empty if it is not there or not known.
std::string field_value(std::span<const EnvironmentField> environment, std::string_view key);

/// A point in a sentence: "wait, 64 threads, hold_ns=200".
std::string point_words(const PointSamples& point);

/// "a; b; c and 4 more": the first three.
std::string some_of(const std::vector<std::string>& items);

}  // namespace futex_bench
