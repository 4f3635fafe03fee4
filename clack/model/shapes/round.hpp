// Shapes of revolution about their z axis, and the sphere.
#pragma once

#include "clack/model/shapes/polytope.hpp"

namespace clack {

struct Sphere {
  explicit Sphere(double radius);
  double radius;  // [m]
};

// All points within `radius` of the segment from -half_length to half_length on z.
struct Capsule {
  Capsule(double radius, double half_length);
  double radius, half_length;  // [m]; half_length without the caps
  Polytope core;               // the segment
};

struct Cylinder {
  Cylinder(double radius, double half_length, double rounding = 0);
  double radius, half_length;  // [m]
  double rounding;             // contact radius: Minkowski sum with a ball [m]
};

// Base at z = -height/4, apex at z = 3/4 height: the origin is the centre of mass (without
// rounding).
// Not `Cone`: that is a cone of impulses (clack/core/cone.hpp).
struct ConeShape {
  ConeShape(double radius, double height, double rounding = 0);
  double radius, height;  // of the base; [m]
  double rounding;        // [m]
  double base() const { return -0.25 * height; }
  double apex() const { return 0.75 * height; }
};

}  // namespace clack
