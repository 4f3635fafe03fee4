// Shapes: what is refused, hulls, boxes around shapes.
#include "clack/model/shapes/shape.hpp"

#include <gtest/gtest.h>

#include <random>

#include "clack/core/error.hpp"

namespace clack {
namespace {

TEST(Shapes, RefuseSizesThatAreNone) {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(Sphere{bad}, InputError);
    EXPECT_THROW(Capsule(bad, 1), InputError);
    EXPECT_THROW(Capsule(1, bad), InputError);
    EXPECT_THROW(Cylinder(bad, 1), InputError);
    EXPECT_THROW(Cylinder(1, bad), InputError);
    EXPECT_THROW(ConeShape(bad, 1), InputError);
    EXPECT_THROW(ConeShape(1, bad), InputError);
    EXPECT_THROW(Box(Vector3(1, bad, 1)), InputError);
    EXPECT_THROW(RingShape(bad, 1), InputError);
    EXPECT_THROW(Tube(1, 2, bad), InputError);
    EXPECT_THROW(Socket(1, bad), InputError);
  }
  EXPECT_THROW(Box(Vector3::Ones(), -0.1), InputError);
  EXPECT_THROW(Plane(Vector3::Zero()), InputError);
  EXPECT_THROW(Plane(Vector3::UnitZ(), NAN), InputError);
  EXPECT_THROW(Compound({}), InputError);
  EXPECT_THROW(Compound({{nullptr, {}}}), InputError);
  EXPECT_THROW(Compound({{make_shape(Sphere(1)), {}}, {make_shape(Disc(1)), {}}}), InputError);
}

TEST(Shapes, SayWhichFieldIsWrong) {
  try {
    Sphere(-2);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "radius of the sphere is -2; it must be finite and > 0");
  }
}

TEST(Hull, RefusesPointsWithoutVolume) {
  const Vector3 o = Vector3::Zero(), x = Vector3::UnitX(), y = Vector3::UnitY();
  EXPECT_THROW(Polyhedron({o, x, y}), InputError);
  EXPECT_THROW(Polyhedron({o, x, y, x + y}), InputError);
  EXPECT_THROW(Polyhedron({o, o, o, o}), InputError);
  EXPECT_THROW(Polyhedron({o, x, 2 * x, 3 * x}), InputError);
  EXPECT_THROW(Polyhedron({o, x, y, Vector3(0, 0, NAN)}), InputError);
}

TEST(Hull, OfACubeHasSixFacesAtAnySizeAndPlace) {
  for (const double size : {1.0, 1e-6, 1e6})
    for (const Vector3& place : {Vector3(0, 0, 0), Vector3(1e4, -3e3, 7)}) {
      const Matrix3 turn = Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()).toRotationMatrix();
      std::vector<Vector3> points;
      for (const Vector3& v : make_box_polytope(Vector3::Ones()).vertices)
        points.push_back(size * (turn * v + (size == 1 ? place : Vector3::Zero())));
      points.push_back(size * (size == 1 ? place : Vector3::Zero()));  // inside
      points.push_back(points[0]);                                     // twice
      const Polytope hull = make_hull(points);
      EXPECT_EQ(hull.vertices.size(), 8u);
      EXPECT_EQ(hull.faces.size(), 6u);
      EXPECT_EQ(hull.arcs.size(), 12u);
      for (const PolytopeFace& face : hull.faces) EXPECT_EQ(face.end - face.begin, 4);
    }
}

TEST(Hull, ObeysEulerAndHoldsAllItsPoints) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 200; ++k) {
    std::vector<Vector3> points;
    for (int i = 0; i < 4 + k; ++i)
      points.emplace_back(normal(random), normal(random), normal(random));
    const Polytope hull = make_hull(points);
    EXPECT_EQ(hull.vertices.size() + hull.faces.size(), hull.arcs.size() + 2);
    for (const PolytopeFace& face : hull.faces)
      for (const Vector3& point : points) EXPECT_LT(face.normal.dot(point) - face.offset, 1e-12);
  }
}

TEST(Shapes, LieInTheirBoxes) {
  const Pose pose{Vector3(1, 2, 3),
                  Eigen::AngleAxisd(0.8, Vector3(1, 1, 0).normalized()).toRotationMatrix()};
  const BoundingBox sphere = bounds(*make_shape(Sphere(2)), pose);
  EXPECT_EQ(sphere.lower, Vector3(-1, 0, 1));
  EXPECT_EQ(sphere.upper, Vector3(3, 4, 5));
  const Box box(Vector3(1, 2, 3), 0.1);
  const BoundingBox around = bounds(*make_shape(box), pose);
  for (const Vector3& corner : box.core.vertices) {
    EXPECT_TRUE((((pose * corner).array() + 0.1 <= around.upper.array() + 1e-12) &&
                 ((pose * corner).array() - 0.1 >= around.lower.array() - 1e-12))
                    .all());
  }
  EXPECT_FALSE(bounds(*make_shape(Plane()), pose).is_bounded());
}

TEST(Shapes, HaveANameAndALineEach) {
  EXPECT_EQ(shape_list().size(), std::variant_size_v<Geometry>);
  for (const ShapeInfo& info : shape_list()) {
    EXPECT_FALSE(info.name.empty());
    EXPECT_FALSE(info.summary.empty());
  }
}

}  // namespace
}  // namespace clack
