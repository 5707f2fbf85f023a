// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/trial.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace futex_bench {

void TrialControl::fail(std::string_view text) noexcept {
  const std::size_t length = std::min(text.size(), std::size(message) - 1);
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
  // Release pairs with the parent's acquire: who sees the phase sees the message.
  phase.store(TrialPhase::kFailed, std::memory_order_release);
}

}  // namespace futex_bench
