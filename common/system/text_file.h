// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Small files of /proc and /sys, read below a chosen root so that tests can feed made-up machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace futex_bench {

/// The text of a file, or the reason why there is none.
struct FileText {
  std::optional<std::string> text;  ///< without white space at the end; never empty
  std::string reason;               ///< set if there is no text: "PATH: No such file or directory"
};

/// The file `path` (absolute) as seen below `root` ("/" for the machine itself).
std::string below(const std::string& root, std::string_view path);

/// Reads a whole file. A file that holds nothing but white space counts as having no text, with the
/// reason "PATH: empty". Never throws for a file that cannot be read.
FileText read_text(const std::string& root, const std::string& path);

/// A file that holds one decimal number and nothing else; nothing if it is missing, holds something
/// else ("max"), or the number does not fit.
std::optional<std::int64_t> read_number(const std::string& root, const std::string& path);

/// The whole of `text` as a decimal number, or nothing.
std::optional<std::int64_t> to_number(std::string_view text);

/// `text` without white space at both ends.
std::string_view trim(std::string_view text);

/// The pieces of `text` between the separators, empty ones included: "a,,b" gives three. They point
/// into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The names in a directory, sorted; none if it cannot be read.
std::vector<std::string> list_directory(const std::string& root, const std::string& path);

}  // namespace futex_bench
