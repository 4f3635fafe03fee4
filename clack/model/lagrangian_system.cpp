#include "clack/model/lagrangian_system.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "clack/core/error.hpp"
#include "clack/core/formula/scratch.hpp"

namespace clack {
namespace {

using formula::Expr;
using formula::Graph;

bool depends_on_any(const Graph& graph, Expr e, const std::vector<Expr>& variables) {
  return std::any_of(variables.begin(), variables.end(),
                     [&](Expr x) { return graph.depends_on(e, x); });
}

bool all_constant(const Graph& graph, const std::vector<Expr>& list) {
  return std::all_of(list.begin(), list.end(), [&](Expr e) { return graph.is_constant(e); });
}

// The values of constant expressions as a matrix by columns.
Matrix constant_matrix(const Graph& graph, const std::vector<Expr>& list, int rows, int columns) {
  Matrix result(rows, columns);
  for (int k = 0; k < rows * columns; ++k) result.data()[k] = graph.constant_value(list[k]);
  return result;
}

// d e_i / d x_j, by columns.
std::vector<Expr> jacobian(Graph& graph, const std::vector<Expr>& e, const std::vector<Expr>& x) {
  std::vector<Expr> result(e.size() * x.size());
  for (std::size_t i = 0; i < e.size(); ++i) {
    const std::vector<Expr> row = graph.gradient(e[i], x);
    for (std::size_t j = 0; j < x.size(); ++j) result[i + j * e.size()] = row[j];
  }
  return result;
}

}  // namespace

LagrangianSystem::LagrangianSystem(LagrangianData data) : nv_(static_cast<int>(data.q.size())) {
  check(data);
  for (Expr x : data.q) names_.push_back(data.graph.variable_name(x));
  for (const LagrangianContact& contact : data.contacts) contacts_.push_back(contact.contact);
  std::vector<Expr> force_total;
  derive_dynamics(data, force_total);
  derive_jacobians(data, force_total);
  derive_contacts(data);
  derive_bias(data);
}

void LagrangianSystem::check(const LagrangianData& data) {
  if (depends_on_any(data.graph, data.potential, data.v)) {
    throw InputError("the potential energy may depend on coordinates and time, not on velocities");
  }
  for (const LagrangianContact& contact : data.contacts) {
    if (depends_on_any(data.graph, contact.gap, data.v)) {
      throw InputError(
          fmt::format("the gap of '{}' may depend on coordinates and time, not on velocities",
                      contact.contact.name));
    }
  }
}

formula::Tape LagrangianSystem::make_tape(const LagrangianData& data,
                                          const std::vector<Expr>& outputs) const {
  std::vector<Expr> inputs = {data.t};
  inputs.insert(inputs.end(), data.q.begin(), data.q.end());
  inputs.insert(inputs.end(), data.v.begin(), data.v.end());
  return formula::Tape(data.graph, inputs, outputs);
}

void LagrangianSystem::derive_dynamics(LagrangianData& data, std::vector<Expr>& force_total) {
  Graph& graph = data.graph;
  const std::vector<Expr> p = graph.gradient(data.kinetic, data.v);
  const std::vector<Expr> M = jacobian(graph, p, data.v);
  for (Expr entry : M) {
    if (depends_on_any(graph, entry, data.v)) {
      throw InputError("the kinetic energy must be quadratic in the velocities");
    }
  }
  mass_ = make_tape(data, M);
  if (all_constant(graph, M)) constant_mass_ = constant_matrix(graph, M, nv_, nv_);

  const std::vector<Expr> dT_dq = graph.gradient(data.kinetic, data.q);
  const std::vector<Expr> dV_dq = graph.gradient(data.potential, data.q);
  const std::vector<Expr> dD_dv = graph.gradient(data.dissipation, data.v);
  std::vector<Expr> potential, inertial, damping;
  for (int i = 0; i < nv_; ++i) {
    const Expr transport =
        graph.add(graph.directional(p[i], data.q, data.v), graph.derivative(p[i], data.t));
    potential.push_back(graph.negate(dV_dq[i]));
    inertial.push_back(graph.subtract(dT_dq[i], transport));
    damping.push_back(graph.negate(dD_dv[i]));
    force_total.push_back(
        graph.add(graph.add(potential[i], inertial[i]), graph.add(damping[i], data.forces[i])));
  }
  std::vector<Expr> outputs = potential;
  outputs.insert(outputs.end(), inertial.begin(), inertial.end());
  outputs.insert(outputs.end(), damping.begin(), damping.end());
  outputs.insert(outputs.end(), data.forces.begin(), data.forces.end());
  forces_ = make_tape(data, outputs);

  Expr momentum_power = graph.constant(0);
  for (int i = 0; i < nv_; ++i)
    momentum_power = graph.add(momentum_power, graph.multiply(p[i], data.v[i]));
  const Expr kinetic = graph.subtract(momentum_power, data.kinetic);
  const Expr driving = graph.subtract(graph.derivative(data.potential, data.t),
                                      graph.derivative(data.kinetic, data.t));
  energies_ = make_tape(data, {kinetic, data.potential, driving});
}

void LagrangianSystem::derive_jacobians(LagrangianData& data,
                                        const std::vector<Expr>& force_total) {
  Graph& graph = data.graph;
  std::vector<Expr> K = jacobian(graph, force_total, data.q);
  std::vector<Expr> C = jacobian(graph, force_total, data.v);
  for (Expr& entry : K) entry = graph.negate(entry);
  for (Expr& entry : C) entry = graph.negate(entry);
  const bool constant = all_constant(graph, K) && all_constant(graph, C);
  if (constant) {
    constant_K_ = constant_matrix(graph, K, nv_, nv_);
    constant_C_ = constant_matrix(graph, C, nv_, nv_);
  }
  linear_ = constant && constant_mass_.size() > 0;
  K.insert(K.end(), C.begin(), C.end());
  jacobians_ = make_tape(data, K);
}

void LagrangianSystem::derive_contacts(LagrangianData& data) {
  Graph& graph = data.graph;
  std::vector<Expr> gaps, H, w;
  const std::vector<Expr> zero(nv_, graph.constant(0));
  for (const LagrangianContact& contact : data.contacts) {
    gaps.push_back(contact.gap);
    const std::vector<Expr> normal = graph.gradient(contact.gap, data.q);
    H.insert(H.end(), normal.begin(), normal.end());
    w.push_back(graph.derivative(contact.gap, data.t));
    for (Expr velocity : contact.tangents) {
      const std::vector<Expr> tangent = graph.gradient(velocity, data.v);
      for (Expr entry : tangent) {
        if (depends_on_any(graph, entry, data.v)) {
          throw InputError(
              fmt::format("the tangential velocity of '{}' must be affine in the velocities",
                          contact.contact.name));
        }
      }
      H.insert(H.end(), tangent.begin(), tangent.end());
      w.push_back(graph.substitute(velocity, data.v, zero));
    }
  }
  gaps_ = make_tape(data, gaps);
  auto varies = [&](Expr e) { return depends_on_any(graph, e, data.q); };
  moving_ = false;
  for (Expr e : w) moving_ = moving_ || graph.depends_on(e, data.t);
  for (Expr e : H) moving_ = moving_ || graph.depends_on(e, data.t);
  constant_map_ = all_constant(graph, H) && std::none_of(w.begin(), w.end(), varies);
  if (constant_map_) constant_H_ = constant_matrix(graph, H, nv_, static_cast<int>(w.size()));
  if (constant_map_) {
    map_ = make_tape(data, w);
  } else {
    H.insert(H.end(), w.begin(), w.end());
    map_ = make_tape(data, H);
  }
}

void LagrangianSystem::derive_bias(LagrangianData& data) {
  Graph& graph = data.graph;
  std::vector<Expr> rates;
  auto add_row = [&](Expr u) {  // u(t, q, v) along dq = v dt with v held
    rates.push_back(graph.add(graph.directional(u, data.q, data.v), graph.derivative(u, data.t)));
  };
  for (const LagrangianContact& contact : data.contacts) {
    add_row(graph.add(graph.directional(contact.gap, data.q, data.v),
                      graph.derivative(contact.gap, data.t)));
    for (Expr velocity : contact.tangents) add_row(velocity);
  }
  bias_ = make_tape(data, rates);
}

const double* LagrangianSystem::evaluate(const formula::Tape& tape, int outputs, double t,
                                         ConstVectorRef q, const double* v) const {
  const int inputs = 1 + 2 * nv_;
  double* memory = formula::scratch(inputs + outputs + tape.register_count());
  double* values = memory + inputs;
  double* registers = values + outputs;
  memory[0] = t;
  std::copy_n(q.data(), nv_, memory + 1);
  if (v) {
    std::copy_n(v, nv_, memory + 1 + nv_);
  } else {
    std::fill_n(memory + 1 + nv_, nv_, 0.0);
  }
  tape.prepare(registers);
  tape.evaluate(memory, values, registers);
  return values;
}

void LagrangianSystem::mass(double t, ConstVectorRef q, MatrixRef M) const {
  if (constant_mass_.size() > 0) {
    M = constant_mass_;
  } else {
    M = ConstMatrixMap(evaluate(mass_, nv_ * nv_, t, q, nullptr), nv_, nv_);
  }
}

void LagrangianSystem::forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  const double* values = evaluate(forces_, 4 * nv_, t, q, v.data());
  out.potential = ConstVectorMap(values, nv_);
  out.inertial = ConstVectorMap(values + nv_, nv_);
  out.damping = ConstVectorMap(values + 2 * nv_, nv_);
  out.external = ConstVectorMap(values + 3 * nv_, nv_);
}

void LagrangianSystem::jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                                 MatrixRef C) const {
  if (constant_K_.size() > 0) {
    K = constant_K_;
    C = constant_C_;
    return;
  }
  const double* values = evaluate(jacobians_, 2 * nv_ * nv_, t, q, v.data());
  K = ConstMatrixMap(values, nv_, nv_);
  C = ConstMatrixMap(values + nv_ * nv_, nv_, nv_);
}

Energies LagrangianSystem::energies(double t, ConstVectorRef q, ConstVectorRef v) const {
  const double* values = evaluate(energies_, 3, t, q, v.data());
  return {values[0], values[1], values[2]};
}

void LagrangianSystem::gaps(double t, ConstVectorRef q, VectorRef gap) const {
  if (gap.size() == 0) return;
  gap = ConstVectorMap(evaluate(gaps_, static_cast<int>(gap.size()), t, q, nullptr), gap.size());
}

void LagrangianSystem::contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const {
  const int rows = static_cast<int>(w.size());
  if (rows == 0) return;
  if (constant_map_) {
    H = constant_H_;
    w = ConstVectorMap(evaluate(map_, rows, t, q, nullptr), rows);
    return;
  }
  const double* values = evaluate(map_, nv_ * rows + rows, t, q, nullptr);
  H = ConstMatrixMap(values, nv_, rows);
  w = ConstVectorMap(values + nv_ * rows, rows);
}

void LagrangianSystem::contact_bias(double t, ConstVectorRef q, ConstVectorRef v,
                                    VectorRef b) const {
  if (b.size() == 0) return;
  b = ConstVectorMap(evaluate(bias_, static_cast<int>(b.size()), t, q, v.data()), b.size());
}

// Exact where all rows are gaps: their bias b(v) = v' g_qq v + 2 v' g_qt + g_tt is a quadratic
// form, so b(v + x) - b(v) - b(x) + b(0) = 2 v' g_qq x.
void LagrangianSystem::add_contact_stiffness(double t, ConstVectorRef q, ConstVectorRef r,
                                             MatrixRef K) const {
  if (constant_map_) return;
  if (r.size() > static_cast<int>(contacts_.size())) {
    return System::add_contact_stiffness(t, q, r, K);
  }
  Vector v = Vector::Zero(nv_), single(nv_), b(r.size());
  auto bias = [&](int i, int j, double size) {
    v[i] += size;
    v[j] += size;
    contact_bias(t, q, v, b);
    v[i] = v[j] = 0;
    return r.dot(b);
  };
  const double rest = bias(0, 0, 0);
  for (int i = 0; i < nv_; ++i) single[i] = bias(i, i, 0.5);
  for (int i = 0; i < nv_; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double curvature = 0.5 * (bias(i, j, 1) - single[i] - single[j] + rest);
      K(i, j) -= curvature;
      if (i != j) K(j, i) -= curvature;
    }
  }
}

int LagrangianSystem::instruction_count() const {
  return mass_.instruction_count() + forces_.instruction_count() + jacobians_.instruction_count() +
         energies_.instruction_count() + gaps_.instruction_count() + map_.instruction_count() +
         bias_.instruction_count();
}

}  // namespace clack
