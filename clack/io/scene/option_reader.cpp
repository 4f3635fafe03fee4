#include "clack/io/scene/option_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/solve/solver.hpp"

namespace clack {

std::optional<OptionValue> read_option(const Field& field, const OptionInfo& info,
                                       Vocabulary& vocabulary) {
  if (info.kind == OptionKind::flag) {
    const auto word = field.choice({"true", "false"});
    return word ? std::optional<OptionValue>(*word == "true") : std::nullopt;
  }
  if (info.kind == OptionKind::word) {
    const auto word = field.choice({info.words.begin(), info.words.end()});
    if (!word) return std::nullopt;
    return *std::find(info.words.begin(), info.words.end(), *word);  // it outlives the field
  }
  const std::string allowed = info.allowed();
  const bool whole = info.kind == OptionKind::whole;
  const auto number =
      vocabulary.number(field, {info.range.low, info.range.high, info.range.low_open,
                                allowed.c_str(), info.range.high_open, whole});
  if (!number) return std::nullopt;
  return whole ? OptionValue(static_cast<long>(*number)) : OptionValue(*number);
}

OptionSet read_own_options(const Field& map, const std::string& solver,
                           std::vector<std::string_view> keys, Vocabulary& vocabulary) {
  OptionSet own;
  const auto known = solver.empty() ? std::vector<OptionState>() : own_options(solver);
  for (const OptionState& option : known) {
    keys.push_back(option.info.name);
    const auto field = map.find(option.info.name);
    const auto value = field ? read_option(*field, option.info, vocabulary) : std::nullopt;
    if (value) own[std::string(option.info.name)] = option_text(*value);
  }
  for (const Entry& entry : map.entries()) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    std::string others;
    for (const std::string_view name : solvers_with_option(entry.key))
      others += fmt::format("{}{}", others.empty() ? "" : ", ", name);
    if (others.empty()) {
      entry.name.complain("unknown key" + allowed_words(entry.key, keys));
    } else if (!solver.empty()) {
      entry.name.complain(
          fmt::format("solver '{}' does not read this option; read by: {}", solver, others));
    }
  }
  return own;
}

}  // namespace clack
