// A ball against solids whose distance to a point has a closed formula.
#include <algorithm>
#include <cmath>

#include "clack/collide/narrow/pairs.hpp"

namespace clack::narrow {
namespace {

// Signed distance of a point to a solid, and the direction in which it grows.
struct PointDistance {
  double distance;
  Vector3 normal;  // unit
};

PointDistance point_box(const Vector3& half, const Vector3& point) {
  const Vector3 outside = point.cwiseAbs() - half;
  const Vector3 sign = point.unaryExpr([](double x) { return x < 0 ? -1.0 : 1.0; });
  int axis;
  if (const double most = outside.maxCoeff(&axis); most <= 0)
    return {most, sign[axis] * Vector3::Unit(axis)};
  const Vector3 across = outside.cwiseMax(0);
  const double distance = across.norm();
  return {distance, across.cwiseProduct(sign) / distance};
}

Vector3 radial(const Vector3& point) {
  const double rho = std::hypot(point.x(), point.y());
  return rho > 0 ? Vector3(point.x() / rho, point.y() / rho, 0) : Vector3::UnitX();
}

PointDistance point_cylinder(const Cylinder& s, const Vector3& point) {
  const double out = std::hypot(point.x(), point.y()) - s.radius;
  const double up = std::abs(point.z()) - s.half_length;
  const Vector3 axis(0, 0, point.z() < 0 ? -1 : 1);
  if (out <= 0 || up <= 0)
    return out > up ? PointDistance{out, radial(point)} : PointDistance{up, axis};
  const double distance = std::hypot(out, up);
  return {distance, (out * radial(point) + up * axis) / distance};
}

// In the half plane (rho, z): a triangle with the corners (0, base), (radius, base), (0, apex).
PointDistance point_cone(const ConeShape& s, const Vector3& point) {
  const Vector2 p(std::hypot(point.x(), point.y()), point.z());
  const Vector2 rim(s.radius, s.base()), tip(0, s.apex()), edge = tip - rim;
  const Vector2 side = Vector2(s.height, s.radius) / edge.norm();
  const double beside = side.dot(p - rim), below = s.base() - p.y();
  auto lift = [&](const Vector2& n) {
    return Vector3(n.x() * radial(point) + n.y() * Vector3::UnitZ());
  };
  if (beside <= 0 && below <= 0)
    return beside > below ? PointDistance{beside, lift(side)} : PointDistance{below, lift({0, -1})};
  if (below > 0 && p.x() <= s.radius) return {below, lift({0, -1})};
  const double along = std::clamp(edge.dot(p - rim) / edge.squaredNorm(), 0.0, 1.0);
  if (along > 0 && along < 1) return {beside, lift(side)};
  const Vector2 out = p - (along == 0 ? rim : tip);
  return {out.norm(), lift(out.normalized())};
}

void add_ball(const PointDistance& found, const Vector3& centre, double radius, double rounding,
              const Output& output) {
  const double gap = found.distance - radius - rounding;
  const Vector3 on_solid = centre - (found.distance - rounding) * found.normal;
  output.add(on_solid, centre - radius * found.normal, found.normal, gap, 0);
}

}  // namespace

void box_sphere(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                const Output& output) {
  const Vector3 centre = pose_a.to_body(pose_b.position);
  add_ball(point_box(a.as<Box>().half, centre), centre, b.as<Sphere>().radius, a.as<Box>().rounding,
           output);
}

void cylinder_sphere(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                     const Output& output) {
  const Vector3 centre = pose_a.to_body(pose_b.position);
  add_ball(point_cylinder(a.as<Cylinder>(), centre), centre, b.as<Sphere>().radius,
           a.as<Cylinder>().rounding, output);
}

void cone_sphere(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                 const Output& output) {
  const Vector3 centre = pose_a.to_body(pose_b.position);
  add_ball(point_cone(a.as<ConeShape>(), centre), centre, b.as<Sphere>().radius,
           a.as<ConeShape>().rounding, output);
}

}  // namespace clack::narrow
