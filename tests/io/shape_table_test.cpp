// Shapes as the numbers of results.h5.
#include "clack/io/results/shape_table.hpp"

#include <gtest/gtest.h>

namespace clack {
namespace {

std::vector<double> numbers_of(const ShapeTable& table, std::size_t shape) {
  const std::vector<StaticDataset> data = table.datasets();
  const auto& offset = std::get<std::vector<std::int64_t>>(data[1].values);
  const auto& number = std::get<std::vector<double>>(data[2].values);
  return {number.begin() + offset[shape], number.begin() + offset[shape + 1]};
}

using List = std::vector<double>;

TEST(ShapeTable, HoldsASharedShapeOnce) {
  ShapeTable table;
  const ShapePtr ball = make_shape(Sphere(0.5));
  EXPECT_EQ(table.add(ball), 0);
  EXPECT_EQ(table.add(make_shape(Plane({0, 0, 2}, 3))), 1);
  EXPECT_EQ(table.add(ball), 0);
  EXPECT_EQ(std::get<std::vector<std::string>>(table.datasets()[0].values),
            (std::vector<std::string>{"sphere", "plane"}));
  EXPECT_EQ(numbers_of(table, 0), (List{0.5}));
  EXPECT_EQ(numbers_of(table, 1), (List{0, 0, 1, 3}));
}

TEST(ShapeTable, GivesThePartsOfACompoundBeforeIt) {
  ShapeTable table;
  const ShapePtr ball = make_shape(Sphere(0.5));
  EXPECT_EQ(table.add(make_shape(Compound({{ball, {{1, 2, 3}, Matrix3::Identity()}}}))), 1);
  EXPECT_EQ(numbers_of(table, 1), (List{0, 1, 2, 3, 1, 0, 0, 0}));
}

TEST(ShapeTable, GivesTheFacesOfAPolyhedronFromOutside) {
  ShapeTable table;
  const std::vector<Vector3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  table.add(make_shape(Polyhedron(corners, 0.1)));
  const List x = numbers_of(table, 0);
  ASSERT_EQ(x.size(), 2u + 12u + 4u * 4u);
  EXPECT_EQ(x[0], 0.1);
  EXPECT_EQ(x[1], 4);
  const auto corner = [&](double k) { return Vector3(x.data() + 2 + 3 * static_cast<int>(k)); };
  double volume = 0;  // by the divergence theorem, outward faces only
  for (std::size_t face = 14; face < x.size(); face += 4) {
    ASSERT_EQ(x[face], 3);
    volume += corner(x[face + 1]).dot(corner(x[face + 2]).cross(corner(x[face + 3]))) / 6;
  }
  EXPECT_NEAR(volume, 1.0 / 6, 1e-14);
}

}  // namespace
}  // namespace clack
