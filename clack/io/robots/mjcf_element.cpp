#include "clack/io/robots/mjcf_element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

double factor_of(const MjcfSettings& settings) { return settings.degree ? M_PI / 180 : 1; }

// Lower case turns about the axes as they are turned already, upper case about those of the parent.
Matrix3 euler_rotation(const Vector3& angles, const std::string& sequence) {
  Matrix3 rotation = Matrix3::Identity();
  for (int k = 0; k < 3; ++k) {
    const char c = sequence[static_cast<std::size_t>(k)];
    const bool lower = c >= 'a';
    const Matrix3 own =
        Eigen::AngleAxisd(angles[k], Vector3::Unit(c - (lower ? 'x' : 'X'))).toRotationMatrix();
    rotation = lower ? Matrix3(rotation * own) : Matrix3(own * rotation);
  }
  return rotation;
}

std::optional<Vector3> direction(const XmlElement& element, std::string_view attribute,
                                 const Vector3& vector) {
  if (vector.norm() > 0) return vector.normalized();
  element.complain(attribute, "has no length");
  return std::nullopt;
}

std::optional<Matrix3> read_quaternion(const XmlElement& element) {
  const auto q = element.numbers("quat", 4);
  if (!q) return std::nullopt;
  const Quaternion quaternion((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
  if (quaternion.norm() > 0) return quaternion.normalized().toRotationMatrix();
  element.complain("quat", "has no length");
  return std::nullopt;
}

std::optional<Matrix3> read_axes(const XmlElement& element) {
  const auto n = element.numbers("xyaxes", 6);
  if (!n) return std::nullopt;
  const auto x = direction(element, "xyaxes", Vector3((*n)[0], (*n)[1], (*n)[2]));
  if (!x) return std::nullopt;
  const Vector3 given((*n)[3], (*n)[4], (*n)[5]);
  const auto y = direction(element, "xyaxes", given - given.dot(*x) * *x);
  if (!y) return std::nullopt;
  Matrix3 rotation;
  rotation << *x, *y, x->cross(*y);
  return rotation;
}

std::optional<Matrix3> read_rotation(const XmlElement& element, std::string_view how,
                                     const MjcfSettings& settings) {
  if (how == "quat") return read_quaternion(element);
  if (how == "xyaxes") return read_axes(element);
  if (how == "euler") {
    const auto angles = element.vector("euler");
    if (!angles) return std::nullopt;
    return euler_rotation(factor_of(settings) * *angles, settings.eulerseq);
  }
  if (how == "zaxis") {
    const auto z = element.vector("zaxis");
    const auto unit = z ? direction(element, how, *z) : std::nullopt;
    if (!unit) return std::nullopt;
    return Quaternion::FromTwoVectors(Vector3::UnitZ(), *unit).toRotationMatrix();
  }
  const auto n = element.numbers("axisangle", 4);
  const auto axis = n ? direction(element, how, Vector3((*n)[0], (*n)[1], (*n)[2])) : std::nullopt;
  if (!axis) return std::nullopt;
  return Eigen::AngleAxisd(factor_of(settings) * (*n)[3], *axis).toRotationMatrix();
}

void refuse_masses(const XmlElement& compiler) {
  for (const char* key : {"boundmass", "boundinertia", "settotalmass"}) {
    const double value = compiler.number(key).value_or(key[0] == 's' ? -1 : 0);
    if (value > 0) compiler.complain(key, "changes the masses; it is not supported");
  }
  if (compiler.flag("balanceinertia").value_or(false))
    compiler.complain("balanceinertia", "changes the inertia; it is not supported");
}

}  // namespace

MjcfSettings read_mjcf_settings(const XmlElement& root) {
  MjcfSettings settings;
  for (const XmlElement& compiler : root.children("compiler")) {
    if (const auto x = compiler.choice("angle", {"degree", "radian"}))
      settings.degree = *x == "degree";
    if (const auto x = compiler.text("eulerseq")) {
      settings.eulerseq = *x;
      if (x->size() != 3 || x->find_first_not_of("xyzXYZ") != std::string::npos) {
        compiler.complain("eulerseq", "expected three letters of x, y, z, X, Y, Z");
        settings.eulerseq = "xyz";
      }
    }
    if (const auto x = compiler.text("meshdir")) settings.mesh_folder = *x;
    if (const auto x = compiler.text("assetdir"); x && settings.mesh_folder.empty())
      settings.mesh_folder = *x;
    if (const auto x = compiler.choice("inertiafromgeom", {"auto", "true", "false"}))
      settings.inertia_from_geoms = *x;
    settings.auto_limits = compiler.flag("autolimits").value_or(settings.auto_limits);
    if (compiler.choice("coordinate", {"local", "global"}) == "global")
      compiler.complain("coordinate", "global coordinates are not read; 'local' is");
    refuse_masses(compiler);
  }
  return settings;
}

std::optional<XmlElement> MjcfElement::with(std::string_view attribute) const {
  if (own_.has(attribute)) return own_;
  for (const XmlElement& x : defaults_) {
    if (x.has(attribute)) return x;
  }
  return std::nullopt;
}

std::string MjcfElement::text(std::string_view attribute, const std::string& otherwise) const {
  const auto x = with(attribute);
  return x ? x->text(attribute).value_or(otherwise) : otherwise;
}

double MjcfElement::number(std::string_view attribute, double otherwise) const {
  const auto x = with(attribute);
  return x ? x->number(attribute).value_or(otherwise) : otherwise;
}

Vector3 MjcfElement::vector(std::string_view attribute, const Vector3& otherwise) const {
  const auto x = with(attribute);
  return x ? x->vector(attribute).value_or(otherwise) : otherwise;
}

std::optional<std::vector<double>> MjcfElement::numbers(std::string_view attribute,
                                                        std::size_t count) const {
  const auto x = with(attribute);
  return x ? x->numbers(attribute, count) : std::nullopt;
}

MjcfClasses::MjcfClasses(const XmlElement& root) {
  classes_["main"] = {};
  for (const XmlElement& x : root.children("default")) read(x, {}, true);
}

void MjcfClasses::read(const XmlElement& element, std::vector<XmlElement> around, bool outermost) {
  const auto name = element.text("class");
  if (!name && !outermost) element.complain("needs a 'class', its name");
  around.insert(around.begin(), element);
  std::vector<XmlElement>& own = classes_[name.value_or("main")];
  if (outermost && !own.empty()) around.insert(around.end(), own.begin(), own.end());
  own = around;
  if (outermost) classes_["main"] = around;
  for (const XmlElement& x : element.children("default")) read(x, around, false);
}

MjcfElement MjcfClasses::resolve(const XmlElement& element, const std::string& inherited) const {
  const auto given = element.text("class");
  const std::string name = given.value_or(inherited.empty() ? "main" : inherited);
  const auto it = classes_.find(name);
  std::vector<XmlElement> defaults;
  if (it == classes_.end()) {
    if (given)
      element.complain("class", fmt::format("there is no default class '{}'", shorten(name)));
    return {element, defaults};
  }
  const std::string tag = element.name() == "freejoint" ? "joint" : element.name();
  for (const XmlElement& x : it->second) {
    for (const XmlElement& own : x.children(tag)) defaults.push_back(own);
  }
  return {element, std::move(defaults)};
}

Pose read_mjcf_pose(const MjcfElement& element, const MjcfSettings& settings) {
  Pose pose;
  pose.position = element.vector("pos", Vector3::Zero());
  // Those of the element itself come before those of its class.
  for (const bool own : {true, false}) {
    for (const char* how : {"quat", "axisangle", "euler", "xyaxes", "zaxis"}) {
      const auto x = own ? (element.own().has(how) ? std::optional(element.own()) : std::nullopt)
                         : element.with(how);
      if (!x) continue;
      if (const auto rotation = read_rotation(*x, how, settings)) pose.rotation = *rotation;
      return pose;
    }
  }
  return pose;
}

}  // namespace clack
