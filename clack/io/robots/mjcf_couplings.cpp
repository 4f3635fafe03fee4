#include "clack/io/robots/mjcf_couplings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

std::optional<RobotCoupler::Term> find_term(const Robot& robot, const std::string& name) {
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    for (std::size_t k = 0; k < robot.joints[j].coordinates.size(); ++k) {
      if (robot.joints[j].coordinates[k].joint == name)
        return RobotCoupler::Term{static_cast<int>(j), static_cast<int>(k), 1};
    }
  }
  return std::nullopt;
}

std::optional<RobotCoupler::Term> require_term(const Robot& robot, const XmlElement& element,
                                               const char* key) {
  const auto name = element.require_text(key, "the name of a joint");
  if (!name) return std::nullopt;
  const auto term = find_term(robot, *name);
  if (!term) element.complain(key, fmt::format("there is no hinge or slide '{}'", shorten(*name)));
  return term;
}

class Equalities {
 public:
  Equalities(const XmlElement& root, const MjcfClasses& classes, Robot& robot)
      : classes_(classes), robot_(robot), poses_(reference_poses(robot)) {
    for (const XmlElement& list : root.children("equality")) {
      for (const XmlElement& x : list.children()) read(x);
    }
  }

 private:
  // Equalities hold in the pose of the file.
  static std::vector<Pose> reference_poses(Robot robot) {
    for (RobotJoint& joint : robot.joints) {
      for (RobotCoordinate& c : joint.coordinates) c.start = c.reference;
    }
    return compute_poses(robot);
  }

  void read(const XmlElement& element) {
    const bool joins = element.name() == "connect" || element.name() == "weld";
    if (!joins && element.name() != "joint") return;  // listed as ignored
    element.look_at();
    (void)element.text("name");
    const MjcfElement all = classes_.resolve(element, "");
    if (const auto x = all.with("active"); x && !x->flag("active").value_or(true)) {
      element.remark("not active: left out");
      return;
    }
    if (joins)
      join(element);
    else
      couple(element);
  }

  struct End {
    int body = -1;
    Pose pose;  // of the named body in its body here
  };

  std::optional<End> read_end(const XmlElement& element, const char* key, bool required) const {
    if (!required && !element.has(key)) return End{};
    const auto name = element.require_text(key, "the name of a body");
    if (!name) return std::nullopt;
    if (*name == "world") return End{};
    for (std::size_t i = 0; i < robot_.bodies.size(); ++i) {
      for (const RobotFrame& frame : robot_.bodies[i].frames) {
        if (frame.name == *name) return End{static_cast<int>(i), frame.pose};
      }
    }
    element.complain(key, fmt::format("there is no body '{}'", shorten(*name)));
    return std::nullopt;
  }

  Pose world_pose(const End& end) const {
    return end.body < 0 ? Pose{} : poses_[static_cast<std::size_t>(end.body)] * end.pose;
  }

  void join(const XmlElement& element) {
    const bool weld = element.name() == "weld";
    if (element.has("site1") || element.has("site2")) {
      element.complain("sites are not read; give body1 and body2");
      return;
    }
    auto one = read_end(element, "body1", true), two = read_end(element, "body2", false);
    if (!one || !two) return;
    Vector3 anchor = element.vector("anchor").value_or(Vector3::Zero());
    if (weld && element.has("relpose")) {
      const auto pose = element.numbers("relpose", 7);
      if (pose && Eigen::Map<const Vector>(pose->data(), 7).tail(4).norm() > 0) {
        element.complain("relpose", "is not supported: a weld holds the pose of the file");
        return;
      }
    }
    const Vector3 point = weld ? world_pose(*two).position : world_pose(*one) * anchor;
    if (two->body < 0) std::swap(one, two);  // the ground comes first
    add(element, weld ? JointKind::fixed : JointKind::spherical, *one, *two, point);
  }

  void add(const XmlElement& element, JointKind kind, const End& a, const End& b,
           const Vector3& point) {
    if (a.body == b.body) {
      element.complain("joins bodies that are one already");
      return;
    }
    const Pose at{point, Matrix3::Identity()};
    RobotJoint joint{.name = element.text("name").value_or(
                         fmt::format("{}{}", element.name(), robot_.joints.size() + 1)),
                     .kind = kind,
                     .parent = a.body,
                     .child = b.body,
                     .closes = true,
                     .line = element.line()};
    const auto in = [&](int body) {
      return body < 0 ? at : poses_[static_cast<std::size_t>(body)].relative(at);
    };
    joint.in_parent = in(a.body);
    joint.in_child = in(b.body);
    robot_.joints.push_back(std::move(joint));
  }

  // y - y0 = a0 + a1 (x - x0)
  void couple(const XmlElement& element) {
    const auto y = require_term(robot_, element, "joint1");
    if (!element.has("joint2")) {
      element.complain("of a single joint is not supported; use its limits");
      return;
    }
    auto x = require_term(robot_, element, "joint2");
    std::vector<double> a = element.numbers("polycoef").value_or(std::vector<double>{0, 1});
    a.resize(std::max<std::size_t>(a.size(), 2));
    if (std::any_of(a.begin() + 2, a.end(), [](double c) { return c != 0; })) {
      element.complain("polycoef", "only a linear relation is supported: two coefficients");
      return;
    }
    if (!x || !y) return;
    x->factor = -a[1];
    robot_.couplers.push_back({.name = element.text("name").value_or(
                                   fmt::format("equality{}", robot_.couplers.size() + 1)),
                               .terms = {*y, *x},
                               .constant = a[0] + reference(*y) - a[1] * reference(*x)});
  }

  double reference(const RobotCoupler::Term& term) const {
    return robot_.joints[static_cast<std::size_t>(term.joint)]
        .coordinates[static_cast<std::size_t>(term.coordinate)]
        .reference;
  }

  const MjcfClasses& classes_;
  Robot& robot_;
  std::vector<Pose> poses_;
};

// The largest magnitude of a range, 0 where there is none.
double largest(const MjcfElement& element, const char* key) {
  const auto range = element.numbers(key, 2);
  return range ? std::max(std::abs((*range)[0]), std::abs((*range)[1])) : 0;
}

void read_actuator(const XmlElement& element, const MjcfClasses& classes, Robot& robot) {
  const std::string kind = element.name();
  if (kind != "motor" && kind != "position" && kind != "velocity") return;  // listed as ignored
  if (!element.has("joint")) return;
  element.look_at();
  (void)element.text("name");
  const auto term = require_term(robot, element, "joint");
  if (!term) return;
  const MjcfElement all = classes.resolve(element, "");
  RobotCoordinate& c = robot.joints[static_cast<std::size_t>(term->joint)]
                           .coordinates[static_cast<std::size_t>(term->coordinate)];
  const auto gears = all.with("gear") ? all.with("gear")->numbers("gear") : std::nullopt;
  const double gear = gears && !gears->empty() ? std::abs((*gears)[0]) : 1;
  const double force = gear * largest(all, "forcerange"), control = largest(all, "ctrlrange");
  const double limit = force > 0 ? force : kind == "motor" ? gear * control : 0;
  if (limit > 0) c.effort = limit;
  if (kind == "motor") {
    element.remark("motor: its control is 0; give the joint a 'motor' in the scene");
  } else if (kind == "velocity") {
    c.damping += gear * gear * all.number("kv", 1);
    element.remark("velocity: its control is 0: a damping of the joint");
  } else {
    RobotServo servo{.stiffness = gear * gear * all.number("kp", 1),
                     .damping = gear * gear * all.number("kv", 0)};
    if (force > 0) servo.limit = force;
    if (!(servo.stiffness > 0)) element.complain("its stiffness kp must be > 0");
    c.servo = servo;
    element.remark("position: its control is 0; the scene's 'servo' holds the joint there");
  }
}

}  // namespace

void read_mjcf_equalities(const XmlElement& root, const MjcfClasses& classes, Robot& robot) {
  const Equalities reader(root, classes, robot);
}

void read_mjcf_actuators(const XmlElement& root, const MjcfClasses& classes, Robot& robot) {
  for (const XmlElement& list : root.children("actuator")) {
    for (const XmlElement& x : list.children()) read_actuator(x, classes, robot);
  }
}

}  // namespace clack
