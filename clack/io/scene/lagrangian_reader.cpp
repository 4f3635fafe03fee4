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
  LagrangianReader(const Field& field, Vocabulary& vocabulary)
      : field_(field), vocabulary_(vocabulary) {}

  NamedSystem read() {
    field_.expect_map({"type", "coordinates", "velocities", "define", "kinetic", "potential",
                       "dissipation", "forces", "contacts", "constraints"});
    if (!field_.require("coordinates", "a list of names")) return {};
    if (!read_coordinates(field_, vocabulary_, -1, named_)) return {};
    if (const auto define = field_.find("define")) read_definitions(*define);
    const auto kinetic =
        field_.require("kinetic", "the kinetic energy, quadratic in the velocities [J]");
    data_.kinetic = kinetic ? formula(*kinetic) : zero();
    if (kinetic) check_kinetic(*kinetic);
    data_.potential = data_.dissipation = zero();
    if (const auto potential = field_.find("potential"))
      data_.potential = position_formula(*potential);
    if (const auto dissipation = field_.find("dissipation"))
      data_.dissipation = formula(*dissipation);
    read_forces();
    if (const auto contacts = field_.find("contacts")) read_contacts(*contacts, false);
    if (const auto constraints = field_.find("constraints")) read_contacts(*constraints, true);
    if (good_ && kinetic) build();
    return named_;
  }

 private:
  Expr zero() { return vocabulary_.graph.constant(0); }

  bool depends_on_any(Expr e, const std::vector<Expr>& variables) const {
    return std::any_of(variables.begin(), variables.end(),
                       [&](Expr x) { return vocabulary_.graph.depends_on(e, x); });
  }

  void refuse(const Field& field, const std::string& message) {
    field.complain(message);
    good_ = false;
  }

  std::optional<Expr> try_formula(const Field& field) {
    const std::optional<Expr> e = vocabulary_.formula(field, vocabulary_.names);
    good_ = good_ && e.has_value();
    return e;
  }

  Expr formula(const Field& field) { return try_formula(field).value_or(zero()); }

  Expr position_formula(const Field& field) {
    const Expr e = formula(field);
    refuse_velocity(field, e);
    return e;
  }

  bool refuse_velocity(const Field& field, Expr e) {
    for (std::size_t i = 0; i < named_.v.size(); ++i) {
      if (!vocabulary_.graph.depends_on(e, named_.v[i])) continue;
      refuse(field, fmt::format("depends on the velocity {}; only coordinates, time and parameters "
                                "are allowed here",
                                named_.v_names[i]));
      return true;
    }
    return false;
  }

  // A gap or the left side of a constraint.
  Expr gap_formula(const Field& field) {
    const std::optional<Expr> e = try_formula(field);
    if (e && !refuse_velocity(field, *e) && !depends_on_any(*e, named_.q)) {
      refuse(field, "depends on no coordinate; it must be a formula of the coordinates");
    }
    return e.value_or(zero());
  }

  Expr tangent_formula(const Field& field) {
    const std::optional<Expr> e = try_formula(field);
    if (!e) return zero();
    const std::vector<Expr> rows = vocabulary_.graph.gradient(*e, named_.v);
    const bool curved = std::any_of(rows.begin(), rows.end(),
                                    [&](Expr row) { return depends_on_any(row, named_.v); });
    if (curved) refuse(field, "a tangential velocity must be affine in the velocities");
    if (!depends_on_any(*e, named_.v)) {
      refuse(field, fmt::format("depends on no velocity; a tangential velocity must, as in {}",
                                named_.v_names[0]));
    }
    return *e;
  }

  void check_kinetic(const Field& field) {
    formula::Graph& graph = vocabulary_.graph;
    for (Expr p : graph.gradient(data_.kinetic, named_.v)) {
      for (Expr entry : graph.gradient(p, named_.v)) {
        if (!depends_on_any(entry, named_.v)) continue;
        refuse(field, "the kinetic energy must be quadratic in the velocities");
        return;
      }
    }
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
    for (const Entry& entry : define.entries()) {
      const Expr e = formula(entry.value);
      if (!vocabulary_.add(entry.name, entry.key, e)) {
        good_ = false;
      } else if (!depends_on_any(e, named_.v)) {
        vocabulary_.names[entry.key + "'"] = rate(e);
      }
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
    for (const Entry& entry : forces->entries()) {
      const auto it = std::find(named_.q_names.begin(), named_.q_names.end(), entry.key);
      const Expr e = formula(entry.value);
      if (it == named_.q_names.end()) {
        refuse(entry.name,
               fmt::format("'{}' is not a coordinate", entry.key) +
                   allowed_words(entry.key, {named_.q_names.begin(), named_.q_names.end()}));
        continue;
      }
      data_.forces[it - named_.q_names.begin()] = e;
    }
  }

  void read_contacts(const Field& list, bool bilateral) {
    const std::vector<Field> items =
        list.items(bilateral ? "a list of constraints" : "a list of contacts");
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
    result.contact.name = read_name(field, vocabulary_, "constraint", index);
    result.contact.bilateral = true;
    const auto equation = field.require("equation", "a formula that stays zero");
    result.gap = equation ? gap_formula(*equation) : zero();
    good_ = good_ && equation.has_value();
    data_.contacts.push_back(std::move(result));
  }

  void read_contact(const Field& field, std::size_t index) {
    if (!field.expect_map({"name", "gap", "tangent", "turn", "area", "mu", "e_n", "e_t", "normal",
                           "friction", "cohesion", "link"})) {
      good_ = false;
      return;
    }
    LagrangianContact result;
    result.contact.name = read_name(field, vocabulary_, "contact", index);
    const auto gap = field.require("gap", "the signed distance as a formula [m]");
    result.gap = gap ? gap_formula(*gap) : zero();
    good_ = good_ && gap.has_value();
    if (const auto tangent = field.find("tangent")) read_tangents(*tangent, result);
    result.contact.tangents = static_cast<int>(result.tangents.size());
    if (const auto turn = field.find("turn")) read_turns(*turn, result);
    result.contact.law = read_law(field, vocabulary_, "tangent");
    result.contact.area = read_area(field, vocabulary_);
    data_.contacts.push_back(std::move(result));
  }

  void read_tangents(const Field& field, LagrangianContact& result) {
    if (!field.is_list()) {
      result.tangents.push_back(tangent_formula(field));
      return;
    }
    const std::vector<Field> items = field.items();
    if (items.empty() || items.size() > 2) {
      refuse(field, fmt::format("expected one tangential velocity (plane) or two (space); found {}",
                                items.size()));
      return;
    }
    for (const Field& item : items) result.tangents.push_back(tangent_formula(item));
  }

  // Rows of relative rotation follow the tangential ones.
  void read_turns(const Field& turn, LagrangianContact& result) {
    const std::vector<Field> items = turn.is_list() ? turn.items() : std::vector<Field>{turn};
    const int turns = allowed_turns(turn, result.contact.tangents, static_cast<int>(items.size()));
    if (turns == 0) good_ = false;
    for (int k = 0; k < turns; ++k) result.tangents.push_back(tangent_formula(items[k]));
    result.contact.turns = turns;
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
  NamedSystem named_;
  LagrangianData data_;
  bool good_ = true;
};

}  // namespace

NamedSystem read_lagrangian(const Field& field, Vocabulary& vocabulary) {
  return LagrangianReader(field, vocabulary).read();
}

}  // namespace clack
