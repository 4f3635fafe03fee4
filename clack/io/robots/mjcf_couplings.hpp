// What MJCF states about the joints of a robot beside its tree: equalities and actuators.
#pragma once

#include "clack/io/robots/mjcf_element.hpp"
#include "clack/io/robots/robot.hpp"

namespace clack {

// <equality>: connect, weld, joint.
void read_mjcf_equalities(const XmlElement& root, const MjcfClasses& classes, Robot& robot);
// <actuator>: motor, position, velocity, with their controls at 0.
void read_mjcf_actuators(const XmlElement& root, const MjcfClasses& classes, Robot& robot);

}  // namespace clack
