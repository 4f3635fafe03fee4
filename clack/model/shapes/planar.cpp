#include "clack/model/shapes/planar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/model/shapes/checks.hpp"

namespace clack {
namespace {

double cross(const Vector2& a, const Vector2& b) { return a.x() * b.y() - a.y() * b.x(); }

// Andrew's monotone chain; points on a side are left out.
std::vector<Vector2> convex_chain(const std::vector<Vector2>& sorted, double flat) {
  std::vector<Vector2> chain;
  for (const Vector2& point : sorted) {
    while (chain.size() >= 2) {
      const Vector2 last = chain.back() - chain[chain.size() - 2], next = point - chain.back();
      if (cross(last, next) > flat * last.norm() * next.norm()) break;
      chain.pop_back();
    }
    if (chain.empty() || chain.back() != point) chain.push_back(point);
  }
  return chain;
}

std::vector<Vector2> convex_hull(std::vector<Vector2> points) {
  constexpr double kFlat = 1e-12;  // sine of the least angle of a corner
  std::sort(points.begin(), points.end(), [](const Vector2& a, const Vector2& b) {
    return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
  });
  std::vector<Vector2> hull = convex_chain(points, kFlat);
  std::reverse(points.begin(), points.end());
  const std::vector<Vector2> upper = convex_chain(points, kFlat);
  hull.pop_back();
  hull.insert(hull.end(), upper.begin(), upper.end() - 1);
  return hull;
}

void check_points(const std::vector<Vector2>& points, std::string_view shape) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      throw InputError(fmt::format("vertex {} of the {} is ({}, {}); it must be finite", i, shape,
                                   points[i].x(), points[i].y()));
}

PlanarCore make_core(std::vector<Vector2> vertices, double rounding) {
  PlanarCore core{std::move(vertices), {}, rounding};
  const std::size_t n = core.vertices.size();
  for (std::size_t i = 0; i < n && n > 1; ++i) {
    const Vector2 edge = (core.vertices[(i + 1) % n] - core.vertices[i]).normalized();
    core.normals.emplace_back(edge.y(), -edge.x());
  }
  return core;
}

double polygon_area(const std::vector<Vector2>& vertices) {
  double twice = 0;
  for (std::size_t i = 1; i + 1 < vertices.size(); ++i)
    twice += cross(vertices[i] - vertices[0], vertices[i + 1] - vertices[0]);
  return 0.5 * twice;
}

}  // namespace

Disc::Disc(double r) : radius(r) {
  shapes::require_positive(radius, "radius", "disc");
  core = make_core({Vector2::Zero()}, radius);
}

PlanarCapsule::PlanarCapsule(double r, double half) : radius(r), half_length(half) {
  shapes::require_positive(radius, "radius", "planar capsule");
  shapes::require_positive(half_length, "half_length", "planar capsule");
  core = make_core({Vector2(-half, 0), Vector2(half, 0)}, radius);
}

Polygon::Polygon(const std::vector<Vector2>& points, double rounding) {
  shapes::require_not_negative(rounding, "rounding", "polygon");
  check_points(points, "polygon");
  if (points.size() < 3)
    throw InputError(
        fmt::format("the polygon has {} vertices; it needs at least 3", points.size()));
  std::vector<Vector2> hull = convex_hull(points);
  double longest = 0;
  for (const Vector2& vertex : hull) longest = std::max(longest, (vertex - hull[0]).squaredNorm());
  if (hull.size() < 3 || !(polygon_area(hull) > 1e-12 * longest))
    throw InputError("the polygon has no area: its vertices lie on one line");
  core = make_core(std::move(hull), rounding);
}

Segment::Segment(const Vector2& start, const Vector2& end, double rounding) {
  shapes::require_not_negative(rounding, "rounding", "segment");
  check_points({start, end}, "segment");
  if (start == end) throw InputError("the ends of the segment are one point");
  core = make_core({start, end}, rounding);
}

Line::Line(const Vector2& direction, double distance) : normal(direction), offset(distance) {
  const double length = normal.stableNorm();
  if (!(length > 0) || !std::isfinite(length))
    throw InputError(fmt::format("normal of the line is ({}, {}); it must be finite and not 0",
                                 normal.x(), normal.y()));
  normal /= length;
  if (!std::isfinite(offset))
    throw InputError(fmt::format("offset of the line is {}; it must be finite", offset));
}

}  // namespace clack
