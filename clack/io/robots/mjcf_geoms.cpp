#include "clack/io/robots/mjcf_geoms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "clack/core/error.hpp"
#include "clack/io/robots/robot_shapes.hpp"
#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene_text.hpp"
#include "clack/model/shapes/mass.hpp"

namespace clack {
namespace {

constexpr double kDensity = 1000;  // of geoms that give none [kg/m^3]

// Of density 1. A centre at the origin is there without round-off.
RobotMass unit_mass(const Shape& solid) {
  const MassProperties own = compute_mass(solid, 1);
  const bool centred = own.centre.norm() <= 1e-12 * solid.bounds().half().maxCoeff();
  return {own.mass, centred ? Vector3(Vector3::Zero()) : own.centre, own.inertia};
}

RobotMass unit_ellipsoid(const Vector3& half) {
  RobotMass own;
  own.mass = 4.0 / 3 * M_PI * half.prod();
  const Vector3 squares = half.cwiseAbs2();
  own.inertia = (0.2 * own.mass * (Vector3::Constant(squares.sum()) - squares)).asDiagonal();
  return own;
}

}  // namespace

MjcfGeoms::MjcfGeoms(const XmlElement& root, const MjcfSettings& settings,
                     const MjcfClasses& classes, const RobotOptions& options)
    : settings_(settings), classes_(classes), options_(options) {
  for (const XmlElement& asset : root.children("asset")) {
    for (const XmlElement& mesh : asset.children("mesh")) read_mesh_asset(mesh);
  }
}

void MjcfGeoms::read_mesh_asset(const XmlElement& element) {
  const MjcfElement mesh = classes_.resolve(element, "");
  for (const char* key : {"refpos", "refquat"}) {
    if (mesh.with(key)) mesh.with(key)->complain(key, "is not supported");
  }
  const auto file = element.require_text("file", "a file .obj, .stl or .ply");
  if (!file) return;
  const std::string name =
      element.text("name").value_or(std::filesystem::path(*file).stem().string());
  const Vector3 scale = mesh.vector("scale", Vector3::Ones());
  try {
    const std::string uri =
        settings_.mesh_folder.empty() ? *file : settings_.mesh_folder + "/" + *file;
    const std::string path = find_robot_file(uri, element.document().path(), options_.packages);
    const RobotShape shape{.kind = RobotShape::Kind::mesh, .file = path, .scale = scale};
    meshes_[name] = {path, scale, make_robot_shape(shape)};
  } catch (const InputError& error) {
    element.complain("file", error.what());
  } catch (const IoError& error) {
    element.complain("file", error.what());
  }
}

std::optional<MjcfGeom> MjcfGeoms::read(const XmlElement& element,
                                        const std::string& inherited) const {
  const MjcfElement geom = classes_.resolve(element, inherited);
  (void)element.text("name");
  const std::string type = geom.text("type", geom.with("mesh") ? "mesh" : "sphere");
  static const std::vector<std::string_view> kTypes = {"sphere",    "capsule", "cylinder", "box",
                                                       "ellipsoid", "plane",   "mesh"};
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
    element.complain(
        fmt::format("type '{}' is not supported{}", shorten(type), allowed_words(type, kTypes)));
    return std::nullopt;
  }
  RobotShape shape{.line = element.line()};
  shape.pose = read_mjcf_pose(geom, settings_);
  if (!read_sizes(geom, type, shape)) return std::nullopt;
  MjcfGeom result;
  result.mass = read_mass(geom, type, shape).moved(shape.pose);
  const double contype = geom.number("contype", 1), conaffinity = geom.number("conaffinity", 1);
  const bool touches = contype != 0 || conaffinity != 0;
  if (touches && type == "ellipsoid") {
    element.complain("an ellipsoid that collides is not supported; use a sphere or a capsule");
    return std::nullopt;
  }
  if (touches && (contype != 1 || conaffinity != 1))
    element.remark("contype and conaffinity: only both 0 are read, all other geoms collide");
  if (touches) result.shape = shape;
  if (const auto x = geom.with("friction")) {
    const auto all = x->numbers("friction");
    if (all && !all->empty()) result.mu = (*all)[0];
    if (all && all->size() > 1) x->remark("friction: torsional and rolling friction are left out");
  }
  if (geom.number("condim", 3) == 1) result.mu = 0;
  return result;
}

// Half sizes in the file, full ones in scenes.
bool MjcfGeoms::read_sizes(const MjcfElement& geom, const std::string& type,
                           RobotShape& shape) const {
  if (type == "mesh") return read_mesh(geom, shape);
  const auto holder = geom.with("size");
  std::vector<double> size =
      holder ? holder->numbers("size").value_or(std::vector<double>{}) : std::vector<double>{};
  if (type == "plane") {
    shape.kind = RobotShape::Kind::plane;
    return true;
  }
  const bool along = type == "capsule" || type == "cylinder";
  double half = size.size() > 1 ? size[1] : 0;
  const bool ends = geom.with("fromto").has_value();
  if (ends && (!along || !read_ends(geom, shape, half))) {
    if (!along) geom.own().complain("'fromto' is read of capsules and cylinders only");
    return false;
  }
  const std::size_t needed = type == "sphere" ? 1 : along ? (ends ? 1 : 2) : 3;
  if (size.size() < needed) {
    geom.own().complain(
        fmt::format("needs 'size' with {} number{}", needed, needed == 1 ? "" : "s"));
    return false;
  }
  for (std::size_t k = 0; k < needed; ++k) {
    if (size[k] > 0) continue;
    holder->complain("size", fmt::format("has {}; each must be > 0", size[k]));
    return false;
  }
  if (along) {
    shape.kind = type == "capsule" ? RobotShape::Kind::capsule : RobotShape::Kind::cylinder;
    shape.size << size[0], 2 * half, 0;
  } else if (type == "sphere") {
    shape.kind = RobotShape::Kind::sphere;
    shape.size << size[0], 0, 0;
  } else {
    shape.kind = RobotShape::Kind::box;  // of an ellipsoid its box
    shape.size << 2 * size[0], 2 * size[1], 2 * size[2];
  }
  return true;
}

bool MjcfGeoms::read_ends(const MjcfElement& geom, RobotShape& shape, double& half) const {
  const auto n = geom.numbers("fromto", 6);
  if (!n) return false;
  const Vector3 from((*n)[0], (*n)[1], (*n)[2]), to((*n)[3], (*n)[4], (*n)[5]);
  half = 0.5 * (to - from).norm();
  if (!(half > 0)) {
    geom.with("fromto")->complain("fromto", "both ends are the same");
    return false;
  }
  shape.pose.position = 0.5 * (from + to);
  shape.pose.rotation = axes_along((to - from).normalized());
  return true;
}

bool MjcfGeoms::read_mesh(const MjcfElement& geom, RobotShape& shape) const {
  const std::string name = geom.text("mesh", "");
  const auto it = meshes_.find(name);
  if (it == meshes_.end()) {
    const auto place = geom.with("mesh");
    place.value_or(geom.own()).complain(fmt::format("there is no mesh '{}'", shorten(name)));
    return false;
  }
  shape.kind = RobotShape::Kind::mesh;
  shape.file = it->second.file;
  shape.scale = it->second.scale;
  return true;
}

RobotMass MjcfGeoms::read_mass(const MjcfElement& geom, const std::string& type,
                               const RobotShape& shape) const {
  if (type == "plane") return {};
  RobotMass own;
  try {
    own = type == "ellipsoid" ? unit_ellipsoid(0.5 * shape.size)
          : type == "mesh"    ? unit_mass(*meshes_.at(geom.text("mesh", "")).solid)
                              : unit_mass(*make_robot_shape(shape));
  } catch (const InputError& error) {
    geom.own().complain(error.what());
    return {};
  }
  const double density = geom.number("density", kDensity);
  const double mass = geom.number("mass", density * own.mass);
  if (mass < 0) geom.own().complain(fmt::format("its mass is {}; it must be >= 0", mass));
  own.inertia *= mass / own.mass;
  own.mass = mass;
  return own;
}

}  // namespace clack
