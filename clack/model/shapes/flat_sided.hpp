// Shapes with flat sides: half space, box, convex polyhedron.
#pragma once

#include <vector>

#include "clack/model/shapes/polytope.hpp"

namespace clack {

// The half space normal . x <= offset.
struct Plane {
  explicit Plane(const Vector3& normal = Vector3::UnitZ(), double offset = 0);
  Vector3 normal;  // unit, out of the solid; any length is accepted and made 1
  double offset;   // [m]
};

struct Box {
  explicit Box(const Vector3& half, double rounding = 0);
  Vector3 half;     // half of its sides [m]
  double rounding;  // contact radius: Minkowski sum with a ball [m]
  Polytope core;
};

// The convex hull of points. Faces that lie in one plane are one face.
struct Polyhedron {
  explicit Polyhedron(const std::vector<Vector3>& points, double rounding = 0);
  double rounding;  // [m]
  Polytope core;
};

// Hull by Qhull in coordinates of unit size. Throws InputError where the points have no volume.
Polytope make_hull(const std::vector<Vector3>& points);

}  // namespace clack
