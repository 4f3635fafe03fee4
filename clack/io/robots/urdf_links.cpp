#include "clack/io/robots/urdf_links.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "clack/core/error.hpp"
#include "clack/io/meshes/mesh_reader.hpp"

namespace clack {
namespace {

std::optional<double> positive(const XmlElement& element, std::string_view attribute) {
  if (!element.require_text(attribute, "a number > 0 [m]")) return std::nullopt;
  const auto x = element.number(attribute);
  if (x && !(*x > 0)) {
    element.complain(attribute, fmt::format("is {}; it must be > 0", *x));
    return std::nullopt;
  }
  return x;
}

double entry(const XmlElement& inertia, std::string_view attribute, bool diagonal) {
  if (diagonal && !inertia.require_text(attribute, "a moment of inertia [kg m^2]")) return 0;
  return inertia.number(attribute).value_or(0);
}

Matrix3 read_inertia(const XmlElement& element) {
  const double xx = entry(element, "ixx", true), xy = entry(element, "ixy", false),
               xz = entry(element, "ixz", false), yy = entry(element, "iyy", true),
               yz = entry(element, "iyz", false), zz = entry(element, "izz", true);
  Matrix3 inertia;
  inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return inertia;
}

RobotMass read_mass(const XmlElement& inertial) {
  RobotMass own;
  const auto mass = inertial.require("mass", "<mass value=>");
  const auto inertia = inertial.require("inertia", "<inertia ixx= ixy= ixz= iyy= iyz= izz=>");
  if (!mass || !inertia) return {};
  if (mass->require_text("value", "a mass [kg]")) own.mass = mass->number("value").value_or(0);
  if (own.mass < 0) mass->complain("value", fmt::format("is {}; it must be >= 0", own.mass));
  own.inertia = read_inertia(*inertia);
  const Pose pose = read_urdf_origin(inertial);
  if (own.mass == 0) {
    if (!own.inertia.isZero(0)) mass->complain("value", "is 0, but the link has an inertia");
    return {};
  }
  const std::string fault = mass_fault(own);
  if (!fault.empty()) inertia->complain(fault);
  return own.moved(pose);
}

bool read_mesh_shape(const XmlElement& mesh, const RobotOptions& options, RobotShape& shape) {
  shape.kind = RobotShape::Kind::mesh;
  if (const auto scale = mesh.vector("scale")) shape.scale = *scale;
  if (shape.scale.cwiseAbs().minCoeff() == 0) mesh.complain("scale", "has a factor 0");
  const auto file = read_mesh_path(mesh, "filename", options);
  shape.file = file.value_or("");
  return file.has_value();
}

bool read_round(const XmlElement& element, RobotShape::Kind kind, RobotShape& shape) {
  shape.kind = kind;
  const auto radius = positive(element, "radius");
  const auto length =
      kind == RobotShape::Kind::sphere ? std::optional(0.0) : positive(element, "length");
  if (radius && length) shape.size << *radius, *length, 0;
  return radius && length;
}

bool read_box(const XmlElement& box, RobotShape& shape) {
  shape.kind = RobotShape::Kind::box;
  if (!box.require_text("size", "three sides [m]")) return false;
  const auto size = box.vector("size");
  if (!size) return false;
  shape.size = *size;
  if (size->minCoeff() > 0) return true;
  box.complain("size", "has a side that is not > 0");
  return false;
}

bool read_geometry(const XmlElement& geometry, const RobotOptions& options, RobotShape& shape) {
  const std::vector<XmlElement> kinds = geometry.children();
  if (kinds.size() != 1) {
    geometry.complain(fmt::format(
        "expected one of box, cylinder, sphere, capsule, mesh; found {} elements", kinds.size()));
    return false;
  }
  const XmlElement& kind = kinds[0];
  kind.look_at();
  if (kind.name() == "box") return read_box(kind, shape);
  if (kind.name() == "sphere") return read_round(kind, RobotShape::Kind::sphere, shape);
  if (kind.name() == "cylinder") return read_round(kind, RobotShape::Kind::cylinder, shape);
  if (kind.name() == "capsule") return read_round(kind, RobotShape::Kind::capsule, shape);
  if (kind.name() == "mesh") return read_mesh_shape(kind, options, shape);
  kind.complain("is no geometry; allowed: box, cylinder, sphere, capsule, mesh");
  return false;
}

}  // namespace

Pose read_urdf_origin(const XmlElement& parent) {
  Pose pose;
  const auto origin = parent.child("origin");
  if (!origin) return pose;
  pose.position = origin->vector("xyz").value_or(Vector3::Zero());
  const Vector3 rpy = origin->vector("rpy").value_or(Vector3::Zero());
  pose.rotation =
      (Eigen::AngleAxisd(rpy.z(), Vector3::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vector3::UnitY()) *
       Eigen::AngleAxisd(rpy.x(), Vector3::UnitX()))
          .toRotationMatrix();
  return pose;
}

std::optional<std::string> read_mesh_path(const XmlElement& element, std::string_view attribute,
                                          const RobotOptions& options) {
  const auto uri = element.require_text(attribute, "a file .obj, .stl or .ply");
  if (!uri) return std::nullopt;
  try {
    const std::string path = find_robot_file(*uri, element.document().path(), options.packages);
    (void)read_mesh(path);  // what cannot be read is said here, with its place
    return path;
  } catch (const InputError& error) {
    element.complain(attribute, error.what());
  } catch (const IoError& error) {
    element.complain(attribute, error.what());
  }
  return std::nullopt;
}

UrdfLink read_urdf_link(const XmlElement& element, const std::string& name,
                        const RobotOptions& options) {
  UrdfLink link{name, element, {}, {}};
  if (const auto inertial = element.child("inertial")) link.mass = read_mass(*inertial);
  for (const XmlElement& collision : element.children("collision")) {
    (void)collision.text("name");
    RobotShape shape{.line = collision.line()};
    shape.pose = read_urdf_origin(collision);
    const auto geometry = collision.require("geometry", "the shape");
    if (geometry && read_geometry(*geometry, options, shape)) link.shapes.push_back(shape);
  }
  return link;
}

}  // namespace clack
