#include "clack/io/scene/law_reader.hpp"

#include <fmt/format.h>

#include <cmath>

#include "clack/core/error.hpp"
#include "clack/io/scene/scene_text.hpp"
#include "clack/model/laws/basic_laws.hpp"

namespace clack {
namespace {

std::string range_words(const LawParameter& parameter) {
  if (std::isinf(parameter.low)) return "a finite number";
  if (std::isinf(parameter.high))
    return fmt::format("a number {} {}", parameter.low_open ? ">" : ">=", parameter.low);
  return fmt::format("a number in {}{}, {}]", parameter.low_open ? '(' : '[', parameter.low,
                     parameter.high);
}

std::string with_unit(const LawParameter& parameter) {
  if (parameter.kind == LawParameter::Kind::flag)
    return fmt::format("{}: true or false", parameter.meaning);
  return fmt::format("{} [{}]", parameter.meaning, parameter.unit);
}

class LawReader {
 public:
  LawReader(Vocabulary& vocabulary, LawKind kind) : vocabulary_(vocabulary), kind_(kind) {}

  LawPtr read(const Field& field) {
    if (!field.is_map()) return make(field, field);
    const auto name = field.require("law", "the name of a law; see `clack list laws`");
    return name ? make(field, *name) : nullptr;
  }

 private:
  LawPtr make(const Field& field, const Field& name) {
    std::vector<std::string> known;
    for (const LawInfo& info : law_list()) {
      if (info.kind == kind_) known.emplace_back(info.name);
    }
    for (const auto& [own, law] : vocabulary_.objects.laws) known.push_back(own);
    const auto word = name.choice(known);
    if (const auto own = vocabulary_.objects.laws.find(word.value_or(""));
        own != vocabulary_.objects.laws.end()) {
      if (field.is_map()) (void)field.expect_map({"law"});
      return own->second;
    }
    const LawInfo* law = word ? find_law(kind_, *word) : nullptr;
    if (!law) return nullptr;
    if (field.is_map()) {
      std::vector<std::string_view> keys = {"law"};
      for (const LawParameter& parameter : law->parameters) keys.push_back(parameter.name);
      if (!field.expect_map(keys)) return nullptr;
    }
    LawValues values;
    bool good = true;
    for (const LawParameter& parameter : law->parameters)
      good &= read_value(field, parameter, values);
    if (!good) return nullptr;
    try {
      return law->make(values);
    } catch (const InputError& error) {
      field.complain(error.what());
      return nullptr;
    }
  }

  bool read_value(const Field& field, const LawParameter& parameter, LawValues& values) {
    const auto given = field.is_map() ? field.find(parameter.name) : std::nullopt;
    if (!given) {
      values.set(parameter.name, parameter.fallback);
      if (!parameter.is_required()) return true;
      field.complain(fmt::format("needs '{}', {}", parameter.name, with_unit(parameter)));
      return false;
    }
    if (parameter.kind == LawParameter::Kind::coefficient) {
      values.set(parameter.name, read_coefficient(*given, vocabulary_));
      return true;
    }
    if (parameter.kind == LawParameter::Kind::flag) {
      const auto word = given->choice({"true", "false"});
      values.set(parameter.name, word == "true" ? 1.0 : 0.0);
      return word.has_value();
    }
    const std::string words = range_words(parameter);
    const auto value = vocabulary_.number(
        *given, {parameter.low, parameter.high, parameter.low_open, words.c_str()});
    if (value) values.set(parameter.name, *value);
    return value.has_value();
  }

  Vocabulary& vocabulary_;
  LawKind kind_;
};

}  // namespace

FrictionCoefficient read_coefficient(const Field& field, Vocabulary& vocabulary) {
  formula::Names allowed = vocabulary.parameters;
  const formula::Expr slip = vocabulary.graph.variable("slip");
  allowed["slip"] = slip;
  const std::optional<formula::Expr> mu =
      vocabulary.formula(field, allowed, "a number >= 0 or a formula of slip");
  if (!mu) return {};
  const formula::Expr inputs[] = {slip}, outputs[] = {*mu};
  const FrictionCoefficient coefficient(
      *field.text(), std::make_shared<formula::Tape>(vocabulary.graph, inputs, outputs));
  const bool constant = vocabulary.graph.is_constant(*mu);
  for (double speed = 0; speed < 1100; speed = speed == 0 ? 1e-9 : 1.25 * speed) {
    const double value = coefficient.at(speed);
    if (std::isfinite(value) && value >= 0) continue;
    field.complain(fmt::format("'{}' is {}{}; a friction coefficient must be finite and >= 0",
                               shorten(*field.text()),
                               std::isnan(value) ? "not a number" : fmt::format("{:.3g}", value),
                               constant ? "" : fmt::format(" at slip = {:.3g} m/s", speed)));
    return {};
  }
  return constant ? FrictionCoefficient(vocabulary.graph.constant_value(*mu)) : coefficient;
}

namespace {

// Newton's impact with Coulomb's friction under their names are the plain numbers, which every
// scheme knows; true where that is all there is. A law that the caller made stays one.
bool take_defaults(const LawPtr (&parts)[4], const SceneObjects& objects, ContactLaw& plain) {
  for (const auto& [name, law] : objects.laws) {
    if (law == parts[0] || law == parts[1]) return false;
  }
  const auto* newton = dynamic_cast<const NewtonImpact*>(parts[0].get());
  const auto* coulomb = dynamic_cast<const CoulombFriction*>(parts[1].get());
  if (!newton || !coulomb || parts[2]) return false;
  plain.e_n = newton->e_n();
  plain.e_t = newton->e_t();
  plain.mu = coulomb->mu();
  return true;
}

}  // namespace

LawPtr read_own_law(const Field& field, Vocabulary& vocabulary, ContactLaw& plain) {
  if (!field.is_map()) return nullptr;
  LawPtr parts[4];
  bool any = false;
  for (int kind = 0; kind < 4; ++kind) {
    const auto given = field.find(kLawKeys[kind]);
    if (!given) continue;
    any = true;
    parts[kind] = LawReader(vocabulary, static_cast<LawKind>(kind)).read(*given);
  }
  if (!any) return nullptr;
  if (const auto link = field.find("link")) {
    for (std::string_view other : {"normal", "friction", "cohesion", "mu", "e_n", "e_t"}) {
      if (const auto extra = field.find(other))
        extra->complain("a link is a law by itself: remove this or 'link'");
    }
    return parts[3];
  }
  const auto complain_twice = [&](const char* key, std::string_view kind) {
    if (const auto extra = field.find(key)) {
      if (field.find(kind))
        extra->complain(fmt::format("stands in '{}' already: give it there", kind));
    }
  };
  complain_twice("e_n", "normal");
  complain_twice("e_t", "normal");
  complain_twice("mu", "friction");
  if (!parts[0]) parts[0] = std::make_shared<NewtonImpact>(plain.e_n, plain.e_t);
  if (!parts[1]) parts[1] = std::make_shared<CoulombFriction>(plain.mu);
  if (take_defaults(parts, vocabulary.objects, plain)) return nullptr;
  return combine_laws(parts[0], parts[1], parts[2]);
}

}  // namespace clack
