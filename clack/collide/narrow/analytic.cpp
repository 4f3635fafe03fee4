// Pairs with closed formulas: spheres, capsules, planes.
#include <algorithm>
#include <cmath>

#include "clack/collide/narrow/pairs.hpp"

namespace clack::narrow {
namespace {

// A ball of radius_a about `a` and one of radius_b about `b`, both in the surroundings.
void add_balls(const Vector3& a, double radius_a, const Vector3& b, double radius_b,
               const Output& output, std::uint64_t feature) {
  const Vector3 between = b - a;
  const double squared = between.squaredNorm(), reach = radius_a + radius_b + output.margin;
  if (squared > reach * reach) return;
  const double distance = std::sqrt(squared);
  // Coincident centres: every normal is right, one is chosen.
  const Vector3 normal = distance > 0 ? Vector3(between / distance) : Vector3::UnitZ();
  const double gap = distance - radius_a - radius_b;
  output.add_outside(a + (radius_a + 0.5 * gap) * normal, normal, gap, feature);
}

struct Axis2 {
  Vector3 start, along;  // from one end to the other
};

Axis2 axis_of(const Shape& capsule, const Pose& pose) {
  const Vector3 half = capsule.as<Capsule>().half_length * pose.rotation.col(2);
  return {pose.position - half, 2 * half};
}

double nearest_parameter(const Axis2& segment, const Vector3& point) {
  const double t = segment.along.dot(point - segment.start) / segment.along.squaredNorm();
  return std::clamp(t, 0.0, 1.0);
}

// Parameters of the nearest points of two segments (Ericson, Real-Time Collision Detection, 5.1.9).
void nearest_on_segments(const Axis2& p, const Axis2& q, double& s, double& t) {
  const Vector3 between = p.start - q.start;
  const double a = p.along.squaredNorm(), e = q.along.squaredNorm(), b = p.along.dot(q.along);
  const double c = p.along.dot(between), f = q.along.dot(between);
  const Vector3 across = p.along.cross(q.along);
  const double denominator = across.squaredNorm();  // a e - b b without cancellation
  s = denominator > 1e-20 * a * e
          ? std::clamp(across.dot((q.start - p.start).cross(q.along)) / denominator, 0.0, 1.0)
          : std::clamp(-c / a, 0.0, 1.0);
  t = (b * s + f) / e;
  if (t < 0) t = 0, s = std::clamp(-c / a, 0.0, 1.0);
  if (t > 1) t = 1, s = std::clamp((b - c) / a, 0.0, 1.0);
}

}  // namespace

void sphere_sphere(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                   const Output& output) {
  add_balls(pose_a.position, a.as<Sphere>().radius, pose_b.position, b.as<Sphere>().radius, output,
            0);
}

void sphere_capsule(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                    const Output& output) {
  const Axis2 axis = axis_of(b, pose_b);
  const Vector3 nearest = axis.start + nearest_parameter(axis, pose_a.position) * axis.along;
  if (nearest == pose_a.position) {  // on the axis: out by the side
    const double radius = a.as<Sphere>().radius, gap = -radius - b.as<Capsule>().radius;
    const Vector3 normal = pose_b.rotation.col(0);
    output.add_outside(nearest + (radius + 0.5 * gap) * normal, normal, gap, 0);
    return;
  }
  add_balls(pose_a.position, a.as<Sphere>().radius, nearest, b.as<Capsule>().radius, output, 0);
}

void capsule_capsule(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                     const Output& output) {
  constexpr double kSideBySide = 0.02;  // sine of the angle up to which two points are given
  const double radius_a = a.as<Capsule>().radius, radius_b = b.as<Capsule>().radius;
  const Axis2 p = axis_of(a, pose_a), q = axis_of(b, pose_b);
  double s, t;
  nearest_on_segments(p, q, s, t);
  const Vector3 on_p = p.start + s * p.along, on_q = q.start + t * q.along;
  const double length = p.along.norm(), other = q.along.norm();
  const Vector3 across = p.along.cross(q.along);
  if ((on_q - on_p).norm() < 1e-14 * (length + other)) {  // axes that cross: out across both
    Vector3 normal = across.norm() > 1e-12 * length * other ? Vector3(across.normalized())
                                                            : pose_a.rotation.col(0);
    const double gap = -radius_a - radius_b;
    output.add_outside(on_p + (radius_a + 0.5 * gap) * normal, normal, gap, 0);
    return;
  }
  if (across.norm() > kSideBySide * length * other)
    return add_balls(on_p, radius_a, on_q, radius_b, output, 0);
  // Nearly parallel: the ends of the part where they lie side by side.
  double from = p.along.dot(q.start - p.start) / (length * length);
  double to = p.along.dot(q.start + q.along - p.start) / (length * length);
  if (from > to) std::swap(from, to);
  from = std::clamp(from, 0.0, 1.0);
  to = std::clamp(to, 0.0, 1.0);
  const bool short_overlap = to - from < 1e-6;
  if (short_overlap || (s != from && s != to)) add_balls(on_p, radius_a, on_q, radius_b, output, 0);
  if (short_overlap) return;
  for (const double end : {from, to}) {
    const Vector3 point = p.start + end * p.along;
    add_balls(point, radius_a, q.start + nearest_parameter(q, point) * q.along, radius_b, output,
              end == from ? 1 : 2);
  }
}

void plane_sphere(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                  const Output& output) {
  const Plane& plane = a.as<Plane>();
  const Vector3 normal = pose_a.rotation * plane.normal;
  const double height = normal.dot(pose_b.position - pose_a.position) - plane.offset;
  const double gap = height - b.as<Sphere>().radius;
  output.add_outside(pose_b.position - (height - 0.5 * gap) * normal, normal, gap, 0);
}

namespace {

// A point of the core of a body against a plane, in the frame of the plane.
struct PlaneContact {
  const Plane& plane;
  const Pose& pose;  // of the body in the frame of the plane
  double rounding;
  const Output& output;

  void add(const Vector3& core_point, std::uint64_t feature) const {
    const Vector3 point = pose * core_point;
    const double height = plane.normal.dot(point) - plane.offset;
    output.add(point - height * plane.normal, point - rounding * plane.normal, plane.normal,
               height - rounding, feature);
  }
};

// The rim's deepest point, and three more a quarter apart; they count where they are within the
// margin.
void add_rim(const PlaneContact& contact, double radius, double z, const Vector3& down, int count,
             std::uint64_t feature) {
  const double length = std::hypot(down.x(), down.y());
  const double x = length > 0 ? radius * down.x() / length : radius;
  const double y = length > 0 ? radius * down.y() / length : 0;
  const Vector3 points[] = {{x, y, z}, {-y, x, z}, {-x, -y, z}, {y, -x, z}};
  for (int i = 0; i < count; ++i) contact.add(points[i], feature + i);
}

}  // namespace

void plane_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                  const Output& output) {
  const Pose pose = pose_a.relative(pose_b);
  const std::size_t first = output.manifold.points.size();
  const Vector3 down = -(pose.rotation.transpose() * a.as<Plane>().normal);
  if (b.kind() == ShapeKind::cylinder) {
    const Cylinder& s = b.as<Cylinder>();
    const PlaneContact contact{a.as<Plane>(), pose, s.rounding, output};
    const double lower = down.z() > 0 ? s.half_length : -s.half_length;
    add_rim(contact, s.radius, lower, down, 4, 0);
    add_rim(contact, s.radius, -lower, down, 1, 4);
  } else if (b.kind() == ShapeKind::cone) {
    const ConeShape& s = b.as<ConeShape>();
    const PlaneContact contact{a.as<Plane>(), pose, s.rounding, output};
    add_rim(contact, s.radius, s.base(), down, 4, 0);
    contact.add(Vector3(0, 0, s.apex()), 4);
  } else {
    const Convex convex = make_convex(b);
    const PlaneContact contact{a.as<Plane>(), pose, convex.rounding, output};
    for (std::size_t i = 0; i < convex.polytope.vertices.size(); ++i)
      contact.add(convex.polytope.vertices[i], i);
  }
  thin_out(output.manifold.points, first);
}

void plane_mesh(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                const Output& output) {
  const Pose pose = pose_a.relative(pose_b);
  const std::size_t first = output.manifold.points.size();
  const TriangleMesh& mesh = b.as<TriangleMesh>();
  const PlaneContact contact{a.as<Plane>(), pose, mesh.rounding, output};
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) contact.add(mesh.vertices[i], i);
  thin_out(output.manifold.points, first);
}

}  // namespace clack::narrow
