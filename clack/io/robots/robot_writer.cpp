#include "clack/io/robots/robot_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "clack/core/error.hpp"
#include "clack/io/robots/robot_shapes.hpp"
#include "clack/model/shapes/mass.hpp"

namespace clack {
namespace {

std::string list(const Vector3& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }

// Plain where YAML takes it for a word, else in quotes.
std::string word(const std::string& text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  const bool good = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) &&
                    std::all_of(text.begin(), text.end(), plain);
  if (good && text != "null" && text != "Null" && text != "NULL") return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + '"';
}

std::string quaternion(const Matrix3& rotation) {
  const Quaternion q = Quaternion(rotation).normalized();
  return fmt::format("[{}, {}, {}, {}]", q.w(), q.x(), q.y(), q.z());
}

std::string comment(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

// The box of a mass whose principal moments are these.
Vector3 equal_box(double mass, const Vector3& moments) {
  const Vector3 squares =
      6 / mass * (Vector3::Constant(moments.sum()) - 2 * moments);  // I_y + I_z - I_x = m a_x^2/6
  const double least = 1e-6 * squares.maxCoeff();
  return squares.cwiseMax(least).cwiseSqrt();
}

class Writer {
 public:
  Writer(const Robot& robot, const RobotSceneOptions& options)
      : robot_(robot), options_(options), poses_(compute_poses(robot)) {
    for (Pose& pose : poses_) pose = options.pose * pose;
  }

  std::string parts(const std::string& floor) {
    text_ += "bodies:\n" + floor;
    for (std::size_t i = 0; i < robot_.bodies.size(); ++i) {
      if (robot_.bodies[i].is_written()) write_body(i);
    }
    if (!robot_.joints.empty()) text_ += "joints:\n";
    for (const RobotJoint& joint : robot_.joints) write_joint(joint);
    if (!robot_.couplers.empty()) text_ += "couplers:\n";
    for (const RobotCoupler& coupler : robot_.couplers) write_coupler(coupler);
    return text_;
  }

  // Of all shapes that have one; infinite where there is none [m].
  double lowest_point() const {
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < robot_.bodies.size(); ++i) {
      for (const RobotShape& shape : robot_.bodies[i].shapes)
        lowest =
            std::min(lowest, bounds(*make_robot_shape(shape), poses_[i] * shape.pose).lower.z());
    }
    return lowest;
  }

  // Of a file that gives friction: one for each coefficient.
  void set_materials(const std::vector<double>& coefficients) { coefficients_ = coefficients; }

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }

  // The ground has its name in scenes already.
  std::string name(const std::string& own) const {
    const std::string full = options_.prefix + own;
    return word(full == "ground" ? "ground_" : full);
  }

  std::string body_name(int body) const {
    if (body < 0 || !robot_.bodies[static_cast<std::size_t>(body)].is_written()) return "ground";
    return name(robot_.bodies[static_cast<std::size_t>(body)].name);
  }

  // --- bodies ------------------------------------------------------------------------------------

  void write_body(std::size_t index) {
    const RobotBody& body = robot_.bodies[index];
    std::string links;
    for (std::size_t k = 1; k < body.frames.size(); ++k)
      links += (links.empty() ? ", with " : ", ") + comment(body.frames[k].name);
    line("  # line {}{}", body.line, links);
    line("  - name: {}", name(body.name));
    Pose frame;
    if (body.fixed)
      line("    fixed: true");
    else
      frame = write_mass(body.mass);
    const Pose at = poses_[index] * frame;
    line("    position: {}", list(at.position));
    line("    rotation: {}", quaternion(at.rotation));
    write_material(body);
    if (!options_.self_collision && options_.prefix.empty())
      line("    group: robot\n    ignores: robot");
    else if (!options_.self_collision)
      line("    group: {0}\n    ignores: {0}", word(options_.prefix));
    write_shapes(body, frame.inverse());
  }

  Pose write_mass(const RobotMass& mass) {
    const Pose frame{mass.centre, principal_axes(mass.inertia)};
    line("    mass: {}", mass.mass);
    line("    inertia: {}",
         list((frame.rotation.transpose() * mass.inertia * frame.rotation).diagonal()));
    return frame;
  }

  void write_material(const RobotBody& body) {
    const auto at = std::find(coefficients_.begin(), coefficients_.end(), body.mu.value_or(1));
    if (!options_.material.empty())
      line("    material: {}", word(options_.material));
    else if (!coefficients_.empty())
      line("    material: m{}", at - coefficients_.begin() + 1);
  }

  // What has no shape in the file gets one to be seen.
  void write_shapes(const RobotBody& body, const Pose& to_body) {
    if (body.shapes.empty()) {
      const Matrix3 axes = principal_axes(body.mass.inertia);
      const Vector3 moments = (axes.transpose() * body.mass.inertia * axes).diagonal();
      line("    collide: false  # no shape in the file: the box of the same inertia");
      line("    shape: {{box: {{size: {}}}}}", list(equal_box(body.mass.mass, moments)));
      return;
    }
    const Pose first = to_body * body.shapes[0].pose;
    if (body.shapes.size() == 1 && first.position.isZero(0) && first.rotation.isIdentity(0)) {
      line("    shape: {}", shape_text(body.shapes[0]));
      return;
    }
    line("    shape:\n      compound:");
    for (const RobotShape& shape : body.shapes) {
      const Pose pose = to_body * shape.pose;
      line("        - {{shape: {}, position: {}, rotation: {}}}", shape_text(shape),
           list(pose.position), quaternion(pose.rotation));
    }
  }

  std::string shape_text(const RobotShape& shape) const {
    switch (shape.kind) {
      case RobotShape::Kind::box:
        return fmt::format("{{box: {{size: {}}}}}", list(shape.size));
      case RobotShape::Kind::sphere:
        return fmt::format("{{sphere: {{radius: {}}}}}", shape.size[0]);
      case RobotShape::Kind::cylinder:
      case RobotShape::Kind::capsule:
        return fmt::format("{{{}: {{radius: {}, length: {}}}}}",
                           shape.kind == RobotShape::Kind::capsule ? "capsule" : "cylinder",
                           shape.size[0], shape.size[1]);
      case RobotShape::Kind::plane:
        return "plane";
      case RobotShape::Kind::mesh:
        break;
    }
    return fmt::format("{{mesh: {{file: {}, scale: {}, convex: {}}}}}", word(file_name(shape.file)),
                       list(shape.scale), options_.exact_meshes ? "false" : "true");
  }

  std::string file_name(const std::string& path) const {
    if (options_.folder.empty()) return path;
    std::error_code code;
    const auto near = std::filesystem::relative(path, options_.folder, code);
    return code || near.empty() ? path : near.string();
  }

  // --- joints ------------------------------------------------------------------------------------

  void write_joint(const RobotJoint& joint) {
    const Pose from = pose_of(joint.parent) * joint.in_parent,
               to = pose_of(joint.child) * joint.in_child;
    line("  # line {}", joint.line);
    line("  - name: {}", name(joint.name));
    line("    kind: {}", joint_type(joint.kind).name);
    line("    bodies: [{}, {}]", body_name(joint.parent), body_name(joint.child));
    if (joint.closes) check_closed(joint, from, to);
    line("    point: {}", list(to.position));
    if (joint.kind == JointKind::universal) {
      line("    axes: [{}, {}]", list(from.rotation.col(2)), list(to.rotation.col(0)));
    } else if (!joint.coordinates.empty()) {
      line("    axis: {}", list(to.rotation.col(2)));
      line("    across: {}", list(to.rotation.col(0)));
    }
    write_start(joint);
    write_elements(joint);
  }

  Pose pose_of(int body) const {
    return body < 0 ? options_.pose : poses_[static_cast<std::size_t>(body)];
  }

  static void check_closed(const RobotJoint& joint, const Pose& from, const Pose& to) {
    const double distance = (from.position - to.position).norm();
    const double angle = joint.kind == JointKind::fixed
                             ? Eigen::AngleAxisd(from.rotation.transpose() * to.rotation).angle()
                             : 0;
    constexpr double kClosed = 1e-6;  // [m, rad]; the engine closes what is left
    if (distance < kClosed && angle < kClosed) return;
    throw InputError(fmt::format(
        "'{}' closes a loop, which is open by {:.3g} m and {:.3g} rad at these start values",
        joint.name, distance, angle));
  }

  void write_start(const RobotJoint& joint) {
    std::string several;
    for (const RobotCoordinate& c : joint.coordinates) {
      if (c.start == 0) continue;
      several += fmt::format("{}{}: {}", several.empty() ? "" : ", ", c.name, c.start);
    }
    if (several.empty()) return;
    if (joint.coordinates.size() == 1)
      line("    start: {}", joint.coordinates[0].start);
    else
      line("    start: {{{}}}", several);
  }

  void write_elements(const RobotJoint& joint) {
    for (const RobotCoordinate& c : joint.coordinates) {
      if (c.effort > 0)
        line("    # {}: effort at most {} {}", c.name, c.effort, c.turns ? "N m" : "N");
    }
    write_list(joint, "limits", [](const RobotCoordinate& c) {
      std::string text;
      if (std::isfinite(c.lower)) text += fmt::format(", lower: {}", c.lower);
      if (std::isfinite(c.upper)) text += fmt::format(", upper: {}", c.upper);
      return text;
    });
    write_list(joint, "spring", [](const RobotCoordinate& c) {
      if (!(c.stiffness > 0 || c.damping > 0)) return std::string();
      std::string text = fmt::format(", stiffness: {}, damping: {}", c.stiffness, c.damping);
      if (c.rest != 0) text += fmt::format(", rest: {}", c.rest);
      return text;
    });
    write_list(joint, "friction", [](const RobotCoordinate& c) {
      return c.friction > 0 ? fmt::format(", force: {}", c.friction) : std::string();
    });
    write_list(joint, "armature", [](const RobotCoordinate& c) {
      return c.armature > 0 ? fmt::format(", inertia: {}", c.armature) : std::string();
    });
    if (joint.ball_friction > 0) line("    friction: {}", joint.ball_friction);
    write_list(joint, "servo", [](const RobotCoordinate& c) {
      if (!c.servo) return std::string();
      const RobotServo& s = *c.servo;
      const std::string limit = std::isfinite(s.limit) ? fmt::format(", limit: {}", s.limit) : "";
      return fmt::format(", position: {}, stiffness: {}, damping: {}{}", s.position, s.stiffness,
                         s.damping, limit);
    });
  }

  template <class Text>
  void write_list(const RobotJoint& joint, const char* key, Text text) {
    std::string items;
    for (const RobotCoordinate& c : joint.coordinates) {
      const std::string own = text(c);
      if (own.empty()) continue;
      items += fmt::format("{}{{coordinate: {}{}}}", items.empty() ? "" : ", ", c.name, own);
    }
    if (!items.empty()) line("    {}: [{}]", key, items);
  }

  void write_coupler(const RobotCoupler& coupler) {
    std::string terms;
    for (const RobotCoupler::Term& term : coupler.terms) {
      const RobotJoint& joint = robot_.joints[static_cast<std::size_t>(term.joint)];
      terms += fmt::format("{}{}: {}", terms.empty() ? "" : ", ",
                           name(coordinate_name(joint, static_cast<std::size_t>(term.coordinate))),
                           term.factor);
    }
    line("  - {{name: {}, of: {{{}}}, constant: {}}}", name(coupler.name), terms, coupler.constant);
  }

  const Robot& robot_;
  const RobotSceneOptions& options_;
  std::vector<Pose> poses_;
  std::vector<double> coefficients_;
  std::string text_;
};

std::vector<double> friction_of(const Robot& robot) {
  std::vector<double> found;
  for (const RobotBody& body : robot.bodies) {
    if (body.mu) found.push_back(*body.mu);
  }
  if (found.empty()) return found;
  found.push_back(1);  // of bodies without geoms
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// The larger coefficient of two holds.
std::string material_text(const std::vector<double>& coefficients) {
  if (coefficients.empty()) return "  materials: {robot: {mu: 0.5}}\n";
  std::string text = "  materials:\n", pairs;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    text += fmt::format("    m{}: {{mu: {}}}\n", i + 1, coefficients[i]);
    for (std::size_t j = 0; j < i; ++j)
      pairs +=
          fmt::format("    - {{materials: [m{}, m{}], mu: {}}}\n", j + 1, i + 1, coefficients[i]);
  }
  return pairs.empty() ? text : text + "  pairs:\n" + pairs;
}

std::string indented(const std::string& text) {
  std::string result = "  ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) result += "  ";
  }
  return result;
}

}  // namespace

std::string write_robot_parts(const Robot& robot, const RobotSceneOptions& options) {
  return Writer(robot, options).parts("");
}

std::string write_robot_scene(const Robot& robot, const RobotSceneOptions& options) {
  std::string text =
      fmt::format("# The robot '{}' of {}.\n", comment(robot.name), comment(robot.path));
  for (const std::string& remark : robot.remarks) text += "# " + comment(remark) + "\n";
  const Vector3 gravity = robot.gravity.value_or(Vector3(0, 0, -9.81));
  const std::vector<double> coefficients = friction_of(robot);
  text += fmt::format("clack: 1\ntitle: {}\n\nsystem:\n  type: rigid-bodies\n  gravity: {}\n",
                      word(robot.name), list(gravity));
  text += material_text(coefficients);
  Writer writer(robot, options);
  writer.set_materials(coefficients);
  const bool held = std::any_of(robot.bodies.begin(), robot.bodies.end(),
                                [](const RobotBody& body) { return body.fixed; });
  const double lowest = held ? HUGE_VAL : writer.lowest_point();
  const std::string floor =
      std::isfinite(lowest)
          ? fmt::format("  - {{name: floor, shape: {{plane: {{offset: {}}}}}, fixed: true{}}}\n",
                        lowest, coefficients.empty() ? "" : ", material: m1")
          : "";
  text += indented(writer.parts(floor));
  return text + "\nsimulation: {step: 1.0e-3, end: 1}\noutput: {every: 10}\n";
}

}  // namespace clack
