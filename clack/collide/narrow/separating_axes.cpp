// Separating axes of polytopes. A face of A - B comes from a face of A, from a face of B, or from
// two edges whose arcs of normals cross on the unit sphere (Gregorius, GDC 2013).
#include <algorithm>
#include <array>
#include <cmath>

#include "clack/collide/narrow/penetration.hpp"

namespace clack::narrow {
namespace {

constexpr double kPrefer = 1e-11;   // faces win over edges unless edges are better by this x size
constexpr double kParallel = 1e-7;  // sine of the least angle between edges that give an axis
constexpr double kArc = 1e-9;       // arcs that miss each other by less than this cross

void face_axes(const Difference& d, Axis& best) {
  for (const PolytopeFace& face : d.a.polytope.faces) {
    const Vector3 inward = -(d.pose.rotation.transpose() * face.normal);
    const double separation = face.normal.dot(d.pose.position) - d.b.reach(inward) - face.offset;
    if (separation > best.separation) best = {separation, face.normal};
  }
  for (const PolytopeFace& face : d.b.polytope.faces) {
    const Vector3 normal = -(d.pose.rotation * face.normal);
    const double offset = face.offset - normal.dot(d.pose.position);
    const double separation = -d.a.reach(normal) - offset;
    if (separation > best.separation) best = {separation, normal};
  }
}

// An edge of B as seen from A; the arc's ends are negated, so that they support -B.
struct TurnedArc {
  Vector3 tail, direction, from, to;
};

TurnedArc turn(const PolytopeView& b, const PolytopeArc& arc, const Pose& pose) {
  return {pose * b.vertices[arc.tail], pose.rotation * arc.direction, -(pose.rotation * arc.from),
          -(pose.rotation * arc.to)};
}

// Each arc's ends lie on different sides of the other's plane, and the two lie on one hemisphere.
bool arcs_cross(const PolytopeArc& a, const TurnedArc& b) {
  const double b_from = a.direction.dot(b.from), b_to = a.direction.dot(b.to);
  if (b_from * b_to > kArc * kArc || (std::abs(b_from) < kArc && std::abs(b_to) < kArc))
    return false;
  const double a_from = b.direction.dot(a.from), a_to = b.direction.dot(a.to);
  return a_from * a_to <= kArc * kArc;
}

// The normal of two edges on the side of A's arc; false where that of B's arc is the other one.
bool edge_normal(const PolytopeArc& a, const TurnedArc& b, Vector3& normal) {
  normal = a.direction.cross(b.direction);
  const double sine = normal.norm();
  if (sine < kParallel) return false;
  normal /= sine;
  if (normal.dot(a.from + a.to) < 0) normal = -normal;
  return normal.dot(b.from + b.to) > 0;
}

void edge_axes(const Difference& d, Axis& best) {
  const PolytopeView &a = d.a.polytope, &b = d.b.polytope;
  const double prefer = kPrefer * d.size();
  double most = best.separation + prefer;
  for (int j = 0; j < static_cast<int>(b.arcs.size()); ++j) {
    const TurnedArc turned = turn(b, b.arcs[j], d.pose);
    for (int i = 0; i < static_cast<int>(a.arcs.size()); ++i) {
      Vector3 normal;
      if (!arcs_cross(a.arcs[i], turned) || !edge_normal(a.arcs[i], turned, normal)) continue;
      const double separation = normal.dot(turned.tail - a.vertices[a.arcs[i].tail]);
      if (separation <= most) continue;
      most = separation;
      best = {separation, normal, i, j};
    }
  }
}

}  // namespace

Axis deepest_axis(const Difference& difference) {
  Axis best{-std::numeric_limits<double>::infinity(), Vector3::UnitZ()};
  face_axes(difference, best);
  edge_axes(difference, best);
  if (std::isfinite(best.separation)) return best;
  // Points and parallel segments that touch have no face and no pair of edges; any normal
  // across them will do.
  const PolytopeView& view =
      difference.a.polytope.arcs.empty() ? difference.b.polytope : difference.a.polytope;
  Vector3 normal = view.arcs.empty() ? Vector3::UnitZ() : view.arcs[0].from;
  if (&view == &difference.b.polytope) normal = difference.pose.rotation * normal;
  return {difference.separation(normal), normal};
}

namespace {

// Candidate axes of two boxes: `overlap` on an axis of length `length`.
struct BoxAxes {
  const Vector3 &a, &b;
  const Matrix3& r;
  Vector3 p;
  Matrix3 r_abs;
  double best = -std::numeric_limits<double>::infinity();
  int code = -1;  // 0-2: faces of A, 3-5: faces of B, 6-14: edges i, j

  double face_a(int i) const { return std::abs(p[i]) - a[i] - r_abs.row(i).dot(b); }
  double face_b(int j) const { return std::abs(r.col(j).dot(p)) - b[j] - r_abs.col(j).dot(a); }
  // Axis e_i x r_j; unit length.
  double edge(int i, int j) const {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const double length = std::sqrt(r(i1, j) * r(i1, j) + r(i2, j) * r(i2, j));
    if (length < kParallel) return -std::numeric_limits<double>::infinity();
    const double distance = std::abs(p[i2] * r(i1, j) - p[i1] * r(i2, j));
    const double reach_a = a[i1] * r_abs(i2, j) + a[i2] * r_abs(i1, j);
    const double reach_b = b[j1] * r_abs(i, j2) + b[j2] * r_abs(i, j1);
    return (distance - reach_a - reach_b) / length;
  }
  bool offer(double separation, int candidate, double limit) {
    if (separation > best) best = separation, code = candidate;
    return separation > limit;
  }
};

Vector3 box_normal(const BoxAxes& axes) {
  Vector3 normal;
  if (axes.code < 3) {
    normal = Vector3::Unit(axes.code);
  } else if (axes.code < 6) {
    normal = axes.r.col(axes.code - 3);
  } else {
    normal = Vector3::Unit((axes.code - 6) / 3).cross(axes.r.col((axes.code - 6) % 3)).normalized();
  }
  return normal.dot(axes.p) < 0 ? Vector3(-normal) : normal;
}

// The arc of a box's edge along `axis` that is outermost in `direction` (frame of the box).
int box_arc(const Polytope& box, int axis, const Vector3& direction) {
  int best = -1;
  double most = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < static_cast<int>(box.arcs.size()); ++k) {
    if (std::abs(box.arcs[k].direction[axis]) < 0.5) continue;
    const double value = (box.arcs[k].from + box.arcs[k].to).dot(direction);
    if (value > most) most = value, best = k;
  }
  return best;
}

}  // namespace

Axis deepest_box_axis(const Vector3& half_a, const Vector3& half_b, const Pose& pose,
                      double limit) {
  static const Polytope kUnit = make_box_polytope(Vector3::Ones());  // arcs of all boxes
  BoxAxes axes{half_a, half_b, pose.rotation, pose.position, pose.rotation.cwiseAbs()};
  for (int i = 0; i < 3; ++i)
    if (axes.offer(axes.face_a(i), i, limit)) return {axes.best, box_normal(axes)};
  for (int j = 0; j < 3; ++j)
    if (axes.offer(axes.face_b(j), 3 + j, limit)) return {axes.best, box_normal(axes)};
  const double prefer = kPrefer * (half_a.norm() + half_b.norm());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (axes.offer(axes.edge(i, j) - prefer, 6 + 3 * i + j, limit))
        return {axes.best, box_normal(axes)};
  Axis result{axes.best, box_normal(axes)};
  if (axes.code < 6) return result;
  result.separation += prefer;
  result.arc_a = box_arc(kUnit, (axes.code - 6) / 3, result.normal);
  result.arc_b = box_arc(kUnit, (axes.code - 6) % 3, -(pose.rotation.transpose() * result.normal));
  return result;
}

Axis snap_to_faces(const Difference& d, const Axis& axis, const Snap& snap) {
  auto accepts = [&](const Vector3& normal) {
    return (normal - axis.normal).squaredNorm() <= snap.angle * snap.angle &&
           d.separation(normal) >= axis.separation - snap.separation;
  };
  Vector3 normal;
  int face;
  if (d.a.nearest_face(axis.normal, normal, face) && accepts(normal))
    return {d.separation(normal), normal};
  if (d.b.nearest_face(-(d.pose.rotation.transpose() * axis.normal), normal, face)) {
    normal = -(d.pose.rotation * normal);
    if (accepts(normal)) return {d.separation(normal), normal};
  }
  return axis;
}

}  // namespace clack::narrow
