#include "clack/io/robots/urdf_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "clack/io/robots/urdf_links.hpp"
#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

const std::map<std::string, std::string, std::less<>> kReasons = {
    {"visual", "pictures show the collision shapes"},
    {"transmission", "what drives a joint stands in the scene"},
    {"gazebo", "of another program"},
    {"mujoco", "of another program"},
    {"material", "colours"},
    {"limit velocity", "there are no limits of speed"},
    {"safety_controller", "of another program"},
    {"calibration", "of another program"},
    {"sensor", "of another program"}};

struct UrdfJoint {
  std::string name, type;
  XmlElement element;
  std::size_t parent = 0, child = 0;  // links
  Pose origin;
  RobotCoordinate coordinate;  // as far as the joint has one
  std::optional<XmlElement> mimic;
  bool done = false;
};

class UrdfReader {
 public:
  UrdfReader(XmlDocument& document, const RobotOptions& options)
      : document_(document), options_(options), root_(document.root()) {}

  Robot read() {
    refuse_xacro(root_);
    document_.throw_if_bad();
    robot_.path = document_.path();
    robot_.name = root_.text("name").value_or("robot");
    (void)root_.text("version");
    read_links();
    read_joints();
    document_.throw_if_bad();
    const std::size_t root = find_root();
    document_.throw_if_bad();
    build(root);
    read_mimics();
    check_masses();
    document_.throw_if_bad();
    document_.remark_unread(kReasons);
    return std::move(robot_);
  }

 private:
  void refuse_xacro(const XmlElement& element) {
    if (element.name().starts_with("xacro:")) {
      element.complain("this is xacro, not URDF; run 'xacro FILE > robot.urdf' first");
      return;
    }
    for (const XmlElement& x : element.children()) {
      refuse_xacro(x);
      if (!document_.good()) return;
    }
  }

  void read_links() {
    for (const XmlElement& element : root_.children("link")) {
      const auto name = element.require_text("name", "the name of the link");
      if (!name) continue;
      if (!link_numbers_.emplace(*name, links_.size()).second) {
        element.complain("name", "is taken already");
        continue;
      }
      links_.push_back(read_urdf_link(element, *name, options_));
    }
    constexpr std::size_t kMost = 2000;
    if (links_.empty() && document_.good()) root_.complain("has no links");
    if (links_.size() > kMost)
      root_.complain(fmt::format("has {} links; allowed are {}", links_.size(), kMost));
  }

  // --- joints ------------------------------------------------------------------------------------

  void read_joints() {
    for (const XmlElement& element : root_.children("joint")) {
      const auto name = element.require_text("name", "the name of the joint");
      const auto type = element.require_text("type", "the type of the joint");
      if (!name || !type) continue;
      static const std::vector<std::string_view> kTypes = {"revolute", "continuous", "prismatic",
                                                           "fixed",    "floating",   "planar"};
      if (!element.choice("type", kTypes)) continue;
      if (!joint_numbers_.emplace(*name, joints_.size()).second) {
        element.complain("name", "is taken already");
        continue;
      }
      UrdfJoint joint{
          .name = *name, .type = *type, .element = element, .coordinate = {}, .mimic = {}};
      joint.origin = read_urdf_origin(element);
      const auto parent = read_end(element, "parent"), child = read_end(element, "child");
      if (moves_by_one(*type)) read_coordinate(joint);
      joint.parent = parent.value_or(0);
      joint.child = child.value_or(0);
      joints_.push_back(joint);
    }
  }

  static bool moves_by_one(const std::string& type) {
    return type == "revolute" || type == "continuous" || type == "prismatic";
  }

  std::optional<std::size_t> read_end(const XmlElement& joint, const char* which) {
    const auto end = joint.require(which, fmt::format("<{} link=>", which));
    const auto name = end ? end->require_text("link", "the name of a link") : std::nullopt;
    if (!name) return std::nullopt;
    const auto it = link_numbers_.find(*name);
    if (it != link_numbers_.end()) return it->second;
    std::vector<std::string_view> known;
    for (const UrdfLink& link : links_) known.push_back(link.name);
    end->complain("link", fmt::format("there is no link '{}'{}", shorten(*name),
                                      allowed_words(*name, known)));
    return std::nullopt;
  }

  void read_coordinate(UrdfJoint& joint) {
    RobotCoordinate& c = joint.coordinate;
    const bool slides = joint.type == "prismatic";
    c.joint = joint.name;
    c.name = slides ? "slide" : "angle";
    c.turns = !slides;
    if (joint.type != "continuous") {
      const auto limit = joint.element.require("limit", "<limit lower= upper= effort= velocity=>");
      if (limit) read_limit(*limit, c);
    } else if (const auto limit = joint.element.child("limit")) {
      c.effort = limit->number("effort").value_or(0);
    }
    if (const auto dynamics = joint.element.child("dynamics")) {
      c.damping = read_loss(*dynamics, "damping");
      c.friction = read_loss(*dynamics, "friction");
      c.armature = read_loss(*dynamics, "armature");
    }
    joint.mimic = joint.element.child("mimic");
  }

  static double read_loss(const XmlElement& dynamics, std::string_view what) {
    const double value = dynamics.number(what).value_or(0);
    if (value < 0) dynamics.complain(what, fmt::format("is {}; it must be >= 0", value));
    return value;
  }

  // What is left out is 0, so that a joint without limits is stuck: that is worth a word.
  static void read_limit(const XmlElement& limit, RobotCoordinate& c) {
    const auto lower = limit.number("lower"), upper = limit.number("upper");
    c.lower = lower.value_or(0);
    c.upper = upper.value_or(0);
    c.effort = limit.number("effort").value_or(0);
    if (c.effort < 0) limit.complain("effort", fmt::format("is {}; it must be >= 0", c.effort));
    if (c.lower > c.upper)
      limit.complain(fmt::format("lower is {}, above upper, {}", c.lower, c.upper));
    if (!lower && !upper)
      limit.remark("lower and upper are not given, which means 0: the joint cannot move");
  }

  // --- the tree ----------------------------------------------------------------------------------

  std::size_t find_root() {
    std::vector<const UrdfJoint*> above(links_.size(), nullptr);
    for (const UrdfJoint& joint : joints_) {
      if (joint.parent == joint.child) joint.element.complain("joins a link with itself");
      const UrdfJoint*& other = above[joint.child];
      if (other != nullptr)
        joint.element.complain(
            fmt::format("link '{}' has two parents: joint '{}' in line {} carries it already",
                        links_[joint.child].name, other->name, other->element.line()));
      other = &joint;
    }
    if (!document_.good()) return 0;
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (above[i] == nullptr) roots.push_back(i);
    }
    if (roots.size() > 1)
      links_[roots[1]].element.complain(
          fmt::format("has no parent, like link '{}' in line {}; a robot has one root",
                      links_[roots[0]].name, links_[roots[0]].element.line()));
    if (!roots.empty()) mark_reached(roots[0]);
    for (const UrdfJoint& joint : joints_) {
      if (roots.size() > 1 || joint.done) continue;
      joint.element.complain("belongs to a loop of joints; a URDF is a tree");
      break;
    }
    return roots.empty() ? 0 : roots[0];
  }

  void mark_reached(std::size_t link) {
    for (UrdfJoint& joint : joints_) {
      if (joint.parent != link || joint.done) continue;
      joint.done = true;
      mark_reached(joint.child);
    }
  }

  void build(std::size_t root) {
    RobotBody body = make_body(root);
    body.fixed = !options_.floating;
    robot_.bodies.push_back(body);
    add_link(root, 0, Pose{});
  }

  RobotBody make_body(std::size_t link) const {
    return {.name = links_[link].name, .line = links_[link].element.line()};
  }

  void add_link(std::size_t link, std::size_t body, const Pose& pose) {
    const UrdfLink& own = links_[link];
    RobotBody& to = robot_.bodies[body];
    to.mass += own.mass.moved(pose);
    to.frames.push_back({own.name, pose});
    for (RobotShape shape : own.shapes) {
      shape.pose = pose * shape.pose;
      to.shapes.push_back(shape);
    }
    for (const UrdfJoint& joint : joints_) {
      if (joint.parent == link) add_joint(joint, body, pose);
    }
  }

  void add_joint(const UrdfJoint& joint, std::size_t body, const Pose& pose) {
    const bool massless = !(links_[joint.child].mass.mass > 0);
    if (joint.type == "fixed" && (!options_.keep_fixed || massless)) {
      add_link(joint.child, body, pose * joint.origin);
      return;
    }
    const std::size_t child = robot_.bodies.size();
    robot_.bodies.push_back(make_body(joint.child));
    if (joint.type == "floating") {
      if (!robot_.bodies[body].fixed)
        joint.element.remark("'floating' leaves its child free of its parent");
      robot_.bodies[child].pose = compute_poses(robot_)[body] * pose * joint.origin;
    } else {
      robot_.joints.push_back(
          make_joint(joint, static_cast<int>(body), static_cast<int>(child), pose));
    }
    add_link(joint.child, child, Pose{});
  }

  RobotJoint make_joint(const UrdfJoint& joint, int parent, int child, const Pose& pose) {
    RobotJoint made{
        .name = joint.name, .parent = parent, .child = child, .line = joint.element.line()};
    const Pose frame =
        joint.type == "fixed" ? Pose{} : Pose{Vector3::Zero(), axes_along(read_axis(joint))};
    made.in_parent = pose * joint.origin * frame;
    made.in_child = frame;
    if (joint.type == "planar") {
      made.kind = JointKind::planar;
      for (const char* name : {"angle", "x", "y"}) {
        const bool turns = std::string_view(name) == "angle";
        made.coordinates.push_back(
            {.joint = joint.name + "." + name, .name = name, .turns = turns});
      }
    } else if (moves_by_one(joint.type)) {
      made.kind = joint.type == "prismatic" ? JointKind::prismatic : JointKind::revolute;
      made.coordinates.push_back(joint.coordinate);
    }
    placed_[joint.name] = static_cast<int>(robot_.joints.size());
    return made;
  }

  static Vector3 read_axis(const UrdfJoint& joint) {
    const auto element = joint.element.child("axis");
    const Vector3 axis =
        element ? element->vector("xyz").value_or(Vector3::UnitX()) : Vector3::UnitX();
    if (axis.norm() > 0) return axis.normalized();
    element->complain("xyz", "has no length");
    return Vector3::UnitX();
  }

  // --- the rest ----------------------------------------------------------------------------------

  void read_mimics() {
    for (const UrdfJoint& joint : joints_) {
      if (joint.mimic) read_mimic(joint);
    }
    check_chains();
  }

  void read_mimic(const UrdfJoint& joint) {
    const XmlElement& mimic = *joint.mimic;
    const double factor = mimic.number("multiplier").value_or(1);
    const double offset = mimic.number("offset").value_or(0);
    const auto name = mimic.require_text("joint", "the name of a joint");
    if (!name) return;
    if (*name == joint.name) {
      mimic.complain("joint", "is the joint itself");
      return;
    }
    const auto known = joint_numbers_.find(*name);
    if (known == joint_numbers_.end()) {
      mimic.complain("joint", fmt::format("there is no joint '{}'", shorten(*name)));
      return;
    }
    const UrdfJoint& leader = joints_[known->second];
    if (!moves_by_one(leader.type)) {
      mimic.complain("joint", fmt::format("joint '{}' is {}; only one with a single coordinate can "
                                          "be followed",
                                          shorten(*name), leader.type));
      return;
    }
    robot_.couplers.push_back(
        {.name = joint.name + "_mimic",
         .terms = {{placed_.at(joint.name), 0, 1}, {placed_.at(*name), 0, -factor}},
         .constant = offset});
    if (factor == 0)  // nothing is left to follow
      mimic.complain("multiplier", "is 0; the joint would be fixed");
    leaders_.emplace(joint.name, std::pair(*name, mimic));
  }

  void check_chains() {
    for (const auto& [name, first] : leaders_) {
      std::string at = name;
      for (std::size_t k = 0; leaders_.contains(at); ++k) {
        at = leaders_.at(at).first;
        if (at != name && k <= leaders_.size()) continue;
        first.second.complain("joint", "follows itself by way of others");
        return;
      }
    }
  }

  void check_masses() {
    for (std::size_t i = 0; i < robot_.bodies.size(); ++i) {
      const RobotBody& body = robot_.bodies[i];
      if (body.fixed || body.mass.mass > 0) continue;
      links_[link_numbers_.at(body.name)].element.complain(
          i == 0
              ? "has no mass, but the robot floats: give <inertial>"
              : "has no mass, but a joint moves it: give <inertial>, or join it by a fixed joint");
    }
  }

  XmlDocument& document_;
  const RobotOptions& options_;
  XmlElement root_;
  Robot robot_;
  std::vector<UrdfLink> links_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, std::size_t> link_numbers_, joint_numbers_;
  std::map<std::string, int> placed_;                                  // of robot_.joints
  std::map<std::string, std::pair<std::string, XmlElement>> leaders_;  // of those that mimic
};

}  // namespace

Robot read_urdf(XmlDocument& document, const RobotOptions& options) {
  return UrdfReader(document, options).read();
}

}  // namespace clack
