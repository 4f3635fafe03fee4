#include "clack/collide/narrow/gjk.hpp"

#include <algorithm>
#include <cmath>

namespace clack::narrow {

DifferencePoint Difference::support(const Vector3& direction, int start_a, int start_b) const {
  const Support on_a = a.support(direction, std::max(start_a, 0));
  const Support on_b = b.support(-(pose.rotation.transpose() * direction), std::max(start_b, 0));
  DifferencePoint point;
  point.a = on_a.point;
  point.b = pose * on_b.point;
  point.w = point.a - point.b;
  point.index_a = on_a.index;
  point.index_b = on_b.index;
  return point;
}

namespace {

constexpr int kMostIterations = 100;
constexpr double kTouching = 1e-9;  // distance below which features decide, relative to the size
constexpr double kThin = 1e-8;      // by which two ways to the nearest point may differ, relative
constexpr double kSliver = 1e-10;   // a tetrahedron this flat holds no point, relative
constexpr double kGap = 4e-16;      // duality gap, relative to the distance squared
constexpr double kStalled = 1e-16;  // least decrease of the distance squared, relative

// The point of a simplex nearest to the origin: barycentric weights on some of its corners.
struct Nearest {
  std::array<int, 3> corner;
  std::array<double, 3> weight;
  int count;
  Vector3 point;
};

Nearest nearest_vertex(const Simplex& s, int i) { return {{i, 0, 0}, {1, 0, 0}, 1, s.points[i].w}; }

Nearest nearest_on_edge(const Simplex& s, int i, int j) {
  const Vector3 &a = s.points[i].w, &b = s.points[j].w, edge = b - a;
  const double length = edge.squaredNorm(), t = -a.dot(edge);
  if (!(t > 0) || length == 0) return nearest_vertex(s, i);
  if (t >= length) return nearest_vertex(s, j);
  const double along = t / length;
  return {{i, j, 0}, {1 - along, along, 0}, 2, a + along * edge};
}

const Nearest& nearer(const Nearest& a, const Nearest& b) {
  return b.point.squaredNorm() < a.point.squaredNorm() ? b : a;
}

// The weights are areas of the triangles that the projected origin makes with the sides.
Nearest nearest_on_triangle(const Simplex& s, int i, int j, int k) {
  const Vector3 &a = s.points[i].w, &b = s.points[j].w, &c = s.points[k].w;
  const Vector3 normal = (b - a).cross(c - a);
  const double area = normal.squaredNorm();
  const double u = b.cross(c).dot(normal), v = c.cross(a).dot(normal), w = a.cross(b).dot(normal);
  if (area > 0 && u > 0 && v > 0 && w > 0) {
    const double sum = u + v + w;
    const Vector3 foot = normal * (normal.dot(a) / area);
    const Vector3 mean = (u * a + v * b + w * c) / sum;
    // In a triangle thinner than round-off the two differ: its sides are all there is.
    const double size = std::max({a.squaredNorm(), b.squaredNorm(), c.squaredNorm()});
    if ((foot - mean).squaredNorm() <= kThin * kThin * size)
      return {{i, j, k}, {u / sum, v / sum, w / sum}, 3, foot};
  }
  const Nearest first = nearer(nearest_on_edge(s, i, j), nearest_on_edge(s, j, k));
  return nearer(first, nearest_on_edge(s, k, i));
}

// False: the origin lies inside.
bool nearest_on_tetrahedron(const Simplex& s, Nearest& best) {
  static constexpr int kFace[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
  bool outside = false;
  for (const auto& f : kFace) {
    const Vector3 &a = s.points[f[0]].w, &b = s.points[f[1]].w, &c = s.points[f[2]].w;
    const Vector3 normal = (b - a).cross(c - a);
    const double origin = -normal.dot(a), fourth = normal.dot(s.points[f[3]].w - a);
    const bool flat = std::abs(fourth) <= kSliver * normal.norm() * (s.points[f[3]].w - a).norm();
    if (origin * fourth > 0 && !flat) continue;  // on the side of the fourth point
    const Nearest candidate = nearest_on_triangle(s, f[0], f[1], f[2]);
    if (!outside || candidate.point.squaredNorm() < best.point.squaredNorm()) best = candidate;
    outside = true;
  }
  return outside;
}

bool nearest_on_simplex(const Simplex& s, Nearest& nearest) {
  switch (s.count) {
    case 1:
      nearest = nearest_vertex(s, 0);
      return true;
    case 2:
      nearest = nearest_on_edge(s, 0, 1);
      return true;
    case 3:
      nearest = nearest_on_triangle(s, 0, 1, 2);
      return true;
    default:
      return nearest_on_tetrahedron(s, nearest);
  }
}

void keep(Simplex& simplex, const Nearest& nearest) {
  std::array<DifferencePoint, 3> kept;
  for (int i = 0; i < nearest.count; ++i) kept[i] = simplex.points[nearest.corner[i]];
  for (int i = 0; i < nearest.count; ++i) {
    simplex.points[i] = kept[i];
    simplex.weight[i] = nearest.weight[i];
  }
  simplex.count = nearest.count;
}

bool contains(const Simplex& simplex, const DifferencePoint& point) {
  for (int i = 0; i < simplex.count; ++i)
    if (simplex.points[i].w == point.w) return true;
  return false;
}

void finish(const Vector3& nearest, Distance& result) {
  result.verdict = Distance::Verdict::apart;
  result.distance = nearest.norm();
  result.normal = -nearest / result.distance;
  result.point_a.setZero();
  result.point_b.setZero();
  for (int i = 0; i < result.simplex.count; ++i) {
    result.point_a += result.simplex.weight[i] * result.simplex.points[i].a;
    result.point_b += result.simplex.weight[i] * result.simplex.points[i].b;
  }
}

}  // namespace

void find_weights(Simplex& simplex) {
  Nearest nearest;
  if (nearest_on_simplex(simplex, nearest)) keep(simplex, nearest);
}

Distance compute_distance(const Difference& difference, double limit) {
  Distance result;
  Simplex& simplex = result.simplex;
  const double touching = std::pow(kTouching * difference.size(), 2);
  simplex.points[0] = difference.support(difference.pose.position);
  simplex.weight[0] = 1;
  simplex.count = 1;
  Vector3 nearest = simplex.points[0].w;
  result.verdict = Distance::Verdict::touching;
  bool separated = false;
  for (int k = 0; k < kMostIterations; ++k) {
    const double squared = nearest.squaredNorm();
    if (squared <= touching) return result;
    const DifferencePoint& last = simplex.points[simplex.count - 1];
    const DifferencePoint next = difference.support(-nearest, last.index_a, last.index_b);
    const double bound = nearest.dot(next.w);
    if (bound > 0 && bound * bound > limit * limit * squared) {
      result.verdict = Distance::Verdict::beyond;
      return result;
    }
    separated = separated || (bound > 0 && bound * bound > touching * squared);
    if (squared - bound <= kGap * squared || contains(simplex, next)) break;
    simplex.points[simplex.count++] = next;
    Nearest found;
    if (!nearest_on_simplex(simplex, found)) {
      if (!separated) return result;
      --simplex.count;  // a plane lies between the bodies: it was round-off
      break;
    }
    if (found.point.squaredNorm() >= squared * (1 - kStalled)) {
      --simplex.count;
      break;
    }
    nearest = found.point;
    keep(simplex, found);
  }
  finish(nearest, result);
  polish(difference, result);
  return result;
}

}  // namespace clack::narrow
