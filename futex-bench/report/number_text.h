// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Numbers and foreign text as people read them. Whatever comes in, no "nan", "inf" or "-0" comes
/// out, and nothing that breaks a line or reaches a terminal as a control sequence.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace futex_bench {

/// About four significant digits without an exponent for everyday sizes; whole numbers stay whole.
/// "-" if the value is not finite.
std::string value_text(double value);

/// As printf's "%.<digits>f"; "-" if the value is not finite.
std::string fixed_text(double value, int digits);

/// A ratio with three decimals, below 0.1 with three digits: one that is a thousandth is not 0.
std::string ratio_number(double ratio);

/// A fraction as a percentage: 0.314 becomes "31%", 0.0042 "0.4%", 0.0001 "<0.1%".
std::string percent_text(double fraction);

/// The shortest decimal text that reads back as the same double, always with '.'; empty if the
/// value is not finite.
std::string exact_text(double value);

/// A duration in seconds with its unit: "0.20 s", "0.005 s".
std::string seconds_text(double seconds);

/// "1 trial", "9 trials".
std::string counted(std::size_t count, std::string_view noun);

/// The text with every control character (C0, DEL) replaced by a space.
std::string one_line(std::string_view text);

}  // namespace futex_bench
