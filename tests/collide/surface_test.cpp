// Meshes and height fields: inner edges are not felt, convex edges are, and a mesh of a body acts
// as the body.
#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "tests/collide/reference.hpp"

namespace clack {
namespace {

using reference::random_rotation, reference::random_unit;

Manifold contacts(const Shape& a, const Shape& b, const Pose& pose_b, double margin,
                  const Pose& pose_a = {}) {
  Manifold manifold;
  collide(a, pose_a, b, pose_b, margin, manifold);
  return manifold;
}

// A floor of 2 n^2 triangles over [0, size]^2 with heights z(x, y).
template <class Height>
TriangleMesh make_floor(int n, double size, Height&& height) {
  std::vector<Vector3> vertices;
  std::vector<Triangle> triangles;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      const double x = size * i / n, y = size * j / n;
      vertices.emplace_back(x, y, height(x, y));
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int v = j * (n + 1) + i;
      triangles.push_back({v, v + 1, v + n + 2});
      triangles.push_back({v, v + n + 2, v + n + 1});
    }
  return TriangleMesh(vertices, triangles);
}

std::vector<ShapePtr> flat_floors() {
  return {make_shape(make_floor(10, 5, [](double, double) { return 0.0; })),
          make_shape(HeightField(11, 11, 0.5, 0.5, std::vector<double>(121, 0.0)))};
}

std::vector<ShapePtr> bodies() {
  std::mt19937_64 random(3);
  return {make_shape(Sphere(0.3)),
          make_shape(Capsule(0.2, 0.3)),
          make_shape(Box(Vector3(0.3, 0.2, 0.4))),
          make_shape(Box(Vector3(0.3, 0.2, 0.4), 0.05)),
          make_shape(Cylinder(0.3, 0.3)),
          make_shape(ConeShape(0.3, 0.7)),
          reference::random_convex(ShapeKind::polyhedron, random, false)};
}

TEST(Surface, InnerEdgesOfAFlatFloorAreNotFelt) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  const Shape plane{Plane()};
  for (const ShapePtr& floor : flat_floors()) {
    for (const ShapePtr& body : bodies()) {
      for (int k = 0; k < 400; ++k) {
        Pose pose{Vector3(2 + unit(random), 2 + unit(random), 0), random_rotation(random)};
        if (k % 4 == 0) pose.rotation.setIdentity();
        if (k % 8 == 0) pose.position.head<2>() = Vector2(2.5, 2 + 0.002 * k);  // along an edge
        pose.position.z() = -reference::deepest(contacts(plane, *body, pose, 100)).gap;
        pose.position.z() += 0.04 * unit(random) - 0.03;
        const Manifold on_plane = contacts(plane, *body, pose, 0.05);
        const Manifold on_floor = contacts(*floor, *body, pose, 0.05);
        ASSERT_FALSE(on_floor.points.empty());
        for (const ContactPoint& point : on_floor.points)
          ASSERT_LT((point.normal - Vector3::UnitZ()).norm(), 1e-14);
        ASSERT_NEAR(reference::deepest(on_floor).gap, reference::deepest(on_plane).gap, 1e-12);
      }
    }
  }
}

TEST(Surface, ASphereRollsOverAnInnerEdgeWithoutABump) {
  const Shape sphere{Sphere(0.25)};
  for (const ShapePtr& floor : flat_floors())
    for (int k = 0; k <= 4000; ++k) {
      const double x = 1 + k * 5e-4;
      const Manifold m =
          contacts(*floor, sphere, {Vector3(x, 0.7 * x, 0.25 - 1e-3), Matrix3::Identity()}, 0.01);
      ASSERT_EQ(m.points.size(), 1u) << x;
      ASSERT_EQ(m.points[0].normal, Vector3::UnitZ()) << x;
      ASSERT_NEAR(m.points[0].gap, -1e-3, 1e-15);
    }
}

TEST(Surface, ASphereOnARidgeTouchesTheEdgeAndInAValleyBothSides) {
  const Shape sphere{Sphere(0.5)};
  const Shape ridge{make_floor(4, 4, [](double x, double) { return -std::abs(x - 2); })};
  Manifold m = contacts(ridge, sphere, {Vector3(2, 1.3, 0.501), Matrix3::Identity()}, 0.01);
  ASSERT_EQ(m.points.size(), 1u);
  EXPECT_NEAR(m.points[0].gap, 1e-3, 1e-14);
  EXPECT_NEAR((m.points[0].normal - Vector3::UnitZ()).norm(), 0, 1e-14);
  const Shape valley{make_floor(4, 4, [](double x, double) { return std::abs(x - 2); })};
  m = contacts(valley, sphere, {Vector3(2, 1.3, 0.5 * std::sqrt(2)), Matrix3::Identity()}, 0.01);
  ASSERT_EQ(m.points.size(), 2u);
  for (const ContactPoint& point : m.points) {
    EXPECT_NEAR(point.gap, 0, 1e-14);
    EXPECT_NEAR(std::abs(point.normal.x()), std::sqrt(0.5), 1e-14);
  }
}

// The surface of a box as a mesh.
TriangleMesh box_mesh(const Vector3& half) {
  const Box box(half);
  std::vector<Triangle> triangles;
  for (const PolytopeFace& face : box.core.faces)
    for (int i = face.begin + 1; i + 1 < face.end; ++i)
      triangles.push_back({box.core.loops[face.begin], box.core.loops[i], box.core.loops[i + 1]});
  return TriangleMesh(box.core.vertices, triangles);
}

TEST(Surface, AMeshOfABoxActsAsTheBox) {
  std::mt19937_64 random(4);
  const Vector3 half(1, 0.7, 0.5);
  const Shape box{Box(half)}, mesh{box_mesh(half)};
  int open = 0, deep = 0;
  for (const ShapePtr& body : bodies()) {
    for (int k = 0; k < 300; ++k) {
      const Pose pose{(1.0 + 0.3 * (k % 5)) * random_unit(random), random_rotation(random)};
      const Manifold expected = contacts(box, *body, pose, 0.5);
      if (expected.points.empty()) continue;
      const ContactPoint& deepest = reference::deepest(expected);
      if (deepest.gap < -0.02) continue;  // deep inside a hollow surface there is no one answer
      const Manifold found = contacts(mesh, *body, pose, 0.5);
      ASSERT_FALSE(found.points.empty());
      if (deepest.gap > 0) {
        EXPECT_NEAR(reference::deepest(found).gap, deepest.gap, 1e-9);
      } else {
        EXPECT_LT(reference::deepest(found).gap, 1e-12);
      }
      ++(deepest.gap > 0 ? open : deep);
    }
  }
  EXPECT_GT(open, 200);
  EXPECT_GT(deep, 5);
}

TEST(Surface, ABodyBehindAOneSidedMeshDoesNotTouchIt) {
  const TriangleMesh floor = make_floor(10, 5, [](double, double) { return 0.0; });
  const Shape one{floor}, two{TriangleMesh(floor.vertices, floor.triangles, {.two_sided = true})};
  for (const ShapePtr& body : bodies()) {
    const Pose below{Vector3(2.4, 2.6, -1.6), Matrix3::Identity()};
    EXPECT_TRUE(contacts(one, *body, below, 3).points.empty());
    const Manifold found = contacts(two, *body, below, 3);
    ASSERT_FALSE(found.points.empty());
    EXPECT_NEAR((reference::deepest(found).normal + Vector3::UnitZ()).norm(), 0, 1e-12);
  }
}

TEST(Surface, GroundOfAHeightFieldIsSolidAtAnyDepth) {
  const Shape ground{HeightField(11, 11, 0.5, 0.5, std::vector<double>(121, 1.0))};
  const Shape plane{Plane(Vector3::UnitZ(), 1)};
  for (const ShapePtr& body : bodies()) {
    const Pose buried{Vector3(2.4, 2.6, -3), Matrix3::Identity()};
    const Manifold found = contacts(ground, *body, buried, 0.1);
    ASSERT_FALSE(found.points.empty());
    EXPECT_NEAR(reference::deepest(found).gap,
                reference::deepest(contacts(plane, *body, buried, 0.1)).gap, 1e-12);
  }
}

TEST(Surface, AMeshStandsOnAPlaneAMeshAndATerrain) {
  const Shape body{box_mesh(Vector3(0.4, 0.3, 0.2))};
  const Pose pose{Vector3(2.4, 2.6, 0.2 - 1e-3), Matrix3::Identity()};
  std::vector<ShapePtr> floors = flat_floors();
  floors.push_back(make_shape(Plane()));
  for (const ShapePtr& floor : floors) {
    const Manifold found = contacts(*floor, body, pose, 0.01);
    ASSERT_GE(found.points.size(), 4u);
    for (const ContactPoint& point : found.points) {
      EXPECT_NEAR(point.gap, -1e-3, 1e-12);
      EXPECT_NEAR((point.normal - Vector3::UnitZ()).norm(), 0, 1e-12);
    }
  }
}

TEST(Surface, ACompoundTouchesWithEachOfItsParts) {
  const ShapePtr ball = make_shape(Sphere(0.5));
  const Shape dumbbell{Compound({{ball, {Vector3(-1, 0, 0), Matrix3::Identity()}},
                                 {ball, {Vector3(1, 0, 0), Matrix3::Identity()}}})};
  const Shape plane{Plane()};
  const Manifold on_plane =
      contacts(plane, dumbbell, {Vector3(0, 0, 0.5), Matrix3::Identity()}, 0.01);
  ASSERT_EQ(on_plane.points.size(), 2u);
  EXPECT_NE(on_plane.points[0].feature, on_plane.points[1].feature);
  const Manifold pair = contacts(dumbbell, dumbbell, {Vector3(0, 0, 1), Matrix3::Identity()}, 0.01);
  ASSERT_EQ(pair.points.size(), 2u);
  for (const ContactPoint& point : pair.points)
    EXPECT_NEAR((point.normal - Vector3::UnitZ()).norm(), 0, 1e-14);
}

TEST(Surface, RefusesWhatIsNoSurface) {
  const std::vector<Vector3> corners = {Vector3::Zero(), Vector3::UnitX(), Vector3::UnitY(),
                                        2 * Vector3::UnitX()};
  EXPECT_THROW(TriangleMesh(corners, {}), InputError);
  EXPECT_THROW(TriangleMesh(corners, {{0, 1, 7}}), InputError);
  EXPECT_THROW(TriangleMesh(corners, {{0, 1, 3}}), InputError);
  EXPECT_THROW(TriangleMesh(corners, {{0, 1, 2}, {0, 1, 2}}), InputError);
  EXPECT_THROW(HeightField(2, 2, 1, 1, {0, 0, 0}), InputError);
  EXPECT_THROW(HeightField(1, 2, 1, 1, {0, 0}), InputError);
  EXPECT_THROW(HeightField(2, 2, -1, 1, {0, 0, 0, 0}), InputError);
  EXPECT_THROW(HeightField(2, 2, 1, 1, {0, 0, 0, NAN}), InputError);
}

}  // namespace
}  // namespace clack
