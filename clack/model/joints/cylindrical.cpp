#include "clack/model/joints/joint_types.hpp"

namespace clack {

// a_1 . d = a_2 . d = 0, a_1 . b_3 = a_2 . b_3 = 0.
JointType cylindrical_joint() {
  return {JointKind::cylindrical,
          "cylindrical",
          "slides along an axis and turns about it",
          false,
          [](const Joint&, bool) -> std::vector<JointRow> {
            return {slide_row(0), slide_row(1), perp_row(0, 2), perp_row(1, 2)};
          },
          [](const Joint&, bool) {
            return std::vector<JointCoordinate>{angle_coordinate(), slide_coordinate(2)};
          }};
}

}  // namespace clack
