#include "clack/io/scene/system_reader.hpp"

#include <fmt/format.h>

#include <cmath>

namespace clack {

NamedSystem read_system(const Field& field, Vocabulary& vocabulary) {
  if (!field.is_map()) {
    field.complain(fmt::format("expected a map with 'type: linear' or 'type: lagrangian'; found {}",
                               field.describe()));
    return {};
  }
  const std::optional<Field> type = field.require("type", "linear or lagrangian");
  if (!type) return {};
  const std::optional<std::string> word = type->choice({"linear", "lagrangian"});
  if (!word) return {};
  return *word == "linear" ? read_linear(field, vocabulary) : read_lagrangian(field, vocabulary);
}

namespace {

std::vector<std::string> read_names(const Field& field, int count) {
  std::vector<std::string> names;
  for (const Field& item : field.items()) {
    const std::optional<std::string> name = item.text();
    if (name) names.push_back(*name);
  }
  if (count >= 0 && static_cast<int>(names.size()) != count) {
    field.complain(fmt::format("has {} names; the system has {} coordinates", names.size(), count));
    names.clear();
  }
  return names;
}

bool add_variables(const Field& field, Vocabulary& vocabulary, const std::vector<std::string>& names,
                   std::vector<formula::Expr>& variables) {
  bool good = true;
  for (const std::string& name : names) {
    variables.push_back(vocabulary.graph.variable(name));
    good = vocabulary.add(field, name, variables.back()) && good;
  }
  return good;
}

}  // namespace

bool read_coordinates(const Field& field, Vocabulary& vocabulary, int count, NamedSystem& out) {
  out.t = vocabulary.graph.variable("t");
  vocabulary.names["t"] = out.t;
  const std::optional<Field> coordinates = field.find("coordinates");
  if (coordinates) {
    out.q_names = read_names(*coordinates, count);
    if (out.q_names.empty()) {
      if (coordinates->is_list() && coordinates->items().empty()) coordinates->complain("is empty; name at least one coordinate");
      return false;
    }
  } else {
    for (int i = 1; i <= count; ++i) out.q_names.push_back(fmt::format("q{}", i));
  }
  const std::optional<Field> velocities = field.find("velocities");
  if (velocities) {
    out.v_names = read_names(*velocities, static_cast<int>(out.q_names.size()));
    if (out.v_names.empty()) return false;
  } else {
    for (const std::string& name : out.q_names) out.v_names.push_back(name + "'");
  }
  const bool q_good = add_variables(coordinates.value_or(field), vocabulary, out.q_names, out.q);
  return add_variables(velocities.value_or(coordinates.value_or(field)), vocabulary, out.v_names, out.v) && q_good;
}

namespace {

FrictionCoefficient read_friction(const Field& field, Vocabulary& vocabulary) {
  formula::Names allowed = vocabulary.parameters;
  const formula::Expr slip = vocabulary.graph.variable("slip");
  allowed["slip"] = slip;
  const std::optional<formula::Expr> mu = vocabulary.formula(field, allowed);
  if (!mu) return {};
  if (vocabulary.graph.is_constant(*mu)) {
    return vocabulary.number(field, kNonNegative).value_or(0.0);
  }
  const formula::Expr inputs[] = {slip}, outputs[] = {*mu};
  const FrictionCoefficient coefficient(
      *field.text(), std::make_shared<formula::Tape>(vocabulary.graph, inputs, outputs));
  for (double speed : {0.0, 1e-6, 1e-3, 1.0, 1e3}) {
    const double value = coefficient.at(speed);
    if (!(std::isfinite(value) && value >= 0)) {
      field.complain(fmt::format("is {} at slip = {} m/s; a friction coefficient must be finite and >= 0",
                                 value, speed));
      break;
    }
  }
  return coefficient;
}

}  // namespace

ContactLaw read_law(const Field& field, Vocabulary& vocabulary, bool frictional) {
  ContactLaw law;
  if (const auto e_n = field.find("e_n")) law.e_n = vocabulary.number(*e_n, kUnit).value_or(0);
  if (const auto e_t = field.find("e_t")) {
    constexpr Range kTangential{-1, 1, true, "a number in (-1, 1]"};
    law.e_t = vocabulary.number(*e_t, kTangential).value_or(0);
  }
  if (const auto mu = field.find("mu")) {
    law.mu = read_friction(*mu, vocabulary);
    if (!frictional) mu->complain("friction needs tangential rows: give the tangential velocity too");
  }
  return law;
}

std::string read_contact_name(const Field& field, const char* kind, std::size_t index) {
  if (const auto name = field.find("name")) return name->text().value_or("");
  return fmt::format("{} {}", kind, index + 1);
}

}  // namespace clack
