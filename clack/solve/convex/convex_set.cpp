#include "clack/solve/convex/convex_set.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

void ConeSet::project(Vector& x) const {
  for (std::size_t c = 0; c < cones_.size(); ++c) {
    cones_[c].project(x.data() + offset_[c], x.data() + offset_[c]);
  }
}

void CylinderSet::set(const Vector& theta, Frozen frozen, const Vector* values) {
  theta_ = &theta;
  frozen_ = frozen;
  values_ = values;
}

void CylinderSet::project_contact(int contact, double* x) const {
  const Cone& cone = cones_[contact];
  if (cone.is_free()) return;
  const int begin = offset_[contact];
  x[0] = frozen_ == Frozen::normal ? (*values_)[begin] : std::max(x[0], 0.0);
  for (int i = 0; i < cone.disc_count(); ++i) {
    const Cone::Disc disc = cone.disc(i);
    double* y = x + disc.begin;
    if (frozen_ == Frozen::tangential) {
      for (int k = 0; k < disc.dim; ++k) y[k] = (*values_)[begin + disc.begin + k];
      continue;
    }
    const double radius = disc.radius * (*theta_)[contact];
    const double length = disc.norm(x);
    if (length <= radius) continue;
    for (int k = 0; k < disc.dim; ++k) y[k] *= radius / length;
  }
}

void CylinderSet::project(Vector& x) const {
  for (std::size_t c = 0; c < cones_.size(); ++c) {
    project_contact(static_cast<int>(c), x.data() + offset_[c]);
  }
}

}  // namespace clack
