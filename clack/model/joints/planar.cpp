#include "clack/model/joints/joint_types.hpp"

namespace clack {

// a_3 . d = 0, a_1 . b_3 = a_2 . b_3 = 0: B stays in a plane of A.
JointType planar_joint() {
  return {JointKind::planar,
          "planar",
          "moves in a plane and turns about its normal",
          false,
          [](const Joint&, bool) -> std::vector<JointRow> {
            return {slide_row(2), perp_row(0, 2), perp_row(1, 2)};
          },
          [](const Joint&, bool) {
            return std::vector<JointCoordinate>{angle_coordinate(), slide_coordinate(0, "x"),
                                                slide_coordinate(1, "y")};
          }};
}

}  // namespace clack
