// Inside hollow shapes. Poses are those of B in the frame of A, which is hollow.
#pragma once

#include "clack/collide/narrow/pairs.hpp"

namespace clack::narrow {

struct Circle {
  Vector3 centre, axis;  // axis: unit
  double radius;         // [m]
};

// Whether the part of B between the ends of the tube has its middle within `middle` of the axis.
bool stands_in_tube(const Tube& a, double middle, const Shape& b, const Pose& pose);
// Whether B, before one end of the tube, would pass through its mouth.
bool enters_tube(const Tube& a, const Shape& b, const Pose& pose);
void in_tube(const Tube& a, const Shape& b, const Pose& pose, const Output& output);

}  // namespace clack::narrow
