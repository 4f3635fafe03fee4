#include <algorithm>

#include "clack/model/joints/joint_types.hpp"

namespace clack {

const std::vector<JointType>& joint_list() {
  static const std::vector<JointType> list = {
      fixed_joint(),       revolute_joint(),  prismatic_joint(), cylindrical_joint(),
      universal_joint(),   spherical_joint(), planar_joint(),    screw_joint(),
      line_joint(),        plane_joint(),     distance_joint(),  rope_joint(),
      orientation_joint(), surface_joint(),   bushing_joint()};
  return list;
}

const JointType& joint_type(JointKind kind) { return joint_list()[static_cast<std::size_t>(kind)]; }

}  // namespace clack
