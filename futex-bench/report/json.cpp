// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "futex-bench/report/comparison.h"
#include "futex-bench/report/point_verdict.h"
#include "futex-bench/report/point_view.h"
#include "futex-bench/report/stable_names.h"

namespace futex_bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto kReplaceBadUtf8 = Json::error_handler_t::replace;

/// The member names of a map come from outside too, so an empty list must still be an object.
Json pairs_json(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json object = Json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

/// JSON has no NaN and no infinity.
Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json environment_json(const RunResult& result) {
  Json object = Json::object();
  for (const EnvironmentField& field : result.environment) {
    object[field.key] = {{"label", field.label},
                         {"value", field.value ? Json(*field.value) : Json(nullptr)},
                         {"reason", field.unknown_reason}};
  }
  return object;
}

Json metrics_json(const RunResult& result) {
  Json list = Json::array();
  for (const Metric& metric : result.metrics) {
    list.push_back({{"name", metric.name},
                    {"unit", metric.unit},
                    {"direction", direction_name(metric.direction)},
                    {"description", metric.description}});
  }
  return list;
}

Json warnings_json(const RunResult& result) {
  Json list = Json::array();
  for (const Warning& warning : result.warnings) {
    list.push_back({{"id", warning.id}, {"text", warning.text}, {"fix", warning.fix}});
  }
  return list;
}

void add_key(Json& object, const PointKey& key) {
  object["benchmark"] = key.benchmark;
  object["mode"] = key.mode;
  object["threads"] = key.threads;
  object["parameters"] = pairs_json(key.parameters);
}

Json distribution_json(const Distribution& distribution) {
  Json buckets = Json::array();
  for (const DistributionBucket& bucket : distribution.buckets) {
    buckets.push_back({number_json(bucket.low), number_json(bucket.high), bucket.count});
  }
  return {{"count", distribution.count},
          {"min", number_json(distribution.min)},
          {"max", number_json(distribution.max)},
          {"mean", number_json(distribution.mean)},
          {"buckets", std::move(buckets)}};
}

/// Those of most benchmarks have none, and then say nothing of them.
void add_single_values(Json& object, const TrialSample& trial) {
  for (const auto& [name, distribution] : trial.distributions) {
    object["distributions"][name] = distribution_json(distribution);
  }
  for (const auto& [name, column] : trial.series) {
    Json& list = object["series"][name] = Json::array();
    for (const double value : column) list.push_back(number_json(value));
  }
}

void add_trial(Json& object, const RunResult& result, const TrialSample& trial) {
  object["round"] = trial.round;
  object["start_seconds"] = number_json(trial.start_seconds);
  object["status"] = status_name(trial.status);
  object["note"] = trial.note;
  object["disturbed"] = trial.disturbed;
  Json& circumstances = object["circumstances"] = Json::object();
  for (const auto& [name, value] : trial.circumstances) circumstances[name] = number_json(value);
  add_single_values(object, trial);
  Json& values = object["values"] = Json::object();
  if (trial.status == TrialStatus::kFailed) return;
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    values[result.metrics[i].name] = number_json(trial_value(trial, i));
  }
}

Json summary_json(const RunResult& result, const PointSamples& point) {
  Json object = Json::object();
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    const Summary summary = metric_summary(point, i);
    object[result.metrics[i].name] = {{"median", number_json(summary.median)},
                                      {"low", number_json(summary.low)},
                                      {"high", number_json(summary.high)},
                                      {"has_interval", summary.has_interval},
                                      {"min", number_json(summary.min)},
                                      {"max", number_json(summary.max)},
                                      {"count", summary.count}};
  }
  return object;
}

Json verdict_json(const RunResult& result, const PointSamples& point) {
  const PointVerdict verdict = point_verdict(result, point);
  return {{"flags", verdict.flags()},
          {"words", verdict.words()},
          {"mdape_percent", number_json(verdict.scatter.mdape_percent)},
          {"disturbed", verdict.disturbed},
          {"measured_again", verdict.measured_again}};
}

void add_point(Json& object, const RunResult& result, const PointSamples& point) {
  add_key(object, point.key);
  object["title"] = point.title;
  object["skipped"] = point.skipped;
  object["summary"] = summary_json(result, point);
  if (!point.trials.empty()) object["verdict"] = verdict_json(result, point);
}

Json cell_json(const ComparisonCell& cell, const std::string& mode) {
  Json object = {{"mode", mode}, {"median", number_json(cell.summary.median)}};
  if (!cell.ratio) return object;
  object["ratio"] = number_json(cell.ratio->ratio);
  object["low"] = number_json(cell.ratio->low);
  object["high"] = number_json(cell.ratio->high);
  object["has_interval"] = cell.ratio->has_interval;
  object["pairs"] = cell.ratio->pairs;
  object["p_value"] = number_json(cell.ratio->p_value);
  object["p_adjusted"] = number_json(cell.p_adjusted);
  object["verdict"] = difference_words(cell.difference);
  return object;
}

Json comparison_json(const Comparison& comparison) {
  Json rows = Json::array();
  for (const ComparisonRow& row : comparison.rows) {
    Json modes = Json::array();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      modes.push_back(cell_json(row.cells[i], comparison.modes[i]));
    }
    rows.push_back({{"threads", row.threads},
                    {"parameters", pairs_json(row.parameters)},
                    {"modes", std::move(modes)}});
  }
  return {{"metric", comparison.metric.name},
          {"unit", comparison.metric.unit},
          {"direction", direction_name(comparison.metric.direction)},
          {"modes", comparison.modes},
          {"alpha", kComparisonAlpha},
          {"tests", comparison.tests},
          {"rounds", comparison.rounds},
          {"rounds_needed", comparison.rounds_needed},
          {"rows", std::move(rows)}};
}

/// What is known before the first trial.
void add_head(Json& object, const RunResult& result) {
  object["schema_version"] = RunResult::kSchemaVersion;
  object["tool"] = "futex-bench";
  object["benchmark"] = result.benchmark;
  object["command_line"] = result.command_line;
  object["started"] = result.started;
  object["seed"] = result.seed;
  object["repeat"] = result.repeat;
  object["runtime_seconds"] = number_json(result.runtime_seconds);
  object["warmup_seconds"] = number_json(result.warmup_seconds);
  object["order"] = result.order;
  object["tags"] = pairs_json(result.tags);
  object["environment"] = environment_json(result);
  object["metrics"] = metrics_json(result);
}

/// What is known after the last trial.
void add_tail(Json& object, const RunResult& result) {
  object["duration_seconds"] = number_json(result.duration_seconds);
  object["complete"] = result.complete;
  if (const auto comparison = compare_modes(result)) {
    object["comparison"] = comparison_json(*comparison);
  }
  object["warnings"] = warnings_json(result);
}

std::string line(const Json& object) { return object.dump(-1, ' ', false, kReplaceBadUtf8) + "\n"; }

}  // namespace

std::string json_report(const RunResult& result) {
  Json document;
  add_head(document, result);
  Json& points = document["points"] = Json::array();
  for (const PointSamples& point : result.points) {
    Json object;
    add_point(object, result, point);
    Json& trials = object["trials"] = Json::array();
    for (const TrialSample& trial : point.trials) {
      Json sample;
      add_trial(sample, result, trial);
      trials.push_back(std::move(sample));
    }
    points.push_back(std::move(object));
  }
  add_tail(document, result);
  return document.dump(1, ' ', false, kReplaceBadUtf8) + "\n";
}

std::string jsonl_run(const RunResult& result) {
  Json object;
  object["type"] = "run";
  add_head(object, result);
  return line(object);
}

std::string jsonl_trial(const RunResult& result, const PointKey& key, const TrialSample& trial) {
  Json object;
  object["type"] = "trial";
  add_key(object, key);
  add_trial(object, result, trial);
  return line(object);
}

std::string jsonl_point(const RunResult& result, const PointSamples& point) {
  Json object;
  object["type"] = "point";
  add_point(object, result, point);
  return line(object);
}

std::string jsonl_end(const RunResult& result) {
  Json object;
  object["type"] = "end";
  add_tail(object, result);
  return line(object);
}

std::string jsonl_report(const RunResult& result) {
  std::vector<std::pair<const PointSamples*, const TrialSample*>> trials;
  for (const PointSamples& point : result.points) {
    for (const TrialSample& trial : point.trials) trials.emplace_back(&point, &trial);
  }
  std::stable_sort(trials.begin(), trials.end(), [](const auto& a, const auto& b) {
    return a.second->start_seconds < b.second->start_seconds;
  });
  std::string text = jsonl_run(result);
  for (const auto& [point, trial] : trials) text += jsonl_trial(result, point->key, *trial);
  for (const PointSamples& point : result.points) text += jsonl_point(result, point);
  return text + jsonl_end(result);
}

}  // namespace futex_bench
