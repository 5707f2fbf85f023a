// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "common/system/clock.h"

namespace futex_bench {
namespace {

constexpr std::string_view kClearLine = "\r\033[K";

bool is_smart_terminal(int fd) {
  const char* const term = std::getenv("TERM");
  return isatty(fd) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

std::string duration(double seconds) {
  const long whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{}:{:02} min", whole / 60, whole % 60);
}

/// A terminal that goes away costs the progress line, not the run.
void draw(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stderr) == text.size()) std::fflush(stderr);
}

}  // namespace

std::string progress_line(const RunStep& step, unsigned rounds, double elapsed_seconds,
                          const std::string& how_far) {
  const PointKey& key = step.point->key();
  std::string what = key.mode.empty() ? key.benchmark : key.mode;
  if (key.threads != 0) what += fmt::format(", {} threads", key.threads);
  for (const auto& [name, value] : key.parameters) what += fmt::format(" {}={}", name, value);
  std::string left;
  if (step.done != 0) {
    const double each = elapsed_seconds / static_cast<double>(step.done);
    left = fmt::format("  {} left", duration(each * static_cast<double>(step.planned - step.done)));
  }
  const std::string round =
      step.warmup ? "warm-up" : fmt::format("round {}/{}", step.round + 1, rounds);
  return fmt::format("[{:>{}}/{}] {}  {}{}{}{}", step.done + 1,
                     fmt::formatted_size("{}", step.planned), step.planned, round, what, left,
                     how_far.empty() ? "" : "  ", how_far);
}

Progress::Progress(bool quiet, unsigned rounds)
    : enabled_(!quiet && is_smart_terminal(STDERR_FILENO)),
      rounds_(rounds),
      started_ns_(now_ns()) {}

void Progress::show(const RunStep& step, const std::string& how_far) {
  if (!enabled_) return;
  const double elapsed = static_cast<double>(now_ns() - started_ns_) / 1e9;
  std::string line = progress_line(step, rounds_, elapsed, how_far);
  // A line that wraps could not be cleared.
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) {
    line.resize(std::min<std::size_t>(line.size(), size.ws_col - 1U));
  }
  draw(fmt::format("{}{}", kClearLine, line));
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  draw(kClearLine);
  drawn_ = false;
}

}  // namespace futex_bench
