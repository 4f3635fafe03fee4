// `type: lagrangian`: coordinates, energies, forces and gaps as formulas. The same formulas without
// a mass couple the parts of an assembly.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "clack/io/scene/system_reader.hpp"
#include "clack/model/joints/joint_laws.hpp"
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
                       "dissipation", "forces", "contacts", "constraints", "actions"});
    if (!field_.require("coordinates", "a list of names")) return {};
    if (!read_coordinates(field_, vocabulary_, -1, named_)) return {};
    if (const auto define = field_.find("define")) read_definitions(*define);
    const auto kinetic =
        field_.require("kinetic", "the kinetic energy, quadratic in the velocities [J]");
    data_.kinetic = kinetic ? formula(*kinetic) : zero();
    if (kinetic) check_kinetic(*kinetic);
    data_.potential = data_.dissipation = zero();
    read_forces_and_contacts();
    if (good_ && kinetic) build();
    return named_;
  }

  // Formulas on coordinates that are known already; only those that they name are kept.
  CouplingFormulas read_coupling(const NamedSystem& coordinates, Expr potential, Expr dissipation) {
    named_ = coordinates;
    data_.kinetic = zero();
    data_.potential = potential;
    data_.dissipation = dissipation;
    if (const auto define = field_.find("define")) read_definitions(*define);
    read_forces_and_contacts();
    CouplingFormulas result;
    result.good = good_;
    if (!good_) return result;
    keep_named_coordinates(result.coordinates);
    if (named_.q.empty()) return result;
    build();
    result.system = named_.system;
    return result;
  }

 private:
  void read_forces_and_contacts() {
    if (const auto potential = field_.find("potential"))
      data_.potential = vocabulary_.graph.add(data_.potential, position_formula(*potential));
    if (const auto dissipation = field_.find("dissipation"))
      data_.dissipation = vocabulary_.graph.add(data_.dissipation, formula(*dissipation));
    read_forces();
    if (const auto contacts = field_.find("contacts")) read_contacts(*contacts, false);
    if (const auto constraints = field_.find("constraints")) read_contacts(*constraints, true);
    if (const auto actions = field_.find("actions")) read_actions(*actions);
  }

  // Leaves out the coordinates that no formula depends on.
  void keep_named_coordinates(std::vector<int>& kept) {
    std::vector<Expr> outputs = {data_.potential, data_.dissipation};
    outputs.insert(outputs.end(), data_.forces.begin(), data_.forces.end());
    for (const LagrangianContact& contact : data_.contacts) {
      outputs.push_back(contact.gap);
      outputs.insert(outputs.end(), contact.tangents.begin(), contact.tangents.end());
    }
    std::set<Expr> used;
    for (const Expr e : outputs) {
      for (const Expr x : vocabulary_.graph.variables(e)) used.insert(x);
    }
    const NamedSystem all = std::exchange(named_, {});
    const std::vector<Expr> forces = std::exchange(data_.forces, {});
    named_.t = all.t;
    for (std::size_t i = 0; i < all.q.size(); ++i) {
      const bool acted_on = !vocabulary_.graph.is_constant(forces[i]) ||
                            vocabulary_.graph.constant_value(forces[i]) != 0;
      if (!acted_on && !used.contains(all.q[i]) && !used.contains(all.v[i])) continue;
      kept.push_back(static_cast<int>(i));
      named_.q.push_back(all.q[i]);
      named_.v.push_back(all.v[i]);
      data_.forces.push_back(forces[i]);
    }
  }

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
      const Expr e = formula(entry.value);
      const auto along = vocabulary_.names.find(entry.key);
      if (along == vocabulary_.names.end() || !is_position(along->second)) {
        refuse(
            entry.name,
            fmt::format("'{}' is neither a coordinate nor a position under 'define'", entry.key) +
                allowed_words(entry.key, {named_.q_names.begin(), named_.q_names.end()}));
        continue;
      }
      add_force(along->second, e);
    }
  }

  bool is_position(Expr e) const {
    return depends_on_any(e, named_.q) && !depends_on_any(e, named_.v);
  }

  // A force F along s(t, q) has the virtual work F ds: F ds/dq on each coordinate.
  void add_force(Expr along, Expr force) {
    formula::Graph& graph = vocabulary_.graph;
    const std::vector<Expr> slope = graph.gradient(along, named_.q);
    for (std::size_t i = 0; i < slope.size(); ++i)
      data_.forces[i] = graph.add(data_.forces[i], graph.multiply(force, slope[i]));
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

  // Dry friction, drives and servos along any position: the laws that joints have at their
  // coordinates.
  void read_actions(const Field& list) {
    const std::vector<Field> items = list.items("a list of actions");
    if (!list.is_list()) good_ = false;
    for (std::size_t i = 0; i < items.size(); ++i) read_action(items[i], i);
  }

  void read_action(const Field& field, std::size_t index) {
    if (!field.expect_map({"name", "along", "friction", "drive", "servo"})) {
      good_ = false;
      return;
    }
    LagrangianContact result;
    result.contact.name = read_name(field, vocabulary_, "action", index);
    const auto along = field.require("along", "a formula of the coordinates");
    result.gap = along ? gap_formula(*along) : zero();
    good_ = good_ && along.has_value();
    const auto friction = field.find("friction"), drive = field.find("drive"),
               servo = field.find("servo");
    if (friction.has_value() + drive.has_value() + servo.has_value() != 1) {
      refuse(field, "needs one of 'friction', 'drive', 'servo'");
      return;
    }
    result.contact.booking = friction ? Booking::friction : Booking::drive;
    result.contact.law.own = friction ? read_friction(*friction)
                             : drive  ? read_drive(*drive)
                                      : read_servo(*servo);
    data_.contacts.push_back(std::move(result));
  }

  LawPtr read_friction(const Field& field) {
    const JointFriction friction{.force = vocabulary_.number(field, kNonNegative).value_or(0)};
    return std::make_shared<JointFrictionLaw>(friction, JointFrictionLaw::Load::bearing);
  }

  LawPtr read_drive(const Field& field) {
    JointSpeed drive;
    if (field.expect_map({"velocity", "limit"})) {
      const auto velocity = field.require("velocity", "a formula of t [m/s, rad/s]");
      if (velocity) drive.target = read_target(*velocity);
      if (const auto x = field.find("limit"))
        drive.limit = vocabulary_.number(*x, kPositive).value_or(1);
    } else {
      good_ = false;
    }
    return std::make_shared<JointSpeedLaw>(drive);
  }

  LawPtr read_servo(const Field& field) {
    JointServo servo{.stiffness = 1};
    if (field.expect_map({"position", "stiffness", "damping", "limit"})) {
      const auto position = field.require("position", "a formula of t [m, rad]");
      const auto stiffness = field.require("stiffness", "a number > 0");
      if (position) servo.target = read_target(*position);
      if (stiffness) servo.stiffness = vocabulary_.number(*stiffness, kPositive).value_or(1);
      if (const auto x = field.find("damping"))
        servo.damping = vocabulary_.number(*x, kNonNegative).value_or(0);
      if (const auto x = field.find("limit"))
        servo.limit = vocabulary_.number(*x, kPositive).value_or(1);
    } else {
      good_ = false;
    }
    return std::make_shared<JointServoLaw>(servo);
  }

  JointFunction read_target(const Field& field) {
    formula::Names allowed = vocabulary_.parameters;
    allowed["t"] = named_.t;
    const auto value = vocabulary_.formula(field, allowed);
    good_ = good_ && value.has_value();
    return value ? JointFunction(vocabulary_.graph, *value) : JointFunction();
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

CouplingFormulas read_coupling(const Field& field, Vocabulary& vocabulary,
                               const NamedSystem& coordinates, Expr potential, Expr dissipation) {
  return LagrangianReader(field, vocabulary).read_coupling(coordinates, potential, dissipation);
}

NamedSystem read_lagrangian(const Field& field, Vocabulary& vocabulary) {
  return LagrangianReader(field, vocabulary).read();
}

}  // namespace clack
