// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "common/system/error.h"

namespace futex_bench {
namespace {

constexpr std::size_t kMaxQuoted = 60;

// Not std::isdigit and its kin: those depend on the locale and are undefined for negative chars.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

[[noreturn]] void fail(std::string_view text, std::string_view what) {
  throw UsageError(fmt::format("{}: {}", quote(text), what));
}

/// The number of digits at the beginning of `text`.
std::size_t count_digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) -
                                  text.begin());
}

std::string_view without_outer_spaces(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view without_leading_zeros(std::string_view text) {
  while (text.size() > 1 && text.front() == '0' && is_digit(text[1])) text.remove_prefix(1);
  return text;
}

/// What parse_count() accepts, or nothing. Used to find out whether a repaired text would do, so
/// that no message suggests what would be refused.
std::optional<std::uint64_t> try_count(std::string_view text, std::uint64_t min,
                                       std::uint64_t max) {
  const std::size_t digits = count_digits(text);
  if (digits == 0 || without_leading_zeros(text).size() != text.size()) return std::nullopt;

  std::uint64_t unit = 1;
  const std::string_view suffix = text.substr(digits);
  if (suffix == "k") {
    unit = 1'000;
  } else if (suffix == "M") {
    unit = 1'000'000;
  } else if (!suffix.empty()) {
    return std::nullopt;
  }

  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + digits, value);
  if (parsed.ec != std::errc{} || value > max / unit) return std::nullopt;
  value *= unit;
  if (value < min) return std::nullopt;
  return value;
}

/// Digits with at most a sign before and a suffix after them: a number, though perhaps not one
/// within the bounds.
bool looks_whole(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t digits = count_digits(text);
  const std::string_view suffix = text.substr(digits);
  return digits > 0 && (suffix.empty() || suffix == "k" || suffix == "M");
}

/// Says why try_count() refused `text`.
std::string explain_count(std::string_view text, std::uint64_t min, std::uint64_t max) {
  const std::string bounds = fmt::format("must be from {} to {}", min, max);
  if (text.empty()) return "a number is missing; it " + bounds;

  std::string_view repaired = without_outer_spaces(text);
  if (repaired.starts_with('+')) repaired.remove_prefix(1);
  repaired = without_leading_zeros(repaired);
  if (repaired != text && try_count(repaired, min, max)) {
    const std::string_view what = is_space(text.front()) || is_space(text.back()) ? "a space"
                                  : text.front() == '+'                           ? "a sign"
                                                        : "a leading zero";
    return fmt::format("{} is not allowed (did you mean {}?)", what, repaired);
  }
  if (looks_whole(text)) return bounds;

  const std::size_t digits = count_digits(text);
  const std::string_view rest = text.substr(digits);
  if (digits > 0 && (rest == "K" || rest == "m" || rest == "G" || rest == "g")) {
    return fmt::format("unknown suffix '{}'; there are k (1000) and M (1000000)", rest);
  }
  return "not a whole decimal number; " + bounds;
}

/// Digits, a point and digits, an exponent: what from_chars() reads, minus "nan", "inf" and "5.".
bool looks_real(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t whole = count_digits(text);
  if (without_leading_zeros(text).size() != text.size()) return false;
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t fraction = count_digits(text);
    if (fraction == 0) return false;
    text.remove_prefix(fraction);
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && count_digits(text) == text.size();
}

/// One part of a list, between commas.
class RangeReader {
 public:
  RangeReader(std::string_view list, std::uint64_t min, std::uint64_t max, const PlainRange& plain)
      : list_(list), min_(min), max_(max), plain_(plain) {}

  /// Adds the numbers of `part` to `numbers`.
  void read(std::string_view part, std::vector<std::uint64_t>& numbers) const {
    if (part.empty()) {
      refuse(list_, list_.empty()
                        ? fmt::format("a number is missing; it must be from {} to {}", min_, max_)
                        : "a number is missing next to a comma");
    }
    const std::size_t colon = part.find(':');
    const std::string_view ends = part.substr(0, colon);
    // A leading '-' is a sign, so that "-1" is told its bounds.
    const std::size_t dash = ends.find('-', ends == "-" ? 0 : 1);
    if (dash == std::string_view::npos) {
      if (colon != std::string_view::npos) {
        refuse(part, "a step needs a range before it, like 1-64:8");
      }
      check_room(numbers.size(), 1);
      numbers.push_back(number(part, part));
      return;
    }
    const std::string_view first_text = ends.substr(0, dash);
    const std::string_view last_text = ends.substr(dash + 1);
    if (first_text.empty()) refuse(part, "a range needs a start and an end, like 1-8");
    const std::uint64_t first = number(first_text, part);
    if (last_text.empty()) {
      refuse(part, fmt::format("range end is missing (did you mean {}?)", first_text));
    }
    const std::uint64_t last = number(last_text, part);
    if (last < first) {
      refuse(part, fmt::format("range end is below its start (did you mean {}-{}{}?)", last_text,
                               first_text, part.substr(ends.size())));
    }
    if (colon == std::string_view::npos) {
      add_plain(first, last, numbers);
    } else {
      add_stepped(first, last, part.substr(colon + 1), part, numbers);
    }
  }

 private:
  /// Fails at `part` and shows the list around it.
  [[noreturn]] void refuse(std::string_view part, std::string_view what) const {
    if (part == list_) fail(part, what);
    throw UsageError(fmt::format("{} in {}: {}", quote(part), quote(list_), what));
  }

  std::uint64_t number(std::string_view text, std::string_view part) const {
    if (const auto value = try_count(text, min_, max_)) return *value;
    const std::string why = explain_count(text, min_, max_);
    refuse(part, text == part ? why : fmt::format("{}: {}", quote(text), why));
  }

  /// Fails if `more` numbers do not fit behind the `present` ones.
  void check_room(std::size_t present, std::uint64_t more) const {
    if (more > kMaxRangeEntries - present) {
      refuse(list_, fmt::format("more than {} numbers", kMaxRangeEntries));
    }
  }

  void add_plain(std::uint64_t first, std::uint64_t last,
                 std::vector<std::uint64_t>& numbers) const {
    if (!plain_) return add_arithmetic(first, last, 1, numbers);
    const std::vector<std::uint64_t> chosen = plain_(first, last);
    check_room(numbers.size(), chosen.size());
    numbers.insert(numbers.end(), chosen.begin(), chosen.end());
  }

  void add_stepped(std::uint64_t first, std::uint64_t last, std::string_view step,
                   std::string_view part, std::vector<std::uint64_t>& numbers) const {
    const bool geometric = step.starts_with('x');
    if (geometric) step.remove_prefix(1);
    const auto value = try_count(step, geometric ? 2 : 1, UINT64_MAX);
    if (!value) {
      refuse(part, geometric ? "the factor after ':x' must be a whole number from 2, like 1-64:x2"
                             : "the step after ':' must be a whole number from 1, like 1-64:8, or "
                               "a factor, like 1-64:x2");
    }
    if (!geometric) return add_arithmetic(first, last, *value, numbers);
    if (first == 0) refuse(part, "a range with a factor cannot start at 0");
    for (std::uint64_t n = first;; n *= *value) {
      check_room(numbers.size(), 1);
      numbers.push_back(n);
      if (n > last / *value) break;
    }
  }

  void add_arithmetic(std::uint64_t first, std::uint64_t last, std::uint64_t step,
                      std::vector<std::uint64_t>& numbers) const {
    const std::uint64_t steps = (last - first) / step;
    // The range has steps + 1 numbers, which 64 bits need not hold.
    check_room(numbers.size(), std::min<std::uint64_t>(steps, kMaxRangeEntries) + 1);
    for (std::uint64_t i = 0; i <= steps; ++i) numbers.push_back(first + i * step);
  }

  std::string_view list_;
  std::uint64_t min_;
  std::uint64_t max_;
  const PlainRange& plain_;
};

}  // namespace

std::string quote(std::string_view text) {
  const bool cut = text.size() > kMaxQuoted;
  if (cut) {
    std::size_t end = kMaxQuoted;
    // Not within a UTF-8 character: back to a byte that begins one.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
    text = text.substr(0, end);
  }
  std::string quoted = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + (cut ? "...'" : "'");
}

std::uint64_t parse_count(std::string_view text, std::uint64_t min, std::uint64_t max) {
  if (const auto value = try_count(text, min, max)) return *value;
  fail(text, explain_count(text, min, max));
}

double parse_real(std::string_view text, double min, double max) {
  const std::string bounds = fmt::format("must be from {} to {}", min, max);
  if (text.empty()) fail(text, "a number is missing; it " + bounds);
  if (!looks_real(text)) {
    fail(text, "not a plain decimal number like 0.2, 5 or 1e-3; " + bounds);
  }
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc::result_out_of_range) {
    fail(text, "too large or too close to zero; " + bounds);
  }
  // Negated, so that a NaN would fail too.
  if (parsed.ec != std::errc{} || !(value >= min && value <= max)) fail(text, bounds);
  return value + 0.0;  // makes a plain 0 of -0
}

std::vector<std::uint64_t> parse_ranges_in_order(std::string_view text, std::uint64_t min,
                                                 std::uint64_t max, const PlainRange& plain) {
  std::vector<std::uint64_t> numbers;
  const RangeReader reader(text, min, max, plain);
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    reader.read(rest.substr(0, comma), numbers);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  std::vector<std::uint64_t> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) fail(text, fmt::format("{} is given twice", *twice));
  return numbers;
}

std::vector<std::uint64_t> parse_ranges(std::string_view text, std::uint64_t min,
                                        std::uint64_t max) {
  std::vector<std::uint64_t> numbers = parse_ranges_in_order(text, min, max);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace futex_bench
