// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What a benchmark is: options as data, metrics as data, and points that know how to run one trial
/// in a child process and how to read its counters in the parent. A benchmark never parses, prints,
/// forks or creates a thread by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/stats/distribution.h"
#include "common/stats/metric.h"
#include "common/stats/sample.h"
#include "futex-bench/bench/option.h"
#include "futex-bench/run/trial.h"

namespace futex_bench {

/// One point of the plan: a benchmark x mode x threads x parameters.
class Point {
 public:
  virtual ~Point() = default;

  /// What identifies it, and the heading of its table.
  virtual const PointKey& key() const = 0;
  virtual std::string title() const = 0;

  /// Why this machine cannot run it, if so ("ENOSYS: needs Linux 5.16"). Asked once, before the
  /// run.
  virtual std::optional<std::string> unavailable() const { return std::nullopt; }

  /// How long one trial measures, in seconds; nothing if it runs to a count instead.
  virtual std::optional<double> expected_seconds(const TrialRequest& request) const = 0;

  /// Any number that grows while a trial that runs to a count gets on; asked by the parent, which
  /// gives up a trial that is stuck.
  virtual std::uint64_t progress(const void* memory) const = 0;

  /// Bytes that run() and collect() share, zeroed and page-aligned.
  virtual std::size_t memory_bytes() const = 0;

  /// Runs one trial. Called in the child; counters go to `memory`, progress and failures to
  /// `control`. May throw: the trial then failed with that message.
  virtual void run(const TrialRequest& request, TrialControl& control, void* memory) const = 0;

  /// Reads the counters in the parent, in place of a child that has not come to it by its deadline
  /// because it gets no processor. Returns false if this kind of point cannot be read from outside.
  virtual bool read_in_place_of_child(void* /*memory*/) const { return false; }

  /// Makes what a trial that runs to a count had done so far all there is of it. Called in the parent
  /// after a signal has ended the child; collect() and its kin follow. Returns false if that is nothing,
  /// or if this kind of point means nothing in part.
  virtual bool cut_short(const TrialControl& /*control*/, void* /*memory*/) const { return false; }

  /// How a verified trial found the lock broken, if it did. Called in the parent after the child is
  /// gone, also when it was killed.
  virtual std::optional<std::string> violation(const void* /*memory*/) const {
    return std::nullopt;
  }

  /// What a trial has done so far, to follow "interrupted ": "after 12 of 200 messages". Empty if
  /// nothing, or nothing worth a word. Called in the parent, of a trial that was interrupted or failed
  /// and, where somebody watches, several times a second of one that runs.
  virtual std::string how_far(const void* /*memory*/) const { return ""; }

  /// Turns the counters into one value per metric of the benchmark. Called in the parent after the
  /// child is gone, also when it was killed after it had measured.
  virtual std::vector<double> collect(const void* memory) const = 0;

  /// How single values within the trial are spread, and every one of them if that was asked for; see
  /// TrialSample. Called after collect().
  virtual std::vector<std::pair<std::string, Distribution>> distributions(
      const void* /*memory*/) const {
    return {};
  }
  virtual std::vector<std::pair<std::string, std::vector<double>>> series(
      const void* /*memory*/) const {
    return {};
  }
};

/// A command that measures.
class Benchmark {
 public:
  virtual ~Benchmark() = default;

  /// The options it understands besides the global ones, bound to members of this object.
  virtual std::vector<Option> options() = 0;

  /// Whole command lines for its help.
  virtual std::vector<std::string> examples() const = 0;

  /// Whether the options ask for trials that run to a count, so that --runtime means nothing.
  virtual bool runs_to_a_count() const { return false; }

  /// What to type for trials that do more, and for sides that stay where they are: what warnings
  /// advise.
  virtual std::string longer_trials() const = 0;
  virtual std::string fixed_placement() const { return "--placement compact or scatter"; }

  /// How many trials a point gets if the user does not say; nothing for the default of the program.
  virtual std::optional<unsigned> default_repeat() const { return std::nullopt; }

  /// What the user should know before the run, a sentence each: what was asked for and cannot be
  /// had in full, and why. For stderr.
  virtual std::vector<std::string> notes() const { return {}; }

  /// Its metrics, those of the options set included; the span stays valid. The first is the one to
  /// judge by.
  virtual std::span<const Metric> metrics() const = 0;

  /// The plan in the order of the report: all points of the first mode, then of the second...
  /// Throws UsageError if options contradict each other or the machine.
  virtual std::vector<std::unique_ptr<Point>> points() const = 0;
};

}  // namespace futex_bench
