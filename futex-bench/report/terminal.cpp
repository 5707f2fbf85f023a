// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/system/error.h"

namespace futex_bench {

ColorChoice color_choice(std::string_view word) {
  if (word == "always") return ColorChoice::kAlways;
  return word == "never" ? ColorChoice::kNever : ColorChoice::kAuto;
}

bool use_color(ColorChoice choice, int fd) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::string_view(term) == "dumb") return false;
  return isatty(fd) == 1;
}

void write_all(int fd, std::string_view text, std::string_view operation) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // Somebody made the pipe or terminal we inherited non-blocking.
      pollfd ready{fd, POLLOUT, 0};
      if (poll(&ready, 1, -1) < 0 && errno != EINTR) throw_errno(operation);
    } else if (errno != EINTR) {
      throw_errno(operation);
    }
  }
}

namespace {

void refuse_stream(const std::string& path, const struct stat& file) {
  for (const auto& [fd, name] : {std::pair(STDOUT_FILENO, "stdout"), {STDERR_FILENO, "stderr"}}) {
    struct stat stream {};
    if (fstat(fd, &stream) != 0 || stream.st_dev != file.st_dev || stream.st_ino != file.st_ino) {
      continue;
    }
    throw UsageError(
        fmt::format("--output: '{}' is where {} goes, which would be lost; leave out --output or "
                    "name another file",
                    path, name));
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path), owner_(getpid()) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT || path.empty()) fail(errno);
    open_temporary(0666, false);
  } else if (S_ISDIR(info.st_mode)) {
    fail(EISDIR);
  } else if (S_ISREG(info.st_mode)) {
    refuse_stream(path, info);
    // A rename needs no permission on the file itself, but a user who took it away means it.
    if (access(path.c_str(), W_OK) != 0) fail(errno);
    target_ = std::filesystem::canonical(path).string();
    open_temporary(info.st_mode & 0777, true);
  } else {
    fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd_ < 0) fail(errno);
  }
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty() && getpid() == owner_) unlink(temporary_.c_str());
}

void OutputFile::fail(int error) const {
  throw std::system_error(error, std::generic_category(), fmt::format("cannot write '{}'", path_));
}

void OutputFile::open_temporary(mode_t mode, bool keep_mode) {
  const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
  // A leftover of a killed run may have the number of this process.
  for (int attempt = 0; fd_ < 0; ++attempt) {
    const std::string name = fmt::format(".futex-bench-{}-{}.tmp", owner_, attempt);
    temporary_ = (folder / name).string();
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd_ < 0 && errno != EEXIST) fail(errno);
  }
  // The umask has taken bits from the mode, which is right for a new file only.
  if (keep_mode && fchmod(fd_, mode) != 0) {
    const int error = errno;
    unlink(temporary_.c_str());  // called by the constructor: no destructor will do it
    close(fd_);
    fail(error);
  }
}

void OutputFile::commit(std::string_view text) {
  write_all(fd_, text, fmt::format("cannot write '{}'", path_));
  // Devices and pipes have nothing to synchronise and say EINVAL.
  if (fsync(fd_) != 0 && !temporary_.empty()) fail(errno);
  const int closed = close(fd_);
  fd_ = -1;
  if (closed != 0) fail(errno);
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

}  // namespace futex_bench
