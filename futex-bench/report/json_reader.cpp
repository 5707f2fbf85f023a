// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "common/system/error.h"
#include "futex-bench/report/json_node.h"
#include "futex-bench/report/number_text.h"
#include "futex-bench/report/stable_names.h"

namespace futex_bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kJsonLines =
    "is JSON Lines; only files written with --format json can be read";

Json parse(const std::string& text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) refuse(file, "is empty");
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    if (Json::accept(text.substr(0, text.find('\n')))) refuse(file, kJsonLines);
    if (error.byte > text.size()) {
      refuse(file, fmt::format("is truncated: ends in the middle, after {} bytes", text.size()));
    }
    refuse(file, fmt::format("is not valid JSON: byte {} does not fit", error.byte));
  } catch (const Json::exception&) {
    refuse(file, "is not valid JSON: it has a number out of range");
  }
}

void check_origin(const Json& document, const std::string& file) {
  const auto member = [&](const char* key) {
    return document.is_object() && document.contains(key) ? document.at(key) : Json();
  };
  if (member("tool") != "futex-bench") refuse(file, "is not a result of futex-bench");
  if (document.contains("type")) refuse(file, kJsonLines);
  const Json version = member("schema_version");
  if (!version.is_number_unsigned() || version == 0) {
    refuse(file, "schema_version is not a whole number from 1 on");
  }
  if (version.get<std::uint64_t>() > RunResult::kSchemaVersion) {
    refuse(file, fmt::format("schema {} is newer than this program's {}",
                             version.get<std::uint64_t>(), RunResult::kSchemaVersion));
  }
}

std::vector<std::pair<std::string, std::string>> read_pairs(const Node& node) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, value] : node.members()) pairs.emplace_back(name, value.text());
  return pairs;
}

std::vector<EnvironmentField> read_environment(const Node& node) {
  std::vector<EnvironmentField> fields;
  for (const auto& [key, field] : node.members()) {
    const Node value = field.member("value");
    fields.push_back({key, field.member("label").text(),
                      value.is_null() ? std::nullopt : std::optional(value.text()),
                      field.member("reason").text()});
  }
  return fields;
}

std::vector<Metric> read_metrics(const Node& node) {
  std::vector<Metric> metrics;
  for (const Node& item : node.items()) {
    Metric metric{item.member("name").text(), item.member("unit").text(),
                  item.member("direction").name_of(kDirectionNames),
                  item.member("description").text()};
    if (std::any_of(metrics.begin(), metrics.end(),
                    [&](const Metric& other) { return other.name == metric.name; })) {
      item.fail(fmt::format("repeats the metric \"{}\"", metric.name));
    }
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

std::vector<double> read_values(const Node& node, const std::vector<Metric>& metrics) {
  std::vector<double> values;
  for (const Metric& metric : metrics) {
    values.push_back(node.member(metric.name).number_or_null());
  }
  for (const auto& [name, value] : node.members()) {
    if (std::none_of(metrics.begin(), metrics.end(),
                     [&key = name](const Metric& metric) { return metric.name == key; })) {
      value.fail("is not among the metrics of this file");
    }
  }
  return values;
}

Distribution read_distribution(const Node& node) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  Distribution distribution;
  distribution.count = node.member("count").count(kAny);
  distribution.min = node.member("min").number_or_null();
  distribution.max = node.member("max").number_or_null();
  distribution.mean = node.member("mean").number_or_null();
  std::uint64_t counted = 0;
  for (const Node& item : node.member("buckets").items()) {
    const std::vector<Node> bucket = item.items();
    if (bucket.size() != 3) item.fail("is not [low, high, count]");
    distribution.buckets.push_back({bucket[0].number(), bucket[1].number(), bucket[2].count(kAny)});
    counted += distribution.buckets.back().count;
  }
  if (counted != distribution.count) {
    node.fail(fmt::format("has {} values in its buckets but says {}", counted, distribution.count));
  }
  return distribution;
}

void read_single_values(const Node& node, TrialSample& trial) {
  if (const auto distributions = node.optional_member("distributions")) {
    for (const auto& [name, value] : distributions->members()) {
      trial.distributions.emplace_back(name, read_distribution(value));
    }
  }
  if (const auto series = node.optional_member("series")) {
    for (const auto& [name, column] : series->members()) {
      std::vector<double> values;
      for (const Node& value : column.items()) values.push_back(value.number_or_null());
      if (!trial.series.empty() && values.size() != trial.series.front().second.size()) {
        column.fail("is not as long as the other columns");
      }
      trial.series.emplace_back(name, std::move(values));
    }
  }
}

TrialSample read_trial(const Node& node, const std::vector<Metric>& metrics) {
  TrialSample trial;
  trial.round = static_cast<unsigned>(node.member("round").count());
  trial.start_seconds = node.member("start_seconds").seconds();
  trial.status = node.member("status").name_of(kStatusNames);
  trial.note = node.member("note").text();
  if (const auto disturbed = node.optional_member("disturbed")) trial.disturbed = disturbed->flag();
  if (const auto circumstances = node.optional_member("circumstances")) {
    for (const auto& [name, value] : circumstances->members()) {
      trial.circumstances.emplace_back(name, value.number_or_null());
    }
  }
  read_single_values(node, trial);
  const Node values = node.member("values");
  if (trial.status != TrialStatus::kFailed) {
    trial.values = read_values(values, metrics);
  } else if (!values.members().empty()) {
    values.fail("has values though the trial failed");
  }
  return trial;
}

PointSamples read_point(const Node& node, const RunResult& result) {
  PointSamples point;
  point.key.benchmark = node.member("benchmark").text();
  if (point.key.benchmark != result.benchmark) {
    node.member("benchmark").fail(fmt::format("is not that of the file, {}", result.benchmark));
  }
  point.key.mode = node.member("mode").text();
  point.key.threads = static_cast<unsigned>(node.member("threads").count());
  point.key.parameters = read_pairs(node.member("parameters"));
  point.title = node.member("title").text();
  point.skipped = node.member("skipped").text();
  for (const Node& trial : node.member("trials").items()) {
    point.trials.push_back(read_trial(trial, result.metrics));
  }
  if (!point.skipped.empty() && !point.trials.empty()) node.fail("was skipped and yet has trials");
  return point;
}

void read_points(const Node& node, RunResult& result) {
  for (const Node& item : node.items()) {
    PointSamples point = read_point(item, result);
    for (std::size_t i = 0; i < result.points.size(); ++i) {
      if (result.points[i].key == point.key) item.fail(fmt::format("repeats points[{}]", i));
    }
    result.points.push_back(std::move(point));
  }
  if (!result.points.empty() && result.metrics.empty()) node.fail("are there but no metrics");
}

}  // namespace

RunResult read_json(const std::string& text, const std::string& name) {
  const Json document = parse(text, name);
  check_origin(document, name);
  const Node root(document, "", name);
  RunResult result;
  result.benchmark = root.member("benchmark").text();
  for (const Node& word : root.member("command_line").items()) {
    result.command_line.push_back(word.text());
  }
  result.started = root.member("started").text();
  result.duration_seconds = root.member("duration_seconds").seconds();
  result.seed = root.member("seed").count(std::numeric_limits<std::uint64_t>::max());
  result.repeat = static_cast<unsigned>(root.member("repeat").count());
  result.runtime_seconds = root.member("runtime_seconds").seconds();
  result.warmup_seconds = root.member("warmup_seconds").seconds();
  result.order = root.member("order").text();
  result.tags = read_pairs(root.member("tags"));
  result.environment = read_environment(root.member("environment"));
  result.metrics = read_metrics(root.member("metrics"));
  read_points(root.member("points"), result);
  for (const Node& item : root.member("warnings").items()) {
    result.warnings.push_back(
        {item.member("id").text(), item.member("text").text(), item.member("fix").text()});
  }
  result.complete = root.member("complete").flag();
  return result;
}

}  // namespace futex_bench
