// SPDX-License-Identifier: GPL-2.0-only
#include <cmath>
#include <nlohmann/json.hpp>

#include "futex-bench/report/doctor_report.h"

namespace futex_bench {

std::string doctor_json(const DoctorReport& report) {
  using Json = nlohmann::ordered_json;
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  Json document = {{"schema_version", RunResult::kSchemaVersion}, {"tool", "futex-bench"}};
  Json& environment = document["environment"] = Json::object();
  for (const EnvironmentField& field : report.environment) {
    environment[field.key] = {{"label", field.label},
                              {"value", field.value ? Json(*field.value) : Json(nullptr)},
                              {"reason", field.unknown_reason}};
  }
  Json& capabilities = document["capabilities"] = Json::array();
  for (const DoctorCapability& capability : report.capabilities) {
    capabilities.push_back({{"name", capability.name},
                            {"since", capability.since},
                            {"available", capability.reason.empty()},
                            {"reason", capability.reason}});
  }
  document["threads"] = {{"asked", report.threads},
                         {"limits", report.limits},
                         {"limit_below", text_or_null(report.limit_below)}};
  Json figures = Json::object();
  for (const auto& [name, value] : report.look) {
    figures[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
  }
  document["look"] = {{"seconds", report.look_seconds},
                      {"disturbed", text_or_null(report.disturbed)},
                      {"figures", std::move(figures)}};
  document["quiet"] = report.is_quiet();
  Json& warnings = document["warnings"] = Json::array();
  for (const Warning& warning : report.warnings) {
    warnings.push_back({{"id", warning.id}, {"text", warning.text}, {"fix", warning.fix}});
  }
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace futex_bench
