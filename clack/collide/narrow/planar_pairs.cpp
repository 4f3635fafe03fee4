// Shapes of the plane: rounded convex polygons, of which discs (one vertex) and capsules (two) are
// the smallest, against each other and against half planes. All in the frame of A.
#include <algorithm>
#include <cmath>
#include <limits>

#include "clack/collide/narrow/pairs.hpp"

namespace clack::narrow {
namespace {

using Matrix2 = Eigen::Matrix2d;

struct Motion2 {
  Matrix2 rotation;
  Vector2 position;
  Vector2 operator*(const Vector2& v) const { return rotation * v + position; }
  Motion2 inverse() const { return {rotation.transpose(), -(rotation.transpose() * position)}; }
};

Motion2 relative_motion(const Pose& a, const Pose& b) {
  const Matrix2 turn = a.rotation.topLeftCorner<2, 2>().transpose();
  return {turn * b.rotation.topLeftCorner<2, 2>(), turn * (b.position - a.position).head<2>()};
}

Vector3 lift(const Vector2& v) { return {v.x(), v.y(), 0}; }

// The edge of `a` with the largest separation from `b`.
struct EdgeAxis {
  double separation = -std::numeric_limits<double>::infinity();
  int edge = -1;
};

EdgeAxis best_edge(const PlanarCore& a, const PlanarCore& b, const Motion2& b_in_a) {
  EdgeAxis best;
  for (std::size_t i = 0; i < a.normals.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (const Vector2& v : b.vertices)
      least = std::min(least, a.normals[i].dot(b_in_a * v - a.vertices[i]));
    if (least > best.separation) best = {least, static_cast<int>(i)};
  }
  return best;
}

// Nearest pair of a vertex of `b` and a point of the boundary of `a`.
struct NearestPair {
  double squared = std::numeric_limits<double>::infinity();
  Vector2 on_a, on_b;
  int edge = -1;  // of a, where the point is inside it
  int vertex_a = -1, vertex_b = -1;
};

NearestPair nearest_pair(const PlanarCore& a, const PlanarCore& b, const Motion2& b_in_a) {
  NearestPair best;
  const int n = static_cast<int>(a.vertices.size());
  for (int k = 0; k < static_cast<int>(b.vertices.size()); ++k) {
    const Vector2 point = b_in_a * b.vertices[k];
    for (int i = 0; i < n; ++i) {
      const Vector2 &start = a.vertices[i], along = a.vertices[(i + 1) % n] - start;
      const double length = along.squaredNorm();
      const double s = length > 0 ? std::clamp(along.dot(point - start) / length, 0.0, 1.0) : 0;
      const Vector2 on_edge = start + s * along;
      const double squared = (point - on_edge).squaredNorm();
      if (squared >= best.squared) continue;
      // A segment's two edges lie on one another: the one that faces the point counts.
      const bool inner = s > 0 && s < 1, back = n == 2 && a.normals[i].dot(point - start) < 0;
      const int edge = back ? 1 - i : i;
      best = {squared, on_edge, point, inner ? edge : -1, s >= 1 ? (i + 1) % n : i, k};
    }
  }
  return best;
}

struct PlanarPair {
  const PlanarCore &a, &b;
  Motion2 b_in_a;
  const Output& output;

  void add(const Vector2& a_core, const Vector2& b_core, const Vector2& normal, double apart,
           std::uint64_t feature) const {
    output.add(lift(a_core + a.rounding * normal), lift(b_core - b.rounding * normal), lift(normal),
               apart - a.rounding - b.rounding, feature);
  }
  void add_edge(bool on_a, int edge) const;
  bool add_apart(const NearestPair& in_a, const NearestPair& in_b) const;
};

int opposite_edge(const PlanarCore& core, const Vector2& normal) {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < core.normals.size(); ++i) {
    const double value = core.normals[i].dot(normal);
    if (value < least) least = value, best = static_cast<int>(i);
  }
  return best;
}

// An edge of one core (the reference) against the edge of the other that faces it most, clipped to
// the ends of the reference.
void PlanarPair::add_edge(bool on_a, int edge) const {
  const PlanarCore &reference = on_a ? a : b, &other = on_a ? b : a;
  const Motion2 motion = on_a ? b_in_a : b_in_a.inverse();
  const Motion2 back = on_a ? Motion2{Matrix2::Identity(), Vector2::Zero()} : b_in_a;
  const Vector2& normal = reference.normals[edge];
  const Vector2& start = reference.vertices[edge];
  const Vector2 along(-normal.y(), normal.x());
  const double length =
      along.dot(reference.vertices[(edge + 1) % reference.vertices.size()] - start);
  const int facing = opposite_edge(other, motion.rotation.transpose() * normal);
  const int n = static_cast<int>(other.vertices.size());
  const int ids[] = {std::max(facing, 0), facing < 0 ? 0 : (facing + 1) % n};
  const Vector2 p = motion * other.vertices[ids[0]], q = motion * other.vertices[ids[1]];
  const double s_p = along.dot(p - start), s_q = along.dot(q - start);
  for (int end = 0; end < (ids[0] == ids[1] ? 1 : 2); ++end) {
    const double here = end == 0 ? s_p : s_q, there = end == 0 ? s_q : s_p;
    const double s = std::clamp(here, 0.0, length);
    if ((there - s) * (s - here) < 0) continue;  // the whole edge lies beyond this end
    const Vector2 &from = end == 0 ? p : q, &to = end == 0 ? q : p;
    const Vector2 point =
        s == here ? from : Vector2(from + (s - here) / (there - here) * (to - from));
    const double apart = normal.dot(point - start);
    const Vector2 on_reference = back * Vector2(point - apart * normal), on_other = back * point;
    const Vector2 outward = (on_a ? 1 : -1) * (back.rotation * normal);
    add(on_a ? on_reference : on_other, on_a ? on_other : on_reference, outward, apart,
        (std::uint64_t(on_a) << 40) | (std::uint64_t(edge) << 20) |
            std::uint64_t(ids[end] * 2 + (s == here ? 0 : 1)));
  }
}

bool PlanarPair::add_apart(const NearestPair& in_a, const NearestPair& in_b) const {
  const bool first = in_a.squared <= in_b.squared;
  const NearestPair& nearest = first ? in_a : in_b;
  if (nearest.edge >= 0) {
    add_edge(first, nearest.edge);
    return true;
  }
  const Vector2 on_a = first ? nearest.on_a : Vector2(b_in_a * nearest.on_b);
  const Vector2 on_b = first ? nearest.on_b : Vector2(b_in_a * nearest.on_a);
  // Both points in the frame of a: their difference need not have the length found in that of b.
  const Vector2 between = on_b - on_a;
  if (!(between.squaredNorm() > 0)) return false;
  const int vertex_a = first ? nearest.vertex_a : nearest.vertex_b;
  const int vertex_b = first ? nearest.vertex_b : nearest.vertex_a;
  add(on_a, on_b, between.normalized(), between.norm(),
      (std::uint64_t(1) << 41) | (std::uint64_t(vertex_a) << 20) | std::uint64_t(vertex_b));
  return true;
}

bool is_thin(const PlanarCore& core) { return core.vertices.size() <= 2; }

// Thin cores on one line have no axis between them although they may be apart.
bool on_one_line(const PlanarPair& pair) {
  if (!is_thin(pair.a) || !is_thin(pair.b)) return false;
  if (pair.a.normals.empty() || pair.b.normals.empty()) return true;
  const Vector2 turned = pair.b_in_a.rotation * pair.b.normals[0];
  return std::abs(pair.a.normals[0].x() * turned.y() - pair.a.normals[0].y() * turned.x()) < 1e-12;
}

double size_of(const PlanarCore& core) {
  double squared = 0;
  for (const Vector2& v : core.vertices) squared = std::max(squared, v.squaredNorm());
  return std::sqrt(squared);
}

// Cores that touch in a point or along a line: any normal across them will do.
void add_touching(const PlanarPair& pair, const EdgeAxis& on_a, const EdgeAxis& on_b) {
  if (on_a.edge >= 0 && on_a.separation >= on_b.separation) return pair.add_edge(true, on_a.edge);
  if (on_b.edge >= 0) return pair.add_edge(false, on_b.edge);
  const Vector2 point = pair.a.vertices[0];
  pair.add(point, point, Vector2::UnitY(), 0, 0);
}

}  // namespace

const PlanarCore& planar_core(const Shape& shape) {
  switch (shape.kind()) {
    case ShapeKind::disc:
      return shape.as<Disc>().core;
    case ShapeKind::planar_capsule:
      return shape.as<PlanarCapsule>().core;
    case ShapeKind::polygon:
      return shape.as<Polygon>().core;
    default:
      return shape.as<Segment>().core;
  }
}

void planar_planar(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                   const Output& output) {
  const PlanarPair pair{planar_core(a), planar_core(b), relative_motion(pose_a, pose_b), output};
  const Motion2 a_in_b = pair.b_in_a.inverse();
  const EdgeAxis on_a = best_edge(pair.a, pair.b, pair.b_in_a);
  const EdgeAxis on_b = best_edge(pair.b, pair.a, a_in_b);
  const double most = std::max(on_a.separation, on_b.separation);
  if (most > output.margin + pair.a.rounding + pair.b.rounding) return;
  const double tiny = 1e-12 * (size_of(pair.a) + size_of(pair.b));
  if (most > tiny || on_one_line(pair)) {
    const NearestPair in_a = nearest_pair(pair.a, pair.b, pair.b_in_a);
    const NearestPair in_b = nearest_pair(pair.b, pair.a, a_in_b);
    if (std::min(in_a.squared, in_b.squared) > tiny * tiny && pair.add_apart(in_a, in_b)) return;
  }
  add_touching(pair, on_a, on_b);
}

void line_planar(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                 const Output& output) {
  const Line& line = a.as<Line>();
  const PlanarCore& core = planar_core(b);
  const Motion2 motion = relative_motion(pose_a, pose_b);
  const std::size_t first = output.manifold.points.size();
  for (std::size_t i = 0; i < core.vertices.size(); ++i) {
    const Vector2 point = motion * core.vertices[i];
    const double height = line.normal.dot(point) - line.offset;
    output.add(lift(point - height * line.normal), lift(point - core.rounding * line.normal),
               lift(line.normal), height - core.rounding, i);
  }
  thin_out(output.manifold.points, first);
}

}  // namespace clack::narrow
