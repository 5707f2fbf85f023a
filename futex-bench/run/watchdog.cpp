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
#include "common/system/limits.h"
#include "common/system/shared_memory.h"
#include "futex-bench/run/ending_signals.h"

namespace futex_bench {
namespace {

constexpr std::size_t kPage = 4096;
static_assert(sizeof(TrialControl) <= kPage);

/// The child's side: never returns, and leaves no trace but the shared memory.
[[noreturn]] void run_in_child(pid_t parent, const Point& point, const TrialRequest& request,
                               TrialControl& control, void* memory) {
  // SIGKILL cannot be blocked or caught: when the parent goes, so does every thread of the trial.
  // If it went before the call took effect, nobody will ever read the result.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE);
  // The parent blocks them to read them; here, and in what the trial makes, they have their effect.
  const sigset_t watched = watched_signals();
  sigprocmask(SIG_UNBLOCK, &watched, nullptr);
  try {
    point.run(request, control, memory);
    if (control.phase.load(std::memory_order_relaxed) < TrialPhase::kDone) {
      control.phase.store(TrialPhase::kDone, std::memory_order_release);
    }
  } catch (const std::exception& error) {
    control.fail(error.what());
  }
  // No destructors and no stdio: both belong to the parent.
  _exit(EXIT_SUCCESS);
}

std::string describe_death(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("the trial's process was killed by {}{}", signal_name(signal),
                       signal == SIGKILL ? " (out of memory, or somebody's kill)" : "");
  }
  return fmt::format("the trial's process ended early with status {}", WEXITSTATUS(status));
}

bool died_of_ending_signal(int status) {
  const sigset_t watched = watched_signals();
  return WIFSIGNALED(status) && sigismember(&watched, WTERMSIG(status)) == 1;
}

/// What keeps a process from being made, in words.
std::string describe_failed_fork(int error) {
  return fmt::format("fork: {}; {}", std::generic_category().message(error), limits_in_words(1, 0));
}

void add_how_far(const Point& point, const void* memory, TrialEnd& end) {
  const std::string words = point.how_far(memory);
  if (words.empty()) return;
  end.note += (end.signal != 0 ? " " : ", ") + words;
  end.partial = true;
}

void collect(const Point& point, const void* memory, TrialEnd& end) {
  end.values = point.collect(memory);
  end.distributions = point.distributions(memory);
  end.series = point.series(memory);
}

double seconds_since(std::int64_t ns) { return static_cast<double>(now_ns() - ns) / 1e9; }

std::int64_t after_seconds(double seconds) {
  return now_ns() + static_cast<std::int64_t>(std::max(seconds, 1e-6) * 1e9);
}

/// One signal for all, as from the terminal, reaches the parent and its child at almost the same time.
constexpr double kSameSignalSeconds = 0.1;

/// Often enough to look alive, seldom enough to leave the processors alone.
constexpr double kLookSeconds = 0.25;

}  // namespace

Watchdog::Watchdog() {
  const sigset_t set = watched_signals();
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

bool Watchdog::signal_comes(double within_seconds) {
  arm(within_seconds);
  for (;;) {
    const Event event = wait_for_event();
    if (event != Event::kChildEnded) return event == Event::kSignal;
  }
}

void Watchdog::kill_and_reap(pid_t child) {
  kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

TrialEnd Watchdog::run(const Point& point, const TrialRequest& request) {
  std::optional<Mapping> mapping;
  try {
    mapping.emplace(kPage + point.memory_bytes(), Mapping::Kind::kShared);
  } catch (const std::system_error& error) {
    return {.status = TrialStatus::kFailed, .note = error.what()};
  }
  auto& control = *new (mapping->address()) TrialControl;
  void* const memory = static_cast<std::byte*>(mapping->address()) + kPage;

  const pid_t parent = getpid();
  // What stdio holds would be written twice.
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return {.status = TrialStatus::kFailed, .note = describe_failed_fork(errno)};
  if (child == 0) run_in_child(parent, point, request, control, memory);

  TrialEnd end = watch(child, point, request, control, memory);
  if (end.signal != 0) {
    add_how_far(point, memory, end);
    if (point.cut_short(control, memory)) {
      end.status = TrialStatus::kCutShort;
      end.partial = true;
      collect(point, memory, end);
    }
    return end;
  }
  const TrialPhase phase = control.phase.load(std::memory_order_acquire);
  if (phase == TrialPhase::kFailed) {
    end.status = TrialStatus::kFailed;
    end.note = control.message;
  } else if (const auto violation = point.violation(memory)) {
    // Judged here and not by the child, which may have been killed with threads inside.
    end.status = TrialStatus::kFailed;
    end.note = *violation;
    end.violated = true;
  }
  if (end.status != TrialStatus::kFailed) {
    collect(point, memory, end);
  } else {
    add_how_far(point, memory, end);
  }
  return end;
}

Watchdog::Event Watchdog::watch_until(std::int64_t deadline_ns, const Point& point,
                                      const void* memory) {
  for (;;) {
    const double left = -seconds_since(deadline_ns);
    arm(look_ ? std::min(left, kLookSeconds) : left);
    const Event event = wait_for_event();
    if (event != Event::kTimer || now_ns() >= deadline_ns) return event;
    if (look_) look_(point.how_far(memory));
  }
}

TrialEnd Watchdog::interrupted() const {
  return {.status = TrialStatus::kFailed, .note = "interrupted", .signal = last_signal_};
}

TrialEnd Watchdog::watch(pid_t child, const Point& point, const TrialRequest& request,
                         TrialControl& control, void* memory) {
  const std::optional<double> expected = point.expected_seconds(request);
  const double patience = expected.value_or(kStuckSeconds) + kDrainSeconds;
  Progress progress{.seen = 0, .at_ns = now_ns()};
  const std::int64_t started_ns = progress.at_ns;
  std::int64_t deadline_ns = after_seconds(patience);
  for (;;) {
    switch (watch_until(deadline_ns, point, memory)) {
      case Event::kSignal:
        kill_and_reap(child);
        return interrupted();

      case Event::kChildEnded: {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) != child) break;  // left over from an earlier child
        if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) {
          // It may have seen its members go of a signal for all before its own came.
          const bool failed = control.phase.load(std::memory_order_acquire) == TrialPhase::kFailed;
          return failed && signal_comes(0) ? interrupted() : TrialEnd{};
        }
        if (died_of_ending_signal(status) && signal_comes(kSameSignalSeconds)) return interrupted();
        return {.status = TrialStatus::kFailed, .note = describe_death(status)};
      }

      case Event::kTimer: {
        const TrialPhase phase = control.phase.load(std::memory_order_acquire);
        const std::int64_t gate_ns = control.gate_ns.load(std::memory_order_relaxed);
        double more_seconds = 0;
        if (phase == TrialPhase::kSetup) {
          more_seconds = std::min(patience, kSetupSeconds - seconds_since(started_ns));
        } else if (expected) {
          more_seconds = patience - seconds_since(gate_ns);
        } else if (phase == TrialPhase::kRunning) {
          more_seconds = progress.is_new(point.progress(memory))
                             ? kStuckSeconds
                             : kStuckSeconds - seconds_since(progress.at_ns);
        }
        if (more_seconds > 0) {
          deadline_ns = after_seconds(more_seconds);
          break;
        }
        return give_up(child, point, phase, expected.has_value(), memory);
      }
    }
  }
}

TrialEnd Watchdog::give_up(pid_t child, const Point& point, TrialPhase phase, bool is_timed,
                           void* memory) {
  // Before the kill: the interval ends when the counters are read.
  const bool was_read =
      phase == TrialPhase::kRunning && is_timed && point.read_in_place_of_child(memory);
  kill_and_reap(child);
  if (phase == TrialPhase::kSetup) {
    return {.status = TrialStatus::kFailed,
            .note = fmt::format("set-up did not end within {:.0f} s", kSetupSeconds)};
  }
  if (was_read) {
    return {.status = TrialStatus::kNotDrained,
            .note =
                "the trial's own controller got no processor at the deadline; read from outside "
                "and killed"};
  }
  if (phase == TrialPhase::kRunning) {
    return {.status = TrialStatus::kFailed,
            .note = is_timed ? "still measuring long after the deadline"
                             : fmt::format("stuck: no progress for {:.0f} s", kStuckSeconds)};
  }
  return {.status = TrialStatus::kNotDrained,
          .note = fmt::format("threads still in the loop {:.1f} s after the end were killed",
                              kDrainSeconds)};
}

bool Watchdog::Progress::is_new(std::uint64_t now) {
  if (now == seen) return false;
  seen = now;
  at_ns = now_ns();
  return true;
}

}  // namespace futex_bench
