// How far one contact is from its law.
#pragma once

#include <algorithm>

#include "clack/problem/residual.hpp"

namespace clack {

// Natural map of a one-contact problem relative to |r| and |b|, with the contact's own step.
inline double local_error(const Cone& cone, const Matrix& W, const Vector& b, const Vector& r) {
  const Vector u = W * r + b;
  const double rho = 1 / largest_eigenvalue(W.data(), cone.dim());
  return natural_map_norm(cone, r.data(), u.data(), rho) / std::max(r.norm(), rho * b.norm());
}

}  // namespace clack
