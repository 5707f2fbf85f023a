// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/ending_signals.h"

#include <array>
#include <ctime>

#include "common/system/error.h"

namespace futex_bench {
namespace {

constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

sigset_t watched_signals() {
  if (is_ignored(SIGCHLD)) std::signal(SIGCHLD, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int signal : kEnding) {
    if (!is_ignored(signal)) sigaddset(&set, signal);
  }
  return set;
}

EndingSignals::EndingSignals() : before_{} {
  const sigset_t set = watched_signals();
  if (sigprocmask(SIG_BLOCK, &set, &before_) != 0) throw_errno("block signals");
}

int EndingSignals::release() {
  if (!held_) return 0;
  held_ = false;
  const sigset_t set = watched_signals();
  const timespec no_time{};
  int first = 0;
  for (int signal = 0; (signal = sigtimedwait(&set, nullptr, &no_time)) > 0;) {
    if (first == 0 && signal != SIGCHLD) first = signal;
  }
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  return first;
}

}  // namespace futex_bench
