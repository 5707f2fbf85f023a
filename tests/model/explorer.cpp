// SPDX-License-Identifier: GPL-2.0-only
#include "tests/model/explorer.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "tests/model/run.h"

namespace futex_bench::model {
namespace {

using Clock = std::chrono::steady_clock;

/// The bounds that shape the schedules, each with its letter in a replay string.
constexpr std::array<std::pair<char, std::uint32_t Bounds::*>, 6> kShape = {{
    {'p', &Bounds::preemptions},
    {'l', &Bounds::late_stores},
    {'b', &Bounds::buffer},
    {'i', &Bounds::injections},
    {'o', &Bounds::spin_ons},
    {'s', &Bounds::steps},
}};

std::string number(std::uint32_t n) { return n == kUnbounded ? "any" : fmt::format("{}", n); }

std::string replay_text(const Bounds& bounds, const Trail& trail) {
  std::string text = bounds.tso ? "tso" : "sc";
  for (const auto& [letter, member] : kShape) {
    text +=
        fmt::format(",{}{}", letter, bounds.*member == kUnbounded ? "*" : number(bounds.*member));
  }
  return text + ":" + trail.text();
}

Bounds parse_bounds(std::string_view text) {
  const auto refuse = [&] {
    throw std::invalid_argument(fmt::format(
        "replay string: '{}' is not like tso,p2,l1,b4,i1,o1,s2000 (and : and the decisions)",
        text));
  };
  Bounds bounds;
  std::string_view rest = text;
  const auto next_word = [&] {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    return word;
  };
  const std::string_view memory = next_word();
  if (memory != "tso" && memory != "sc") refuse();
  bounds.tso = memory == "tso";
  for (const auto& [letter, member] : kShape) {
    const std::string_view word = next_word();
    if (word.size() < 2 || word[0] != letter) refuse();
    if (word == std::string{letter, '*'}) {
      bounds.*member = kUnbounded;
      continue;
    }
    const auto [end, error] = std::from_chars(&word[1], word.data() + word.size(), bounds.*member);
    if (error != std::errc() || end != word.data() + word.size()) refuse();
  }
  if (!rest.empty()) refuse();
  return bounds;
}

/// Runs the trail's schedule again, with its steps in words.
void trace_into(Result& result, Trail& trail, const ProgramFactory& make,
                const Mutation& mutation) {
  Run run(result.bounds, mutation, trail, nullptr, true);
  run.execute(make);
  result.trace = run.trace();
  result.failure = run.failure();
  result.longest = std::max(result.longest, run.steps());
  if (!result.failure.empty()) {
    result.verdict = Verdict::kFailed;
    result.replay = replay_text(result.bounds, trail);
  }
}

}  // namespace

std::string describe(const Bounds& bounds) {
  return fmt::format("preemptions <= {}, {}, injections <= {}, spin-ons <= {}, operations <= {}",
                     number(bounds.preemptions),
                     bounds.tso ? fmt::format("TSO with {} buffered and <= {} late stores",
                                              bounds.buffer, number(bounds.late_stores))
                                : std::string("sequentially consistent"),
                     bounds.injections, number(bounds.spin_ons), bounds.steps);
}

std::string Result::summary() const {
  const std::string within = describe(bounds);
  switch (verdict) {
    case Verdict::kExhausted:
      return fmt::format(
          "passed: exhaustive, all {} schedules with {} (longest {} operations, {:.2f} s)",
          schedules, within, longest, seconds);
    case Verdict::kOutOfBudget:
      return fmt::format(
          "bounded by budget: no failure in the first {} schedules with {} ({:.2f} s)", schedules,
          within, seconds);
    case Verdict::kFailed:
      break;
  }
  return fmt::format("FAILED at schedule {} with {}\n{}\nreplay string: {}\n{}", schedules, within,
                     failure, replay, trace);
}

Result explore(const Bounds& bounds, const ProgramFactory& make, const Mutation& mutation,
               std::set<Site>* sites) {
  Result result;
  result.bounds = bounds;
  const Clock::time_point start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Trail trail;
  {
    Run run(bounds, mutation, trail, sites, false);
    do {
      if (result.schedules >= bounds.schedules ||
          (result.schedules % 256 == 255 && elapsed() > bounds.seconds)) {
        result.verdict = Verdict::kOutOfBudget;
        break;
      }
      ++result.schedules;
      run.execute(make);
      result.longest = std::max(result.longest, run.steps());
      if (!run.failure().empty()) {
        result.verdict = Verdict::kFailed;
        break;
      }
    } while (trail.advance());
  }
  if (result.failed()) trace_into(result, trail, make, mutation);
  result.seconds = elapsed();
  return result;
}

Result replay(std::string_view text, const ProgramFactory& make, const Mutation& mutation) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    throw std::invalid_argument(fmt::format("replay string: no ':' in '{}'", text));
  }
  Result result;
  result.bounds = parse_bounds(text.substr(0, colon));
  result.schedules = 1;
  Trail trail = Trail::parse(text.substr(colon + 1));
  trace_into(result, trail, make, mutation);
  return result;
}

}  // namespace futex_bench::model
