// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/messaging_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "futex-bench/report/number_text.h"
#include "futex-bench/report/table.h"

namespace futex_bench {
namespace {

constexpr std::string_view kIndent = "      ";

constexpr std::array<std::string_view, 19> kNeeded = {"throughput",
                                                      "duration",
                                                      "min",
                                                      "p10",
                                                      "p50",
                                                      "p90",
                                                      "mean",
                                                      "p99",
                                                      "p99_9",
                                                      "max",
                                                      "wall_per_message",
                                                      "starvation",
                                                      "first_finished",
                                                      "jain",
                                                      "user",
                                                      "system",
                                                      "voluntary_switches",
                                                      "running_at_once",
                                                      "involuntary_switches"};

class Lines {
 public:
  Lines(const RunResult& result, const PointSamples& point, const RenderOptions& options)
      : result_(result),
        point_(point),
        options_(options),
        times_(merged_distribution(point, "message_us")) {}

  std::string text() const {
    std::string text = styled(heading(), Style::kHeading, options_.color) + "\n";
    const PointNotes notes = point_notes(result_, point_, options_.verbose);
    if (times_.count > 0) {
      text += historical() + "\n";
      text += fmt::format("{}{}\n{}{}\n", kIndent, speed(), kIndent, fairness());
      if (!notes.flags.empty()) {
        text += fmt::format("{}{}\n", kIndent,
                            notable(fmt::format("{}", fmt::join(notes.flags, "  "))));
      }
    } else if (!point_.skipped.empty()) {
      text += fmt::format("{}{}\n", kIndent, notable("skipped: " + one_line(point_.skipped)));
    } else {
      text +=
          fmt::format("{}{}\n", kIndent, notable(point_.trials.empty() ? "not run" : "no result"));
    }
    for (const std::string& reason : notes.reasons) {
      text += fmt::format("{}{}\n", kIndent, notable(reason));
    }
    return text;
  }

 private:
  double median(std::string_view name) const { return metric_median(result_, point_, name); }
  std::string notable(std::string_view text) const {
    return styled(text, Style::kNotable, options_.color);
  }
  std::string parameter(std::string_view name) const {
    return parameter_text(point_.key.parameters, name);
  }

  std::string heading() const {
    std::string text =
        fmt::format("2*{} {} over {}, {} messages per pair", parameter("pairs"),
                    parameter("between"), one_line(point_.key.mode), parameter("messages"));
    std::vector<std::string> others;
    for (const auto& [name, value] : point_.key.parameters) {
      if (name != "pairs" && name != "messages" && name != "between") others.push_back(name);
    }
    if (!others.empty()) text += ", " + parameters_text(point_.key.parameters, others);
    return text;
  }

  static std::string ms(double us) { return fixed_text(us / 1e3, 3); }

  std::string historical() const {
    return fmt::format("min:{}ms|avg:{}-{}ms|mid:{}ms|max:{}ms|duration:{}s", ms(times_.min),
                       ms(times_.percentile(10)), ms(times_.percentile(90)),
                       ms(times_.percentile(50)), ms(times_.max),
                       fixed_text(median("duration"), 3));
  }

  std::string speed() const {
    return fmt::format(
        "{} messages/s ({})  mean {} ms  p99 {} ms  p99.9 {} ms  per message and pair {} ms = {} x "
        "mid",
        fixed_text(median("throughput"), 0),
        spread_text(metric_summary(point_, *metric_index(result_, "throughput"))), ms(times_.mean),
        ms(times_.percentile(99)), ms(times_.percentile(99.9)), ms(median("wall_per_message")),
        fixed_text(median("starvation"), 2));
  }

  std::string fairness() const {
    return fmt::format(
        "pairs finished after {} to {} s  fair {}  {} of {} at once  switches {} vol. {} invol.  "
        "{} s user "
        "{} s system",
        fixed_text(median("first_finished"), 3), fixed_text(median("duration"), 3),
        fixed_text(median("jain"), 3), value_text(median("running_at_once")), parameter("pairs"),
        fixed_text(median("voluntary_switches"), 0), fixed_text(median("involuntary_switches"), 0),
        fixed_text(median("user"), 2), fixed_text(median("system"), 2));
  }

  const RunResult& result_;
  const PointSamples& point_;
  const RenderOptions& options_;
  Distribution times_;
};

}  // namespace

bool has_messaging_lines(const RunResult& result) {
  return result.benchmark == "messaging" &&
         std::ranges::all_of(kNeeded, [&](std::string_view name) {
           return metric_index(result, name).has_value();
         });
}

std::string messaging_head(const RunResult& result) {
  std::string text;
  if (const EnvironmentField* const kernel = find_field(result.environment, "kernel")) {
    text = fmt::format("# Linux {}\n", one_line(kernel->text()));
  }
  for (const auto& [key, value] : result.tags) {
    if (key == kKernelLabelTag) text += fmt::format("# kernel label: {}\n", one_line(value));
  }
  return text;
}

std::string messaging_lines(const RunResult& result, const Section& section,
                            const RenderOptions& options) {
  std::string text;
  for (const PointSamples* point : section.points) text += Lines(result, *point, options).text();
  return text;
}

std::string messaging_legend() {
  return "# avg: the band that holds the middle 80 % of the messages (P10 to P90); mid: the "
         "median.\n"
         "# per message and pair: duration over messages, with the waits between two messages; "
         "several times mid\n# where pairs had to stand by.\n";
}

}  // namespace futex_bench
