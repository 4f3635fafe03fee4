#include "clack/model/shapes/round.hpp"

#include "clack/model/shapes/checks.hpp"

namespace clack {

using shapes::require_not_negative, shapes::require_positive;

Sphere::Sphere(double r) : radius(r) { require_positive(radius, "radius", "sphere"); }

Capsule::Capsule(double r, double half) : radius(r), half_length(half) {
  require_positive(radius, "radius", "capsule");
  require_positive(half_length, "half_length", "capsule");
  core = make_segment_polytope(half_length);
}

Cylinder::Cylinder(double r, double half, double round)
    : radius(r), half_length(half), rounding(round) {
  require_positive(radius, "radius", "cylinder");
  require_positive(half_length, "half_length", "cylinder");
  require_not_negative(rounding, "rounding", "cylinder");
}

ConeShape::ConeShape(double r, double h, double round) : radius(r), height(h), rounding(round) {
  require_positive(radius, "radius", "cone");
  require_positive(height, "height", "cone");
  require_not_negative(rounding, "rounding", "cone");
}

}  // namespace clack
