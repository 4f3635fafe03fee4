// The last digits of the nearest points where rims of cylinders and cones take part (eq:polish).
#include <cmath>

#include "clack/collide/narrow/gjk.hpp"

namespace clack::narrow {
namespace {

constexpr int kMostSteps = 6;
constexpr double kDropped = 1e-9;  // weight below which a point of the simplex takes no part
constexpr double kSpan = 1e-7;     // least part of a direction that is new, relative

bool is_rim(int index) { return index == kLowRim || index == kHighRim; }

// The features that touch; the rims of a body turn together with its angle.
struct Active {
  const Difference& difference;
  Simplex simplex;
  Eigen::Vector2d angle = Eigen::Vector2d::Zero();  // on A, on B [rad]
  bool free_a = false, free_b = false;              // a rim takes part
  Vector3 tangent_a, tangent_b;                     // of the rims, frame of A
  Vector3 nearest;  // of the affine span of the points to the origin
  std::array<Vector3, 2> span;
  int rank = 0;

  explicit Active(const Difference& d) : difference(d) {}
  void collect(const Simplex& found);
  Eigen::Vector2d residual(const Eigen::Vector2d& angles);
  bool solve();
  Vector3 normal(const Vector3& guess) const;
};

double angle_of(const Vector3& rim) { return std::atan2(rim.y(), rim.x()); }

void Active::collect(const Simplex& found) {
  simplex.count = 0;
  for (int i = 0; i < found.count; ++i) {
    const DifferencePoint& point = found.points[i];
    if (found.weight[i] < kDropped) continue;
    bool known = false;
    for (int k = 0; k < simplex.count; ++k)
      known = known || (simplex.points[k].index_a == point.index_a &&
                        simplex.points[k].index_b == point.index_b);
    if (!known) simplex.points[simplex.count++] = point;
    if (difference.a.core != Convex::Core::polytope && is_rim(point.index_a)) {
      free_a = true;
      angle[0] = angle_of(point.a);
    }
    if (difference.b.core != Convex::Core::polytope && is_rim(point.index_b)) {
      free_b = true;
      angle[1] = angle_of(difference.pose.to_body(point.b));
    }
  }
}

// tangent . nearest for each rim: 0 where the distance is stationary.
Eigen::Vector2d Active::residual(const Eigen::Vector2d& x) {
  const Pose& pose = difference.pose;
  const Vector3 out_a(std::cos(x[0]), std::sin(x[0]), 0), out_b(std::cos(x[1]), std::sin(x[1]), 0);
  tangent_a = Vector3(-out_a.y(), out_a.x(), 0);
  tangent_b = pose.rotation * Vector3(-out_b.y(), out_b.x(), 0);
  for (int k = 0; k < simplex.count; ++k) {
    DifferencePoint& p = simplex.points[k];
    if (free_a && is_rim(p.index_a))
      p.a = difference.a.radius * out_a +
            Vector3(0, 0, p.index_a == kHighRim ? difference.a.high : difference.a.low);
    if (free_b && is_rim(p.index_b))
      p.b = pose *
            Vector3(difference.b.radius * out_b +
                    Vector3(0, 0, p.index_b == kHighRim ? difference.b.high : difference.b.low));
    p.w = p.a - p.b;
  }
  nearest = simplex.points[0].w;
  rank = 0;
  for (int k = 1; k < simplex.count && rank < 2; ++k) {
    Vector3 across = simplex.points[k].w - simplex.points[0].w;
    const double length = across.norm();
    for (int i = 0; i < rank; ++i) across -= across.dot(span[i]) * span[i];
    if (!(across.norm() > kSpan * length)) continue;
    span[rank] = across.normalized();
    nearest -= nearest.dot(span[rank]) * span[rank];
    ++rank;
  }
  return {free_a ? tangent_a.dot(nearest) : 0, free_b ? tangent_b.dot(nearest) : 0};
}

bool Active::solve() {
  const double size = difference.a.size + difference.b.size;
  for (int step = 0; step < kMostSteps; ++step) {
    const Eigen::Vector2d here = residual(angle);
    if (here.cwiseAbs().maxCoeff() <= 1e-16 * size) return true;
    Eigen::Matrix2d slope = Eigen::Matrix2d::Identity();
    constexpr double h = 1e-6;
    if (free_a) slope.col(0) = (residual(angle + Eigen::Vector2d(h, 0)) - here) / h;
    if (free_b) slope.col(1) = (residual(angle + Eigen::Vector2d(0, h)) - here) / h;
    if (!free_a) slope(1, 0) = 0, slope(0, 1) = 0;
    if (!free_b) slope(0, 1) = 0, slope(1, 0) = 0;
    const double determinant = slope.determinant();
    if (!(std::abs(determinant) > 1e-12 * slope.squaredNorm())) return false;
    const Eigen::Vector2d change((slope(1, 1) * here[0] - slope(0, 1) * here[1]) / determinant,
                                 (slope(0, 0) * here[1] - slope(1, 0) * here[0]) / determinant);
    if (!(change.norm() < 0.1)) return false;
    angle -= change;
  }
  (void)residual(angle);
  return true;
}

// Across the two directions of the surface at the contact where they are known, which needs no
// distance.
Vector3 Active::normal(const Vector3& guess) const {
  std::array<Vector3, 4> directions;
  int count = 0;
  for (int i = 0; i < rank; ++i) directions[count++] = span[i];
  if (free_a) directions[count++] = tangent_a;
  if (free_b) directions[count++] = tangent_b;
  Vector3 best = Vector3::Zero();
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j)
      if (const Vector3 across = directions[i].cross(directions[j]);
          across.squaredNorm() > best.squaredNorm())
        best = across;
  const double distance = nearest.norm();
  Vector3 result = best;
  if (best.norm() < 0.1 || distance > 0.1 * (difference.a.size + difference.b.size))
    result = -nearest;
  result.normalize();
  return result.dot(guess) < 0 ? Vector3(-result) : result;
}

}  // namespace

void polish(const Difference& d, Distance& distance) {
  if (d.a.core == Convex::Core::polytope && d.b.core == Convex::Core::polytope) return;
  Active active(d);
  active.collect(distance.simplex);
  if ((!active.free_a && !active.free_b) || !active.solve()) return;
  const Vector3 normal = active.normal(distance.normal);
  const double separation = d.separation(normal);
  if (!(separation >= d.separation(distance.normal) - 1e-14 * d.size())) return;
  find_weights(active.simplex);
  Vector3 point_a = Vector3::Zero(), point_b = Vector3::Zero();
  for (int i = 0; i < active.simplex.count; ++i) {
    point_a += active.simplex.weight[i] * active.simplex.points[i].a;
    point_b += active.simplex.weight[i] * active.simplex.points[i].b;
  }
  // Flat ends touch in more points of a rim than one: then the iteration's own answer stays.
  if (!((point_b - point_a - separation * normal).norm() <= 1e-9 * d.size())) return;
  distance.normal = normal;
  distance.distance = separation;
  distance.simplex = active.simplex;
  distance.point_a = point_a;
  distance.point_b = point_b;
}

}  // namespace clack::narrow
