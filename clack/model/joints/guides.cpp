#include "clack/model/joints/joint_types.hpp"

namespace clack {

// A point of B on a line of A along a_3: a_1 . d = a_2 . d = 0, in the plane a_1 . d = 0.
JointType line_joint() {
  return {JointKind::line,
          "line",
          "a point slides on a line",
          true,
          [](const Joint&, bool planar) -> std::vector<JointRow> {
            if (planar) return {slide_row(0)};
            return {slide_row(0), slide_row(1)};
          },
          [](const Joint&, bool) { return std::vector<JointCoordinate>{slide_coordinate(2)}; }};
}

// A point of B in a plane of A: a_3 . d = 0.
JointType plane_joint() {
  return {JointKind::plane,
          "plane",
          "a point slides on a plane",
          false,
          [](const Joint&, bool) -> std::vector<JointRow> { return {slide_row(2)}; },
          [](const Joint&, bool) {
            return std::vector<JointCoordinate>{slide_coordinate(0, "x"), slide_coordinate(1, "y")};
          }};
}

}  // namespace clack
