// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What the explorer runs.
#pragma once

#include <functional>
#include <memory>

namespace futex_bench::model {

/// A program of 1 to kMaxThreads threads. It is constructed anew for every schedule, so its members
/// are the shared memory in its initial state. It must do the same whenever it sees the same.
class Program {
 public:
  virtual ~Program() = default;
  /// How many threads it has.
  virtual int threads() const = 0;
  /// What a thread does; called once for each of 0 .. threads()-1, on a stack of its own.
  virtual void run(int thread) = 0;
  /// Whether the time is always up and the dice always fall: every look at the clock shows a second
  /// more, and every random number is all ones. What a lock does after a while, or now and then, it
  /// then does at the first occasion.
  virtual bool hurries() const { return false; }
  /// Looks at the outcome, after all threads have ended and all stores have arrived.
  virtual void finish() {}
};

/// Makes the program of a schedule.
using ProgramFactory = std::function<std::unique_ptr<Program>()>;

}  // namespace futex_bench::model
