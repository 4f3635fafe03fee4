// The shapes of a run's bodies as numbers, so that a reader can draw them:
//
//   /shapes/kind [m], /shapes/offset [m+1], /shapes/number: the numbers of shape k are
//   number[offset[k]] to number[offset[k+1]]
//
//   sphere        radius                       disc            radius
//   capsule       radius, half length (z)      planar-capsule  radius, half length (x)
//   cylinder      radius, half length, rounding
//   cone          radius, height, rounding
//   plane         normal (3), offset           line            normal (2), offset
//   box           half sides (3), rounding
//   polyhedron    rounding, number of corners n, 3 n coordinates, then for each face the number of
//                 its corners and their indices, anticlockwise from outside
//   mesh          rounding, number of corners n, 3 n coordinates, then 3 indices a triangle
//   height-field  nx, ny, dx, dy, rounding, heights with x fastest
//   compound      for each part its shape k, position (3), quaternion (w, x, y, z)
//   tube          radii (2), half length (z)   ring, socket    radii (2)
//   polygon, segment   rounding, number of corners n, 2 n coordinates
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clack/io/results/container.hpp"
#include "clack/model/shapes/shape.hpp"

namespace clack {

class ShapeTable {
 public:
  int add(const ShapePtr& shape);  // its index; each shape stands once
  std::vector<StaticDataset> datasets() const;

 private:
  std::map<const Shape*, int> known_;
  std::vector<std::vector<double>> numbers_;
  std::vector<std::string> kinds_;
};

}  // namespace clack
