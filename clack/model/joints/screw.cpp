#include "clack/model/joints/joint_types.hpp"

namespace clack {

// As cylindrical, and a_3 . d = p/(2 pi) angle; a right-handed thread has p > 0.
JointType screw_joint() {
  return {JointKind::screw,
          "screw",
          "turns about an axis and advances by its pitch per turn",
          false,
          [](const Joint& joint, bool) -> std::vector<JointRow> {
            constexpr double kTurn = 6.283185307179586;
            const JointRow thread = {
                {{JointBlock::slide, 2}, {JointBlock::angle, 0, 0, -joint.pitch / kTurn}}};
            return {slide_row(0), slide_row(1), perp_row(0, 2), perp_row(1, 2), thread};
          },
          [](const Joint&, bool) { return std::vector<JointCoordinate>{angle_coordinate()}; }};
}

}  // namespace clack
