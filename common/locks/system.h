// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Locks that are measured but not modelled, because the algorithm is not ours: glibc's, the
/// standard library's, and the empty one that shows the cost of the measuring loop.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <mutex>

#include "common/locks/lock.h"
#include "common/locks/platform.h"
#include "common/system/error.h"

namespace futex_bench {

/// No lock at all: what remains is the measuring loop.
class NullLock {
 public:
  static constexpr std::string_view kName = "null";
  static constexpr std::string_view kSummary = "no lock: the cost of the measuring loop alone";
  static constexpr std::string_view kSource = "futex-bench";
  static constexpr LockTraits kTraits{.excludes = false, .counts_slow = false};
  using Context = NoContext;

  explicit NullLock(const LockConfig&) {}
  // The barriers keep the compiler from moving work across the place where a lock would be.
  void lock(Context&) noexcept { asm volatile("" ::: "memory"); }
  void unlock(Context&) noexcept { asm volatile("" ::: "memory"); }
};

/// What a pthread mutex is made as.
enum class PthreadKind : std::uint8_t { kDefault, kAdaptive, kPriorityInheriting };

/// A pthread mutex of the given kind. The unlock and lock of a mutex that is used correctly cannot
/// fail, so their results are not looked at in the measured loop.
template <PthreadKind kKind>
class PthreadMutexLock {
  static constexpr bool kAdaptive = kKind == PthreadKind::kAdaptive;
  static constexpr bool kInherits = kKind == PthreadKind::kPriorityInheriting;

 public:
  static constexpr std::string_view kName = kAdaptive   ? "pthread-adaptive"
                                            : kInherits ? "pthread-pi"
                                                        : "pthread";
  static constexpr std::string_view kSummary =
      kAdaptive   ? "pthread_mutex_t of type PTHREAD_MUTEX_ADAPTIVE_NP: spins a little, then sleeps"
      : kInherits ? "pthread_mutex_t of protocol PTHREAD_PRIO_INHERIT"
                  : "pthread_mutex_t of the default type";
  static constexpr std::string_view kSource = "the C library in use";
  static constexpr LockTraits kTraits{
      .fairness = kInherits ? Fairness::kFifo : Fairness::kBarging,  // as in pi.h
      .spins = kAdaptive,
      .parks = true,
      .needs = kInherits ? FutexOperation::kLockPi : FutexOperation::kWait,
      .counts_slow = false};
  using Context = NoContext;

  explicit PthreadMutexLock(const LockConfig& config) {
    pthread_mutexattr_t attributes;
    check_pthread(pthread_mutexattr_init(&attributes), "pthread_mutexattr_init");
    if (kAdaptive) {
      check_pthread(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP),
                    "pthread_mutexattr_settype");
    }
    if (kInherits) {
      check_pthread(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT),
                    "pthread_mutexattr_setprotocol");
    }
    if (config.scope == FutexScope::kShared) {
      check_pthread(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED),
                    "pthread_mutexattr_setpshared");
    }
    check_pthread(pthread_mutex_init(&mutex_, &attributes), "pthread_mutex_init");
    pthread_mutexattr_destroy(&attributes);
  }
  ~PthreadMutexLock() { pthread_mutex_destroy(&mutex_); }
  PthreadMutexLock(const PthreadMutexLock&) = delete;
  PthreadMutexLock& operator=(const PthreadMutexLock&) = delete;

  void lock(Context&) noexcept { pthread_mutex_lock(&mutex_); }
  void unlock(Context&) noexcept { pthread_mutex_unlock(&mutex_); }

 private:
  alignas(kCacheLine) pthread_mutex_t mutex_;
};

using PthreadLock = PthreadMutexLock<PthreadKind::kDefault>;
using PthreadAdaptiveLock = PthreadMutexLock<PthreadKind::kAdaptive>;
using PthreadPiLock = PthreadMutexLock<PthreadKind::kPriorityInheriting>;

/// A POSIX semaphore that starts at 1.
class SemLock {
 public:
  static constexpr std::string_view kName = "sem";
  static constexpr std::string_view kSummary = "POSIX semaphore as a lock (sem_wait, sem_post)";
  static constexpr std::string_view kSource = "the C library in use";
  static constexpr LockTraits kTraits{.fairness = Fairness::kBarging,
                                      .parks = true,
                                      .needs = FutexOperation::kWait,
                                      .counts_slow = false,
                                      .word_bytes = 8};
  using Context = NoContext;

  explicit SemLock(const LockConfig& config) {
    if (sem_init(&semaphore_, config.scope == FutexScope::kShared ? 1 : 0, 1) != 0) {
      throw_errno("sem_init");
    }
  }
  ~SemLock() { sem_destroy(&semaphore_); }
  SemLock(const SemLock&) = delete;
  SemLock& operator=(const SemLock&) = delete;

  void lock(Context&) noexcept {
    while (sem_wait(&semaphore_) != 0) {  // EINTR
    }
  }
  void unlock(Context&) noexcept { sem_post(&semaphore_); }

 private:
  alignas(kCacheLine) sem_t semaphore_;
};

/// std::mutex, which has no process-shared form.
class StdLock {
 public:
  static constexpr std::string_view kName = "std";
  static constexpr std::string_view kSummary = "std::mutex";
  static constexpr std::string_view kSource = "the C++ standard library in use";
  static constexpr LockTraits kTraits{.fairness = Fairness::kBarging,
                                      .parks = true,
                                      .needs = FutexOperation::kWait,
                                      .takes_shared = false,
                                      .counts_slow = false};
  using Context = NoContext;

  explicit StdLock(const LockConfig&) {}
  void lock(Context&) noexcept { mutex_.lock(); }
  void unlock(Context&) noexcept { mutex_.unlock(); }

 private:
  alignas(kCacheLine) std::mutex mutex_;
};

}  // namespace futex_bench
