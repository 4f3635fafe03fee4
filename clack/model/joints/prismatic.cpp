#include "clack/model/joints/joint_types.hpp"

namespace clack {

// a_1 . d = a_2 . d = 0 and no turn. In the plane a_3 and a_1 lie in it.
JointType prismatic_joint() {
  return {JointKind::prismatic,
          "prismatic",
          "slides along an axis without turning",
          true,
          [](const Joint&, bool planar) -> std::vector<JointRow> {
            if (planar) return {slide_row(0), turn_row(1)};
            return {slide_row(0), slide_row(1), turn_row(0), turn_row(1), turn_row(2)};
          },
          [](const Joint&, bool) { return std::vector<JointCoordinate>{slide_coordinate(2)}; }};
}

}  // namespace clack
