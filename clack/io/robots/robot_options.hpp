// How a robot is read and where it starts.
#pragma once

#include <map>
#include <string>

#include "clack/io/robots/robot.hpp"

namespace clack {

struct RobotOptions {
  bool floating = false;    // URDF: the root is free; else it is held by the ground
  bool keep_fixed = false;  // fixed joints stay joints; else they make one body of two links
  std::map<std::string, std::string> packages;  // folders of package://NAME
  std::map<std::string, double> start;          // coordinates by the names of their joints [m, rad]
};

// Puts the coordinates where they start: as asked for, else at their reference or the nearest end
// of their limits; those that follow others by a coupler where these take them. Throws InputError.
void set_start(Robot& robot, const std::map<std::string, double>& start);

// Why no body has this mass; empty if one has.
std::string mass_fault(const RobotMass& mass);

// The file of package://NAME/PATH or of a path from the robot's folder; never over the network.
// Packages are those given, else looked for by their package.xml from the robot's folder upwards.
// Throws InputError with what was looked for.
std::string find_robot_file(const std::string& uri, const std::string& robot_path,
                            const std::map<std::string, std::string>& packages);

}  // namespace clack
