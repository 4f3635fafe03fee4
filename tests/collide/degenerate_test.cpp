// Hostile configurations give finite answers: coincident, parallel, huge, tiny and touching bodies.
#include <gtest/gtest.h>

#include "tests/collide/reference.hpp"

namespace clack {
namespace {

using reference::random_rotation, reference::random_unit;

std::vector<ShapePtr> shapes_of_size(double s) {
  const ShapePtr box = make_shape(Box(s * Vector3(1, 1, 1)));
  return {make_shape(Sphere(s)),
          make_shape(Capsule(0.5 * s, s)),
          make_shape(Cylinder(s, s)),
          make_shape(ConeShape(s, s)),
          box,
          make_shape(Box(s * Vector3(1, 1, 1e-6))),
          make_shape(Polyhedron({s * Vector3(1, 0, 0), s * Vector3(0, 1, 0), s * Vector3(0, 0, 1),
                                 s * Vector3(-1, -1, -1)},
                                0.1 * s)),
          make_shape(TriangleMesh({Vector3::Zero(), s * Vector3::UnitX(), s * Vector3::UnitY()},
                                  {{0, 1, 2}}, {.two_sided = true})),
          make_shape(HeightField(3, 3, s, s, std::vector<double>(9, 0))),
          make_shape(Plane()),
          make_shape(Compound({{box, {s * Vector3::UnitX(), Matrix3::Identity()}}}))};
}

std::vector<Pose> special_poses(double s, std::mt19937_64& random) {
  std::vector<Pose> poses;
  for (const Vector3& place :
       {Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, 0, 2), Vector3(2, 2, 2),
        Vector3(1e-9, 0, 0), Vector3(1, 1, 1e-15)}) {
    poses.push_back({s * place, Matrix3::Identity()});
    poses.push_back({s * place, Eigen::AngleAxisd(M_PI / 2, Vector3::UnitX()).toRotationMatrix()});
    poses.push_back({s * place, Eigen::AngleAxisd(1e-8, Vector3::UnitY()).toRotationMatrix()});
    poses.push_back({s * place, random_rotation(random)});
  }
  return poses;
}

void expect_sound(const Shape& a, const Shape& b, const Pose& pose, double margin) {
  Manifold manifold;
  collide(a, {}, b, pose, margin, manifold);
  for (const ContactPoint& point : manifold.points) {
    ASSERT_TRUE(point.position.allFinite());
    ASSERT_NEAR(point.normal.norm(), 1, 1e-12);
    ASSERT_TRUE(std::isfinite(point.gap) && point.gap <= margin);
  }
}

TEST(Degenerate, SpecialPositionsOfAllSizesGiveFiniteContacts) {
  std::mt19937_64 random(1);
  for (const double size_a : {1.0, 1e-6, 1e6})
    for (const double size_b : {1.0, 1e-6, 1e6})
      for (const ShapePtr& a : shapes_of_size(size_a))
        for (const ShapePtr& b : shapes_of_size(size_b))
          for (const double scale : {size_a, size_b})
            for (const Pose& pose : special_poses(scale, random)) {
              expect_sound(*a, *b, pose, 0);
              expect_sound(*a, *b, pose, 0.1 * scale);
            }
}

TEST(Degenerate, GapsScaleWithTheBodies) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j)
      for (int k = 0; k < 40; ++k) {
        const Pose pose{0.5 * k / 10 * random_unit(random), random_rotation(random)};
        Manifold unit;
        collide(*shapes_of_size(1)[i], {}, *shapes_of_size(1)[j], pose, 10, unit);
        for (const double size : {1e-6, 1e6}) {
          Manifold scaled;
          collide(*shapes_of_size(size)[i], {}, *shapes_of_size(size)[j],
                  {size * pose.position, pose.rotation}, 10 * size, scaled);
          ASSERT_FALSE(scaled.points.empty());
          EXPECT_NEAR(reference::deepest(scaled).gap / size, reference::deepest(unit).gap, 1e-9);
        }
      }
}

TEST(Degenerate, ConcentricBodiesComeOutByTheShortestWay) {
  const Shape cube{Box(Vector3(1, 2, 3))};
  const std::vector<std::pair<Shape, double>> others = {{Shape(Sphere(0.5)), -1.5},
                                                        {Shape(Box(Vector3(1, 1, 1))), -2},
                                                        {Shape(Cylinder(0.5, 1)), -1.5},
                                                        {Shape(Capsule(0.5, 1)), -1.5}};
  for (const auto& [other, gap] : others) {
    Manifold manifold;
    collide(cube, {}, other, {}, 0, manifold);
    ASSERT_FALSE(manifold.points.empty());
    EXPECT_NEAR(reference::deepest(manifold).gap, gap, 1e-9);
    EXPECT_NEAR(std::abs(reference::deepest(manifold).normal.x()), 1, 1e-9);
  }
}

TEST(Degenerate, ContactAtExactlyZeroHasTheNormalOfTheFace) {
  const Shape cube{Box(Vector3::Ones())};
  std::vector<Vector3> corners = Box(Vector3::Ones()).core.vertices;
  const Shape hull{Polyhedron(corners)};
  for (const Shape* a : {&cube, &hull})
    for (const Shape* b : {&cube, &hull})
      for (const double gap : {0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-8, -1e-8}) {
        Manifold manifold;
        collide(*a, {}, *b, {Vector3(0.3, 0.2, 2 + gap), Matrix3::Identity()}, 1e-3, manifold);
        ASSERT_EQ(manifold.points.size(), 4u) << gap;
        for (const ContactPoint& point : manifold.points) {
          EXPECT_NEAR(point.gap, gap, 2e-15);
          EXPECT_LT((point.normal - Vector3::UnitZ()).norm(), 1e-14);
        }
      }
}

}  // namespace
}  // namespace clack
