#include "clack/io/scene/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace clack {

bool Vocabulary::check_name(const Field& field, const std::string& name) const {
  bool plain = false;
  try {
    const std::vector<std::string> found = formula::identifiers(name);
    plain = found.size() == 1 && found[0] == name;
  } catch (const formula::ParseError&) {
    plain = false;
  }
  if (!plain || name == "slip") {
    field.complain(fmt::format(
        "'{}' cannot be a name: use letters, digits and _, not a function, not t, pi or slip", name.substr(0, 60)));
    return false;
  }
  return true;
}

bool Vocabulary::add(const Field& field, const std::string& name, formula::Expr e) {
  if (!check_name(field, name)) return false;
  if (names.contains(name)) {
    field.complain(fmt::format("the name '{}' is taken already", name));
    return false;
  }
  names[name] = e;
  return true;
}

void Vocabulary::read_parameters(const Field& field) {
  if (!field.expect_free_map()) return;
  std::map<std::string, Field> waiting;
  for (const std::string& key : field.keys()) {
    const std::optional<Field> value = field.find(key);
    if (!check_name(*value, key)) continue;
    if (key == "t") {
      value->complain("'t' is the time and cannot be a parameter");
      continue;
    }
    waiting.emplace(key, *value);
  }
  // Takes what depends only on what is known until nothing is left or a cycle remains.
  bool progress = true;
  while (!waiting.empty() && progress) {
    progress = false;
    for (auto it = waiting.begin(); it != waiting.end();) {
      bool ready = true;
      if (it->second.is_scalar()) {
        try {
          for (const std::string& name : formula::identifiers(*it->second.text())) {
            ready = ready && !waiting.contains(name);
          }
        } catch (const formula::ParseError&) {  // number() below says what is wrong
        }
      }
      if (!ready) {
        ++it;
        continue;
      }
      const std::optional<double> value = number(it->second);
      const formula::Expr e = graph.constant(value.value_or(1.0));
      parameters[it->first] = e;
      names[it->first] = e;
      it = waiting.erase(it);
      progress = true;
    }
  }
  std::string cycle;
  for (const auto& [name, value] : waiting) cycle += (cycle.empty() ? "" : ", ") + name;
  for (const auto& [name, value] : waiting) {
    value.complain(fmt::format("the parameters {} depend on each other in a cycle", cycle));
    parameters[name] = names[name] = graph.constant(1.0);
  }
}

std::optional<formula::Expr> Vocabulary::formula(const Field& field, const formula::Names& allowed) {
  const std::optional<std::string> text = field.text();
  if (!text) return std::nullopt;
  try {
    return formula::parse(graph, *text, allowed);
  } catch (const formula::ParseError& error) {
    field.complain(error.what());
    return std::nullopt;
  }
}

std::optional<double> Vocabulary::number(const Field& field, const Range& range) {
  const std::optional<formula::Expr> e = formula(field, parameters);
  if (!e) return std::nullopt;
  const double value = graph.constant_value(*e);
  if (!std::isfinite(value) || !range.contains(value)) {
    field.complain(fmt::format("{} is not allowed; it must be {}", value, range.words));
    return std::nullopt;
  }
  return value;
}

std::optional<long> Vocabulary::integer(const Field& field, long low) {
  const std::optional<double> value = number(field);
  if (!value) return std::nullopt;
  if (*value != std::floor(*value) || *value < static_cast<double>(low) || *value > 1e15) {
    field.complain(fmt::format("{} is not allowed; it must be a whole number >= {}", *value, low));
    return std::nullopt;
  }
  return static_cast<long>(*value);
}

std::optional<Vector> Vocabulary::row(const Field& field, int size) {
  const std::vector<Field> items = field.items();
  if (!field.is_list()) return std::nullopt;
  if (size >= 0 && static_cast<int>(items.size()) != size) {
    field.complain(fmt::format("has {} entries; it must have {}", items.size(), size));
    return std::nullopt;
  }
  Vector result(static_cast<int>(items.size()));
  bool good = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::optional<double> value = number(items[i]);
    good = good && value.has_value();
    result[static_cast<int>(i)] = value.value_or(0);
  }
  if (!good) return std::nullopt;
  return result;
}

std::optional<Matrix> Vocabulary::matrix(const Field& field, int rows, int columns) {
  const std::vector<Field> items = field.items();
  if (!field.is_list()) return std::nullopt;
  if (items.empty() || (rows >= 0 && static_cast<int>(items.size()) != rows)) {
    field.complain(fmt::format("has {} rows; it must have {}", items.size(),
                               rows >= 0 ? std::to_string(rows) : "at least one"));
    return std::nullopt;
  }
  if (columns < 0) columns = static_cast<int>(items[0].is_list() ? items[0].items().size() : 0);
  Matrix result(static_cast<int>(items.size()), columns);
  bool good = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::optional<Vector> entries = row(items[i], columns);
    if (entries) result.row(static_cast<int>(i)) = entries->transpose();
    good = good && entries.has_value();
  }
  if (!good) return std::nullopt;
  return result;
}

}  // namespace clack
