// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/json_file_comparison.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "futex-bench/report/file_comparison_tables.h"
#include "futex-bench/report/stable_names.h"

namespace futex_bench {

namespace {

using Json = nlohmann::ordered_json;

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json key_json(const PointKey& key) {
  Json parameters = Json::object();
  for (const auto& [name, value] : key.parameters) parameters[name] = value;
  return {{"mode", key.mode}, {"threads", key.threads}, {"parameters", std::move(parameters)}};
}

Json keys_json(const std::vector<const PointSamples*>& points) {
  Json list = Json::array();
  for (const PointSamples* point : points) list.push_back(key_json(point->key));
  return list;
}

Json file_json(const ResultFile& file) {
  Json commit = nullptr;
  const EnvironmentField* const field = find_field(file.result.environment, "commit");
  if (field != nullptr && field->value) commit = *field->value;
  return {{"file", file.name}, {"started", file.result.started}, {"commit", std::move(commit)}};
}

Json trials_json(const ComparedTrials& trials) {
  return {{"median", number_json(trials.summary.median)},
          {"count", trials.values.size()},
          {"failed", trials.failed},
          {"disturbed", trials.disturbed},
          {"disturbed_left_out", trials.disturbed_left_out}};
}

Json row_json(const FileComparisonRow& row) {
  Json object = key_json(row.base.point->key);
  object["base"] = trials_json(row.base);
  object["new"] = trials_json(row.changed);
  object["ratio"] = number_json(row.shift.ratio);
  object["low"] = number_json(row.shift.low);
  object["high"] = number_json(row.shift.high);
  object["has_interval"] = row.shift.has_interval;
  object["p_value"] = number_json(row.shift.p_value);
  object["p_adjusted"] = row.reason.empty() ? number_json(row.p_adjusted) : Json(nullptr);
  object["detectable_ratio"] = number_json(row.detectable);
  object["worse_percent"] = row.reason.empty() ? number_json(row.worse_percent) : Json(nullptr);
  object["verdict"] = difference_words(row.difference);
  object["beyond_limit"] = row.beyond_limit;
  object["reason"] = row.reason;
  return object;
}

Json comparison_json(const FileComparison& comparison) {
  Json warnings = Json::array();
  for (const Warning& warning : comparison.warnings) {
    warnings.push_back({{"id", warning.id}, {"text", warning.text}, {"fix", warning.fix}});
  }
  Json rows = Json::array();
  for (const FileComparisonRow& row : comparison.rows) rows.push_back(row_json(row));
  return {{"new", file_json(*comparison.changed)},
          {"warnings", std::move(warnings)},
          {"rows", std::move(rows)},
          {"only_in_base", keys_json(comparison.only_in_base)},
          {"only_in_new", keys_json(comparison.only_in_changed)}};
}

}  // namespace

std::string json_file_comparison(const FileComparisons& all) {
  Json comparisons = Json::array();
  for (const FileComparison& file : all.files) comparisons.push_back(comparison_json(file));
  const Json document = {
      {"schema_version", 1},
      {"tool", "futex-bench compare"},
      {"benchmark", all.base->result.benchmark},
      {"metric", all.metric.name},
      {"unit", all.metric.unit},
      {"direction", direction_name(all.metric.direction)},
      {"alpha", kComparisonAlpha},
      {"tests", all.tests},
      {"trials_needed", all.trials_needed},
      {"fail_above", all.fail_above ? Json(*all.fail_above) : Json(nullptr)},
      {"regressions", all.regressions},
      {"without_data", all.without_data},
      {"base", file_json(*all.base)},
      {"comparisons", std::move(comparisons)},
      {"notes", closing_notes(all)},
  };
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace futex_bench
