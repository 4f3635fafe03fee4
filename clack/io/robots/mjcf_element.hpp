// Elements of MJCF with what their default classes give them, and the settings of <compiler>.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clack/io/robots/xml_document.hpp"
#include "clack/model/pose.hpp"

namespace clack {

struct MjcfSettings {
  bool degree = true;
  bool auto_limits = true;
  std::string eulerseq = "xyz";
  std::string mesh_folder;
  std::string inertia_from_geoms = "auto";
};
// Complains about settings that would change the robot and are not known.
MjcfSettings read_mjcf_settings(const XmlElement& root);

// An element, then those of its class and of the classes around that.
class MjcfElement {
 public:
  MjcfElement(const XmlElement& own, std::vector<XmlElement> defaults)
      : own_(own), defaults_(std::move(defaults)) {}

  const XmlElement& own() const { return own_; }
  // The nearest of them that has the attribute.
  std::optional<XmlElement> with(std::string_view attribute) const;
  std::string text(std::string_view attribute, const std::string& otherwise) const;
  double number(std::string_view attribute, double otherwise) const;
  Vector3 vector(std::string_view attribute, const Vector3& otherwise) const;
  std::optional<std::vector<double>> numbers(std::string_view attribute, std::size_t count) const;

 private:
  XmlElement own_;
  std::vector<XmlElement> defaults_;
};

class MjcfClasses {
 public:
  // The <default> elements of the root.
  explicit MjcfClasses(const XmlElement& root);
  // `inherited`: the childclass of the bodies around the element.
  MjcfElement resolve(const XmlElement& element, const std::string& inherited) const;

 private:
  void read(const XmlElement& element, std::vector<XmlElement> around, bool outermost);
  std::map<std::string, std::vector<XmlElement>> classes_;  // <default>s, nearest first
};

// pos and one of quat, axisangle, euler, xyaxes, zaxis.
Pose read_mjcf_pose(const MjcfElement& element, const MjcfSettings& settings);

}  // namespace clack
