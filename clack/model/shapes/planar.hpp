// Shapes of the plane z = 0.
#pragma once

#include <vector>

#include "clack/model/pose.hpp"

namespace clack {

using Vector2 = Eigen::Vector2d;

// A convex polygon with rounded corners. One vertex makes a disc, two a capsule: the narrow phase
// of the plane knows this form only.
struct PlanarCore {
  std::vector<Vector2> vertices;  // anticlockwise [m]
  std::vector<Vector2> normals;   // unit, outward, of the edge i, i+1; of a segment: both sides
  double rounding = 0;            // [m]
};

struct Disc {
  explicit Disc(double radius);
  double radius;  // [m]
  PlanarCore core;
};

// All points of the plane within `radius` of the segment from -half_length to half_length on x.
struct PlanarCapsule {
  PlanarCapsule(double radius, double half_length);
  double radius, half_length;  // [m]
  PlanarCore core;
};

// The convex hull of points of the plane.
struct Polygon {
  explicit Polygon(const std::vector<Vector2>& points, double rounding = 0);
  PlanarCore core;
};

// A wall without thickness from `start` to `end`, touched from both sides.
struct Segment {
  Segment(const Vector2& start, const Vector2& end, double rounding = 0);
  PlanarCore core;
};

// The half plane normal . x <= offset.
struct Line {
  explicit Line(const Vector2& normal = Vector2::UnitY(), double offset = 0);
  Vector2 normal;  // unit
  double offset;   // [m]
};

}  // namespace clack
