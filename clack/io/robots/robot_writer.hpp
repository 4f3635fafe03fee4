// Robots as scenes of rigid bodies.
#pragma once

#include "clack/io/robots/robot.hpp"

namespace clack {

struct RobotSceneOptions {
  Pose pose;                   // of the robot's frame in the surroundings
  std::string prefix;          // of all names: "arm."
  std::string material;        // of its bodies; empty: not said
  std::string folder;          // files of meshes are named from here; empty: by their full paths
  bool exact_meshes = false;   // as they are; else their convex hulls
  bool self_collision = true;  // of links that no joint joins
};

// The keys bodies, joints and couplers of `system:`, with comments. Throws InputError where a loop
// of the robot is not closed at its start values.
std::string write_robot_parts(const Robot& robot, const RobotSceneOptions& options);

// A scene in which the robot stands alone; on a floor where it floats and the file has no ground.
std::string write_robot_scene(const Robot& robot, const RobotSceneOptions& options);

}  // namespace clack
