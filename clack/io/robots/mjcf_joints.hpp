// Joints of MJCF: those of a body act one after another; together they are one joint of a scene.
#pragma once

#include "clack/io/robots/mjcf_element.hpp"
#include "clack/io/robots/robot.hpp"

namespace clack {

struct MjcfJoint {
  std::string name, type;  // slide, hinge, ball, free
  XmlElement element;
  Vector3 point = Vector3::Zero(), axis = Vector3::UnitZ();  // in the frame of the body
  RobotCoordinate coordinate;

  // Whether something acts at it beside what it joins.
  bool is_bare() const;
};

MjcfJoint read_mjcf_joint(const MjcfElement& element, const MjcfSettings& settings,
                          const std::string& default_name);

// The joint that several make together, with both frames in that of the body. Massless bodies in
// between are not needed where it is exact:
//
//     hinge, slide, ball                        revolute, prismatic, spherical
//     hinge, hinge at one point, across         universal
//     hinge, slide along one axis               cylindrical
//     slide, slide, hinge across both           planar
//     hinge, hinge, hinge at one point, bare    spherical
//
// Complains about others.
std::optional<RobotJoint> compose_mjcf_joints(const std::vector<MjcfJoint>& joints);

}  // namespace clack
