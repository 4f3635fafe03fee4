// What stands in a ring, a tube or a socket: gaps against a search over the surfaces, normals,
// points, and the ways out of the hole.
#include <gtest/gtest.h>

#include <functional>

#include "clack/core/error.hpp"
#include "tests/collide/reference.hpp"

namespace clack {
namespace {

Manifold contacts(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                  double margin = 0.5) {
  Manifold manifold;
  collide(a, pose_a, b, pose_b, margin, manifold);
  return manifold;
}

// The largest value of a function of an angle: many samples, then golden sections about the best.
double largest(const std::function<double(double)>& f) {
  constexpr int kCount = 400;
  const double step = 2 * M_PI / kCount;
  std::vector<double> value(kCount);
  for (int k = 0; k < kCount; ++k) value[k] = f(k * step);
  double best = -1e300;
  for (int k = 0; k < kCount; ++k) {
    if (value[k] < value[(k + 1) % kCount] || value[k] < value[(k + kCount - 1) % kCount]) continue;
    const double x = k * step;
    double low = x - step, high = x + step;
    for (int i = 0; i < 60; ++i) {
      const double p = low + (high - low) / 3, q = high - (high - low) / 3;
      (f(p) < f(q) ? low : high) = f(p) < f(q) ? p : q;
    }
    best = std::max(best, f(0.5 * (low + high)));
  }
  return best;
}

// What every contact between a wall and what it holds must be.
void expect_proper(const Manifold& m, const Shape& a, const Pose& pose_a, const Shape& b,
                   const Pose& pose_b, double margin) {
  const Manifold swapped = contacts(b, pose_b, a, pose_a, margin);
  ASSERT_EQ(swapped.points.size(), m.points.size());
  for (std::size_t i = 0; i < m.points.size(); ++i) {
    const ContactPoint& point = m.points[i];
    EXPECT_NEAR(point.normal.norm(), 1, 1e-14);
    EXPECT_EQ(swapped.points[i].normal, -point.normal);
    EXPECT_EQ(swapped.points[i].position, point.position);
    EXPECT_EQ(swapped.points[i].gap, point.gap);
  }
}

std::vector<Vector2> random_corners(std::mt19937_64& random, double size) {
  std::uniform_real_distribution<double> sign(-1, 1);
  std::vector<Vector2> points;
  for (int i = 0; i < 5; ++i) points.emplace_back(size * sign(random), size * sign(random));
  return points;
}

TEST(Hollow, ARingHoldsEveryConvexShapeOfThePlane) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> sign(-1, 1);
  const double inner = 1;
  const Shape ring{RingShape(inner, 1.6)};
  for (int k = 0; k < 400; ++k) {
    std::vector<Vector2> corners;
    double rounding = 0.1;
    ShapePtr held;
    if (k % 4 == 0) corners = {{0, 0}}, rounding = 0.9, held = make_shape(Disc(0.9));
    if (k % 4 == 1)
      corners = {{-0.5, 0}, {0.5, 0}}, rounding = 0.3, held = make_shape(PlanarCapsule(0.3, 0.5));
    if (k % 4 == 2)
      corners = random_corners(random, 0.5), held = make_shape(Polygon(corners, rounding));
    if (k % 4 == 3) {
      corners = {{-0.6, 0.1}, {0.4, -0.2}};
      held = make_shape(Segment(corners[0], corners[1], rounding));
    }
    const Pose pose_a = planar_pose(3 * sign(random), 3 * sign(random), 3 * sign(random));
    const Pose b_in_a = planar_pose(0.2 * sign(random), 0.2 * sign(random), 3 * sign(random));
    const Pose pose_b = pose_a * b_in_a;
    // The farthest point from the middle, by its support function.
    const double reach = largest([&](double x) {
      double most = -1e300;
      for (const Vector2& v : corners)
        most = std::max(
            most, Vector3(std::cos(x), std::sin(x), 0).dot(b_in_a * Vector3(v.x(), v.y(), 0)));
      return most + rounding;
    });
    const Manifold m = contacts(ring, pose_a, *held, pose_b, 2);
    ASSERT_FALSE(m.points.empty());
    const ContactPoint& point = reference::deepest(m);
    EXPECT_NEAR(point.gap, inner - reach, 1e-12) << k;
    // Half a gap from the middle lie the wall and the body, in the direction of the normal.
    const Vector3 on_wall = pose_a.to_body(point.position - 0.5 * point.gap * point.normal);
    EXPECT_NEAR(on_wall.norm(), inner, 1e-12);
    EXPECT_NEAR((pose_a.rotation * on_wall + inner * point.normal).norm(), 0, 1e-12);
    ASSERT_NO_FATAL_FAILURE(expect_proper(m, ring, pose_a, *held, pose_b, 2));
  }
}

TEST(Hollow, ARingIsADiscToWhatStandsOutside) {
  const Shape ring{RingShape(0.5, 1)}, disc{Disc(1)}, line{Line()};
  const Shape small{Disc(0.2)}, box{Polygon({{-0.3, -0.1}, {0.3, -0.1}, {0.3, 0.1}, {-0.3, 0.1}})};
  for (const Shape* other : {&small, &box}) {
    for (const double angle : {0.0, 0.7, 2.0}) {
      const Pose pose = planar_pose(1.35 * std::cos(angle), 1.35 * std::sin(angle), 0.3);
      const Manifold m = contacts(ring, {}, *other, pose), n = contacts(disc, {}, *other, pose);
      ASSERT_EQ(m.points.size(), n.points.size());
      EXPECT_EQ(m.points[0].gap, n.points[0].gap);
      EXPECT_EQ(m.points[0].normal, n.points[0].normal);
    }
  }
  EXPECT_NEAR(contacts(line, {}, ring, planar_pose(0, 1.1, 0)).points[0].gap, 0.1, 1e-15);
}

TEST(Hollow, OfTwoRingsTheSmallerOneStandsInTheOther) {
  const Shape large{RingShape(1, 1.2)}, small{RingShape(0.4, 0.9)};
  for (const bool swap : {false, true}) {
    const Shape &a = swap ? small : large, &b = swap ? large : small;
    const Manifold m = contacts(a, {}, b, planar_pose(swap ? -0.06 : 0.06, 0, 0));
    ASSERT_EQ(m.points.size(), 1u);
    EXPECT_NEAR(m.points[0].gap, 0.04, 1e-15);
    EXPECT_NEAR(m.points[0].normal.x(), swap ? 1 : -1, 1e-15);
    EXPECT_NEAR(contacts(a, {}, b, planar_pose(2.2, 0, 0)).points[0].gap, 0.1, 1e-15);
  }
}

TEST(Hollow, ACentredJournalHasItsClearanceAndAUnitNormal) {
  const Shape ring{RingShape(1, 2)}, disc{Disc(0.9)}, socket{Socket(1, 2)}, ball{Sphere(0.9)};
  const Shape tube{Tube(1, 2, 3)}, shaft{Cylinder(0.9, 1)}, long_shaft{Cylinder(0.9, 5)};
  const std::pair<const Shape*, const Shape*> pairs[] = {
      {&ring, &disc}, {&socket, &ball}, {&tube, &ball}, {&tube, &shaft}, {&tube, &long_shaft}};
  for (const auto& [wall, held] : pairs) {
    const Manifold m = contacts(*wall, {}, *held, {});
    ASSERT_EQ(m.points.size(), held == &shaft || held == &long_shaft ? 2u : 1u);
    for (const ContactPoint& point : m.points) {
      EXPECT_NEAR(point.gap, 0.1, 1e-15);
      EXPECT_NEAR(point.normal.norm(), 1, 1e-15);
      EXPECT_TRUE(point.position.allFinite());
    }
  }
}

// Points of both surfaces, at random: none is nearer than the gap.
TEST(Hollow, ABallIsAtItsDistanceFromATube) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> sign(-1, 1);
  const double inner = 1, outer = 1.5, half = 0.8;
  const Shape tube{Tube(inner, outer, half)}, ball{Sphere(0.3)};
  int inside = 0;
  for (int k = 0; k < 500; ++k) {
    const Vector3 centre(2.2 * sign(random), 2.2 * sign(random), 1.6 * sign(random));
    const double rho = std::hypot(centre.x(), centre.y()), z = centre.z();
    if (rho > inner && rho < outer && std::abs(z) < half) continue;
    // The section of the wall: four straight sides.
    const Vector3 p(rho, z, 0),
        corner[] = {{inner, -half, 0}, {outer, -half, 0}, {outer, half, 0}, {inner, half, 0}};
    double distance = 1e300;
    for (int i = 0; i < 4; ++i)
      distance =
          std::min(distance, reference::distance_to_segment(p, corner[i], corner[(i + 1) % 4]));
    const Manifold m = contacts(tube, {}, ball, {centre, Matrix3::Identity()}, 9);
    ASSERT_EQ(m.points.size(), 1u);
    EXPECT_NEAR(m.points[0].gap, distance - 0.3, 1e-13);
    const Vector3 on_wall = m.points[0].position - 0.5 * m.points[0].gap * m.points[0].normal;
    EXPECT_NEAR((centre - distance * m.points[0].normal - on_wall).norm(), 0, 1e-13);
    inside += rho < inner && std::abs(z) < half;
  }
  EXPECT_GT(inside, 30);
}

TEST(Hollow, ABallTooLargeForATubeSitsOnItsEdgeAllAround) {
  const Shape tube{Tube(1, 1.5, 0.8)}, ball{Sphere(1.25)};
  const Manifold m = contacts(tube, {}, ball, {{0, 0, 0.8 + 0.75}, Matrix3::Identity()}, 0.01);
  ASSERT_EQ(m.points.size(), 4u);
  Vector3 sum = Vector3::Zero();
  for (const ContactPoint& point : m.points) {
    EXPECT_NEAR(point.gap, 0, 1e-15);
    EXPECT_NEAR(point.normal.z(), 0.6, 1e-15);
    sum += point.normal;
  }
  EXPECT_NEAR(sum.head<2>().norm(), 0, 1e-14);
}

// Gaps of a shaft in a tube by a search over circles: its own rims in the bore, the bore's edges on
// its side.
struct ShaftGaps {
  double inner, half;
  double core, rounding, half_length;
  Pose pose;

  // At most two: one at each end.
  std::vector<double> gaps() const {
    std::vector<double> found;
    for (const int end : {-1, 1}) {
      const double rim = -largest([&](double x) {
        const Vector3 p = pose * Vector3(core * std::cos(x), core * std::sin(x), end * half_length);
        return std::abs(p.z()) <= half ? std::hypot(p.x(), p.y()) : -1e9;
      });
      if (rim < 1e8) found.push_back(inner + rim - rounding);
      const double edge = largest([&](double x) {
        const Vector3 p =
            pose.to_body(Vector3(inner * std::cos(x), inner * std::sin(x), end * half));
        return std::abs(p.z()) <= half_length ? -std::hypot(p.x(), p.y()) : -1e9;
      });
      if (edge > -1e8) found.push_back(-edge - core - rounding);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
};

TEST(Hollow, AShaftTouchesATubeWithItsEndsOrAtTheEdges) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> sign(-1, 1);
  for (const double half_length : {0.5, 2.0}) {
    for (int k = 0; k < 60; ++k) {
      const double tilt = k % 3 == 0 ? 0 : 0.08 * sign(random);
      const Matrix3 turn = (Eigen::AngleAxisd(3 * sign(random), Vector3::UnitZ()) *
                            Eigen::AngleAxisd(tilt, Vector3::UnitX()) *
                            Eigen::AngleAxisd(3 * sign(random), Vector3::UnitZ()))
                               .toRotationMatrix();
      const Pose pose{{0.06 * sign(random), 0.06 * sign(random), 0.2 * sign(random)}, turn};
      // A cylinder, one with rounded edges, a capsule.
      const double rounding = k % 4 == 1 ? 0.05 : k % 4 == 2 ? 0.9 : 0;
      const ShaftGaps expected{1, 1.2, 0.9 - rounding, rounding, half_length, pose};
      const Shape tube{Tube(1, 1.5, 1.2)};
      const Shape shaft = rounding == 0.9 ? Shape(Capsule(0.9, half_length))
                                          : Shape(Cylinder(0.9 - rounding, half_length, rounding));
      const Pose outside{reference::random_unit(random), reference::random_rotation(random)};
      Manifold m = contacts(tube, outside, shaft, outside * pose, 2);
      std::sort(m.points.begin(), m.points.end(),
                [](const auto& x, const auto& y) { return x.gap < y.gap; });
      const std::vector<double> gaps = expected.gaps();
      ASSERT_EQ(m.points.size(), gaps.size()) << k;
      for (std::size_t i = 0; i < gaps.size(); ++i)
        EXPECT_NEAR(m.points[i].gap, gaps[i], 1e-12) << half_length << " " << k;
      ASSERT_NO_FATAL_FAILURE(expect_proper(contacts(tube, outside, shaft, outside * pose, 2), tube,
                                            outside, shaft, outside * pose, 2));
    }
  }
}

TEST(Hollow, ACapsuleInATubeTouchesWithItsCaps) {
  const Shape tube{Tube(1, 1.5, 2)}, capsule{Capsule(0.8, 1)};
  const double tilt = 0.1;
  const Pose pose{{0.05, 0, 0}, Eigen::AngleAxisd(tilt, Vector3::UnitY()).toRotationMatrix()};
  const Manifold m = contacts(tube, {}, capsule, pose, 2);
  ASSERT_EQ(m.points.size(), 2u);
  for (const ContactPoint& point : m.points) {
    const double end = point.position.z() > 0 ? 1 : -1;
    EXPECT_NEAR(point.gap, 1 - std::abs(0.05 + end * std::sin(tilt)) - 0.8, 1e-14);
  }
}

TEST(Hollow, AShaftBeforeATubeEntersOrMeetsItsFace) {
  const Shape tube{Tube(1, 1.5, 1)}, shaft{Cylinder(0.9, 0.5)};
  EXPECT_TRUE(
      contacts(tube, {}, shaft, {{0.05, 0, 1.505}, Matrix3::Identity()}, 0.01).points.empty());
  const Manifold m = contacts(tube, {}, shaft, {{0.3, 0, 1.505}, Matrix3::Identity()}, 0.01);
  ASSERT_FALSE(m.points.empty());
  EXPECT_NEAR(m.points[0].gap, 0.005, 1e-14);
  EXPECT_NEAR(m.points[0].normal.z(), 1, 1e-14);
}

TEST(Hollow, ASocketHoldsConvexBodies) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> sign(-1, 1);
  const double inner = 3;
  const Shape socket{Socket(inner, 4)};
  for (const ShapeKind kind : reference::kConvexKinds) {
    for (int k = 0; k < 20; ++k) {
      const ShapePtr held = reference::random_convex(kind, random, k % 2 == 1);
      const Pose pose{0.1 * reference::random_unit(random), reference::random_rotation(random)};
      const Manifold m = contacts(socket, {}, *held, pose, 9);
      ASSERT_FALSE(m.points.empty());
      const ContactPoint& point = reference::deepest(m);
      // The farthest point of the body, by its support function: no direction reaches farther.
      double reach = 0;
      Vector3 best = -point.normal;
      const auto support = [&](const Vector3& n) {
        return n.dot(pose.position) + reference::reach(*held, pose.rotation.transpose() * n);
      };
      reach = support(best);
      for (double step = 1; step > 1e-9; step *= 0.8)
        for (int i = 0; i < 20; ++i) {
          const Vector3 n = (best + step * reference::random_unit(random)).normalized();
          if (support(n) > reach) reach = support(n), best = n;
        }
      EXPECT_NEAR(point.gap, inner - reach, 1e-9) << static_cast<int>(kind);
      ASSERT_NO_FATAL_FAILURE(expect_proper(m, socket, {}, *held, pose, 9));
    }
  }
}

// A round hole in a plate: what goes through is one contact, the plate outside it many.
TEST(Hollow, PartsOfCompoundsKeepTheirHoles) {
  const ShapePtr bar = make_shape(Polygon({{1.1, -0.2}, {5, -0.2}, {5, 0.2}, {1.1, 0.2}}));
  const Shape link{Compound({{make_shape(RingShape(1, 1.3)), Pose()}, {bar, Pose()}})},
      pin{Disc(0.95)};
  const Manifold m = contacts(link, planar_pose(1, 2, 0.4), pin, planar_pose(1.02, 2, 0), 0.1);
  ASSERT_EQ(m.points.size(), 1u);
  EXPECT_NEAR(m.points[0].gap, 0.03, 1e-14);
}

TEST(Hollow, RefusesAHoleThatIsWiderThanTheBody) {
  EXPECT_THROW(RingShape(1, 1), InputError);
  EXPECT_THROW(RingShape(0, 1), InputError);
  EXPECT_THROW(Tube(2, 1, 1), InputError);
  EXPECT_THROW(Tube(1, 2, 0), InputError);
  EXPECT_THROW(Socket(2, NAN), InputError);
}

}  // namespace
}  // namespace clack
