// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "futex-bench/report/number_text.h"
#include "futex-bench/report/table.h"
#include "futex-bench/report/warnings.h"

namespace futex_bench {
namespace {

double figure(const DoctorReport& report, std::string_view name) {
  for (const auto& [key, value] : report.look) {
    if (key == name) return value;
  }
  return std::nan("");
}

template <class Items, class Name>
std::size_t widest(const Items& items, Name name) {
  std::size_t width = 0;
  for (const auto& item : items) width = std::max(width, display_width(name(item)));
  return width;
}

}  // namespace

bool DoctorReport::is_quiet() const {
  return std::all_of(warnings.begin(), warnings.end(),
                     [](const Warning& warning) { return is_information(warning.id); });
}

std::string doctor_text(const DoctorReport& report) {
  std::string text = "# Environment\n";
  const auto out = std::back_inserter(text);
  const auto label = [](const EnvironmentField& field) { return field.label; };
  const std::size_t label_width = widest(report.environment, label);
  for (const EnvironmentField& field : report.environment) {
    fmt::format_to(out, "  {}  {}\n", padded(field.label, label_width, true),
                   one_line(field.text()));
  }

  text += "\n# Futex operations of this kernel\n";
  const auto name = [](const DoctorCapability& capability) { return capability.name; };
  const std::size_t name_width = widest(report.capabilities, name);
  for (const DoctorCapability& capability : report.capabilities) {
    fmt::format_to(out, "  {}  {:<3}  {}\n", padded(capability.name, name_width, true),
                   capability.reason.empty() ? "yes" : "no",
                   capability.reason.empty() ? "since " + capability.since : capability.reason);
  }

  fmt::format_to(out, "\n# Threads\n  {} threads {}\n  limits: {}\n", report.threads,
                 report.limit_below.empty() ? std::string("fit all limits that are known")
                                            : "do not fit: " + report.limit_below,
                 report.limits);

  const double foreign = figure(report, "foreign_cpu_seconds");
  fmt::format_to(
      out,
      "\n# Others, watched for {:.1f} s\n  {} of {} CPUs used, {} s stolen by the hypervisor\n  "
      "{}\n",
      report.look_seconds,
      // Below 0 is within the error.
      foreign < 0 ? "0.00" : fixed_text(foreign / figure(report, "window_seconds"), 2),
      value_text(figure(report, "cpus")), fixed_text(figure(report, "steal_seconds"), 2),
      !report.disturbed.empty() ? "disturbed: " + report.disturbed
      : std::isnan(foreign)     ? "cannot tell whether others disturb"
                                : "quiet");

  text += "\n# Checks\n";
  for (const Warning& warning : report.warnings) {
    fmt::format_to(out, "  {} [{}] {}\n", is_information(warning.id) ? "note" : "WARN", warning.id,
                   one_line(warning.text));
    if (!warning.fix.empty()) fmt::format_to(out, "       fix: {}\n", one_line(warning.fix));
  }
  const auto serious =
      std::count_if(report.warnings.begin(), report.warnings.end(),
                    [](const Warning& warning) { return !is_information(warning.id); });
  text += serious == 0
              ? "  all well: nothing known here disturbs a measurement\n"
              : fmt::format("  {}\n", counted(static_cast<std::size_t>(serious), "warning"));
  return text;
}

}  // namespace futex_bench
