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
        fmt::format("expected a map with 'type: linear', 'lagrangian', 'rigid-bodies' or "
                    "'assembly'; found {}",
                    field.describe()));
    return {};
  }
  const std::optional<Field> type =
      field.require("type", "linear, lagrangian, rigid-bodies or assembly");
  if (!type) return {};
  std::vector<std::string> types = {"linear", "lagrangian", "rigid-bodies", "assembly"};
  if (!vocabulary.objects.systems.empty()) types.emplace_back("own");
  const std::optional<std::string> word = type->choice(types);
  if (!word) return {};
  if (*word == "own") return read_own_system(field, vocabulary);
  if (*word == "assembly") {
    field.complain("a part of an assembly cannot be an assembly; name its parts here");
    return {};
  }
  return *word == "linear" ? read_linear(field, vocabulary) : read_lagrangian(field, vocabulary);
}

namespace {

// Names in their order, with the places where they are written: one each, or one for all.
struct PlacedNames {
  std::vector<std::string> names;
  std::vector<Field> places;
  bool made = false;  // by this program: they are proper names

  const Field& place(std::size_t i) const { return places[places.size() == 1 ? 0 : i]; }
};

// Nothing after a complaint.
std::optional<PlacedNames> read_names(const Field& field, int count) {
  PlacedNames result;
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
    if (!name) continue;
    result.names.push_back(*name);
    result.places.push_back(item);
  }
  if (result.names.size() < items.size()) return std::nullopt;
  return result;
}

PlacedNames default_coordinates(const Field& field, int count,
                                const std::vector<std::string>& given) {
  PlacedNames result{given, {field}, true};
  for (int i = 0; i < count && given.empty(); ++i)
    result.names.push_back(fmt::format("q{}", i + 1));
  return result;
}

// x' for x.
PlacedNames default_velocities(const PlacedNames& coordinates) {
  PlacedNames result = coordinates;
  for (std::string& name : result.names) name += "'";
  return result;
}

bool add_variables(Vocabulary& vocabulary, PlacedNames named, std::vector<std::string>& texts,
                   std::vector<formula::Expr>& variables) {
  bool good = true;
  variables.reserve(named.names.size());
  for (std::size_t i = 0; i < named.names.size(); ++i) {
    const std::string& name = named.names[i];
    variables.push_back(vocabulary.graph.variable(name));
    const bool added = named.made && vocabulary.names.emplace(name, variables.back()).second;
    good = (added || vocabulary.add(named.place(i), name, variables.back())) && good;
  }
  texts = std::move(named.names);
  return good;
}

}  // namespace

bool read_coordinates(const Field& field, Vocabulary& vocabulary, int count, NamedSystem& out,
                      const std::vector<std::string>& default_names) {
  out.t = vocabulary.graph.variable("t");
  vocabulary.names["t"] = out.t;
  const auto coordinates = field.find("coordinates"), velocities = field.find("velocities");
  const std::optional<PlacedNames> q_names = coordinates
                                                 ? read_names(*coordinates, count)
                                                 : default_coordinates(field, count, default_names);
  if (!q_names || !add_variables(vocabulary, *q_names, out.q_names, out.q)) return false;
  const std::optional<PlacedNames> v_names =
      velocities ? read_names(*velocities, static_cast<int>(q_names->names.size()))
                 : default_velocities(*q_names);
  return v_names && add_variables(vocabulary, *v_names, out.v_names, out.v);
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
