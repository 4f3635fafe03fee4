// Files of robots: URDF or MJCF, which their first element says.
#pragma once

#include "clack/io/robots/robot_options.hpp"

namespace clack {

// By its name: .urdf, .xacro (which is refused with a word), .mjcf, .xml.
bool is_robot_file(const std::string& path);

// Throws SceneError with every complaint, file:line:column, InputError for start values, IoError
// where the file cannot be read.
Robot load_robot(const std::string& path, const RobotOptions& options = {});
// The same for a text; `name` stands for the file in messages and for the folder of meshes.
Robot parse_robot(const std::string& name, const std::string& text,
                  const RobotOptions& options = {});

}  // namespace clack
