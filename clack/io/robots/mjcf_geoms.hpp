// Geoms of MJCF: shapes and their masses.
#pragma once

#include "clack/io/robots/mjcf_element.hpp"
#include "clack/io/robots/robot_options.hpp"
#include "clack/model/shapes/shape.hpp"

namespace clack {

struct MjcfGeom {
  std::optional<RobotShape> shape;  // none of a geom that is only seen
  RobotMass mass;                   // in the frame of the body
  double mu = 1;
};

class MjcfGeoms {
 public:
  // Reads the meshes of <asset>.
  MjcfGeoms(const XmlElement& root, const MjcfSettings& settings, const MjcfClasses& classes,
            const RobotOptions& options);
  // Nothing after a complaint.
  std::optional<MjcfGeom> read(const XmlElement& element, const std::string& inherited) const;

 private:
  struct Mesh {
    std::string file;
    Vector3 scale;
    ShapePtr solid;  // as it is in the file
  };
  void read_mesh_asset(const XmlElement& element);
  bool read_sizes(const MjcfElement& geom, const std::string& type, RobotShape& shape) const;
  bool read_ends(const MjcfElement& geom, RobotShape& shape, double& half) const;
  bool read_mesh(const MjcfElement& geom, RobotShape& shape) const;
  RobotMass read_mass(const MjcfElement& geom, const std::string& type,
                      const RobotShape& shape) const;

  const MjcfSettings& settings_;
  const MjcfClasses& classes_;
  const RobotOptions& options_;
  std::map<std::string, Mesh> meshes_;
};

}  // namespace clack
