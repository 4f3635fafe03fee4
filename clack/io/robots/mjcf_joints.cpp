#include "clack/io/robots/mjcf_joints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

constexpr double kTolerance = 1e-9;  // of axes that are to be parallel or across

bool are_across(const Vector3& a, const Vector3& b) { return std::abs(a.dot(b)) < kTolerance; }
bool are_equal(const Vector3& a, const Vector3& b) {
  return (a - b).norm() < kTolerance * (1 + a.norm());
}

Matrix3 frame_of(const Vector3& first, const Vector3& third) {
  Matrix3 axes;
  axes << first, third.cross(first), third;
  return axes;
}

void read_range(const MjcfElement& element, const MjcfSettings& settings, double unit,
                MjcfJoint& joint) {
  const std::string limited = element.text("limited", "auto");
  const auto holder = element.with("range");
  const auto range = holder ? holder->numbers("range", 2) : std::nullopt;
  const bool wanted = limited == "true" || (limited == "auto" && settings.auto_limits && range);
  if (!wanted) return;
  if (!range) {
    joint.element.complain("is limited, but has no 'range'");
    return;
  }
  if (joint.type == "ball") {
    joint.element.remark("range of a ball joint: not supported");
    return;
  }
  joint.coordinate.lower = unit * (*range)[0];
  joint.coordinate.upper = unit * (*range)[1];
  if (joint.coordinate.lower > joint.coordinate.upper)
    holder->complain("range",
                     fmt::format("lower is {}, above upper, {}", (*range)[0], (*range)[1]));
}

// What acts at a ball has no coordinate, but for its friction.
void read_forces(const MjcfElement& element, double unit, MjcfJoint& joint) {
  RobotCoordinate& c = joint.coordinate;
  c.damping = element.number("damping", 0);
  c.stiffness = element.number("stiffness", 0);
  c.rest = unit * element.number("springref", 0);
  c.friction = element.number("frictionloss", 0);
  c.armature = element.number("armature", 0);
  for (const auto& [key, value] : {std::pair("damping", c.damping),
                                   {"stiffness", c.stiffness},
                                   {"frictionloss", c.friction},
                                   {"armature", c.armature}}) {
    if (value < 0) element.with(key)->complain(key, fmt::format("is {}; it must be >= 0", value));
  }
  if (joint.type != "ball") return;
  if (c.armature > 0) joint.element.remark("armature of a ball joint: not supported");
  c.armature = 0;
  if (c.damping > 0 || c.stiffness > 0)
    joint.element.remark("damping and stiffness of a ball joint: not supported");
  c.damping = c.stiffness = 0;
}

RobotJoint joint_of(JointKind kind, const Vector3& point, const Matrix3& axes,
                    std::vector<RobotCoordinate> coordinates) {
  RobotJoint joint{.kind = kind, .coordinates = std::move(coordinates)};
  joint.in_child = {point, axes};
  return joint;
}

RobotCoordinate named(const MjcfJoint& joint, std::string name) {
  RobotCoordinate c = joint.coordinate;
  c.name = std::move(name);
  return c;
}

std::optional<RobotJoint> compose_two(const MjcfJoint& a, const MjcfJoint& b) {
  if (a.type == "hinge" && b.type == "hinge" && are_equal(a.point, b.point) &&
      are_across(a.axis, b.axis)) {
    return joint_of(JointKind::universal, a.point, frame_of(b.axis, a.axis),
                    {named(a, "angle_a"), named(b, "angle_b")});
  }
  const bool slide_first = a.type == "slide" && b.type == "hinge";
  if (!slide_first && !(a.type == "hinge" && b.type == "slide")) return std::nullopt;
  if (!are_equal(a.axis, b.axis)) return std::nullopt;
  const MjcfJoint &hinge = slide_first ? b : a, &slide = slide_first ? a : b;
  return joint_of(JointKind::cylindrical, hinge.point, axes_along(hinge.axis),
                  {named(hinge, "angle"), named(slide, "slide")});
}

std::optional<RobotJoint> compose_three(const MjcfJoint& a, const MjcfJoint& b,
                                        const MjcfJoint& c) {
  if (c.type != "hinge" || a.type != b.type) return std::nullopt;
  if (a.type == "slide" && are_across(a.axis, b.axis) && are_across(a.axis, c.axis) &&
      are_across(b.axis, c.axis)) {
    const bool in_order = c.axis.cross(a.axis).dot(b.axis) > 0;
    const MjcfJoint &x = in_order ? a : b, &y = in_order ? b : a;
    return joint_of(JointKind::planar, c.point, frame_of(x.axis, c.axis),
                    {named(c, "angle"), named(x, "x"), named(y, "y")});
  }
  const bool bare = a.is_bare() && b.is_bare() && c.is_bare();
  const bool one_point = are_equal(a.point, b.point) && are_equal(b.point, c.point);
  const double volume = std::abs(a.axis.cross(b.axis).dot(c.axis));
  if (a.type != "hinge" || !bare || !one_point || volume < 1e-3) return std::nullopt;
  return joint_of(JointKind::spherical, a.point, Matrix3::Identity(), {});
}

std::optional<RobotJoint> compose_one(const MjcfJoint& a) {
  if (a.type == "ball") {
    RobotJoint ball = joint_of(JointKind::spherical, a.point, Matrix3::Identity(), {});
    ball.ball_friction = a.coordinate.friction;
    return ball;
  }
  const bool slides = a.type == "slide";
  return joint_of(slides ? JointKind::prismatic : JointKind::revolute, a.point, axes_along(a.axis),
                  {named(a, slides ? "slide" : "angle")});
}

}  // namespace

bool MjcfJoint::is_bare() const {
  return std::isinf(coordinate.lower) && std::isinf(coordinate.upper) && coordinate.damping == 0 &&
         coordinate.stiffness == 0 && coordinate.friction == 0 && coordinate.armature == 0 &&
         coordinate.reference == 0;
}

MjcfJoint read_mjcf_joint(const MjcfElement& element, const MjcfSettings& settings,
                          const std::string& default_name) {
  const XmlElement& own = element.own();
  MjcfJoint joint{.name = own.text("name").value_or(default_name),
                  .type = own.name() == "freejoint" ? "free" : element.text("type", "hinge"),
                  .element = own,
                  .coordinate = {}};
  static const std::vector<std::string_view> kTypes = {"free", "ball", "slide", "hinge"};
  if (std::find(kTypes.begin(), kTypes.end(), joint.type) == kTypes.end())
    own.complain(fmt::format("type '{}' is not known{}", shorten(joint.type),
                             allowed_words(joint.type, kTypes)));
  if (joint.type == "free") return joint;
  const double unit = joint.type != "slide" && settings.degree ? M_PI / 180 : 1;
  joint.point = element.vector("pos", Vector3::Zero());
  joint.axis = element.vector("axis", Vector3::UnitZ());
  if (!(joint.axis.norm() > 0)) element.with("axis")->complain("axis", "has no length");
  joint.axis.normalize();
  joint.coordinate.joint = joint.name;
  joint.coordinate.turns = joint.type != "slide";
  joint.coordinate.reference = unit * element.number("ref", 0);
  read_range(element, settings, unit, joint);
  read_forces(element, unit, joint);
  return joint;
}

std::optional<RobotJoint> compose_mjcf_joints(const std::vector<MjcfJoint>& joints) {
  std::optional<RobotJoint> result;
  if (joints.size() == 1) result = compose_one(joints[0]);
  if (joints.size() == 2) result = compose_two(joints[0], joints[1]);
  if (joints.size() == 3) result = compose_three(joints[0], joints[1], joints[2]);
  if (!result) {
    joints[0].element.complain(fmt::format(
        "the {} joints of this body are together none that a scene has, and a body without mass in "
        "between is not possible; allowed: two hinges across each other at one point, hinge and "
        "slide along one axis, two slides and then a hinge across them, three hinges at one point "
        "without limits, springs, damping and friction",
        joints.size()));
    return std::nullopt;
  }
  for (const MjcfJoint& x : joints) result->name += (result->name.empty() ? "" : "_") + x.name;
  result->line = joints[0].element.line();
  return result;
}

}  // namespace clack
