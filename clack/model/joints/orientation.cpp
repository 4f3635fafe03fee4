#include "clack/model/joints/joint_types.hpp"

namespace clack {

// No turn; in the plane about its normal.
JointType orientation_joint() {
  return {JointKind::orientation,
          "orientation",
          "moves without turning",
          true,
          [](const Joint&, bool planar) -> std::vector<JointRow> {
            if (planar) return {turn_row(2)};
            return {turn_row(0), turn_row(1), turn_row(2)};
          },
          [](const Joint&, bool) { return std::vector<JointCoordinate>{}; }};
}

}  // namespace clack
