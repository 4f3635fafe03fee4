// Pairs of convex bodies: distance of the cores, or their depth, then the patches that meet.
#include <cmath>

#include "clack/collide/narrow/pairs.hpp"

namespace clack::narrow {
namespace {

constexpr double kSnap = 1e-11;  // a face is the nearest feature within this, relative to the size
constexpr double kSnapAngle = 1e-7;  // and its normal within this [rad]
constexpr int kMostPairs = 300;      // pairs of edges up to which all are looked at

bool both_polytopes(const Difference& d) {
  return d.a.core == Convex::Core::polytope && d.b.core == Convex::Core::polytope;
}

// Two flat or thin polytopes have no volume between them: only the axes are sure there.
bool use_axes(const Difference& d) {
  if (!both_polytopes(d)) return false;
  const bool solid = d.a.polytope.faces.size() > 2 || d.b.polytope.faces.size() > 2;
  return !solid || d.a.polytope.arcs.size() * d.b.polytope.arcs.size() <= kMostPairs;
}

// Points of two overlapping cores on a given normal: the nearest ones with B moved apart.
void find_points(const Difference& d, Separation& s) {
  Pose moved = d.pose;
  const double shift = 0.1 * d.size() - s.axis.separation;
  moved.position += shift * s.axis.normal;
  const Distance apart =
      compute_distance({d.a, d.b, moved}, std::numeric_limits<double>::infinity());
  if (apart.verdict != Distance::Verdict::apart) return;
  s.point_a = apart.point_a;
  s.point_b = apart.point_a + s.axis.separation * s.axis.normal;
  s.points_known = true;
}

void find_edge_points(const Difference& d, Separation& s) {
  const PolytopeView &a = d.a.polytope, &b = d.b.polytope;
  const PolytopeArc &arc_a = a.arcs[s.axis.arc_a], &arc_b = b.arcs[s.axis.arc_b];
  nearest_on_lines(a.vertices[arc_a.tail], arc_a.direction, d.pose * b.vertices[arc_b.tail],
                   d.pose.rotation * arc_b.direction, s.point_a, s.point_b);
  s.points_known = true;
}

}  // namespace

void nearest_on_lines(const Vector3& a, const Vector3& along_a, const Vector3& b,
                      const Vector3& along_b, Vector3& on_a, Vector3& on_b) {
  const Vector3 across = along_a.cross(along_b);
  const double squared = across.squaredNorm();
  on_a = a + across.dot((b - a).cross(along_b)) / squared * along_a;
  on_b = b + across.dot((b - a).cross(along_a)) / squared * along_b;
}

bool separate(const Difference& d, double limit, Separation& s) {
  const Distance distance = compute_distance(d, limit);
  if (distance.verdict == Distance::Verdict::beyond) return false;
  s.points_known = distance.verdict == Distance::Verdict::apart;
  if (s.points_known) {
    // The normal is as good as the nearest points, relative to their distance.
    const double size = d.size(), angle = kSnapAngle + 1e-13 * size / distance.distance;
    s.axis = snap_to_faces(d, {distance.distance, distance.normal}, {angle, kSnap * size});
    s.point_a = distance.point_a;
    s.point_b = distance.point_b;
    return s.axis.separation <= limit;
  }
  const bool axes = use_axes(d);
  s.axis = axes ? deepest_axis(d) : expand_polytope(d, distance.simplex);
  if (s.axis.arc_a >= 0) find_edge_points(d, s);
  if (!axes) find_points(d, s);
  return s.axis.separation <= limit;
}

void collide_cores(const Convex& a, const Convex& b, const Pose& b_in_a, const Output& output) {
  const Difference difference{a, b, b_in_a};
  Separation separation;
  if (separate(difference, output.margin + a.rounding + b.rounding, separation))
    add_patches(difference, separation, output);
}

void convex_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                   const Output& output) {
  collide_cores(make_convex(a), make_convex(b), pose_a.relative(pose_b), output);
}

void box_box(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
             const Output& output) {
  const Box &box_a = a.as<Box>(), &box_b = b.as<Box>();
  const Pose pose = pose_a.relative(pose_b);
  const double limit = output.margin + box_a.rounding + box_b.rounding;
  const Axis axis = deepest_box_axis(box_a.half, box_b.half, pose, limit);
  if (axis.separation > limit) return;
  const Convex core_a(box_a.core.view(), box_a.rounding), core_b(box_b.core.view(), box_b.rounding);
  if (axis.separation > 0) return collide_cores(core_a, core_b, pose, output);
  const Difference difference{core_a, core_b, pose};
  Separation separation{axis, Vector3::Zero(), Vector3::Zero(), false};
  if (axis.arc_a >= 0) find_edge_points(difference, separation);
  add_patches(difference, separation, output);
}

}  // namespace clack::narrow
