// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/clock_offset.h"

#include <algorithm>
#include <atomic>

#include "common/system/thread_team.h"

namespace futex_bench {
namespace {

constexpr std::uint64_t kExchanges = 300;
constexpr std::int64_t kPatienceNs = 20'000'000;
constexpr std::uint64_t kEnough = UINT64_MAX;
/// Looks at the other side between two at the time, which takes longer.
constexpr unsigned kLooks = 100;

}  // namespace

std::optional<ClockOffset> clock_offset(std::span<const ClockExchange> exchanges) {
  if (exchanges.empty()) return std::nullopt;
  const ClockExchange& best = *std::ranges::min_element(
      exchanges, {}, [](const ClockExchange& each) { return each.answered - each.asked; });
  const double half = static_cast<double>(best.answered - best.asked) / 2;
  // Signed: the other clock may be behind.
  const auto after_asking = static_cast<std::int64_t>(best.there - best.asked);
  return ClockOffset{.ticks = static_cast<double>(after_asking) - half, .error = half};
}

std::vector<ClockExchange> exchange_stamps(const StampClock& clock, int here, int there) {
  std::atomic<std::uint64_t> question{0};
  std::atomic<std::uint64_t> answer{0};
  std::uint64_t stamp = 0;
  std::vector<ClockExchange> exchanges;
  exchanges.reserve(kExchanges);
  const std::int64_t end_ns = now_ns() + kPatienceNs;
  /// Until the other side has stored `wanted` or more, which is returned; kEnough once time is up.
  const auto await = [end_ns](const std::atomic<std::uint64_t>& word, std::uint64_t wanted) {
    for (unsigned looks = 1;; ++looks) {
      const std::uint64_t value = word.load(std::memory_order_acquire);
      if (value >= wanted) return value;
      if (looks % kLooks == 0 && now_ns() > end_ns) return kEnough;
    }
  };
  const auto ask = [&] {
    for (std::uint64_t n = 1; n <= kExchanges; ++n) {
      const std::uint64_t asked = clock.before();
      question.store(n, std::memory_order_release);
      if (await(answer, n) == kEnough) return;
      exchanges.push_back({.asked = asked, .there = stamp, .answered = clock.after()});
    }
  };
  const auto reply = [&] {
    for (std::uint64_t n = 1;; ++n) {
      if (await(question, n) == kEnough) return;
      stamp = clock.before();
      answer.store(n, std::memory_order_release);
    }
  };
  try {
    ThreadTeam team(2, {{here}, {there}}, [&](unsigned index) {
      if (index == 1) return reply();
      ask();
      question.store(kEnough, std::memory_order_release);
    });
    team.open_gate();
    team.join();
  } catch (const ThreadsNotCreated&) {
    return {};
  }
  return exchanges;
}

}  // namespace futex_bench
