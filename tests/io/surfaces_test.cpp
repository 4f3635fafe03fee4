// Surfaces enclose the volume of their shape, with the outside outside.
#include <gtest/gtest.h>

#include <numbers>

#include "clack/core/error.hpp"
#include "clack/io/results/shape_table.hpp"
#include "clack/io/surfaces/surface.hpp"
#include "tests/io/results_support.hpp"

namespace clack {
namespace {

using std::numbers::pi;

// Surfaces by way of a results file, as readers get them.
std::vector<Surface> surfaces_of(const std::vector<ShapePtr>& shapes, int segments) {
  const test::Folder folder;
  ShapeTable table;
  std::vector<int> index;
  for (const ShapePtr& shape : shapes) index.push_back(table.add(shape));
  ResultsHeader header = test::test_header(1);
  header.extra = table.datasets();
  ResultsWriter writer(folder.file("results.h5"), header);
  test::TestRow row;
  writer.append(row.at(0));
  writer.finish();
  const ResultsReader results(folder.file("results.h5"));
  const RecordedShapes reader(results);
  std::vector<Surface> surfaces;
  for (int i : index) surfaces.push_back(reader.surface(i, segments));
  return surfaces;
}

double volume(const Surface& surface) {
  double six = 0;
  for (const auto& [a, b, c] : surface.triangles) {
    const auto at = [&](int i) { return surface.vertices[static_cast<std::size_t>(i)]; };
    six += at(a).dot(at(b).cross(at(c)));
  }
  return six / 6;
}

// Of a surface in the plane z = 0, anticlockwise.
double area(const Surface& surface) {
  double twice = 0;
  for (const auto& [a, b, c] : surface.triangles) {
    const auto at = [&](int i) { return surface.vertices[static_cast<std::size_t>(i)]; };
    twice += (at(b) - at(a)).cross(at(c) - at(a)).z();
  }
  return twice / 2;
}

TEST(Surfaces, EncloseTheVolumeOfTheirShape) {
  const double r = 0.3, s = 0.1;
  const struct {
    ShapePtr shape;
    double volume, tolerance;
  } cases[] = {
      {make_shape(Sphere(r)), 4 * pi / 3 * r * r * r, 0.01},
      {make_shape(Capsule(r, 0.5)), 4 * pi / 3 * r * r * r + pi * r * r, 0.01},
      {make_shape(Cylinder(r, 0.5)), pi * r * r, 0.01},
      // Cylinder, ring around it, and the part under its rounded edge (Pappus).
      {make_shape(Cylinder(r, 0.5, s)),
       pi * r * r * (1 + 2 * s) + 2 * pi * r * s + pi * s * s + pi * pi * s * s * r +
           4 * pi / 3 * s * s * s,
       0.01},
      {make_shape(ConeShape(r, 0.9)), pi * r * r * 0.9 / 3, 0.01},
      {make_shape(Box({1, 2, 3})), 48, 1e-12},
      // Steiner: V + A s + pi s^2 (sum of edges)/4 + ball.
      {make_shape(Box({0.5, 0.5, 0.5}, s)), 1 + 6 * s + 3 * pi * s * s + 4 * pi / 3 * s * s * s,
       0.02},
      {make_shape(Polyhedron({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})), 1.0 / 6, 1e-12},
      {make_shape(TriangleMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                               {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}})),
       1.0 / 6, 1e-12},
      {make_shape(
           Compound({{make_shape(Box({0.5, 0.5, 0.5})), Pose()},
                     {make_shape(Box({0.5, 0.5, 0.5})), {Vector3(2, 0, 0), Matrix3::Identity()}}})),
       2, 1e-12},
  };
  std::vector<ShapePtr> shapes;
  for (const auto& c : cases) shapes.push_back(c.shape);
  const std::vector<Surface> surfaces = surfaces_of(shapes, 96);
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    EXPECT_NEAR(volume(surfaces[i]), cases[i].volume, cases[i].tolerance * cases[i].volume)
        << shape_list()[static_cast<std::size_t>(cases[i].shape->kind())].name << " number " << i;
  }
}

TEST(Surfaces, OfThePlaneHaveTheirArea) {
  const double r = 0.3, s = 0.1;
  const std::vector<Vector2> square = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const std::vector<Surface> surfaces =
      surfaces_of({make_shape(Disc(r)), make_shape(PlanarCapsule(r, 0.5)),
                   make_shape(Polygon(square)), make_shape(Polygon(square, s)),
                   make_shape(Segment({0, 0}, {2, 0}, s)), make_shape(Segment({0, 0}, {2, 0}))},
                  96);
  const double expected[] = {
      pi * r * r, pi * r * r + 2 * r, 1, 1 + 4 * s + pi * s * s, 4 * s + pi * s * s, 0};
  for (std::size_t i = 0; i < surfaces.size(); ++i)
    EXPECT_NEAR(area(surfaces[i]), expected[i], 2e-3 * expected[i]) << i;
  EXPECT_EQ(surfaces.back().lines.size(), 1u);
}

TEST(Surfaces, OfTerrainLookUpAndHaveItsHeights) {
  const Surface surface =
      surfaces_of({make_shape(HeightField(3, 2, 0.5, 2, {0, 1, 2, 3, 4, 5}))}, 8)[0];
  ASSERT_EQ(surface.vertices.size(), 6u);
  EXPECT_EQ(surface.vertices[5], Vector3(1, 2, 5));
  EXPECT_NEAR(area(surface), 1 * 2, 1e-12);
  EXPECT_TRUE(surfaces_of({make_shape(Plane())}, 8)[0].vertices.empty());
}

}  // namespace
}  // namespace clack
