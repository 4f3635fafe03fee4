// Hollow shapes against what they hold (eq:inner_gap). The room inside is convex, so a convex body
// is nearest to the wall with one of its corners, ends or rims, never with an edge or a face.
#include <algorithm>
#include <cmath>

#include "clack/collide/narrow/hollow.hpp"

namespace clack::narrow {
namespace {

bool is_hollow(const Shape& shape) {
  return shape.kind() == ShapeKind::ring || shape.kind() == ShapeKind::tube ||
         shape.kind() == ShapeKind::socket;
}

// Between the two surfaces: what has its middle within this radius is inside [m].
double middle(const Shape& shape) {
  if (shape.kind() == ShapeKind::ring)
    return 0.5 * (shape.as<RingShape>().inner + shape.as<RingShape>().outer);
  if (shape.kind() == ShapeKind::tube)
    return 0.5 * (shape.as<Tube>().inner + shape.as<Tube>().outer);
  return 0.5 * (shape.as<Socket>().inner + shape.as<Socket>().outer);
}

const Shape& solid_of(const Shape& shape) {
  if (shape.kind() == ShapeKind::ring) return *shape.as<RingShape>().solid;
  if (shape.kind() == ShapeKind::tube) return *shape.as<Tube>().solid;
  return *shape.as<Socket>().solid;
}

bool has_inside(const Shape& b) {
  switch (b.kind()) {
    case ShapeKind::plane:
    case ShapeKind::line:
    case ShapeKind::mesh:
    case ShapeKind::height_field:
      return false;
    default:
      return true;
  }
}

Vector3 centre_of(const Shape& b) {
  return b.kind() == ShapeKind::sphere ? Vector3::Zero() : b.bounds().centre();
}

// A point at distance rho = |out| from the middle of a round room with the radius `inner`, in a
// ball of radius `rounding`. At rho = 0 every normal is right, one is chosen.
void add_point(double inner, const Vector3& point, double rounding, const Vector3& any,
               const Output& output, std::uint64_t feature) {
  const double rho = point.norm();
  const Vector3 out = rho > 0 ? Vector3(point / rho) : any;
  output.add_inner(inner * out, (rho + rounding) * out, -out, inner - rho - rounding, feature);
}

void in_ring(const RingShape& a, const PlanarCore& core, const Pose& pose, const Output& output) {
  const std::size_t first = output.manifold.points.size();
  for (std::size_t i = 0; i < core.vertices.size(); ++i) {
    const Vector2& v = core.vertices[i];
    add_point(a.inner, pose * Vector3(v.x(), v.y(), 0), core.rounding, Vector3::UnitY(), output, i);
  }
  thin_out(output.manifold.points, first);
}

// Of a circle the point farthest from the middle, and three more a quarter apart.
void add_circle(const Socket& a, const Circle& circle, double rounding, const Output& output,
                std::uint64_t feature) {
  const Vector3 across = circle.centre - circle.axis.dot(circle.centre) * circle.axis;
  const Vector3 x = across.norm() > 0 ? Vector3(across.normalized()) : circle.axis.unitOrthogonal();
  const Vector3 y = circle.axis.cross(x);
  int i = 0;
  for (const Vector3& side : {x, y, Vector3(-x), Vector3(-y)})
    add_point(a.inner, circle.centre + circle.radius * side, rounding, side, output,
              feature + static_cast<std::uint64_t>(i++));
}

void in_socket(const Socket& a, const Shape& b, const Pose& pose, const Output& output) {
  const std::size_t first = output.manifold.points.size();
  const Vector3 axis = pose.rotation.col(2);
  if (b.kind() == ShapeKind::sphere) {
    add_point(a.inner, pose.position, b.as<Sphere>().radius, Vector3::UnitZ(), output, 0);
  } else if (b.kind() == ShapeKind::cylinder) {
    const Cylinder& s = b.as<Cylinder>();
    for (const int end : {-1, 1})
      add_circle(a, {pose * Vector3(0, 0, end * s.half_length), axis, s.radius}, s.rounding, output,
                 end < 0 ? 0 : 4);
  } else if (b.kind() == ShapeKind::cone) {
    const ConeShape& s = b.as<ConeShape>();
    add_circle(a, {pose * Vector3(0, 0, s.base()), axis, s.radius}, s.rounding, output, 0);
    add_point(a.inner, pose * Vector3(0, 0, s.apex()), s.rounding, axis, output, 4);
  } else {
    const Convex convex = make_convex(b);
    for (std::size_t i = 0; i < convex.polytope.vertices.size(); ++i)
      add_point(a.inner, pose * convex.polytope.vertices[i], convex.rounding, axis, output, i);
  }
  thin_out(output.manifold.points, first);
}

// Whether B, a solid, stands inside the hollow A.
bool holds(const Shape& a, const Shape& b, const Pose& pose) {
  if (!has_inside(b)) return false;
  if (a.kind() == ShapeKind::tube) return stands_in_tube(a.as<Tube>(), middle(a), b, pose);
  return (pose * centre_of(b)).norm() < middle(a);
}

void solid_in(const Shape& a, const Shape& b, const Pose& pose_b, const Output& output) {
  const Pose pose = output.pose_a.relative(pose_b);
  if (a.kind() == ShapeKind::ring) return in_ring(a.as<RingShape>(), planar_core(b), pose, output);
  if (a.kind() == ShapeKind::socket) return in_socket(a.as<Socket>(), b, pose, output);
  in_tube(a.as<Tube>(), b, pose, output);
}

// Of two hollow shapes the smaller may stand in the other.
void hollow_hollow(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                   const Output& output) {
  const Shape &solid_a = solid_of(a), &solid_b = solid_of(b);
  const double size_a = solid_a.bounds().half().x(), size_b = solid_b.bounds().half().x();
  if (size_b < middle(a) && holds(a, solid_b, pose_a.relative(pose_b)))
    return solid_in(a, solid_b, pose_b, output);
  if (size_a < middle(b) && holds(b, solid_a, pose_b.relative(pose_a)))
    return solid_in(b, solid_a, pose_a,
                    {pose_b, output.margin, output.manifold, !output.swapped, output.prefix});
  dispatch(solid_a, pose_a, solid_b, pose_b, output);
}

}  // namespace

void hollow_any(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                const Output& output) {
  if (is_hollow(b)) return hollow_hollow(a, pose_a, b, pose_b, output);
  if (holds(a, b, pose_a.relative(pose_b))) return solid_in(a, b, pose_b, output);
  if (a.kind() == ShapeKind::tube && b.kind() == ShapeKind::sphere)
    return in_tube(a.as<Tube>(), b, pose_a.relative(pose_b), output);
  if (a.kind() == ShapeKind::tube && enters_tube(a.as<Tube>(), b, pose_a.relative(pose_b))) return;
  dispatch(solid_of(a), pose_a, b, pose_b, output);
}

}  // namespace clack::narrow
