#include "clack/model/joints/joint_types.hpp"

namespace clack {

// |d| = length.
JointType distance_joint() {
  return {JointKind::distance,
          "distance",
          "a massless rod between two points",
          true,
          [](const Joint& joint, bool) -> std::vector<JointRow> {
            return {{{{JointBlock::distance}}, joint.length}};
          },
          [](const Joint&, bool) { return std::vector<JointCoordinate>{}; }};
}

// length - |d| >= 0: a unilateral row, and no coordinate.
JointType rope_joint() {
  return {JointKind::rope,
          "rope",
          "two points at most a length apart",
          true,
          [](const Joint& joint, bool) -> std::vector<JointRow> {
            return {{{{JointBlock::distance, 0, 0, -1}}, -joint.length}};
          },
          [](const Joint&, bool) { return std::vector<JointCoordinate>{}; }};
}

}  // namespace clack
