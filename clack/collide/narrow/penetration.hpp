// Separation of convex cores that touch or overlap: the unit normal with the largest separation
// (the least depth), in the frame of A.                                              (eq:depth)
#pragma once

#include "clack/collide/narrow/gjk.hpp"

namespace clack::narrow {

struct Axis {
  double separation;           // of the cores [m]; < 0: overlap
  Vector3 normal;              // unit, from A to B
  int arc_a = -1, arc_b = -1;  // arcs of the two edges, where edges touch
};

// Polytopes: all face normals and all pairs of edges that can touch; exact.
Axis deepest_axis(const Difference& difference);
// Two boxes by their 15 axes. Stops at the first axis with a separation beyond `limit`.
Axis deepest_box_axis(const Vector3& half_a, const Vector3& half_b, const Pose& pose, double limit);
// Any two cores, one of them with volume: the expanding polytope, then refined.
Axis expand_polytope(const Difference& difference, const Simplex& start);

// A face takes the place of an axis where its normal is that near and its separation that good.
struct Snap {
  double angle;       // [rad]
  double separation;  // by how much it may be less [m]
};
Axis snap_to_faces(const Difference& difference, const Axis& axis, const Snap& snap);

}  // namespace clack::narrow
