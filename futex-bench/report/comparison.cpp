// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/comparison.h"

#include <algorithm>
#include <map>

#include "futex-bench/report/number_text.h"

namespace futex_bench {

namespace {

/// A column of the table: a mode with the parameters that only some points have.
struct ModeKey {
  std::string mode;
  Parameters own;
  bool operator==(const ModeKey&) const = default;
};

bool everywhere(const RunResult& result, const std::string& name) {
  return std::all_of(result.points.begin(), result.points.end(), [&](const PointSamples& point) {
    return std::any_of(point.key.parameters.begin(), point.key.parameters.end(),
                       [&](const auto& item) { return item.first == name; });
  });
}

/// Splits the parameters of a point into those that make its row and those that make its column.
std::pair<Parameters, ModeKey> split_key(const RunResult& result, const PointKey& key) {
  Parameters shared;
  ModeKey column{key.mode, {}};
  for (const auto& item : key.parameters) {
    (everywhere(result, item.first) ? shared : column.own).push_back(item);
  }
  return {shared, column};
}

template <class T>
std::size_t index_or_append(std::vector<T>& list, const T& value) {
  const auto found = std::find(list.begin(), list.end(), value);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(value);
  return list.size() - 1;
}

std::vector<std::string> column_names(const std::vector<ModeKey>& columns) {
  std::vector<std::string> names;
  for (const ModeKey& column : columns) {
    const bool ambiguous = std::count_if(columns.begin(), columns.end(), [&](const ModeKey& other) {
                             return other.mode == column.mode;
                           }) > 1;
    std::string name = column.mode;
    if (ambiguous) {
      for (const auto& [key, value] : column.own) {
        name.append(" ").append(key).append("=").append(value);
      }
    }
    names.push_back(one_line(name));
  }
  return names;
}

/// The value of each round, of the trial that counts for it.
std::map<unsigned, double> values_by_round(const PointSamples& point) {
  std::map<unsigned, double> values;
  for (const TrialSample* trial : counted_trials(point)) {
    const double value = trial_value(*trial, 0);
    if (value >= 0) values[trial->round] = value;  // not for NaN
  }
  return values;
}

std::optional<RatioEstimate> ratio_of(const PointSamples& base, const PointSamples& other) {
  const std::map<unsigned, double> base_values = values_by_round(base);
  std::vector<double> base_pairs;
  std::vector<double> other_pairs;
  for (const auto& [round, value] : values_by_round(other)) {
    const auto found = base_values.find(round);
    if (found == base_values.end()) continue;
    base_pairs.push_back(found->second);
    other_pairs.push_back(value);
  }
  if (base_pairs.empty()) return std::nullopt;
  return paired_ratio(base_pairs, other_pairs);
}

Difference difference_of(double ratio, double p_adjusted, Direction direction) {
  if (!(p_adjusted <= kComparisonAlpha) || ratio == 1) return Difference::kNotShown;
  const bool higher = ratio > 1;
  switch (direction) {
    case Direction::kHigherIsBetter:
      return higher ? Difference::kFaster : Difference::kSlower;
    case Direction::kLowerIsBetter:
      return higher ? Difference::kSlower : Difference::kFaster;
    case Direction::kNeutral:
      break;
  }
  return higher ? Difference::kHigher : Difference::kLower;
}

void add_ratios(Comparison& comparison) {
  std::vector<ComparisonCell*> tested;
  std::vector<double> p_values;
  for (ComparisonRow& row : comparison.rows) {
    const PointSamples* base = row.cells.front().point;
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      ComparisonCell& cell = row.cells[i];
      if (base == nullptr || cell.point == nullptr) continue;
      cell.ratio = ratio_of(*base, *cell.point);
      if (!cell.ratio) continue;
      comparison.rounds = std::max(comparison.rounds, cell.ratio->pairs);
      tested.push_back(&cell);
      p_values.push_back(cell.ratio->p_value);
    }
  }
  comparison.tests = tested.size();
  if (tested.empty()) return;
  comparison.rounds_needed = futex_bench::rounds_needed(tested.size(), kComparisonAlpha);
  const std::vector<double> adjusted = holm(p_values);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->p_adjusted = adjusted[i];
    tested[i]->difference =
        difference_of(tested[i]->ratio->ratio, adjusted[i], comparison.metric.direction);
  }
}

}  // namespace

std::string_view difference_words(Difference difference) {
  switch (difference) {
    case Difference::kNoData:
      return "";
    case Difference::kNotShown:
      return "no difference shown";
    case Difference::kFaster:
      return "faster";
    case Difference::kSlower:
      return "slower";
    case Difference::kHigher:
      return "higher";
    case Difference::kLower:
      return "lower";
  }
  return "";
}

std::optional<Comparison> compare_modes(const RunResult& result) {
  if (result.metrics.empty()) return std::nullopt;
  std::vector<ModeKey> columns;
  for (const PointSamples& point : result.points) {
    index_or_append(columns, split_key(result, point.key).second);
  }
  if (columns.size() < 2) return std::nullopt;

  Comparison comparison;
  comparison.metric = result.metrics.front();
  comparison.modes = column_names(columns);
  for (const PointSamples& point : result.points) {
    const auto [shared, column] = split_key(result, point.key);
    auto row = std::find_if(comparison.rows.begin(), comparison.rows.end(),
                            [&, &parameters = shared](const ComparisonRow& candidate) {
                              return candidate.threads == point.key.threads &&
                                     candidate.parameters == parameters;
                            });
    if (row == comparison.rows.end()) {
      comparison.rows.push_back({point.key.threads, shared, {}});
      row = comparison.rows.end() - 1;
      row->cells.resize(columns.size());
    }
    ComparisonCell& cell = row->cells[index_or_append(columns, column)];
    cell.point = &point;
    cell.summary = metric_summary(point, 0);
  }
  const auto sets_beside = [](const ComparisonRow& row) {
    return std::ranges::count_if(row.cells,
                                 [](const auto& cell) { return cell.point != nullptr; }) > 1;
  };
  if (std::ranges::none_of(comparison.rows, sets_beside)) return std::nullopt;
  add_ratios(comparison);
  return comparison;
}

}  // namespace futex_bench
