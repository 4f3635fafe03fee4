#include "clack/io/robots/robot_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "clack/io/robots/mjcf_reader.hpp"
#include "clack/io/robots/urdf_reader.hpp"
#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

Robot read_robot(XmlDocument& document, const RobotOptions& options) {
  const std::string kind = document.root().name();
  Robot robot;
  if (kind == "robot") {
    robot = read_urdf(document, options);
  } else if (kind == "mujoco") {
    if (options.floating)
      throw InputError(
          fmt::format("{}: an MJCF says itself what floats: by a free joint", document.path()));
    robot = read_mjcf(document, options);
  } else {
    const XmlPlace at = document.root().place();
    throw SceneError(
        {fmt::format("{}:{}:{}: the file is neither a URDF (<robot>) nor an MJCF "
                     "(<mujoco>): its first element is <{}>",
                     document.path(), at.line, at.column, shorten(kind))});
  }
  robot.remarks = document.remarks();
  set_start(robot, options.start);
  return robot;
}

}  // namespace

bool is_robot_file(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension == ".urdf" || extension == ".xacro" || extension == ".mjcf" ||
         extension == ".xml";
}

Robot load_robot(const std::string& path, const RobotOptions& options) {
  XmlDocument document(path);
  return read_robot(document, options);
}

Robot parse_robot(const std::string& name, const std::string& text, const RobotOptions& options) {
  XmlDocument document(name, text);
  return read_robot(document, options);
}

}  // namespace clack
