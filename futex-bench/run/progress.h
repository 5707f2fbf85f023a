// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// One line on a terminal that says what is running and how long it will take.
#pragma once

#include <cstdint>
#include <string>

#include "futex-bench/run/runner.h"

namespace futex_bench {

/// The line for a step: "[ 34/170] round 2/9  wait, 64 threads  12 s left". `elapsed_seconds` is
/// since the start of the run; the time left assumes that what is to come is like what has been.
/// `how_far` is what is known of the trial itself, or empty.
std::string progress_line(const RunStep& step, unsigned rounds, double elapsed_seconds,
                          const std::string& how_far = {});

/// Draws the line on stderr, over the one before. Draws nothing if disabled.
class Progress {
 public:
  /// Enabled only where a person looks: stderr is a terminal that knows escape codes, and the user
  /// did not ask for quiet.
  Progress(bool quiet, unsigned rounds);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool enabled() const { return enabled_; }
  void show(const RunStep& step, const std::string& how_far = {});
  /// Removes the line, to make place for something else.
  void clear();

 private:
  bool enabled_;
  bool drawn_ = false;
  unsigned rounds_;
  std::int64_t started_ns_;
};

}  // namespace futex_bench
