// Bodies in a tube. A shaft touches the bore with the circles at its ends as far as they lie within
// it, and the edges at the tube's ends touch the shaft beyond them: two contacts for a journal,
// wherever the ends are (eq:rim_in_bore).
#include <algorithm>
#include <cmath>

#include "clack/collide/narrow/hollow.hpp"

namespace clack::narrow {
namespace {

Vector3 radial(const Vector3& point, const Vector3& any) {
  const double rho = std::hypot(point.x(), point.y());
  return rho > 0 ? Vector3(point.x() / rho, point.y() / rho, 0) : any;
}

// The core of a shaft: a segment on its axis, and what stands around it.
struct Shaft {
  double half_length;
  double core;      // radius of the end circles; 0 of a capsule [m]
  double rounding;  // [m]
};

bool is_shaft(const Shape& b) {
  return b.kind() == ShapeKind::cylinder || b.kind() == ShapeKind::capsule;
}

Shaft shaft_of(const Shape& b) {
  if (b.kind() == ShapeKind::capsule)
    return {b.as<Capsule>().half_length, 0, b.as<Capsule>().radius};
  const Cylinder& s = b.as<Cylinder>();
  return {s.half_length, s.radius, s.rounding};
}

// The largest of  A cos x + B sin x + D sin^2 x  with D >= 0: in the quadrant of (A, B), where
//   g'/(sin x cos x) = -A/cos x + B/sin x + 2 D  falls from one sign to the other.
double largest_angle(double A, double B, double D) {
  const double a = std::abs(A), b = std::abs(B);
  double x = std::atan2(b, a);
  if (b == 0 && 2 * D > a) x = std::acos(a / (2 * D));
  double low = x, high = 0.5 * M_PI;
  for (int step = 0; step < 60 && D > 0 && b > 0; ++step) {
    const double s = std::sin(x), c = std::cos(x);
    const double slope = -a * s + b * c + 2 * D * s * c;
    const double bend = -a * c - b * s + 2 * D * (c * c - s * s);
    (slope > 0 ? low : high) = x;
    double next = bend < 0 ? x - slope / bend : low;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - x) < 1e-16) break;
    x = next;
  }
  return std::atan2(std::copysign(std::sin(x), B), std::copysign(std::cos(x), A));
}

// A circle against a coaxial cylinder about z, seen from above: an ellipse with the half axes
// radius cos(tilt) along `u` and radius along `w`.
struct TiltedCircle {
  Vector3 centre, u, w;
  double radius, squared;  // sine of the tilt, squared

  explicit TiltedCircle(const Circle& circle) : centre(circle.centre), radius(circle.radius) {
    const double tilt = std::hypot(circle.axis.x(), circle.axis.y());
    squared = tilt * tilt;
    if (tilt > 0) {
      w = Vector3(-circle.axis.y(), circle.axis.x(), 0) / tilt;
    } else {  // any two axes: those of the centre, whose angle is then 0
      const Vector3 out = radial(circle.centre, Vector3::UnitX());
      w = Vector3(-out.y(), out.x(), 0);
    }
    u = w.cross(circle.axis);
  }
  Vector3 at(double angle) const {
    return centre + radius * (std::cos(angle) * u + std::sin(angle) * w);
  }
  Vector3 farthest() const {
    return at(
        largest_angle(2 * radius * across(u), 2 * radius * across(w), radius * radius * squared));
  }
  // The nearest one: sin^2 = 1 - cos^2 exchanges the roles of the axes.
  Vector3 nearest() const {
    return at(0.5 * M_PI - largest_angle(-2 * radius * across(w), -2 * radius * across(u),
                                         radius * radius * squared));
  }

 private:
  double across(const Vector3& axis) const { return centre.x() * axis.x() + centre.y() * axis.y(); }
};

void add_wall(const Tube& a, const Vector3& point, double rounding, const Vector3& any,
              const Output& output, std::uint64_t feature) {
  if (std::abs(point.z()) > a.half_length) return;
  const double rho = std::hypot(point.x(), point.y());
  const Vector3 out = radial(point, any);
  output.add_inner(point + (a.inner - rho) * out, point + rounding * out, -out,
                   a.inner - rho - rounding, feature);
}

// The edge of the bore at `z` against the side of a shaft.
void add_edge(const Tube& a, double z, const Shaft& shaft, const Pose& pose, const Output& output,
              std::uint64_t feature) {
  const Circle edge{pose.to_body(Vector3(0, 0, z)), pose.rotation.row(2).transpose(), a.inner};
  const Vector3 point = TiltedCircle(edge).nearest();
  if (std::abs(point.z()) > shaft.half_length) return;
  const double rho = std::hypot(point.x(), point.y());
  const Vector3 any = pose.rotation.transpose() * Vector3::UnitX();
  const Vector3 out = radial(point, any);
  const double gap = rho - shaft.core - shaft.rounding;
  output.add_inner(pose * point, pose * Vector3(point - gap * out), -(pose.rotation * out), gap,
                   feature);
}

void shaft_in_tube(const Tube& a, const Shaft& shaft, const Pose& pose, const Output& output) {
  const Vector3 axis = pose.rotation.col(2);
  for (const int end : {-1, 1}) {
    const std::uint64_t feature = end < 0 ? 0 : 1;
    const Circle rim{pose * Vector3(0, 0, end * shaft.half_length), axis, shaft.core};
    const Vector3 point = shaft.core > 0 ? TiltedCircle(rim).farthest() : rim.centre;
    add_wall(a, point, shaft.rounding, Vector3::UnitX(), output, feature);
    add_edge(a, end * a.half_length, shaft, pose, output, 2 + feature);
  }
}

// The other three quarters of the edge on which a ball too large for the bore sits.
void add_seat(const Tube& a, const Vector3& centre, double radius, const Vector3& out,
              const Vector3& end, const Output& output) {
  const Vector3 across(-out.y(), out.x(), 0);
  std::uint64_t feature = 0;
  for (const Vector3& side : {across, Vector3(-out), Vector3(-across)}) {
    const Vector3 from = centre - a.inner * side - a.half_length * end;
    const double distance = from.norm();
    const Vector3 normal = from / distance;
    output.add_inner(centre - from, centre - radius * normal, normal, distance - radius, ++feature);
  }
}

// Distance to the section of the wall, a rectangle of the half plane (rho, z): exact inside,
// outside and past the ends.
void sphere_in_tube(const Tube& a, const Vector3& centre, double radius, const Output& output) {
  const Vector3 out = radial(centre, Vector3::UnitX()), end(0, 0, std::copysign(1, centre.z()));
  const double rho = std::hypot(centre.x(), centre.y()),
               past = std::abs(centre.z()) - a.half_length;
  const double within = a.inner - rho, beside = std::max(within, rho - a.outer);
  const Vector3 side = within > rho - a.outer ? Vector3(-out) : out;
  const Vector3 away = std::max(beside, 0.0) * side + std::max(past, 0.0) * end;
  double distance = away.norm();
  Vector3 normal = away / distance;
  if (!(distance > 0)) {
    distance = std::max(beside, past);
    normal = past > beside ? end : side;
  }
  output.add_inner(centre - distance * normal, centre - radius * normal, normal, distance - radius,
                   0);
  if (radius > a.inner && within > 0 && past > 0) add_seat(a, centre, radius, out, end, output);
}

// Corners within the bore, and edges that cross the plane of one of its ends.
void polytope_in_tube(const Tube& a, const Convex& body, const Pose& pose, const Output& output) {
  const auto& vertices = body.polytope.vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    add_wall(a, pose * vertices[i], body.rounding, Vector3::UnitX(), output, i);
  for (std::size_t i = 0; i < body.polytope.arcs.size(); ++i) {
    const PolytopeArc& arc = body.polytope.arcs[i];
    if (arc.tail > arc.head) continue;
    const Vector3 from = pose * vertices[static_cast<std::size_t>(arc.tail)],
                  to = pose * vertices[static_cast<std::size_t>(arc.head)];
    for (const int end : {-1, 1}) {
      const double z = end * a.half_length;
      if ((from.z() - z) * (to.z() - z) >= 0) continue;
      const Vector3 point = from + (z - from.z()) / (to.z() - from.z()) * (to - from);
      const Vector3 out = radial(point, Vector3::UnitX()), along(-out.y(), out.x(), 0);
      const Vector3 normal = along.cross((to - from) * (to.z() > from.z() ? 1 : -1)).normalized();
      const double gap = normal.dot(point - a.inner * out) - body.rounding;
      output.add_inner(a.inner * out + Vector3(0, 0, z),
                       a.inner * out + Vector3(0, 0, z) + gap * normal, normal, gap,
                       mix(i, static_cast<std::uint64_t>(2 + end)) % (1ull << 42));
    }
  }
}

}  // namespace

bool stands_in_tube(const Tube& a, double middle, const Shape& b, const Pose& pose) {
  const Vector3 centre = pose * b.bounds().centre();
  double low = -b.bounds().half().z(), high = -low;
  if (is_shaft(b)) {
    high = shaft_of(b).half_length, low = -high;
    const double slope = pose.rotation(2, 2);
    const double ends[] = {(-a.half_length - centre.z()) / slope,
                           (a.half_length - centre.z()) / slope};
    if (slope != 0) {
      low = std::max(low, std::min(ends[0], ends[1]));
      high = std::min(high, std::max(ends[0], ends[1]));
    }
    if (low > high || (slope == 0 && std::abs(centre.z()) > a.half_length)) return false;
    const Vector3 mid = centre + 0.5 * (low + high) * pose.rotation.col(2);
    return std::hypot(mid.x(), mid.y()) < middle;
  }
  const BoundingBox box = b.bounds().moved(pose);
  return std::hypot(centre.x(), centre.y()) < middle && box.lower.z() < a.half_length &&
         box.upper.z() > -a.half_length;
}

bool enters_tube(const Tube& a, const Shape& b, const Pose& pose) {
  if (!is_shaft(b)) return false;
  const Shaft shaft = shaft_of(b);
  const double end = pose.rotation(2, 2) * pose.position.z() > 0 ? -1 : 1;
  const Vector3 tip = pose * Vector3(0, 0, end * shaft.half_length);
  return std::abs(tip.z()) > a.half_length &&
         std::hypot(tip.x(), tip.y()) + shaft.core + shaft.rounding < a.inner;
}

void in_tube(const Tube& a, const Shape& b, const Pose& pose, const Output& output) {
  const std::size_t first = output.manifold.points.size();
  if (b.kind() == ShapeKind::sphere) {
    sphere_in_tube(a, pose.position, b.as<Sphere>().radius, output);
  } else if (is_shaft(b)) {
    shaft_in_tube(a, shaft_of(b), pose, output);
  } else if (b.kind() == ShapeKind::cone) {
    const ConeShape& s = b.as<ConeShape>();
    const Circle base{pose * Vector3(0, 0, s.base()), pose.rotation.col(2), s.radius};
    add_wall(a, TiltedCircle(base).farthest(), s.rounding, Vector3::UnitX(), output, 0);
    add_wall(a, pose * Vector3(0, 0, s.apex()), s.rounding, Vector3::UnitX(), output, 1);
  } else {
    polytope_in_tube(a, make_convex(b), pose, output);
  }
  thin_out(output.manifold.points, first);
}

}  // namespace clack::narrow
