// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "futex-bench/report/number_text.h"
#include "futex-bench/report/point_view.h"
#include "futex-bench/report/stable_names.h"

namespace futex_bench {

namespace {

std::string quoted(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string text = "\"";
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

std::string row(const std::vector<std::string>& fields) {
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) text += ',';
    text += quoted(fields[i]);
  }
  return text + '\n';
}

/// All parameters that any point has, in order of appearance.
std::vector<std::string> parameter_names(const RunResult& result) {
  std::vector<std::string> names;
  for (const PointSamples& point : result.points) {
    for (const auto& [name, value] : point.key.parameters) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> key_fields(const PointKey& key, const std::vector<std::string>& names) {
  std::vector<std::string> fields = {key.benchmark, key.mode,
                                     key.threads == 0 ? "" : fmt::format("{}", key.threads)};
  for (const std::string& name : names) {
    const auto found = std::find_if(key.parameters.begin(), key.parameters.end(),
                                    [&](const auto& item) { return item.first == name; });
    fields.push_back(found == key.parameters.end() ? "" : found->second);
  }
  return fields;
}

}  // namespace

std::string csv_column(const Metric& metric) {
  std::string column = metric.name;
  if (metric.unit == "1") return column;
  column += '_';
  for (const char c : metric.unit) {
    if (c == '/') {
      column += "_per_";
    } else if (c == '%') {
      column += "percent";
    } else if (c >= 'A' && c <= 'Z') {
      column += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      column += c;
    } else {
      column += '_';
    }
  }
  return column;
}

std::string csv_report(const RunResult& result) {
  const std::vector<std::string> names = parameter_names(result);
  std::vector<std::string> header = {"benchmark", "mode", "threads"};
  header.insert(header.end(), names.begin(), names.end());
  for (const char* name : {"round", "start_seconds", "status", "note"}) header.emplace_back(name);
  for (const Metric& metric : result.metrics) header.push_back(csv_column(metric));
  header.emplace_back("disturbed");

  std::string text = row(header);
  for (const PointSamples& point : result.points) {
    const std::vector<std::string> key = key_fields(point.key, names);
    if (!point.skipped.empty()) {
      std::vector<std::string> fields = key;
      for (const std::string& field : {std::string(), std::string(), std::string("skipped")}) {
        fields.push_back(field);
      }
      fields.push_back(point.skipped);
      fields.resize(header.size());
      text += row(fields);
    }
    for (const TrialSample& trial : point.trials) {
      std::vector<std::string> fields = key;
      fields.push_back(fmt::format("{}", trial.round));
      fields.push_back(exact_text(trial.start_seconds));
      fields.emplace_back(status_name(trial.status));
      fields.push_back(trial.note);
      for (std::size_t i = 0; i < result.metrics.size(); ++i) {
        fields.push_back(exact_text(trial_value(trial, i)));
      }
      fields.emplace_back(trial.disturbed ? "1" : "0");
      text += row(fields);
    }
  }
  return text;
}

}  // namespace futex_bench
