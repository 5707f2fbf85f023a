// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/watchdog.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "common/system/clock.h"
#include "common/system/error.h"
#include "common/system/shared_memory.h"

namespace futex_bench {
namespace {

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};
constexpr std::size_t kPage = 4096;
static_assert(sizeof(TrialControl) <= kPage);

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// SIGCHLD, and those of the ending signals that the process did not inherit as ignored (nohup,
/// background jobs): a blocked signal reaches a signalfd even when it is ignored.
sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int signal : kEndingSignals) {
    if (!is_ignored(signal)) sigaddset(&set, signal);
  }
  return set;
}

/// The child's side: never returns, and leaves no trace but the shared memory.
[[noreturn]] void run_in_child(pid_t parent, const Point& point, const TrialRequest& request,
                               TrialControl& control, void* memory) {
  // SIGKILL cannot be blocked or caught: when the parent goes, so does every thread of the trial.
  // If it went before the call took effect, nobody will ever read the result.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE);
  try {
    point.run(request, control, memory);
    if (control.phase.load(std::memory_order_relaxed) < TrialPhase::kDone) {
      control.phase.store(TrialPhase::kDone, std::memory_order_release);
    }
  } catch (const std::exception& error) {
    control.fail(TrialPhase::kFailed, error.what());
  }
  // No destructors and no stdio: both belong to the parent.
  _exit(EXIT_SUCCESS);
}

std::string describe_death(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("the trial's process was killed by SIG{}{}", sigabbrev_np(signal),
                       signal == SIGKILL ? " (out of memory, or somebody's kill)" : "");
  }
  return fmt::format("the trial's process ended early with status {}", WEXITSTATUS(status));
}

}  // namespace

Watchdog::Watchdog() {
  const sigset_t set = watched_signals();
  if (sigprocmask(SIG_BLOCK, &set, nullptr) != 0) throw_errno("block signals");
  signal_fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signal_fd_ < 0) throw_errno("make a signalfd");
  timer_fd_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (timer_fd_ < 0) {
    close(signal_fd_);
    throw_errno("make a timerfd");
  }
}

Watchdog::~Watchdog() {
  close(timer_fd_);
  close(signal_fd_);
  // From here on a signal ends the program at once, as a second one should.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int signal : kEndingSignals) sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void Watchdog::arm(double seconds_from_now) {
  const auto ns = static_cast<std::int64_t>(std::max(seconds_from_now, 1e-6) * 1e9);
  itimerspec spec{};
  spec.it_value.tv_sec = ns / 1'000'000'000;
  spec.it_value.tv_nsec = ns % 1'000'000'000;
  if (timerfd_settime(timer_fd_, 0, &spec, nullptr) != 0) throw_errno("set a timer");
}

Watchdog::Event Watchdog::wait_for_event() {
  for (;;) {
    signalfd_siginfo info{};
    if (read(signal_fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      if (static_cast<int>(info.ssi_signo) == SIGCHLD) return Event::kChildEnded;
      last_signal_ = static_cast<int>(info.ssi_signo);
      return Event::kSignal;
    }
    std::uint64_t expirations = 0;
    if (read(timer_fd_, &expirations, sizeof expirations) ==
        static_cast<ssize_t>(sizeof expirations)) {
      return Event::kTimer;
    }
    std::array<pollfd, 2> fds = {pollfd{signal_fd_, POLLIN, 0}, pollfd{timer_fd_, POLLIN, 0}};
    if (poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) throw_errno("poll");
  }
}

void Watchdog::kill_and_reap(pid_t child) {
  kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

TrialEnd Watchdog::run(const Point& point, const TrialRequest& request) {
  const Mapping mapping(kPage + point.memory_bytes(), Mapping::Kind::kShared);
  auto& control = *new (mapping.address()) TrialControl;
  void* const memory = static_cast<std::byte*>(mapping.address()) + kPage;

  const pid_t parent = getpid();
  const std::int64_t started_ns = now_ns();
  // What stdio holds would be written twice.
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    return {.status = TrialStatus::kFailed,
            .note = fmt::format("fork: {}", std::generic_category().message(errno))};
  }
  if (child == 0) run_in_child(parent, point, request, control, memory);

  const auto seconds_since = [](std::int64_t ns) {
    return static_cast<double>(now_ns() - ns) / 1e9;
  };
  const std::optional<double> expected = point.expected_seconds(request);
  std::uint64_t last_progress = 0;
  std::int64_t last_progress_ns = started_ns;
  TrialEnd end;
  arm(expected.value_or(kStuckSeconds) + kDrainSeconds);

  for (bool over = false; !over;) {
    switch (wait_for_event()) {
      case Event::kSignal:
        kill_and_reap(child);
        return {.status = TrialStatus::kFailed, .note = "interrupted", .signal = last_signal_};

      case Event::kChildEnded: {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) != child) break;  // left over from an earlier child
        if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS) {
          end = {.status = TrialStatus::kFailed, .note = describe_death(status)};
        }
        over = true;
        break;
      }

      case Event::kTimer: {
        const TrialPhase phase = control.phase.load(std::memory_order_acquire);
        const std::int64_t gate_ns = control.gate_ns.load(std::memory_order_relaxed);
        if (phase == TrialPhase::kSetup) {
          const double left = kSetupSeconds - seconds_since(started_ns);
          if (left > 0) {
            arm(std::min(left, expected.value_or(kStuckSeconds) + kDrainSeconds));
            break;
          }
          end = {.status = TrialStatus::kFailed,
                 .note = fmt::format("set-up did not end within {:.0f} s", kSetupSeconds)};
        } else if (phase == TrialPhase::kRunning && !expected) {
          const std::uint64_t progress = point.progress(memory);
          if (progress != last_progress) {
            last_progress = progress;
            last_progress_ns = now_ns();
          }
          if (seconds_since(last_progress_ns) < kStuckSeconds) {
            arm(kStuckSeconds / 2);
            break;
          }
          end = {.status = TrialStatus::kFailed,
                 .note = fmt::format("stuck: no progress for {:.0f} s", kStuckSeconds)};
        } else if (expected) {
          const double limit = *expected + kDrainSeconds;
          const double used = seconds_since(gate_ns);
          if (used < limit) {
            arm(limit - used);
            break;
          }
          // A controller that has not even got to its deadline is given more time: it may be one
          // runnable thread among a thousand, or the machine may have been asleep.
          if (phase == TrialPhase::kRunning && used < 3 * limit + 10) {
            arm(kDrainSeconds);
            break;
          }
          if (phase == TrialPhase::kRunning) {
            end = {.status = TrialStatus::kFailed,
                   .note = fmt::format("still measuring after {:.1f} s", used)};
          } else {
            end = {
                .status = TrialStatus::kNotDrained,
                .note = fmt::format("threads still in the lock {:.1f} s after the end were killed",
                                    kDrainSeconds)};
          }
        }
        kill_and_reap(child);
        over = true;
        break;
      }
    }
  }

  const TrialPhase phase = control.phase.load(std::memory_order_acquire);
  if (phase == TrialPhase::kFailed || phase == TrialPhase::kViolated) {
    end.status = TrialStatus::kFailed;
    end.note = control.message;
    end.violated = phase == TrialPhase::kViolated;
  }
  if (end.status != TrialStatus::kFailed) end.values = point.collect(memory);
  return end;
}

}  // namespace futex_bench
