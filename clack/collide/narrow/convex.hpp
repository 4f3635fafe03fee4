// A convex body as the general narrow phase sees it: a core (polytope, cylinder or cone) and a ball
// added to it. The surface of the body is `rounding` away from the core.
#pragma once

#include <vector>

#include "clack/model/shapes/shape.hpp"

namespace clack::narrow {

struct Support {
  Vector3 point;
  int index = -1;  // vertex of a polytope; kLowRim, kHighRim or kApex of a solid of revolution
};
inline constexpr int kLowRim = -1, kHighRim = -2, kApex = -3;

// The part of a core that is outermost in some direction: a face, an edge or a vertex.
struct Patch {
  std::vector<Vector3> points;  // a loop of 3 or more, the ends of an edge, or one vertex
  std::vector<int> ids;         // of the points
  int id = 0;                   // of the patch
};

struct Convex {
  enum class Core { polytope, cylinder, cone };

  explicit Convex(const PolytopeView& view, double round);
  explicit Convex(const Cylinder& cylinder);
  explicit Convex(const ConeShape& cone);

  Support support(const Vector3& direction, int start = 0) const;
  double reach(const Vector3& direction) const { return support(direction).point.dot(direction); }

  // The flat face whose normal is nearest to `direction`; false where there is none.
  bool nearest_face(const Vector3& direction, Vector3& normal, int& face) const;
  // The face with that number as a loop.
  void face_patch(int face, const Vector3& direction, Patch& patch) const;
  // The face or edge that is turned most to `direction`, whatever the angle.
  void incident_patch(const Vector3& direction, Patch& patch) const;
  // All that lies within `tolerance` [m] of the outermost point.
  void outermost_patch(const Vector3& direction, double tolerance, Patch& patch) const;

  Core core;
  PolytopeView polytope;
  double radius = 0, low = 0, high = 0;  // of a cylinder or cone: on z from low to high [m]
  double rounding;
  Vector3 centre = Vector3::Zero();  // a point inside
  double size;                       // of the core: largest distance from the origin [m]
};

// A view of a shape with a convex core; the shape must outlive it. Not for planes and surfaces.
Convex make_convex(const Shape& shape);

}  // namespace clack::narrow
