#include "clack/model/joints/joint_types.hpp"

namespace clack {

// d = 0.
JointType spherical_joint() {
  return {JointKind::spherical,
          "spherical",
          "a ball and socket",
          false,
          [](const Joint&, bool) -> std::vector<JointRow> {
            return {slide_row(0), slide_row(1), slide_row(2)};
          },
          [](const Joint&, bool) { return std::vector<JointCoordinate>{}; }};
}

}  // namespace clack
