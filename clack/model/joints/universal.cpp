#include "clack/model/joints/joint_types.hpp"

namespace clack {

// d = 0, a_3 . b_1 = 0: two pins across each other, a_3 in A and b_1 in B. Singular at a bend of 90
// degrees.
JointType universal_joint() {
  return {JointKind::universal,
          "universal",
          "turns about two pins across each other",
          false,
          [](const Joint&, bool) -> std::vector<JointRow> {
            return {slide_row(0), slide_row(1), slide_row(2), perp_row(2, 0)};
          },
          [](const Joint&, bool) {
            return std::vector<JointCoordinate>{angle_coordinate("angle_a"),
                                                {"angle_b", "rad", {{{JointBlock::bend}}}, true}};
          }};
}

}  // namespace clack
