// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/cli/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/system/error.h"
#include "common/system/numbers.h"
#include "futex-bench/cli/names.h"
#include "futex-bench/cli/thread_spec.h"

namespace futex_bench {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string parse_choice(std::string_view kind, const std::string& text,
                         const std::vector<std::string>& allowed) {
  if (text.empty()) throw UsageError(fmt::format("'': a {} is missing", kind));
  if (!contains(allowed, text)) throw UsageError(unknown_name(kind, text, allowed));
  return text;
}

std::vector<std::string> parse_names(std::string_view kind, const std::string& text,
                                     const std::vector<std::string>& allowed) {
  if (text == "all") return allowed;
  std::vector<std::string> names;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string name(rest.substr(0, comma));
    if (name.empty()) {
      throw UsageError(fmt::format("{}: a {} is missing{}", quote(text), kind,
                                   text.empty() ? "" : " next to a comma"));
    }
    if (name == "all" && !contains(allowed, name)) {
      throw UsageError(fmt::format("{}: 'all' cannot be combined with names", quote(text)));
    }
    if (!contains(allowed, name)) throw UsageError(unknown_name(kind, name, allowed));
    if (contains(names, name)) {
      throw UsageError(fmt::format("{}: {} is given twice", quote(text), name));
    }
    names.push_back(name);
    if (comma == std::string_view::npos) return names;
    rest.remove_prefix(comma + 1);
  }
}

/// What `parse` makes of each part of a list. With `duplicates` a value may come twice.
template <class Parse>
auto parse_list(const std::string& text, bool duplicates, Parse parse) {
  std::vector<decltype(parse(std::string_view()))> values;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const auto value = parse(part);
    if (!duplicates && std::find(values.begin(), values.end(), value) != values.end()) {
      throw UsageError(fmt::format("{}: {} is given twice", quote(text), part));
    }
    values.push_back(value);
    if (values.size() > kMaxRangeEntries) {
      throw UsageError(fmt::format("{}: more than {} numbers", quote(text), kMaxRangeEntries));
    }
    if (comma == std::string_view::npos) return values;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<SleepTime> parse_sleep_times(const std::string& text, std::uint64_t max_us) {
  constexpr std::string_view kRandom = "random:";
  if (text.starts_with(kRandom)) {
    return {{.us = parse_count(text.substr(kRandom.size()), 1, max_us), .random = true}};
  }
  std::vector<SleepTime> times;
  for (const std::uint64_t us : parse_ranges_in_order(text, 0, max_us)) {
    times.push_back({.us = us});
  }
  return times;
}

std::string parse_text(const std::string& text) {
  if (text.empty()) throw UsageError("'': a text is missing");
  return text;
}

using Tags = std::vector<std::pair<std::string, std::string>>;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

Tags parse_tags(const std::vector<std::string>& texts) {
  Tags tags;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw UsageError(fmt::format("{}: must be KEY=VALUE, like host=lab3", quote(text)));
    }
    // Tags appear in headings and tables of one line.
    if (std::any_of(text.begin(), text.end(), is_control)) {
      throw UsageError(fmt::format("{}: control characters are not allowed", quote(text)));
    }
    std::string key = text.substr(0, equals);
    const auto same_key = [&key](const auto& tag) { return tag.first == key; };
    if (std::any_of(tags.begin(), tags.end(), same_key)) {
      throw UsageError(fmt::format("{}: the key {} is given twice", quote(text), quote(key)));
    }
    tags.emplace_back(std::move(key), text.substr(equals + 1));
  }
  return tags;
}

/// Stores what `texts` mean. `kind` is what to call one of the names an option takes.
struct Store {
  std::string_view kind;
  const std::vector<std::string>& texts;

  void operator()(const FlagTarget& flag) const { *flag.target = true; }
  void operator()(const CountTarget& count) const {
    std::string_view text = texts.front();
    if (text.starts_with(count.prefix)) text.remove_prefix(count.prefix.size());
    *count.target = parse_count(text, count.min, count.max);
  }
  void operator()(const RealTarget& real) const {
    *real.target = parse_real(texts.front(), real.min, real.max);
  }
  void operator()(const CountListTarget& list) const {
    *list.target = parse_list(texts.front(), list.duplicates, [&list](std::string_view part) {
      return parse_count(part, list.min, list.max);
    });
  }
  void operator()(const RealListTarget& list) const {
    *list.target = parse_list(texts.front(), false, [&list](std::string_view part) {
      return parse_real(part, list.min, list.max);
    });
  }
  void operator()(const ThreadsTarget& threads) const {
    *threads.target = parse_threads(texts.front());
  }
  void operator()(const NamesTarget& names) const {
    *names.target = parse_names(kind, texts.front(), names.allowed);
  }
  void operator()(const ChoiceTarget& choice) const {
    *choice.target = parse_choice(kind, texts.front(), choice.allowed);
  }
  void operator()(const PlacementTarget& placement) const {
    *placement.target = parse_placement(texts.front());
  }
  void operator()(const PolicyTarget& policy) const {
    *policy.target = parse_scheduling_policy(texts.front());
  }
  void operator()(const SleepTarget& sleep) const {
    *sleep.target = parse_sleep_times(texts.front(), sleep.max_us);
  }
  void operator()(const TextTarget& text) const { *text.target = parse_text(texts.front()); }
  void operator()(const TagsTarget& tags) const { *tags.target = parse_tags(texts); }
};

}  // namespace

bool takes_value(const Option& option) {
  return !std::holds_alternative<FlagTarget>(option.target);
}

void store_value(const Option& option, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  if (texts.size() > 1 && !std::holds_alternative<TagsTarget>(option.target)) {
    throw UsageError(fmt::format(
        "{}: given {}", option.name,
        texts.size() == 2 ? std::string("twice") : fmt::format("{} times", texts.size())));
  }
  std::string_view kind = option.name;
  kind.remove_prefix(std::min(kind.find_first_not_of('-'), kind.size()));
  try {
    std::visit(Store{kind, texts}, option.target);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", option.name, error.what()));
  }
}

void store_arguments(const CommandSpec& command, const std::vector<std::string>& texts) {
  const std::string& form = command.positional;
  if (form.empty()) {
    if (texts.empty()) return;
    throw UsageError(fmt::format("{}: unexpected argument {}", command.name, quote(texts.front())));
  }
  const auto words = static_cast<std::size_t>(std::count(form.begin(), form.end(), ' ')) + 1;
  const std::size_t least = form.find('[') == std::string::npos ? words : words - 1;
  const bool open = form.find("...") != std::string::npos;
  if (texts.size() < least || (texts.size() > words && !open)) {
    throw UsageError(fmt::format("{}: needs {}, but got {} argument{}", command.name, form,
                                 texts.size(), texts.size() == 1 ? "" : "s"));
  }
  if (contains(texts, "")) {
    throw UsageError(fmt::format("{}: '': an argument is empty", command.name));
  }
  *command.positional_target = texts;
}

}  // namespace futex_bench
