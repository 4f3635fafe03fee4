#include "clack/io/scene/system_reader.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "clack/io/scene/law_reader.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {

namespace {

// `type: own`: a system of the program that reads the scene, by its name.
NamedSystem read_own_system(const Field& field, Vocabulary& vocabulary) {
  if (!field.expect_map({"type", "object", "coordinates", "velocities"})) return {};
  const auto object = field.require("object", "the name of a system of the program");
  std::vector<std::string> known;
  for (const auto& [name, system] : vocabulary.objects.systems) known.push_back(name);
  const auto name = object ? object->choice(known) : std::nullopt;
  if (!name) return {};
  NamedSystem named;
  const std::shared_ptr<const System> system = vocabulary.objects.systems.at(*name);
  if (read_coordinates(field, vocabulary, system->nv(), named)) named.system = system;
  return named;
}

}  // namespace

NamedSystem read_system(const Field& field, Vocabulary& vocabulary) {
  if (!field.is_map()) {
    field.complain(
        fmt::format("expected a map with 'type: linear', 'lagrangian' or 'rigid-bodies'; found {}",
                    field.describe()));
    return {};
  }
  const std::optional<Field> type = field.require("type", "linear, lagrangian or rigid-bodies");
  if (!type) return {};
  std::vector<std::string> types = {"linear", "lagrangian", "rigid-bodies"};
  if (!vocabulary.objects.systems.empty()) types.emplace_back("own");
  const std::optional<std::string> word = type->choice(types);
  if (!word) return {};
  if (*word == "own") return read_own_system(field, vocabulary);
  return *word == "linear" ? read_linear(field, vocabulary) : read_lagrangian(field, vocabulary);
}

namespace {

// The names of a list with the places where they are written; nothing after a complaint.
using PlacedNames = std::vector<std::pair<std::string, Field>>;

std::optional<PlacedNames> read_names(const Field& field, int count) {
  PlacedNames names;
  const std::vector<Field> items = field.items("a list of names");
  if (!field.is_list()) return std::nullopt;
  if (items.empty() || (count >= 0 && static_cast<int>(items.size()) != count)) {
    field.complain(fmt::format(
        "expected {}; found {}",
        count >= 0 ? fmt::format("{} names, one a coordinate", count) : "at least one name",
        items.size()));
    return std::nullopt;
  }
  for (const Field& item : items) {
    const std::optional<std::string> name = item.text("a name");
    if (name) names.emplace_back(*name, item);
  }
  if (names.size() < items.size()) return std::nullopt;
  return names;
}

bool add_variables(Vocabulary& vocabulary, const PlacedNames& names,
                   std::vector<std::string>& texts, std::vector<formula::Expr>& variables) {
  bool good = true;
  for (const auto& [name, place] : names) {
    texts.push_back(name);
    variables.push_back(vocabulary.graph.variable(name));
    good = vocabulary.add(place, name, variables.back()) && good;
  }
  return good;
}

}  // namespace

bool read_coordinates(const Field& field, Vocabulary& vocabulary, int count, NamedSystem& out,
                      const std::vector<std::string>& default_names) {
  out.t = vocabulary.graph.variable("t");
  vocabulary.names["t"] = out.t;
  std::optional<PlacedNames> q_names = PlacedNames{}, v_names = PlacedNames{};
  if (const auto coordinates = field.find("coordinates")) {
    q_names = read_names(*coordinates, count);
    if (!q_names) return false;
  } else {
    for (int i = 0; i < count; ++i) {
      q_names->emplace_back(default_names.empty() ? fmt::format("q{}", i + 1) : default_names[i],
                            field);
    }
  }
  if (!add_variables(vocabulary, *q_names, out.q_names, out.q)) return false;
  if (const auto velocities = field.find("velocities")) {
    v_names = read_names(*velocities, static_cast<int>(q_names->size()));
    if (!v_names) return false;
  } else {
    for (const auto& [name, place] : *q_names) v_names->emplace_back(name + "'", place);
  }
  return add_variables(vocabulary, *v_names, out.v_names, out.v);
}

ContactLaw read_law(const Field& field, Vocabulary& vocabulary, const char* tangent_key) {
  ContactLaw law;
  if (const auto e_n = field.find("e_n")) law.e_n = vocabulary.number(*e_n, kUnit).value_or(0);
  if (const auto e_t = field.find("e_t")) {
    constexpr Range kTangential{-1, 1, true, "a number in (-1, 1]"};
    law.e_t = vocabulary.number(*e_t, kTangential).value_or(0);
  }
  if (const auto mu = field.find("mu")) law.mu = read_coefficient(*mu, vocabulary);
  law.own = read_own_law(field, vocabulary, law);
  if (field.find(tangent_key)) return law;
  for (const char* key : {"mu", "e_t", "friction"}) {
    const auto value = field.find(key);
    if (value)
      value->complain(fmt::format("needs a tangential direction: give '{}' too", tangent_key));
  }
  return law;
}

int allowed_turns(const Field& turn, int tangents, int turns) {
  if (tangents == 0) {
    turn.complain("needs tangential directions: a turning contact is in the plane or in space");
    return 0;
  }
  if (turns == 1 || (tangents == 2 && turns == 3)) return turns;
  turn.complain(
      fmt::format("has {} rows; allowed: one (the relative rotation) in the plane, one (the "
                  "spin about the normal) or three (spin, then rolling about T1 and T2) in space",
                  turns));
  return 0;
}

double read_area(const Field& field, Vocabulary& vocabulary) {
  const auto area = field.find("area");
  return area ? vocabulary.number(*area, kPositive).value_or(1) : 1.0;
}

std::string read_name(const Field& field, Vocabulary& vocabulary, const char* kind,
                      std::size_t index) {
  const std::optional<Field> given = field.find("name");
  const std::string name =
      given ? given->text().value_or("") : fmt::format("{} {}", kind, index + 1);
  // Contacts and constraints share one list of names, measures have their own.
  const bool measure = std::string_view(kind) == "measure";
  if (!vocabulary.labels.emplace(measure, name).second) {
    given.value_or(field).complain(fmt::format("the name '{}' is taken already", name));
  }
  return name;
}

}  // namespace clack
