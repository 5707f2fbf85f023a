// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// File descriptors: owned, in pairs that carry bytes, and how many of them there may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace futex_bench {

/// A descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Two descriptors: what is written to the second can be read from the first. Those of a socket pair
/// work the other way round as well.
struct DescriptorPair {
  Descriptor read_end;
  Descriptor write_end;
};

/// pipe(2), of the kernel's default capacity. Throws std::system_error.
DescriptorPair open_pipe();

/// socketpair(2), AF_UNIX, SOCK_STREAM. Throws std::system_error.
DescriptorPair open_socket_pair();

/// Writes all `size` bytes, however many calls that takes. Throws std::system_error.
void write_all(int fd, const std::byte* bytes, std::size_t size);

/// Reads `size` bytes, however many calls that takes. Throws std::system_error, or
/// std::runtime_error if the other end was closed before.
void read_all(int fd, std::byte* bytes, std::size_t size);

/// Descriptors to leave free besides those that a task needs: libraries open some now and then, and
/// sanitizers probe memory through a pipe.
inline constexpr std::uint64_t kSpareDescriptors = 16;

/// How many descriptors this process may have (RLIMIT_NOFILE) and has.
struct DescriptorLimits {
  std::uint64_t soft;
  std::uint64_t hard;
  std::uint64_t open;
};

/// Throws std::system_error.
DescriptorLimits read_descriptor_limits();

/// Raises the soft limit so that `more` descriptors, and kSpareDescriptors, can be opened besides
/// those that are open; no further than the hard limit. Throws std::system_error.
void make_room_for_descriptors(std::uint64_t more);

}  // namespace futex_bench
