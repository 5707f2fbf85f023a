// SPDX-License-Identifier: GPL-2.0-only
#include "tests/model/trail.h"

#include <fmt/core.h>

#include <stdexcept>

namespace futex_bench::model {
namespace {

constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
static_assert(kDigits.size() == Trail::kMostAlternatives);

}  // namespace

int Trail::choose(int alternatives) {
  if (alternatives > kMostAlternatives) return -1;
  const auto count = static_cast<std::uint8_t>(alternatives);
  if (position_ == decisions_.size()) decisions_.push_back({0, count});
  Decision& decision = decisions_[position_++];
  if (decision.alternatives == 0 && decision.taken < count) decision.alternatives = count;
  return decision.alternatives == count ? decision.taken : -1;
}

bool Trail::advance() {
  while (!decisions_.empty() && decisions_.back().taken + 1 >= decisions_.back().alternatives) {
    decisions_.pop_back();
  }
  if (decisions_.empty()) return false;
  ++decisions_.back().taken;
  return true;
}

std::string Trail::text() const {
  std::string text;
  for (const Decision& decision : decisions_) text += kDigits[decision.taken];
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

Trail Trail::parse(std::string_view text) {
  Trail trail;
  for (const char c : text) {
    const std::size_t taken = kDigits.find(c);
    if (taken == std::string_view::npos) {
      throw std::invalid_argument(
          fmt::format("replay string: '{}' is not a decision (0-9, a-z)", c));
    }
    trail.decisions_.push_back({static_cast<std::uint8_t>(taken), 0});
  }
  return trail;
}

}  // namespace futex_bench::model
