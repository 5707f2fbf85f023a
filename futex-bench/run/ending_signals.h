// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Signals that end a run, as events instead of interruptions.
#pragma once

#include <csignal>

namespace futex_bench {

/// SIGINT, SIGTERM and SIGHUP, without those that the process has inherited as ignored (nohup,
/// background jobs): a blocked signal would be delivered even so. And SIGCHLD, which must not have been
/// inherited as ignored, or no child could be waited for.
sigset_t watched_signals();

/// Holds the signals back from before an output file is made until it is complete. Two signals that come
/// together, as a closing session sends them, or one at an awkward moment, then cost no result and leave
/// no temporary file.
class EndingSignals {
 public:
  /// Blocks them. Throws std::system_error.
  EndingSignals();
  ~EndingSignals() { release(); }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  /// Takes what is pending off the process and gives the signals their usual effect again, so that the
  /// next one ends the program at once. Returns the first ending signal that was pending; 0 if none.
  int release();

 private:
  sigset_t before_;
  bool held_ = true;
};

}  // namespace futex_bench
