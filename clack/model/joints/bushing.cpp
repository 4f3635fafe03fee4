#include "clack/model/joints/joint_types.hpp"

namespace clack {

// No rows: springs and dampers on the six coordinates, of which those of the rotation are 2 eps, the
// rotation vector for small angles.
JointType bushing_joint() {
  return {JointKind::bushing,
          "bushing",
          "leaves all motions free, for springs and dampers between two frames",
          true,
          [](const Joint&, bool) { return std::vector<JointRow>{}; },
          [](const Joint&, bool planar) -> std::vector<JointCoordinate> {
            if (planar)
              return {slide_coordinate(0, "x"), slide_coordinate(1, "y"), angle_coordinate()};
            return {slide_coordinate(0, "x"),       slide_coordinate(1, "y"),
                    slide_coordinate(2, "z"),       {"turn_x", "rad", turn_row(0)},
                    {"turn_y", "rad", turn_row(1)}, {"turn_z", "rad", turn_row(2)}};
          }};
}

}  // namespace clack
