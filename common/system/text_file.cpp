// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace futex_bench {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

std::string reason_for(const std::string& path, int error) {
  return path + ": " + std::generic_category().message(error);
}

}  // namespace

std::string below(const std::string& root, std::string_view path) {
  std::string joined = root;
  while (joined.ends_with('/')) joined.pop_back();
  if (!path.starts_with('/')) joined += '/';
  return joined.append(path);
}

FileText read_text(const std::string& root, const std::string& path) {
  // O_NONBLOCK: a FIFO in the place of a file must not hang the program.
  const int file = open(below(root, path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {std::nullopt, reason_for(path, errno)};
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = read(file, buffer.data(), buffer.size());
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (got == 0) break;
    const int error = errno;
    if (error == EINTR) continue;
    close(file);
    return {std::nullopt, reason_for(path, error)};
  }
  close(file);
  const std::size_t last = text.find_last_not_of(kWhiteSpace);
  if (last == std::string::npos) return {std::nullopt, path + ": empty"};
  text.resize(last + 1);
  return {std::move(text), ""};
}

std::optional<std::int64_t> read_number(const std::string& root, const std::string& path) {
  const FileText file = read_text(root, path);
  return file.text ? to_number(*file.text) : std::nullopt;
}

std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string> list_directory(const std::string& root, const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(below(root, path), error);
  const std::filesystem::directory_iterator end;
  while (!error && entry != end) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace futex_bench
