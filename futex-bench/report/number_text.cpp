// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/number_text.h"

#include <fmt/format.h>

#include <cmath>

namespace futex_bench {

std::string value_text(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  const double size = std::fabs(value);
  if (size >= 1e15) return fmt::format("{:.6g}", value);
  if (size >= 1000 || value == std::trunc(value)) return fmt::format("{:.0f}", value);
  if (size >= 100) return fmt::format("{:.1f}", value);
  if (size >= 10) return fmt::format("{:.2f}", value);
  if (size >= 1) return fmt::format("{:.3f}", value);
  return fmt::format("{:.3g}", value);
}

std::string fixed_text(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  std::string text = fmt::format("{:.{}f}", value, digits);
  // A tiny negative value rounds to "-0.00", which nobody wants to read.
  if (text.front() == '-' && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string ratio_number(double ratio) {
  if (ratio > 0 && ratio < 0.1) return fmt::format("{:.3g}", ratio);
  return fixed_text(ratio, 3);
}

std::string percent_text(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  const double percent = fraction * 100;
  if (percent == 0) return "0%";
  if (percent > 0 && percent < 0.1) return "<0.1%";
  return fixed_text(percent, std::fabs(percent) < 9.95 ? 1 : 0) + "%";
}

std::string exact_text(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  return seconds >= 0.1 ? fmt::format("{:.2f} s", seconds) : fmt::format("{:.3g} s", seconds);
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

}  // namespace futex_bench
