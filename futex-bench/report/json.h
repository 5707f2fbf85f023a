// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The complete result for programs: one JSON document at the end, or JSON Lines while it runs.
///
/// Schema version 1. Both forms are valid UTF-8 whatever a note or a command line contains (bytes
/// that are not become U+FFFD) and valid JSON whatever was measured: a value that is not available,
/// NaN or infinite is null. Numbers read back as the same double. Readers must ignore members they
/// do not know.
///
/// The document is an object:
///   schema_version    1; raised when a reader of the old form would misunderstand the new one
///   tool              "futex-bench"
///   benchmark         "lock"
///   command_line      array of strings
///   started           ISO 8601 with offset
///   duration_seconds  of the whole run
///   complete          true if every trial that can run was run
///   seed, repeat, runtime_seconds (0: trials run to a count), warmup_seconds, order
///   tags              object NAME: VALUE
///   environment       object KEY: {label, value or null, reason why there is none}
///   metrics           array of {name, unit, direction, description}; the first one is judged by;
///                     direction is "higher_is_better", "lower_is_better" or "neutral"
///   points            array of {benchmark, mode, threads, parameters: {NAME: VALUE}, title,
///                     skipped: reason or "", summary, verdict, trials}
///     summary         object METRIC: {median, low, high, has_interval, min, max, count}; low and
///                     high are the 95 % interval of the median, or min and max if !has_interval
///     verdict         only if there are trials: {flags, words, mdape_percent (median of |x -
///                     median| / median), disturbed, measured_again}; flags are too-few, noisy,
///                     unstable, bimodal, slow-first, outliers, short-trial, not-overlapping,
///                     disturbed; words are for people. Of several trials of a round, an
///                     undisturbed one stands for it in summary and verdict: `disturbed` counts
///                     the rounds that have none, `measured_again` the trials left out
///     trials          in time order, {round, start_seconds, status, note, disturbed,
///                     circumstances: {NAME: number or null}, values: {METRIC: number or null}};
///                     status is "ok", "not_drained" (measured, then killed), "cut_short" (by a signal
///                     to the run; values of what it had done by then, used only where a point has no
///                     others) or "failed" (values is empty); the note of a disturbed trial says what disturbed it; circumstances
///                     are what else went on, see common/system/disturbance.h. Files of the first
///                     release have neither verdict nor disturbed nor circumstances.
///                     Only where the benchmark measures single values: distributions, {NAME:
///                     {count, min, max, mean, buckets: [[low, high, count]...]}}, both bounds
///                     inclusive, the unit at the end of the name; and, if every value was asked
///                     for, series, {NAME: [number...]}, columns of equal length in time order
///   comparison        of the modes, if there are several: {metric, unit, direction, modes, alpha,
///                     tests, rounds, rounds_needed, rows: [{threads, parameters, modes: [{mode,
///                     median, ratio, low, high, has_interval, pairs, p_value, p_adjusted,
///                     verdict}]}]}; ratios are to the first mode; from "ratio" on only where
///                     there is one
///   warnings          array of {id, text, fix}
#pragma once

#include <string>

#include "futex-bench/report/result.h"

namespace futex_bench {

/// The document, indented, with a final line feed.
std::string json_report(const RunResult& result);

/// JSON Lines, each with its line feed. Every line is an object with a "type":
/// "run", the head of the document without points and what is known only at the end;
std::string jsonl_run(const RunResult& result);
/// "trial", a trial with the members that identify its point;
std::string jsonl_trial(const RunResult& result, const PointKey& key, const TrialSample& trial);
/// "point", a point without its trials;
std::string jsonl_point(const RunResult& result, const PointSamples& point);
/// "end", with duration_seconds, complete, warnings and, if there are several modes, comparison.
std::string jsonl_end(const RunResult& result);

/// All of these lines for a finished run: run, trials in time order, points, end.
std::string jsonl_report(const RunResult& result);

}  // namespace futex_bench
