// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Anonymous memory by the page. Nothing has a name, so nothing can be left behind.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <utility>

#include "common/system/error.h"

namespace futex_bench {

/// A zeroed, page-aligned mapping that is unmapped at the end.
class Mapping {
 public:
  /// kShared is seen by children forked later; kPrivate is copied on write.
  enum class Kind : bool { kPrivate, kShared };

  /// Maps at least `bytes` bytes, at least one. Throws std::system_error.
  Mapping(std::size_t bytes, Kind kind)
      : bytes_(bytes == 0 ? 1 : bytes),
        address_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                      MAP_ANONYMOUS | (kind == Kind::kShared ? MAP_SHARED : MAP_PRIVATE), -1, 0)) {
    if (address_ == MAP_FAILED) throw_errno("map memory");
  }
  ~Mapping() { munmap(address_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  void* address() const { return address_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  void* address_;
};

}  // namespace futex_bench
