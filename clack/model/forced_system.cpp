#include "clack/model/forced_system.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

ForcedSystem::ForcedSystem(std::shared_ptr<const System> system,
                           std::shared_ptr<const AppliedForce> force)
    : system_(std::move(system)), force_(std::move(force)) {
  contacts_ = system_->contacts();
}

void ForcedSystem::forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  system_->forces(t, q, v, out);
  Vector Q = Vector::Zero(nv());
  force_->compute(t, q, v, Q);
  out.external += Q;
}

// Forward differences; an error of their size costs passes of Newton's method, not accuracy.
void ForcedSystem::jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                             MatrixRef C) const {
  constexpr double kDifference = 1e-7;
  system_->jacobians(t, q, v, K, C);
  const int n = nv();
  Vector base = Vector::Zero(n), moved = Vector::Zero(n), direction = Vector::Zero(n), x(v);
  Vector q_moved(q);
  force_->compute(t, q, v, base);
  for (int j = 0; j < n; ++j) {
    direction[j] = kDifference * std::max(1.0, j < q.size() ? std::abs(q[j]) : 0.0);
    system_->advance(q, direction, q_moved);
    force_->compute(t, q_moved, v, moved);
    K.col(j) -= (moved - base) / direction[j];
    direction[j] = 0;
    const double step = kDifference * std::max(1.0, std::abs(v[j]));
    x[j] = v[j] + step;
    force_->compute(t, q, x, moved);
    C.col(j) -= (moved - base) / step;
    x[j] = v[j];
  }
}

}  // namespace clack
