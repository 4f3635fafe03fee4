#include "clack/collide/narrow/convex.hpp"

#include <algorithm>
#include <cmath>

namespace clack::narrow {
namespace {

constexpr int kClimb = 32;  // more vertices: walk along edges instead of looking at all
constexpr int kRim = 8;     // points that stand for a circle

Support polytope_support(const PolytopeView& p, const Vector3& direction, int start) {
  Support best{p.vertices[0], 0};
  double most = best.point.dot(direction);
  const int count = static_cast<int>(p.vertices.size());
  if (count <= kClimb || p.neighbour_begin.empty()) {
    for (int i = 1; i < count; ++i) {
      const double value = p.vertices[i].dot(direction);
      if (value > most) most = value, best.index = i;
    }
  } else {
    best.index = start;
    most = p.vertices[start].dot(direction);
    for (bool better = true; better;) {
      better = false;
      const int here = best.index;
      for (int k = p.neighbour_begin[here]; k < p.neighbour_begin[here + 1]; ++k) {
        const double value = p.vertices[p.neighbours[k]].dot(direction);
        if (value > most) most = value, best.index = p.neighbours[k], better = true;
      }
    }
  }
  best.point = p.vertices[best.index];
  return best;
}

// The point of the circle that is outermost in `direction`; on the x axis where all are.
Vector3 rim_point(double radius, double z, const Vector3& direction) {
  const double length = std::hypot(direction.x(), direction.y());
  if (!(length > 0)) return {radius, 0, z};
  return {radius * direction.x() / length, radius * direction.y() / length, z};
}

void rim_patch(double radius, double z, const Vector3& direction, Patch& patch) {
  const Vector3 first = rim_point(radius, z, direction);
  patch.points.clear();
  patch.ids.clear();
  for (int i = 0; i < kRim; ++i) {
    const double angle = (z > 0 ? 1 : -1) * 2 * M_PI * i / kRim, c = std::cos(angle),
                 s = std::sin(angle);
    patch.points.emplace_back(c * first.x() - s * first.y(), s * first.x() + c * first.y(), z);
    patch.ids.push_back(i);
  }
}

void line_patch(const Vector3& a, const Vector3& b, int id, Patch& patch) {
  patch.points.assign({a, b});
  patch.ids.assign({0, 1});
  patch.id = id;
}

void point_patch(const Support& support, Patch& patch) {
  patch.points.assign({support.point});
  patch.ids.assign({support.index});
  patch.id = support.index;
}

constexpr int kLower = 0, kUpper = 1,
              kSide = 2;  // faces and the curved side of a solid of revolution

}  // namespace

Convex::Convex(const PolytopeView& view, double round)
    : core(Core::polytope), polytope(view), rounding(round), size(0) {
  double most = 0;
  for (const Vector3& vertex : polytope.vertices) {
    most = std::max(most, vertex.squaredNorm());
    centre += vertex;
  }
  centre /= static_cast<double>(polytope.vertices.size());
  size = std::sqrt(most);
}

Convex::Convex(const Cylinder& c)
    : core(Core::cylinder),
      radius(c.radius),
      low(-c.half_length),
      high(c.half_length),
      rounding(c.rounding),
      size(std::hypot(c.radius, c.half_length)) {}

Convex::Convex(const ConeShape& c)
    : core(Core::cone),
      radius(c.radius),
      low(c.base()),
      high(c.apex()),
      rounding(c.rounding),
      size(std::max(c.apex(), std::hypot(c.radius, c.base()))) {}

Support Convex::support(const Vector3& direction, int start) const {
  switch (core) {
    case Core::polytope:
      return polytope_support(polytope, direction, start);
    case Core::cylinder:
      return {rim_point(radius, direction.z() > 0 ? high : low, direction),
              direction.z() > 0 ? kHighRim : kLowRim};
    case Core::cone:
      break;
  }
  const double across = std::hypot(direction.x(), direction.y());
  if (direction.z() * high > radius * across + direction.z() * low)
    return {Vector3(0, 0, high), kApex};
  return {rim_point(radius, low, direction), kLowRim};
}

bool Convex::nearest_face(const Vector3& direction, Vector3& normal, int& face) const {
  if (core == Core::polytope) {
    double most = -2;
    for (int i = 0; i < static_cast<int>(polytope.faces.size()); ++i) {
      const double value = polytope.faces[i].normal.dot(direction);
      if (value > most) most = value, face = i;
    }
    if (most > -2) normal = polytope.faces[face].normal;
    return most > -2;
  }
  face = core == Core::cylinder && direction.z() > 0 ? kUpper : kLower;
  normal = Vector3(0, 0, face == kUpper ? 1 : -1);
  return true;
}

void Convex::face_patch(int face, const Vector3& direction, Patch& patch) const {
  patch.id = face;
  if (core != Core::polytope)
    return rim_patch(radius, face == kUpper ? high : low, direction, patch);
  patch.points.clear();
  patch.ids.clear();
  for (int i = polytope.faces[face].begin; i < polytope.faces[face].end; ++i) {
    patch.points.push_back(polytope.vertices[polytope.loops[i]]);
    patch.ids.push_back(polytope.loops[i]);
  }
}

void Convex::incident_patch(const Vector3& direction, Patch& patch) const {
  if (core == Core::polytope) {
    Vector3 normal;
    int face;
    if (nearest_face(direction, normal, face)) return face_patch(face, direction, patch);
    if (polytope.vertices.size() == 2)
      return line_patch(polytope.vertices[0], polytope.vertices[1], 0, patch);
    return point_patch(support(direction), patch);
  }
  // The side is turned more to `direction` than the flat end where its normal is nearer.
  const double across = std::hypot(direction.x(), direction.y());
  const double slope = core == Core::cone ? radius / (high - low) : 0;
  const double side = (across + slope * direction.z()) / std::sqrt(1 + slope * slope);
  const double flat = core == Core::cone ? -direction.z() : std::abs(direction.z());
  if (flat >= side)
    return face_patch(core == Core::cylinder && direction.z() > 0 ? kUpper : kLower, direction,
                      patch);
  const Vector3 tip = core == Core::cone ? Vector3(0, 0, high) : rim_point(radius, high, direction);
  line_patch(rim_point(radius, low, direction), tip, kSide, patch);
}

void Convex::outermost_patch(const Vector3& direction, double tolerance, Patch& patch) const {
  const Support best = support(direction);
  const double least = best.point.dot(direction) - tolerance;
  if (core == Core::polytope) {
    patch.points.clear();
    patch.ids.clear();
    for (int i = 0; i < static_cast<int>(polytope.vertices.size()); ++i) {
      if (polytope.vertices[i].dot(direction) < least) continue;
      patch.points.push_back(polytope.vertices[i]);
      patch.ids.push_back(i);
    }
    patch.id = patch.ids[0] + 256 * patch.ids.back();
    return;
  }
  incident_patch(direction, patch);
  for (const Vector3& point : patch.points)
    if (point.dot(direction) < least) return point_patch(best, patch);
}

Convex make_convex(const Shape& shape) {
  static const Polytope kPoint = make_point_polytope();
  switch (shape.kind()) {
    case ShapeKind::capsule:
      return Convex(shape.as<Capsule>().core.view(), shape.as<Capsule>().radius);
    case ShapeKind::cylinder:
      return Convex(shape.as<Cylinder>());
    case ShapeKind::cone:
      return Convex(shape.as<ConeShape>());
    case ShapeKind::box:
      return Convex(shape.as<Box>().core.view(), shape.as<Box>().rounding);
    case ShapeKind::polyhedron:
      return Convex(shape.as<Polyhedron>().core.view(), shape.as<Polyhedron>().rounding);
    default:
      return Convex(kPoint.view(), shape.as<Sphere>().radius);
  }
}

}  // namespace clack::narrow
