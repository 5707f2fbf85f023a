// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Where results go: the terminal, a pipe or a file. No write fails unnoticed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace futex_bench {

/// What --color asks for.
enum class ColorChoice : std::uint8_t { kAuto, kAlways, kNever };

/// The choice of that word; anything but "always" and "never" is kAuto.
ColorChoice color_choice(std::string_view word);

/// Whether to colour what goes to `fd`. kAuto: only on a terminal, not if NO_COLOR is set and
/// not empty (https://no-color.org), not if TERM is "dumb" or not set.
bool use_color(ColorChoice choice, int fd);

/// Writes all of the text, however many calls it takes. Throws std::system_error (ENOSPC, EBADF,
/// EPIPE if SIGPIPE is ignored, ...) with `operation` as its words.
void write_all(int fd, std::string_view text, std::string_view operation = "write error");

/// A file for results, opened before measuring, so that a path that cannot be written to is noticed
/// at once, and complete or untouched at the end.
///
/// A regular file is replaced: the text goes to a temporary file beside it, to disk, and then takes
/// the name. Symbolic links to files that exist are followed, permission bits kept. Anything else
/// that exists (a pipe, /dev/full) is written to directly; opening a FIFO waits for its reader, as
/// in a shell.
class OutputFile {
 public:
  /// Throws std::system_error naming the path; UsageError if it is a regular file that stdout or
  /// stderr go to: what they print would be lost with the file that is replaced.
  explicit OutputFile(const std::string& path);
  /// Without a commit nothing is left behind. Does nothing in a forked child.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes the text and makes it the content of the file. Once. Throws std::system_error naming
  /// the path; the old file is then as it was.
  void commit(std::string_view text);

 private:
  [[noreturn]] void fail(int error) const;
  void open_temporary(mode_t mode, bool keep_mode);

  std::string path_;       ///< as the user wrote it
  std::string target_;     ///< the same without symbolic links
  std::string temporary_;  ///< empty if the target is written to directly
  int fd_ = -1;
  pid_t owner_;  ///< the process that may remove the temporary file
};

}  // namespace futex_bench
