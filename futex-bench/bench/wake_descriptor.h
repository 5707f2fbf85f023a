// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Messages of eight bytes through a descriptor.
#pragma once

#include <cstdint>

namespace futex_bench {

/// Ends the process if the number cannot be passed on in one piece.
void send_number(int descriptor, std::uint64_t number) noexcept;
std::uint64_t receive_number(int descriptor) noexcept;

}  // namespace futex_bench
