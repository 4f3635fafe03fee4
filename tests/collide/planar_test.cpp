// Shapes of the plane: gaps against a look at all features, numbers of points, invariance.
#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "tests/collide/reference.hpp"

namespace clack {
namespace {

Manifold contacts(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                  double margin = 0.01) {
  Manifold manifold;
  collide(a, pose_a, b, pose_b, margin, manifold);
  return manifold;
}

struct Core {
  std::vector<Vector2> vertices;
  double rounding;
};

Core core_of(const Shape& shape, const Pose& pose) {
  PlanarCore core;
  if (shape.kind() == ShapeKind::disc) core = shape.as<Disc>().core;
  if (shape.kind() == ShapeKind::planar_capsule) core = shape.as<PlanarCapsule>().core;
  if (shape.kind() == ShapeKind::polygon) core = shape.as<Polygon>().core;
  if (shape.kind() == ShapeKind::segment) core = shape.as<Segment>().core;
  Core result{{}, core.rounding};
  for (const Vector2& v : core.vertices)
    result.vertices.push_back((pose * Vector3(v.x(), v.y(), 0)).head<2>());
  return result;
}

double reach(const Core& core, const Vector2& n) {
  double most = -1e300;
  for (const Vector2& v : core.vertices) most = std::max(most, v.dot(n));
  return most + core.rounding;
}

// The largest separation over a fine circle of normals, then around the best by golden sections.
double best_separation(const Core& a, const Core& b) {
  auto separation = [&](double angle) {
    const Vector2 n(std::cos(angle), std::sin(angle));
    return -reach(a, n) - reach(b, -n);
  };
  constexpr int kCount = 720;
  double best = -1e300;
  for (int k = 0; k < kCount; ++k) {
    const double value = separation(2 * M_PI * k / kCount);
    if (value < separation(2 * M_PI * (k + 1) / kCount) ||
        value < separation(2 * M_PI * (k - 1) / kCount))
      continue;
    double low = 2 * M_PI * (k - 1) / kCount, high = 2 * M_PI * (k + 1) / kCount;
    for (int step = 0; step < 120; ++step) {
      const double p = low + (high - low) / 3, q = high - (high - low) / 3;
      (separation(p) < separation(q) ? low : high) = separation(p) < separation(q) ? p : q;
    }
    best = std::max(best, separation((low + high) / 2));
  }
  return best;
}

ShapePtr random_planar(int kind, std::mt19937_64& random) {
  std::uniform_real_distribution<double> size(0.2, 1.5), sign(-1, 1);
  if (kind == 0) return make_shape(Disc(size(random)));
  if (kind == 1) return make_shape(PlanarCapsule(0.5 * size(random), size(random)));
  if (kind == 2)
    return make_shape(
        Segment(Vector2(-size(random), sign(random)), Vector2(size(random), sign(random))));
  std::vector<Vector2> points;
  const int count = 3 + static_cast<int>(random() % 8);
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * M_PI * (i + 0.8 * (sign(random) + 1) / 2) / count, r = size(random);
    points.emplace_back(r * std::cos(angle), r * std::sin(angle));
  }
  return make_shape(Polygon(points, kind == 4 ? 0.3 : 0));
}

TEST(Planar, GapsAreTheLargestSeparationOfAllNormals) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> sign(-1, 1);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 60; ++k) {
        const ShapePtr a = random_planar(i, random), b = random_planar(j, random);
        const Pose pose_a = planar_pose(sign(random), sign(random), 4 * sign(random));
        const Pose pose_b = planar_pose(2.5 * sign(random), 2.5 * sign(random), 4 * sign(random));
        const Manifold m = contacts(*a, pose_a, *b, pose_b, 100);
        ASSERT_FALSE(m.points.empty());
        const ContactPoint& point = reference::deepest(m);
        const Core core_a = core_of(*a, pose_a), core_b = core_of(*b, pose_b);
        EXPECT_NEAR(point.gap, best_separation(core_a, core_b), 1e-9) << i << j;
        EXPECT_NEAR(point.normal.norm(), 1, 1e-14);
        EXPECT_EQ(point.normal.z(), 0);
        const Vector2 n = point.normal.head<2>();
        EXPECT_NEAR(-reach(core_a, n) - reach(core_b, -n), point.gap, 1e-12) << i << j;
        const Manifold swapped = contacts(*b, pose_b, *a, pose_a, 100);
        EXPECT_NEAR(reference::deepest(swapped).gap, point.gap, 1e-12);
        const double turned = (reference::deepest(swapped).normal + point.normal).norm();
        EXPECT_TRUE(point.gap < 1e-3 || turned < 1e-9) << turned;
      }
}

void expect_level(const Manifold& m, std::size_t count, double gap) {
  ASSERT_EQ(m.points.size(), count);
  for (const ContactPoint& point : m.points) {
    EXPECT_NEAR(point.gap, gap, 1e-14);
    EXPECT_NEAR((point.normal - Vector3::UnitY()).norm(), 0, 1e-14);
  }
}

TEST(Planar, FlatSidesTouchInTwoPointsAndCornersInOne) {
  const Shape line{Line()}, square{Polygon({{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})};
  const Shape wall{Segment({-3, 0}, {3, 0})}, capsule{PlanarCapsule(0.5, 1)}, disc{Disc(0.5)};
  for (const double gap : {0.004, 0.0, -0.003}) {
    for (const Shape* floor : {&line, &wall}) {
      expect_level(contacts(*floor, {}, square, planar_pose(0.3, 1 + gap, M_PI)), 2, gap);
      expect_level(contacts(*floor, {}, square, planar_pose(0.3, std::sqrt(2) + gap, M_PI / 4)), 1,
                   gap);
      expect_level(contacts(*floor, {}, capsule, planar_pose(0.3, 0.5 + gap, 0)), 2, gap);
      expect_level(contacts(*floor, {}, disc, planar_pose(0.3, 0.5 + gap, 2)), 1, gap);
    }
    expect_level(contacts(square, {}, square, planar_pose(0.7, 2 + gap, 0)), 2, gap);
    expect_level(contacts(square, {}, disc, planar_pose(0.7, 1.5 + gap, 0)), 1, gap);
  }
}

// Corners at hinges of masonry: round-off of the frames is not small against such a distance.
TEST(Planar, NormalsBetweenCornersThatAllButTouchAreUnitVectors) {
  const Shape square{Polygon({{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})};
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> angle(0.1, 1.4), sign(-1, 1);
  int corners = 0;
  for (int k = 0; k < 2000; ++k) {
    const Pose a = planar_pose(3 * sign(random), 3 * sign(random), 4 * sign(random));
    const double turn = angle(random), apart = std::pow(10, -9 - 2.5 * std::abs(sign(random)));
    const Vector3 corner(1 + apart * std::cos(turn), 1 + apart * std::sin(turn), 0);
    const Pose in_a = planar_pose(0, 0, turn - M_PI / 4);
    const Pose b = a * Pose{corner + in_a.rotation * Vector3(1, 1, 0), in_a.rotation};
    for (const ContactPoint& point : contacts(square, a, square, b).points) {
      EXPECT_NEAR(point.normal.norm(), 1, 1e-14);
      corners += std::abs(point.gap - apart) < 1e-14;
    }
  }
  EXPECT_GT(corners, 1000);
}

TEST(Planar, RefusesShapesWithoutExtent) {
  EXPECT_THROW(Disc(-1), InputError);
  EXPECT_THROW(PlanarCapsule(1, 0), InputError);
  EXPECT_THROW(Polygon({{0, 0}, {1, 0}}), InputError);
  EXPECT_THROW(Polygon({{0, 0}, {1, 1}, {2, 2}, {3, 3}}), InputError);
  EXPECT_THROW(Polygon({{0, 0}, {1, 0}, {0, NAN}}), InputError);
  EXPECT_THROW(Segment({1, 1}, {1, 1}), InputError);
  EXPECT_THROW(Line({0, 0}), InputError);
}

}  // namespace
}  // namespace clack
