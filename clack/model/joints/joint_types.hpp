// The kinds of joints, one file each.
#pragma once

#include "clack/model/joints/joint.hpp"

namespace clack {

JointType fixed_joint();
JointType revolute_joint();
JointType prismatic_joint();
JointType cylindrical_joint();
JointType universal_joint();
JointType spherical_joint();
JointType planar_joint();
JointType screw_joint();
JointType line_joint();
JointType plane_joint();
JointType distance_joint();
JointType rope_joint();
JointType orientation_joint();
JointType surface_joint();
JointType bushing_joint();

// Rows of one term.
inline JointRow slide_row(int i) { return {{{JointBlock::slide, i}}}; }
inline JointRow perp_row(int i, int j) { return {{{JointBlock::perp, i, j}}}; }
inline JointRow turn_row(int i) { return {{{JointBlock::turn, i}}}; }
inline JointRow angle_row() { return {{{JointBlock::angle}}}; }
inline JointCoordinate angle_coordinate(std::string name = "angle") {
  return {std::move(name), "rad", angle_row(), true};
}
inline JointCoordinate slide_coordinate(int i, std::string name = "slide") {
  return {std::move(name), "m", slide_row(i)};
}

}  // namespace clack
