// Shapes whose inside is free: what holds a journal, a shaft or the ball of a joint. Bodies within
// touch the inner surface, which is one exact contact where parts of polygons would be many; bodies
// outside touch the `solid` that is left when the cavity is filled.
#pragma once

#include <memory>

#include "clack/model/pose.hpp"

namespace clack {

class Shape;

// The plane between two circles about the origin.
struct RingShape {
  RingShape(double inner, double outer);
  double inner, outer;  // radii [m]
  std::shared_ptr<const Shape> solid;
};

// The space between two cylinders about z, from -half_length to half_length.
struct Tube {
  Tube(double inner, double outer, double half_length);
  double inner, outer, half_length;  // [m]
  std::shared_ptr<const Shape> solid;
};

// The space between two spheres about the origin.
struct Socket {
  Socket(double inner, double outer);
  double inner, outer;  // radii [m]
  std::shared_ptr<const Shape> solid;
};

}  // namespace clack
