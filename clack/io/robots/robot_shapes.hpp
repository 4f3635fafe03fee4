// Shapes of robots as the engine has them.
#pragma once

#include "clack/io/robots/robot.hpp"
#include "clack/model/shapes/shape.hpp"

namespace clack {

// In its own frame, a mesh as it is in its file. Throws InputError and IoError.
ShapePtr make_robot_shape(const RobotShape& shape);

}  // namespace clack
