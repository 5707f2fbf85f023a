// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Waking by what the C library makes of futexes, and by signals.
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <new>

#include "common/system/descriptor.h"
#include "common/system/error.h"
#include "common/system/thread_team.h"
#include "futex-bench/bench/wake_descriptor.h"
#include "futex-bench/bench/wake_methods.h"

namespace futex_bench {
namespace {

/// A return code of a pthread function that cannot fail.
void check(int code, const char* operation) noexcept {
  if (code == 0) return;
  errno = code;
  wake_panic(operation);
}

pthread_mutex_t* make_mutex(const WakeSite& site, std::size_t line) {
  auto* const mutex = new (static_cast<std::byte*>(site.words) + line * kCacheLine) pthread_mutex_t;
  pthread_mutexattr_t attributes;
  check_pthread(pthread_mutexattr_init(&attributes), "pthread_mutexattr_init");
  check_pthread(pthread_mutexattr_setpshared(&attributes, pshared_of(site.between)),
                "pthread_mutexattr_setpshared");
  check_pthread(pthread_mutex_init(mutex, &attributes), "pthread_mutex_init");
  pthread_mutexattr_destroy(&attributes);
  return mutex;
}

pthread_cond_t* make_condition(const WakeSite& site, std::size_t line) {
  auto* const condition =
      new (static_cast<std::byte*>(site.words) + line * kCacheLine) pthread_cond_t;
  pthread_condattr_t attributes;
  check_pthread(pthread_condattr_init(&attributes), "pthread_condattr_init");
  check_pthread(pthread_condattr_setpshared(&attributes, pshared_of(site.between)),
                "pthread_condattr_setpshared");
  check_pthread(pthread_cond_init(condition, &attributes), "pthread_cond_init");
  pthread_condattr_destroy(&attributes);
  return condition;
}

class SemaphoreMethod : public WakeMethod {
 public:
  explicit SemaphoreMethod(const WakeSite& site) : semaphore_(new (site.words) sem_t) {
    if (sem_init(semaphore_, site.between == Between::kProcesses ? 1 : 0, 0) != 0)
      throw_errno("sem_init");
  }
  void notify(std::uint64_t) noexcept override {
    if (sem_post(semaphore_) != 0) wake_panic("sem_post");
  }
  void wait(std::uint64_t) noexcept override {
    while (sem_wait(semaphore_) != 0) {
      if (errno != EINTR) wake_panic("sem_wait");
    }
  }

 private:
  sem_t* semaphore_;
};

/// Two mutexes in turn, as in the test of 2019, but the notifier takes a mutex back only after the
/// waiter has left it: a sample never spans several rounds.
class MutexMethod : public WakeMethod {
 public:
  explicit MutexMethod(const WakeSite& site) : mutexes_{make_mutex(site, 0), make_mutex(site, 1)} {}
  void notifier_begins() override { lock(1); }
  void prepare(std::uint64_t n) noexcept override { lock(n + 1); }
  void notify(std::uint64_t n) noexcept override { unlock(n); }
  void wait(std::uint64_t n) noexcept override { lock(n); }
  void taken(std::uint64_t n) noexcept override { unlock(n); }

 private:
  void lock(std::uint64_t n) noexcept {
    check(pthread_mutex_lock(mutexes_[n % 2]), "pthread_mutex_lock");
  }
  void unlock(std::uint64_t n) noexcept {
    check(pthread_mutex_unlock(mutexes_[n % 2]), "pthread_mutex_unlock");
  }

  pthread_mutex_t* mutexes_[2];
};

/// A number under a mutex and a condition variable. Signals after it has left the mutex, so that
/// the waiter does not wake into a mutex that is still held.
class Condition {
 public:
  explicit Condition(const WakeSite& site)
      : mutex_(make_mutex(site, 0)),
        condition_(make_condition(site, 1)),
        number_(new (static_cast<std::byte*>(site.words) + 2 * kCacheLine) std::uint64_t(0)) {}
  void set(std::uint64_t n) noexcept {
    check(pthread_mutex_lock(mutex_), "pthread_mutex_lock");
    *number_ = n;
    check(pthread_mutex_unlock(mutex_), "pthread_mutex_unlock");
    check(pthread_cond_signal(condition_), "pthread_cond_signal");
  }
  void wait_for(std::uint64_t n) noexcept {
    check(pthread_mutex_lock(mutex_), "pthread_mutex_lock");
    while (*number_ != n) check(pthread_cond_wait(condition_, mutex_), "pthread_cond_wait");
    check(pthread_mutex_unlock(mutex_), "pthread_mutex_unlock");
  }

 private:
  pthread_mutex_t* mutex_;
  pthread_cond_t* condition_;
  std::uint64_t* number_;
};

class ConditionMethod : public WakeMethod {
 public:
  explicit ConditionMethod(const WakeSite& site) : condition_(site) {}
  void notify(std::uint64_t n) noexcept override { condition_.set(n); }
  void wait(std::uint64_t n) noexcept override { condition_.wait_for(n); }

 private:
  Condition condition_;
};

/// A message through a pipe wakes a thread beside the waiter, which wakes the waiter through a
/// condition variable.
class PipeConditionMethod : public WakeMethod {
 public:
  explicit PipeConditionMethod(const WakeSite& site)
      : site_(site), pipe_(open_pipe()), condition_(site) {}
  void waiter_begins() override {
    // Not pinned by itself: it inherits where the waiter may run, and its policy.
    helper_ = std::make_unique<ThreadTeam>(1, std::vector<std::vector<int>>{},
                                           [this](unsigned) { help(); });
    helper_->open_gate();
    while (site_.parties->helper.load(std::memory_order_acquire) == 0) sched_yield();
  }
  void waiter_ends() noexcept override { helper_->join(); }
  void notify(std::uint64_t n) noexcept override { send_number(pipe_.write_end.get(), n); }
  void wait(std::uint64_t n) noexcept override { condition_.wait_for(n); }

 private:
  void help() {
    site_.parties->helper.store(gettid(), std::memory_order_release);
    for (std::uint64_t n = 1; n <= site_.wakes; ++n)
      condition_.set(receive_number(pipe_.read_end.get()));
  }

  WakeSite site_;
  DescriptorPair pipe_;
  Condition condition_;
  std::unique_ptr<ThreadTeam> helper_;
};

class SignalMethod : public WakeMethod {
 public:
  explicit SignalMethod(const WakeSite& site) : site_(site) {
    sigemptyset(&set_);
    sigaddset(&set_, SIGUSR1);
  }
  void waiter_begins() override {
    check_pthread(pthread_sigmask(SIG_BLOCK, &set_, nullptr), "pthread_sigmask");
  }
  /// By now the waiter has told who it is.
  void prepare(std::uint64_t) noexcept override {
    process_ = site_.parties->waiter_process.load(std::memory_order_relaxed);
    thread_ = site_.parties->waiter.load(std::memory_order_relaxed);
  }
  void notify(std::uint64_t) noexcept override {
    const long result = site_.between == Between::kProcesses
                            ? kill(process_, SIGUSR1)
                            : syscall(SYS_tgkill, process_, thread_, SIGUSR1);
    if (result != 0) wake_panic("kill");
  }
  void wait(std::uint64_t) noexcept override {
    int signal = 0;
    check(sigwait(&set_, &signal), "sigwait");
  }

 private:
  WakeSite site_;
  sigset_t set_;
  pid_t process_ = 0;
  pid_t thread_ = 0;
};

}  // namespace

const std::array<WakeMethodEntry, 5> kWakePosixMethods = {{
    {"sem", "sem_post to sem_wait", true, wake_always_available, make_wake_method<SemaphoreMethod>},
    {"mutex", "pthread_mutex_unlock by the holder to pthread_mutex_lock", true,
     wake_always_available, make_wake_method<MutexMethod>},
    {"cond", "pthread_cond_signal to pthread_cond_wait, mutex included", true,
     wake_always_available, make_wake_method<ConditionMethod>},
    {"signal", "kill (tgkill between threads) to sigwait", true, wake_always_available,
     make_wake_method<SignalMethod>},
    {"pipe-cond", "write to a pipe wakes a thread, pthread_cond_signal by that the waiter", true,
     wake_always_available, make_wake_method<PipeConditionMethod>},
}};

}  // namespace futex_bench
