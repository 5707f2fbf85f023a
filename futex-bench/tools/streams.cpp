// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/tools/streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "futex-bench/report/terminal.h"

namespace futex_bench {

void prepare_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // In this order: open gives the lowest number that is free.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    const int mode = fd == STDERR_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", mode) != fd) {
      throw std::system_error(errno, std::generic_category(), "open /dev/null");
    }
  }
}

void tell(std::string_view text) {
  try {
    write_all(STDERR_FILENO, fmt::format("futex-bench: {}\n", text));
  } catch (const std::system_error&) {
    // Nowhere to say it.
    return;
  }
}

void print(std::string_view text) {
  try {
    write_all(STDOUT_FILENO, text);
  } catch (const std::system_error& error) {
    if (error.code().value() != EPIPE) throw;
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
}

}  // namespace futex_bench
