#include "clack/model/joints/joint_types.hpp"

namespace clack {

// d = 0, a_1 . b_3 = a_2 . b_3 = 0. The rows also hold with b_3 = -a_3: an assembly asks for a_3 . b_3 > 0.
JointType revolute_joint() {
  return {JointKind::revolute,
          "revolute",
          "turns about an axis",
          true,
          [](const Joint&, bool planar) -> std::vector<JointRow> {
            if (planar) return {slide_row(0), slide_row(1)};
            return {slide_row(0), slide_row(1), slide_row(2), perp_row(0, 2), perp_row(1, 2)};
          },
          [](const Joint&, bool) { return std::vector<JointCoordinate>{angle_coordinate()}; }};
}

}  // namespace clack
