// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/simple.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "futex-bench/report/number_text.h"
#include "futex-bench/report/point_view.h"

namespace futex_bench {

namespace {

/// A field of a line: one word.
std::string word(std::string_view text) {
  std::string field = one_line(text);
  std::replace(field.begin(), field.end(), ' ', '_');
  return field.empty() ? "-" : field;
}

std::string number(double value) {
  if (!std::isfinite(value)) return "-";
  return std::fabs(value) >= 1000 ? fixed_text(value, 1) : fmt::format("{:.5g}", value);
}

}  // namespace

std::string simple_report(const RunResult& result) {
  std::vector<const PointSamples*> points;
  for (const PointSamples& point : result.points) points.push_back(&point);
  const std::vector<std::string> varying = varying_parameters(points);

  std::string unit = "-";
  if (!result.metrics.empty()) {
    const Metric& metric = result.metrics.front();
    unit = word(metric.unit == "1" ? metric.name : metric.unit);
  }
  std::string text;
  for (const PointSamples* point : points) {
    const std::string threads =
        point->key.threads == 0 ? "-" : fmt::format("{}", point->key.threads);
    const std::string parameters = parameters_text(point->key.parameters, varying);
    text += fmt::format("{} {} {} {}{}{}\n", word(point->key.mode), threads,
                        number(metric_summary(*point, 0).median), unit,
                        parameters.empty() ? "" : " ", parameters);
  }
  return text;
}

}  // namespace futex_bench
