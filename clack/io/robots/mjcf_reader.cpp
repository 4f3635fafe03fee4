#include "clack/io/robots/mjcf_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "clack/io/robots/mjcf_couplings.hpp"
#include "clack/io/robots/mjcf_geoms.hpp"
#include "clack/io/robots/mjcf_joints.hpp"
#include "clack/io/scene/scene_text.hpp"

namespace clack {
namespace {

const std::map<std::string, std::string, std::less<>> kReasons = {
    {"solref", "contacts and joints are rigid"},
    {"solimp", "contacts and joints are rigid"},
    {"solreflimit", "limits are rigid"},
    {"solimplimit", "limits are rigid"},
    {"solreffriction", "friction is rigid"},
    {"solimpfriction", "friction is rigid"},
    {"margin", "contacts act where bodies touch"},
    {"gap", "contacts act where bodies touch"},
    {"rgba", "colours"},
    {"material", "colours"},
    {"texture", "colours"},
    {"site", "a place without mechanics"},
    {"camera", "pictures"},
    {"light", "pictures"},
    {"visual", "pictures"},
    {"statistic", "pictures"},
    {"sensor", "the scene has measures"},
    {"keyframe", "the start is given by start values of joints"},
    {"tendon", "not supported"},
    {"contact", "bodies touch unless a joint joins them"},
    {"general", "not supported: only motor, position and velocity at a joint"},
    {"option timestep", "the scene has its own"}};

class MjcfReader {
 public:
  MjcfReader(XmlDocument& document, const RobotOptions& options)
      : document_(document),
        options_(options),
        root_(document.root()),
        settings_(read_mjcf_settings(root_)),
        classes_(root_),
        geoms_(root_, settings_, classes_, options) {}

  Robot read() {
    robot_.path = document_.path();
    robot_.name = root_.text("model").value_or("robot");
    refuse_macros(root_);
    for (const XmlElement& option : root_.children("option")) {
      if (const auto g = option.vector("gravity")) robot_.gravity = *g;
    }
    if (!robot_.gravity) robot_.gravity = Vector3(0, 0, -9.81);
    for (const XmlElement& world : root_.children("worldbody")) read_world(world);
    if (robot_.bodies.empty() && document_.good()) root_.complain("has no bodies");
    document_.throw_if_bad();
    read_mjcf_equalities(root_, classes_, robot_);
    read_mjcf_actuators(root_, classes_, robot_);
    check_masses();
    document_.throw_if_bad();
    document_.remark_unread(kReasons);
    return std::move(robot_);
  }

 private:
  // What puts other elements in its place cannot be left out.
  void refuse_macros(const XmlElement& element) {
    static const std::set<std::string> kMacros = {"include", "frame",     "replicate",
                                                  "attach",  "composite", "flexcomp"};
    if (kMacros.contains(element.name())) {
      element.complain(fmt::format(
          "<{}> is not read; save the model from MuJoCo, which writes it out", element.name()));
      return;
    }
    for (const XmlElement& x : element.children()) refuse_macros(x);
  }

  // Each of its geoms stands by itself; bodies have their names first.
  void read_world(const XmlElement& world) {
    const std::string childclass = world.text("childclass").value_or("");
    for (const XmlElement& x : world.children("body")) read_body(x, -1, Pose{}, childclass);
    for (const XmlElement& element : world.children("geom")) {
      const auto geom = geoms_.read(element, "");
      if (!geom || !geom->shape) continue;
      RobotBody body{.name = unique(element.text("name").value_or("ground_shape")),
                     .fixed = true,
                     .pose = geom->shape->pose,
                     .mu = geom->mu,
                     .line = element.line()};
      body.shapes.push_back(*geom->shape);
      body.shapes[0].pose = {};
      robot_.bodies.push_back(std::move(body));
    }
  }

  std::string unique(const std::string& name) {
    std::string result = name;
    for (int k = 2; !names_.insert(result).second; ++k) result = fmt::format("{}{}", name, k);
    return result;
  }

  // `parent`: a body here, or -1; `around`: where the parent of the file stands in it.
  void read_body(const XmlElement& element, int parent, const Pose& around,
                 std::string childclass) {
    constexpr int kDeepest = 1000;
    if (++depth_ > kDeepest) {
      element.complain("bodies are nested too deeply");
      return;
    }
    const std::string name =
        unique(element.text("name").value_or(fmt::format("body_{}", element.line())));
    if (element.has("name") && name != element.text("name"))
      element.complain("name", "is taken already");
    childclass = element.text("childclass").value_or(childclass);
    const Pose pose = around * read_mjcf_pose({element, {}}, settings_);
    const std::vector<MjcfJoint> joints = read_joints(element, name, childclass);
    const bool merged = joints.empty() && parent >= 0 && !options_.keep_fixed;
    const int body = merged ? parent : add_body(element, name, parent, pose, joints);
    const Pose here = merged ? pose : Pose{};
    if (body >= 0) {
      add_content(element, name, body, here, childclass);
      for (const XmlElement& x : element.children("body")) read_body(x, body, here, childclass);
    }
    --depth_;
  }

  std::vector<MjcfJoint> read_joints(const XmlElement& body, const std::string& name,
                                     const std::string& childclass) {
    std::vector<MjcfJoint> joints;
    for (const XmlElement& x : body.children()) {
      if (x.name() != "joint" && x.name() != "freejoint") continue;
      x.look_at();
      joints.push_back(read_mjcf_joint(classes_.resolve(x, childclass), settings_,
                                       fmt::format("{}_joint{}", name, joints.size() + 1)));
      if (!joint_names_.insert(joints.back().name).second) x.complain("name", "is taken already");
    }
    return joints;
  }

  // Nothing (-1) after a complaint.
  int add_body(const XmlElement& element, const std::string& name, int parent, const Pose& pose,
               const std::vector<MjcfJoint>& joints) {
    const int index = static_cast<int>(robot_.bodies.size());
    RobotBody body{.name = name, .line = element.line()};
    const bool free = !joints.empty() && joints[0].type == "free";
    if (free && (parent >= 0 || joints.size() > 1)) {
      joints[0].element.complain("a free joint stands alone, in a body of the world");
      return -1;
    }
    body.fixed = parent < 0 && joints.empty();
    if (free || body.fixed) body.pose = pose;
    std::optional<RobotJoint> joint;
    if (!free && !body.fixed) {
      joint = joints.empty() ? RobotJoint{.name = name + "_weld", .line = element.line()}
                             : compose_mjcf_joints(joints);
      if (!joint) return -1;
      joint->parent = parent;
      joint->child = index;
      joint->in_parent = pose * joint->in_child;
    }
    robot_.bodies.push_back(std::move(body));
    if (joint) robot_.joints.push_back(std::move(*joint));
    return index;
  }

  void add_content(const XmlElement& element, const std::string& name, int index, const Pose& pose,
                   const std::string& childclass) {
    RobotMass of_geoms;
    RobotBody& body = robot_.bodies[static_cast<std::size_t>(index)];
    body.frames.push_back({name, pose});
    for (const XmlElement& x : element.children("geom")) {
      const auto geom = geoms_.read(x, childclass);
      if (!geom) continue;
      of_geoms += geom->mass;
      if (!geom->shape) continue;
      if (geom->shape->kind == RobotShape::Kind::plane && !body.fixed)
        x.complain("a plane belongs to the world: nothing moves it");
      if (body.mu && *body.mu != geom->mu)
        x.remark("friction: that of the body's first geom is taken");
      body.mu = body.mu.value_or(geom->mu);
      body.shapes.push_back(*geom->shape);
      body.shapes.back().pose = pose * geom->shape->pose;
    }
    const auto inertial = element.child("inertial");
    const bool from_geoms = settings_.inertia_from_geoms == "true" ||
                            (settings_.inertia_from_geoms == "auto" && !inertial);
    const RobotMass own = from_geoms || !inertial ? of_geoms : read_inertial(*inertial);
    if (from_geoms || inertial) body.mass += own.moved(pose);
  }

  RobotMass read_inertial(const XmlElement& element) {
    RobotMass own;
    (void)element.require_text("pos", "the centre of mass [m]");
    if (element.require_text("mass", "the mass [kg]"))
      own.mass = element.number("mass").value_or(0);
    if (!(own.mass > 0)) element.complain("mass", fmt::format("is {}; it must be > 0", own.mass));
    if (const auto full = element.numbers("fullinertia", 6)) {
      const std::vector<double>& n = *full;
      own.inertia << n[0], n[3], n[4], n[3], n[1], n[5], n[4], n[5], n[2];
    } else if (const auto diagonal = element.vector("diaginertia")) {
      own.inertia = diagonal->asDiagonal();
    } else {
      element.complain("needs 'diaginertia' or 'fullinertia'");
      return own;
    }
    const std::string fault = mass_fault(own);
    if (!fault.empty()) element.complain(fault);
    return own.moved(read_mjcf_pose({element, {}}, settings_));
  }

  void check_masses() {
    for (const RobotBody& body : robot_.bodies) {
      if (body.fixed || body.mass.mass > 0) continue;
      document_.complain({body.line, 1}, fmt::format("body '{}' has no mass: give it a geom or "
                                                     "<inertial>",
                                                     shorten(body.name)));
    }
  }

  XmlDocument& document_;
  const RobotOptions& options_;
  XmlElement root_;
  MjcfSettings settings_;
  MjcfClasses classes_;
  MjcfGeoms geoms_;
  Robot robot_;
  std::set<std::string> names_, joint_names_;
  int depth_ = 0;
};

}  // namespace

Robot read_mjcf(XmlDocument& document, const RobotOptions& options) {
  return MjcfReader(document, options).read();
}

}  // namespace clack
