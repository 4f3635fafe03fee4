// The links of a URDF.
#pragma once

#include "clack/io/robots/robot_options.hpp"
#include "clack/io/robots/xml_document.hpp"

namespace clack {

struct UrdfLink {
  std::string name;
  XmlElement element;
  RobotMass mass;  // none: a frame
  std::vector<RobotShape> shapes;
};

UrdfLink read_urdf_link(const XmlElement& element, const std::string& name,
                        const RobotOptions& options);
// <origin xyz= rpy=>: Rot_z(yaw) Rot_y(pitch) Rot_x(roll).
Pose read_urdf_origin(const XmlElement& parent);
// A mesh of a robot, its file found; nothing after a complaint at the attribute.
std::optional<std::string> read_mesh_path(const XmlElement& element, std::string_view attribute,
                                          const RobotOptions& options);

}  // namespace clack
