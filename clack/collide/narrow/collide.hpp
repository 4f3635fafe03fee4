// The narrow phase: where and how two bodies touch.
#pragma once

#include "clack/collide/contact_point.hpp"
#include "clack/model/shapes/shape.hpp"

namespace clack {

// Fills `manifold` with the contact points of gap <= margin [m]. Normals point from A to B. Both
// shapes are of the plane or both of space; a pair of fixed shapes (plane, line, height field)
// gives no points. Nothing is allocated once the manifold has grown to its size. Which pair does
// what: docs/theory/collision.md.
void collide(const Shape& shape_a, const Pose& pose_a, const Shape& shape_b, const Pose& pose_b,
             double margin, Manifold& manifold);

}  // namespace clack
