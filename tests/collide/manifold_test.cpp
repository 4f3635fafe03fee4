// How many points a contact has, where they are, and what does not change them.
#include <gtest/gtest.h>

#include <set>

#include "tests/collide/reference.hpp"

namespace clack {
namespace {

using reference::random_convex, reference::random_rotation, reference::random_unit;

Pose at(double x, double y, double z, const Vector3& axis = Vector3::UnitZ(), double angle = 0) {
  return {Vector3(x, y, z), Eigen::AngleAxisd(angle, axis).toRotationMatrix()};
}

Manifold contacts(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                  double margin = 0.01) {
  Manifold manifold;
  collide(a, pose_a, b, pose_b, margin, manifold);
  return manifold;
}

void expect_level(const Manifold& m, std::size_t count, double gap) {
  EXPECT_EQ(m.points.size(), count);
  std::set<std::uint64_t> keys;
  for (const ContactPoint& point : m.points) {
    EXPECT_NEAR(point.gap, gap, 1e-12);
    EXPECT_NEAR((point.normal - Vector3::UnitZ()).norm(), 0, 1e-9);
    keys.insert(point.feature);
  }
  EXPECT_EQ(keys.size(), m.points.size()) << "two points with one key";
}

const Shape kPlane{Plane()};
const Shape kBox{Box(Vector3(1, 2, 0.5))};
const Shape kTable{Box(Vector3(5, 5, 0.5))};
const Shape kCylinder{Cylinder(0.5, 1)};
const Shape kCone{ConeShape(0.5, 1)};
const Shape kCapsule{Capsule(0.25, 1)};

TEST(Manifold, ABoxOnAPlaneHasItsFourCorners) {
  for (const double gap : {0.005, 0.0, -0.003})
    expect_level(contacts(kPlane, {}, kBox, at(3, 1, 0.5 + gap, Vector3::UnitZ(), 0.3)), 4, gap);
}

TEST(Manifold, ABoxOnABoxHasTheCornersOfTheCommonFace) {
  for (const double gap : {0.005, 0.0, -0.003}) {
    const Manifold m = contacts(kTable, {}, kBox, at(1, 1, 1 + gap, Vector3::UnitZ(), 0.3));
    expect_level(m, 4, gap);
    for (const ContactPoint& point : m.points)
      EXPECT_NEAR(point.position.z(), 0.5 + gap / 2, 1e-12);
  }
}

TEST(Manifold, EqualBoxesTurnedBy45DegreesHaveEightPoints) {
  const Shape cube{Box(Vector3::Ones())};
  for (const double gap : {0.005, -0.003}) {
    const Manifold m = contacts(cube, {}, cube, at(0, 0, 2 + gap, Vector3::UnitZ(), M_PI / 4));
    expect_level(m, 8, gap);
    for (const ContactPoint& point : m.points) {
      EXPECT_NEAR(point.position.head<2>().cwiseAbs().maxCoeff(), 1, 1e-12);
      EXPECT_NEAR(point.position.head<2>().cwiseAbs().minCoeff(), std::sqrt(2) - 1, 1e-12);
    }
  }
}

TEST(Manifold, AnEdgeOnAFaceHasTwoPoints) {
  const Shape cube{Box(Vector3::Ones())};
  for (const double gap : {0.005, -0.003})
    expect_level(
        contacts(kTable, {}, cube, at(0, 0, 0.5 + std::sqrt(2) + gap, Vector3::UnitX(), M_PI / 4)),
        2, gap);
}

TEST(Manifold, CrossedEdgesHaveOnePoint) {
  const Shape cube{Box(Vector3::Ones())};
  const Pose lower = at(0, 0, 0, Vector3::UnitX(), M_PI / 4);
  for (const double gap : {0.005, -0.003}) {
    const Manifold m =
        contacts(cube, lower, cube, at(0, 0, 2 * std::sqrt(2) + gap, Vector3::UnitY(), M_PI / 4));
    expect_level(m, 1, gap);
    EXPECT_NEAR((m.points[0].position - Vector3(0, 0, std::sqrt(2) + gap / 2)).norm(), 0, 1e-12);
  }
}

TEST(Manifold, ParallelEdgesHaveTwoPoints) {
  const Shape cube{Box(Vector3::Ones())};
  const Pose lower = at(0, 0, 0, Vector3::UnitX(), M_PI / 4);
  expect_level(
      contacts(cube, lower, cube, at(0.5, 0, 2 * std::sqrt(2) + 0.005, Vector3::UnitX(), M_PI / 4)),
      2, 0.005);
}

TEST(Manifold, ALyingCapsuleHasTwoPoints) {
  for (const double gap : {0.005, -0.003}) {
    const Pose lying = at(0.2, 0, 0.25 + gap, Vector3::UnitX(), M_PI / 2);
    expect_level(contacts(kPlane, {}, kCapsule, lying), 2, gap);
    expect_level(contacts(kTable, at(0, 0, -0.5), kCapsule, lying), 2, gap);
    expect_level(contacts(kCapsule, at(0, 0.3, -0.25, Vector3::UnitX(), M_PI / 2), kCapsule,
                          at(0, 0, 0.25 + gap, Vector3::UnitX(), M_PI / 2)),
                 2, gap);
  }
}

TEST(Manifold, ACylinderStandsOnManyPointsAndLiesOnTwo) {
  for (const double gap : {0.005, -0.003}) {
    const Pose lying = at(0.2, 0, 0.5 + gap, Vector3::UnitX(), M_PI / 2);
    expect_level(contacts(kPlane, {}, kCylinder, lying), 2, gap);
    expect_level(contacts(kTable, at(0, 0, -0.5), kCylinder, lying), 2, gap);
    expect_level(contacts(kPlane, {}, kCylinder, at(0, 0, 1 + gap)), 4, gap);
    expect_level(contacts(kTable, at(0, 0, -0.5), kCylinder, at(0, 0, 1 + gap)), 8, gap);
    expect_level(contacts(kCylinder, at(0, 0, -1), kCylinder, at(0, 0, 1 + gap)), 8, gap);
    expect_level(
        contacts(kCylinder, at(0, 0.1, -0.5, Vector3::UnitX(), M_PI / 2), kCylinder, lying), 0, 0);
    expect_level(
        contacts(kCylinder, at(0.2, 0.1, -0.5, Vector3::UnitX(), M_PI / 2), kCylinder, lying), 2,
        gap);
  }
}

TEST(Manifold, AConeStandsOnItsBaseAndLiesOnALine) {
  const double lean = M_PI / 2 + std::atan2(0.5, 1);  // side down
  const Vector3 down = Eigen::AngleAxisd(lean, Vector3::UnitX()).inverse() * -Vector3::UnitZ();
  const double height = reference::reach(kCone, down);
  for (const double gap : {0.005, -0.003}) {
    expect_level(contacts(kPlane, {}, kCone, at(0, 0, 0.25 + gap)), 4, gap);
    expect_level(contacts(kTable, at(0, 0, -0.5), kCone, at(0, 0, 0.25 + gap)), 8, gap);
    expect_level(contacts(kPlane, {}, kCone, at(0, 0, height + gap, Vector3::UnitX(), lean)), 2,
                 gap);
    expect_level(
        contacts(kTable, at(0, 0, -0.5), kCone, at(0, 0, height + gap, Vector3::UnitX(), lean)), 2,
        gap);
  }
}

TEST(Manifold, OpenPointsAreGivenUpToTheMargin) {
  const Pose tilted = at(0, 0, 0.52, Vector3::UnitY(), 0.01);  // corners at about 0.01 and 0.03
  EXPECT_EQ(contacts(kPlane, {}, kBox, tilted, 0.02).points.size(), 2u);
  EXPECT_EQ(contacts(kPlane, {}, kBox, tilted, 0.04).points.size(), 4u);
  EXPECT_EQ(contacts(kPlane, {}, kBox, tilted, 0.005).points.size(), 0u);
  EXPECT_EQ(contacts(kTable, at(0, 0, -0.5), kBox, tilted, 0.02).points.size(), 2u);
  EXPECT_EQ(contacts(kTable, at(0, 0, -0.5), kBox, tilted, 0.04).points.size(), 4u);
  EXPECT_EQ(contacts(kTable, at(0, 0, -0.5), kBox, tilted, 0.005).points.size(), 0u);
}

// The nearest points of two equal cubes, one turned a little on the other, are where edges cross.
TEST(Manifold, ATiltedBodyOnAnEqualOneStandsOnAllItsPoints) {
  const Shape cube{Box(Vector3::Ones())}, hull{Polyhedron(Box(Vector3::Ones()).core.vertices)};
  const Shape tube{Cylinder(1, 1)};
  for (const Shape* shape : {&cube, &hull, &tube})
    for (const double gap : {1e-6, 1e-10, 0.0, -1e-10, -1e-3})
      for (const double tilt : {0.0, 1e-12, 1e-9, 1e-6, 1e-3}) {
        const Vector3 axis = Vector3(1, 2, 0).normalized();
        const Manifold m = contacts(*shape, {}, *shape, at(0.1, 0.2, 2 + gap, axis, tilt));
        EXPECT_GE(m.points.size(), 4u) << gap << " " << tilt;
        EXPECT_NEAR(reference::deepest(m).gap, gap, 2 * tilt + 1e-14);
      }
}

TEST(Manifold, KeysStayWhileABodySlides) {
  std::set<std::uint64_t> first;
  for (const ContactPoint& p : contacts(kTable, {}, kBox, at(0, 0, 1)).points)
    first.insert(p.feature);
  for (int k = 1; k < 50; ++k) {
    std::set<std::uint64_t> keys;
    for (const ContactPoint& p :
         contacts(kTable, {}, kBox,
                  at(0.01 * k, 0.02 * k, 1 - 1e-6 * k, Vector3::UnitZ(), 0.02 * k))
             .points)
      keys.insert(p.feature);
    EXPECT_EQ(keys, first) << k;
  }
}

// Pairs with some overlap and some gap.
template <class Check>
void for_random_pairs(int count, Check&& check) {
  std::mt19937_64 random(7);
  for (int k = 0; k < count; ++k) {
    const ShapePtr a = random_convex(reference::kConvexKinds[random() % 6], random, k % 2 == 0);
    const ShapePtr b = random_convex(reference::kConvexKinds[random() % 6], random, k % 3 == 0);
    const double reach = a->bounds().half().norm() + b->bounds().half().norm();
    const Pose pose_a{random_unit(random), random_rotation(random)};
    const Pose pose_b{pose_a.position + 0.8 * reach * random_unit(random), random_rotation(random)};
    check(*a, pose_a, *b, pose_b, random);
  }
}

double least_gap(const Manifold& m) { return reference::deepest(m).gap; }

TEST(Manifold, ExchangingTheBodiesTurnsTheNormalRound) {
  for_random_pairs(2000, [](const Shape& a, const Pose& p, const Shape& b, const Pose& q, auto&) {
    const Manifold ab = contacts(a, p, b, q, 100), ba = contacts(b, q, a, p, 100);
    EXPECT_NEAR(least_gap(ab), least_gap(ba), 1e-9);
    if (least_gap(ab) < 0.05) return;  // two normals may be equally deep
    EXPECT_NEAR((reference::deepest(ab).normal + reference::deepest(ba).normal).norm(), 0, 1e-6);
  });
}

TEST(Manifold, ACommonMotionMovesThePointsWithTheBodies) {
  for_random_pairs(2000,
                   [](const Shape& a, const Pose& p, const Shape& b, const Pose& q, auto& random) {
                     const Pose motion{5 * random_unit(random), random_rotation(random)};
                     const Manifold here = contacts(a, p, b, q, 100),
                                    there = contacts(a, motion * p, b, motion * q, 100);
                     EXPECT_NEAR(least_gap(here), least_gap(there), 1e-9);
                     if (least_gap(here) < 0.05) return;
                     const Vector3 turned = motion.rotation * reference::deepest(here).normal;
                     EXPECT_NEAR((turned - reference::deepest(there).normal).norm(), 0, 1e-6);
                   });
}

TEST(Manifold, TheGapGrowsAsTheBodyMovesAlongTheNormal) {
  for_random_pairs(2000, [](const Shape& a, const Pose& p, const Shape& b, const Pose& q, auto&) {
    const ContactPoint point = reference::deepest(contacts(a, p, b, q, 100));
    const double step = 1e-4;
    Pose moved = q;
    moved.position += step * point.normal;
    EXPECT_NEAR(least_gap(contacts(a, p, b, moved, 100)), point.gap + step, 1e-9);
  });
}

}  // namespace
}  // namespace clack
