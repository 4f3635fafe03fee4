#include "clack/model/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "clack/core/formula/scratch.hpp"

namespace clack {

Forces::Forces(int nv)
    : potential(Vector::Zero(nv)),
      inertial(Vector::Zero(nv)),
      damping(Vector::Zero(nv)),
      external(Vector::Zero(nv)),
      total(Vector::Zero(nv)) {}

void Forces::set_total() { total = potential + inertial + damping + external; }

int System::rows() const {
  int sum = 0;
  for (const Contact& contact : contacts_) sum += contact.dim();
  return sum;
}

std::string System::coordinate_name(int i) const { return fmt::format("q{}", i + 1); }

void System::jacobians(double, ConstVectorRef, ConstVectorRef, MatrixRef K, MatrixRef C) const {
  K.setZero();
  C.setZero();
}

namespace {

void add_entries(const Matrix& A, MatrixEntries& entries) {
  for (int j = 0; j < A.cols(); ++j) {
    for (int i = 0; i < A.rows(); ++i) {
      if (A(i, j) != 0) entries.emplace_back(i, j, A(i, j));
    }
  }
}

}  // namespace

void System::mass_entries(double t, ConstVectorRef q, MatrixEntries& M) const {
  Matrix dense(nv(), nv());
  mass(t, q, dense);
  add_entries(dense, M);
}

void System::jacobian_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                              MatrixEntries& C) const {
  Matrix stiffness(nv(), nv()), damping(nv(), nv());
  jacobians(t, q, v, stiffness, damping);
  add_entries(stiffness, K);
  add_entries(damping, C);
}

void evaluate_mass(const System& system, double t, ConstVectorRef q, SystemMatrix& M) {
  if (!M.is_sparse()) return system.mass(t, q, M.dense());
  MatrixEntries entries;
  system.mass_entries(t, q, entries);
  M.set(entries);
}

void evaluate_jacobians(const System& system, double t, ConstVectorRef q, ConstVectorRef v,
                        SystemMatrix& K, SystemMatrix& C) {
  if (!K.is_sparse()) return system.jacobians(t, q, v, K.dense(), C.dense());
  MatrixEntries stiffness, damping;
  system.jacobian_entries(t, q, v, stiffness, damping);
  K.set(stiffness);
  C.set(damping);
}

Energies System::energies(double t, ConstVectorRef q, ConstVectorRef v) const {
  MatrixMap M(formula::scratch(nv() * nv()), nv(), nv());
  mass(t, q, M);
  Energies result;
  for (int j = 0; j < nv(); ++j) result.kinetic += 0.5 * v[j] * M.col(j).dot(v);
  return result;
}

void System::gaps(double, ConstVectorRef, VectorRef gap) const { gap.setConstant(HUGE_VAL); }

void System::contact_map(double, ConstVectorRef, MatrixRef H, VectorRef w) const {
  H.setZero();
  w.setZero();
}

void System::contact_rows(double t, ConstVectorRef q, ContactMap& H, VectorRef w) const {
  Matrix dense(nv(), rows());
  contact_map(t, q, dense, w);
  H.add_rows(dense, 0);
}

void System::contact_bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) const {
  b.setZero();
  if (b.size() == 0 || (has_constant_contact_map() && !has_moving_contacts())) return;
  Matrix H(nv(), b.size());
  Vector w(b.size()), q_moved(q.size());
  // Richardson's central difference: f' = (8 (f(d) - f(-d)) - (f(2d) - f(-2d)))/12d.
  const double step = 1e-3 / (1 + v.cwiseAbs().maxCoeff());
  for (const auto& [shift, weight] : {std::pair(1, 8.0), {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
    advance(q, shift * step * v, q_moved);
    contact_map(t + shift * step, q_moved, H, w);
    b += weight / (12 * step) * (H.transpose() * v + w);
  }
}

void System::add_contact_stiffness(double t, ConstVectorRef q, ConstVectorRef r,
                                   MatrixRef K) const {
  constexpr double kDifference = 6e-6;  // cube root of round-off: central differences
  if (r.size() == 0 || has_constant_contact_map()) return;
  Matrix H(nv(), r.size());
  Vector w(r.size()), q_moved(q.size()), direction = Vector::Zero(nv());
  for (int j = 0; j < nv(); ++j) {
    const double step = kDifference * std::max(1.0, j < q.size() ? std::abs(q[j]) : 0.0);
    for (const double side : {-1.0, 1.0}) {
      direction[j] = side * step;
      advance(q, direction, q_moved);
      contact_map(t, q_moved, H, w);
      K.col(j) -= side / (2 * step) * (H * r);
    }
    direction[j] = 0;
  }
}

void System::advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const {
  q_next = q + dq;
}

void System::difference(ConstVectorRef q_next, ConstVectorRef q, VectorRef dq) const {
  dq = q_next - q;
}

namespace {

// Of the coordinates along a displacement, by Richardson's central difference of advance().
void advance_rate(const System& system, ConstVectorRef q, const Vector& direction, VectorRef rate) {
  constexpr double kStep = 1e-3;
  Vector moved(q.size());
  rate.setZero();
  for (const auto& [shift, weight] : {std::pair(1, 8.0), {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
    system.advance(q, shift * kStep * direction, moved);
    rate += weight / (12 * kStep) * moved;
  }
}

}  // namespace

void System::coordinate_rates(ConstVectorRef q, ConstVectorRef v, VectorRef rates) const {
  if (nq() == nv()) {
    rates = v;
    return;
  }
  const double speed = v.norm();
  if (!(speed > 0)) {
    rates.setZero();
    return;
  }
  advance_rate(*this, q, v / speed, rates);
  rates *= speed;
}

void System::pull_back(ConstVectorRef q, ConstVectorRef gradient, VectorRef force) const {
  if (nq() == nv()) {
    force = gradient;
    return;
  }
  Vector rate(nq());
  for (int i = 0; i < nv(); ++i) {
    advance_rate(*this, q, Vector::Unit(nv(), i), rate);
    force[i] = gradient.dot(rate);
  }
}

}  // namespace clack
