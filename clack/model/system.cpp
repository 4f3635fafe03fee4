#include "clack/model/system.hpp"

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

void System::jacobians(double, ConstVectorRef, ConstVectorRef, MatrixRef K, MatrixRef C) const {
  K.setZero();
  C.setZero();
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

void System::advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const {
  q_next = q + dq;
}

}  // namespace clack
