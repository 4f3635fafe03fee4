// `type: lagrangian`: coordinates, energies, forces and gaps as formulas.
#include <fmt/format.h>

#include <algorithm>

#include "clack/io/scene/system_reader.hpp"
#include "clack/model/lagrangian_system.hpp"

namespace clack {
namespace {

using formula::Expr;

class LagrangianReader {
 public:
  LagrangianReader(const Field& field, Vocabulary& vocabulary) : field_(field), vocabulary_(vocabulary) {}

  NamedSystem read() {
    field_.expect_map({"type", "coordinates", "velocities", "define", "kinetic", "potential",
                       "dissipation", "forces", "contacts", "constraints"});
    if (!field_.require("coordinates", "a list of names")) return {};
    if (!read_coordinates(field_, vocabulary_, -1, named_)) return {};
    if (const auto define = field_.find("define")) read_definitions(*define);
    position_names_ = vocabulary_.names;
    for (const std::string& name : velocity_like_) position_names_.erase(name);
    for (const std::string& name : named_.v_names) position_names_.erase(name);
    const auto kinetic = field_.require("kinetic", "the kinetic energy, quadratic in the velocities [J]");
    data_.kinetic = kinetic ? formula(*kinetic, vocabulary_.names) : zero();
    good_ = good_ && kinetic.has_value();
    data_.potential = optional_formula("potential", position_names_);
    data_.dissipation = optional_formula("dissipation", vocabulary_.names);
    read_forces();
    if (const auto contacts = field_.find("contacts")) read_contacts(*contacts, false);
    if (const auto constraints = field_.find("constraints")) read_contacts(*constraints, true);
    if (good_) build();
    return named_;
  }

 private:
  Expr zero() { return vocabulary_.graph.constant(0); }

  Expr formula(const Field& field, const formula::Names& allowed) {
    const std::optional<Expr> e = vocabulary_.formula(field, allowed);
    good_ = good_ && e.has_value();
    return e.value_or(zero());
  }

  Expr optional_formula(const char* key, const formula::Names& allowed) {
    const std::optional<Field> field = field_.find(key);
    return field ? formula(*field, allowed) : zero();
  }

  // The total derivative in time, for x' of a defined x.
  Expr rate(Expr e) {
    formula::Graph& graph = vocabulary_.graph;
    return graph.add(graph.directional(e, named_.q, named_.v), graph.derivative(e, named_.t));
  }

  // In the order written; a definition of positions brings its rate along: x gives x'.
  void read_definitions(const Field& define) {
    if (!define.expect_free_map()) {
      good_ = false;
      return;
    }
    for (const std::string& name : define.keys()) {
      const Field value = *define.find(name);
      const Expr e = formula(value, vocabulary_.names);
      if (!vocabulary_.add(value, name, e)) {
        good_ = false;
        continue;
      }
      const bool has_velocity = std::any_of(named_.v.begin(), named_.v.end(), [&](Expr v) {
        return vocabulary_.graph.depends_on(e, v);
      });
      if (has_velocity) {
        velocity_like_.push_back(name);
        continue;
      }
      vocabulary_.names[name + "'"] = rate(e);
      velocity_like_.push_back(name + "'");
    }
  }

  void read_forces() {
    data_.forces.assign(named_.q.size(), zero());
    const std::optional<Field> forces = field_.find("forces");
    if (!forces) return;
    if (!forces->expect_free_map()) {
      good_ = false;
      return;
    }
    for (const std::string& name : forces->keys()) {
      const auto it = std::find(named_.q_names.begin(), named_.q_names.end(), name);
      const Field value = *forces->find(name);
      if (it == named_.q_names.end()) {
        std::string known;
        for (const std::string& q : named_.q_names) known += (known.empty() ? "" : ", ") + q;
        value.complain(fmt::format("'{}' is not a coordinate; forces are given by coordinate: {}", name, known));
        good_ = false;
        continue;
      }
      data_.forces[it - named_.q_names.begin()] = formula(value, vocabulary_.names);
    }
  }

  void read_contacts(const Field& list, bool bilateral) {
    const std::vector<Field> items = list.items();
    if (!list.is_list()) good_ = false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      bilateral ? read_constraint(items[i], i) : read_contact(items[i], i);
    }
  }

  void read_constraint(const Field& field, std::size_t index) {
    if (!field.expect_map({"name", "equation"})) {
      good_ = false;
      return;
    }
    LagrangianContact result;
    result.contact.name = read_contact_name(field, "constraint", index);
    result.contact.bilateral = true;
    const auto equation = field.require("equation", "a formula that stays zero");
    result.gap = equation ? formula(*equation, position_names_) : zero();
    good_ = good_ && equation.has_value();
    data_.contacts.push_back(std::move(result));
  }

  void read_contact(const Field& field, std::size_t index) {
    if (!field.expect_map({"name", "gap", "tangent", "mu", "e_n", "e_t"})) {
      good_ = false;
      return;
    }
    LagrangianContact result;
    result.contact.name = read_contact_name(field, "contact", index);
    const auto gap = field.require("gap", "the signed distance as a formula [m]");
    result.gap = gap ? formula(*gap, position_names_) : zero();
    good_ = good_ && gap.has_value();
    if (gap && good_ && vocabulary_.graph.is_constant(result.gap)) {
      gap->complain("is constant: it depends on no coordinate");
      good_ = false;
    }
    if (const auto tangent = field.find("tangent")) {
      if (tangent->is_list()) {
        for (const Field& item : tangent->items()) result.tangents.push_back(formula(item, vocabulary_.names));
      } else {
        result.tangents.push_back(formula(*tangent, vocabulary_.names));
      }
      if (result.tangents.size() > 2) {
        tangent->complain("has more than two tangential velocities");
        good_ = false;
      }
    }
    result.contact.tangents = static_cast<int>(std::min<std::size_t>(2, result.tangents.size()));
    result.contact.law = read_law(field, vocabulary_, result.contact.tangents > 0);
    data_.contacts.push_back(std::move(result));
  }

  void build() {
    data_.graph = vocabulary_.graph;
    data_.t = named_.t;
    data_.q = named_.q;
    data_.v = named_.v;
    try {
      named_.system = std::make_shared<LagrangianSystem>(std::move(data_));
    } catch (const InputError& error) {
      field_.complain(error.what());
    }
  }

  const Field& field_;
  Vocabulary& vocabulary_;
  formula::Names position_names_;           // without velocities
  std::vector<std::string> velocity_like_;  // definitions that depend on velocities
  NamedSystem named_;
  LagrangianData data_;
  bool good_ = true;
};

}  // namespace

NamedSystem read_lagrangian(const Field& field, Vocabulary& vocabulary) {
  return LagrangianReader(field, vocabulary).read();
}

}  // namespace clack
