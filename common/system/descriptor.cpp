// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/descriptor.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "common/system/error.h"

namespace futex_bench {

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

DescriptorPair open_pipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) throw_errno("make a pipe");
  return {Descriptor(fds[0]), Descriptor(fds[1])};
}

DescriptorPair open_socket_pair() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    throw_errno("make a pair of sockets");
  }
  return {Descriptor(fds[0]), Descriptor(fds[1])};
}

void write_all(int fd, const std::byte* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd, bytes, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_errno("send a message");
    }
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void read_all(int fd, std::byte* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t got = read(fd, bytes, size);
    if (got < 0) {
      if (errno == EINTR) continue;
      throw_errno("receive a message");
    }
    if (got == 0) throw std::runtime_error("receive a message: the other end is closed");
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
}

DescriptorLimits read_descriptor_limits() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) throw_errno("getrlimit");
  const std::filesystem::directory_iterator open("/proc/self/fd");
  // One of them is the directory itself.
  const auto count = std::distance(begin(open), end(open)) - 1;
  return {limit.rlim_cur, limit.rlim_max, static_cast<std::uint64_t>(count)};
}

void make_room_for_descriptors(std::uint64_t more) {
  const DescriptorLimits now = read_descriptor_limits();
  const std::uint64_t needed = std::min(now.open + more + kSpareDescriptors, now.hard);
  if (needed <= now.soft) return;
  const rlimit limit{.rlim_cur = needed, .rlim_max = now.hard};
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) throw_errno("raise RLIMIT_NOFILE");
}

}  // namespace futex_bench
