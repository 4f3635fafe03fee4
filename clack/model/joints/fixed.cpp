#include "clack/model/joints/joint_types.hpp"

namespace clack {

// d = 0 and no turn: in the plane within it.
JointType fixed_joint() {
  return {JointKind::fixed,
          "fixed",
          "no relative motion",
          true,
          [](const Joint&, bool planar) -> std::vector<JointRow> {
            if (planar) return {slide_row(0), slide_row(1), turn_row(2)};
            return {slide_row(0), slide_row(1), slide_row(2),
                    turn_row(0),  turn_row(1),  turn_row(2)};
          },
          [](const Joint&, bool) { return std::vector<JointCoordinate>{}; }};
}

}  // namespace clack
