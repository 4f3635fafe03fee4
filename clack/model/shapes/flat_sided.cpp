#include "clack/model/shapes/flat_sided.hpp"

#include <fmt/format.h>

#include <cmath>

#include "clack/core/error.hpp"
#include "clack/model/shapes/checks.hpp"

namespace clack {

using shapes::require_not_negative, shapes::require_positive;

Plane::Plane(const Vector3& direction, double distance) : normal(direction), offset(distance) {
  const double length = normal.stableNorm();
  if (!(length > 0) || !std::isfinite(length)) {
    throw InputError(fmt::format("normal of the plane is ({}, {}, {}); it must be finite and not 0",
                                 normal.x(), normal.y(), normal.z()));
  }
  normal /= length;
  if (!std::isfinite(offset))
    throw InputError(fmt::format("offset of the plane is {}; it must be finite", offset));
}

Box::Box(const Vector3& sides, double round) : half(sides), rounding(round) {
  for (const double side : half) require_positive(side, "half side", "box");
  require_not_negative(rounding, "rounding", "box");
  core = make_box_polytope(half);
}

Polyhedron::Polyhedron(const std::vector<Vector3>& points, double round) : rounding(round) {
  require_not_negative(rounding, "rounding", "polyhedron");
  core = make_hull(points);
}

}  // namespace clack
