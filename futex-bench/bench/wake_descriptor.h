// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Messages of eight bytes through a pair of descriptors.
#pragma once

#include <cstdint>

namespace futex_bench {

/// What comes in at one end comes out at the other. Closed at the end.
class DescriptorPair {
 public:
  DescriptorPair(int out, int in) : out_(out), in_(in) {}
  ~DescriptorPair();
  DescriptorPair(const DescriptorPair&) = delete;
  DescriptorPair& operator=(const DescriptorPair&) = delete;
  int out() const { return out_; }
  int in() const { return in_; }

 private:
  int out_;
  int in_;
};

/// Throw std::system_error.
DescriptorPair open_pipe();
DescriptorPair open_socket_pair();

/// Ends the process if the number cannot be passed on in one piece.
void send_number(int descriptor, std::uint64_t number) noexcept;
std::uint64_t receive_number(int descriptor) noexcept;

}  // namespace futex_bench
