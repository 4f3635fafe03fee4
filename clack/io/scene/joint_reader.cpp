#include "clack/io/scene/joint_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "clack/io/scene/joint_elements.hpp"
#include "clack/io/scene/scene_text.hpp"
#include "clack/model/joints/joint_geometry.hpp"

namespace clack {
namespace {

constexpr const char* kGround = "ground";

std::vector<std::string> kind_names(bool planar) {
  std::vector<std::string> names;
  for (const JointType& type : joint_list()) {
    if (!planar || type.in_plane) names.push_back(type.name);
  }
  return names;
}

// Whether a joint of this kind has an axis that the scene must give.
bool needs_axis(JointKind kind, bool planar) {
  switch (kind) {
    case JointKind::revolute:
      return !planar;
    case JointKind::prismatic:
    case JointKind::cylindrical:
    case JointKind::universal:
    case JointKind::planar:
    case JointKind::screw:
    case JointKind::line:
    case JointKind::plane:
      return true;
    default:
      return false;
  }
}

class JointReader {
 public:
  JointReader(const Field& field, const std::map<std::string, int>& bodies,
              const WorldState& initial, ShapeReader& points, Vocabulary& vocabulary,
              RigidWorld& world)
      : field_(field),
        bodies_(bodies),
        initial_(initial),
        points_(points),
        vocabulary_(vocabulary),
        world_(world) {}

  void read(std::size_t index) {
    if (!field_.expect_map({"name",   "kind",     "bodies",   "point",  "points",   "axis",
                            "axes",   "across",   "length",   "pitch",  "surfaces", "start",
                            "limits", "spring",   "damping",  "motor",  "control",  "drive",
                            "servo",  "friction", "armature", "collide"}))
      return;
    const auto name = field_.find("name");
    joint_.name = name ? name->text("a name").value_or("") : fmt::format("joint{}", index + 1);
    for (const Joint& other : world_.joints) {
      if (other.name == joint_.name)
        name.value_or(field_).complain(
            fmt::format("the name '{}' is taken already", shorten(joint_.name)));
    }
    const auto kind = field_.require("kind", "a kind of joint; see `clack list joints`");
    const auto both = field_.require("bodies", "two names of bodies, or 'ground' and one");
    if (!kind || !both) return;
    const bool planar = world_.planar;
    const auto word = kind->choice(kind_names(planar));
    if (!word || !read_bodies(*both)) return;
    for (const JointType& type : joint_list()) {
      if (type.name == *word) joint_.kind = type.kind;
    }
    if (!read_frames()) return;
    read_sizes();
    coordinates_ = joint_type(joint_.kind).coordinates(joint_, planar);
    if (const auto x = field_.find("start")) read_start(*x);
    JointElementReader(field_, world_, vocabulary_, joint_).read();
    world_.joints.push_back(joint_);
    const auto collide = field_.find("collide");
    const bool touch = collide && collide->choice({"true", "false"}) == "true";
    if (!touch && joint_.a >= 0)
      world_.apart.emplace_back(std::min(joint_.a, joint_.b), std::max(joint_.a, joint_.b));
  }

 private:
  bool read_bodies(const Field& both) {
    const std::vector<Field> names = both.items("two names of bodies");
    if (names.size() != 2) {
      both.complain(fmt::format("expected two bodies; found {}", names.size()));
      return false;
    }
    std::array<int, 2> found{};
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string name = names[k].text("the name of a body").value_or("");
      const auto it = bodies_.find(name);
      if (it != bodies_.end()) {
        found[k] = it->second;
      } else if (name == kGround) {
        found[k] = -1;
      } else {
        names[k].complain(fmt::format("there is no body '{}'", shorten(name)));
        return false;
      }
    }
    if (found[1] < 0 && found[0] >= 0) {
      both.complain("the ground comes first: [ground, BODY]");
      return false;
    }
    joint_.a = found[0];
    joint_.b = found[1];
    return check_bodies(both);
  }

  bool check_bodies(const Field& both) const {
    if (joint_.a == joint_.b) {
      both.complain("a joint needs two different bodies");
      return false;
    }
    bool any_free = false;
    for (const int body : {joint_.a, joint_.b}) {
      if (body < 0) continue;
      const Body& own = world_.bodies[static_cast<std::size_t>(body)];
      any_free = any_free || own.is_free();
      if (std::isfinite(own.birth) || std::isfinite(own.removal)) {
        both.complain(fmt::format(
            "body '{}' comes or goes within the run; a joint needs one that is always there",
            own.name));
        return false;
      }
    }
    if (!any_free) both.complain("neither body is free to move");
    return any_free;
  }

  BodyState body(int index) const {
    return index < 0 ? BodyState{} : initial_.bodies[static_cast<std::size_t>(index)];
  }

  // Both frames are given in the surroundings at the start: one for both bodies, or one of each
  // where the bodies do not stand quite as the joint wants them.
  bool read_frames() {
    const bool planar = world_.planar;
    const auto points = read_pair("point", "points");
    if (!points && joint_.kind != JointKind::orientation) {
      field_.complain("needs 'point', where the bodies are joined, or 'points', one of each body");
      return false;
    }
    std::array<Vector3, 2> axes = {Vector3::UnitZ(), Vector3::UnitZ()};
    const auto given = read_pair("axis", "axes");
    if (!given && needs_axis(joint_.kind, planar)) {
      field_.complain(joint_.kind == JointKind::universal ? "needs 'axes', the pins of both bodies"
                                                          : "needs 'axis', that of the joint");
      return false;
    }
    if (given && (!planar || needs_axis(joint_.kind, planar))) axes = *given;
    for (Vector3& axis : axes) {
      if (!(axis.norm() > 0)) {
        field_.find("axis")
            .value_or(field_.find("axes").value_or(field_))
            .complain("has no length");
        return false;
      }
      axis.normalize();
    }
    std::optional<Vector3> across;
    if (const auto x = field_.find("across")) across = points_.point(*x);
    if (joint_.kind == JointKind::universal) return set_universal(*points, axes);
    if (axes[0].dot(axes[1]) < 0) axes[1] = -axes[1];
    set_frame(joint_.a, points ? (*points)[0] : Vector3::Zero(), axes[0], across, joint_.frame_a);
    set_frame(joint_.b, points ? (*points)[1] : Vector3::Zero(), axes[1], across, joint_.frame_b);
    return true;
  }

  // The third axis of A and the first one of B are the pins.
  bool set_universal(const std::array<Vector3, 2>& points, const std::array<Vector3, 2>& pins) {
    if (!(pins[0].cross(pins[1]).norm() > 0.1)) {
      field_.find("axes").value_or(field_).complain("the two pins must lie across each other");
      return false;
    }
    set_frame(joint_.a, points[0], pins[0], pins[1], joint_.frame_a);
    const Vector3 third = (pins[0] - pins[0].dot(pins[1]) * pins[1]).normalized();
    set_frame(joint_.b, points[1], third, pins[1], joint_.frame_b);
    return true;
  }

  // `one` for both bodies or `two`, one of each.
  std::optional<std::array<Vector3, 2>> read_pair(const char* one, const char* two) {
    const auto single = field_.find(one), both = field_.find(two);
    if (single && both) {
      both->complain(fmt::format("'{}' and '{}' say the same; give one of them", one, two));
      return std::nullopt;
    }
    if (single) {
      const auto x = points_.point(*single);
      return x ? std::optional(std::array{*x, *x}) : std::nullopt;
    }
    if (!both) return std::nullopt;
    const std::vector<Field> items = both->items("two vectors");
    if (items.size() != 2) {
      both->complain(fmt::format("expected two vectors; found {}", items.size()));
      return std::nullopt;
    }
    const auto x = points_.point(items[0]), y = points_.point(items[1]);
    return x && y ? std::optional(std::array{*x, *y}) : std::nullopt;
  }

  // In the plane an axis across it has the first direction along x; one within it the second one
  // across.
  void set_frame(int index, const Vector3& point, const Vector3& axis,
                 const std::optional<Vector3>& across, JointFrame& frame) const {
    Vector3 first = across.value_or(Vector3::Zero());
    first -= first.dot(axis) * axis;
    if (world_.planar && std::abs(axis.z()) < 0.5) {
      first = Vector3(axis.y(), -axis.x(), 0);
    } else if (!(first.norm() > 1e-6)) {
      const Vector3 least = std::abs(axis.x()) < 0.9 ? Vector3::UnitX() : Vector3::UnitY();
      first = least - least.dot(axis) * axis;
    }
    first.normalize();
    Matrix3 axes;
    axes << first, axis.cross(first), axis;
    const BodyState own = body(index);
    const Quaternion back = own.rotation.conjugate();
    frame.point = back * (point - own.position);
    frame.axes = back * axes;
  }

  void read_sizes() {
    const bool is_distance = joint_.kind == JointKind::distance || joint_.kind == JointKind::rope;
    const JointGeometry at = joint_geometry(joint_, body(joint_.a), body(joint_.b));
    if (const auto x = field_.find("length")) {
      if (!is_distance) x->complain("only 'distance' and 'rope' have a length");
      joint_.length = vocabulary_.number(*x, kPositive).value_or(1);
    } else if (is_distance) {
      joint_.length = at.d.norm();
      if (!(joint_.length > 0)) field_.complain("the two points are the same; give 'points'");
    }
    const auto pitch = field_.find("pitch");
    if (joint_.kind == JointKind::screw) {
      const auto x = field_.require("pitch", "the advance per turn [m]");
      if (x) joint_.pitch = vocabulary_.number(*x).value_or(0);
    } else if (pitch) {
      pitch->complain("only a screw has a pitch");
    }
    read_surfaces();
  }

  void read_surfaces() {
    const auto field = field_.find("surfaces");
    if (joint_.kind != JointKind::surface) {
      if (field) field->complain("only a joint 'surface' has surfaces");
      return;
    }
    const auto list = field_.require("surfaces", "formulas of x, y, z that vanish on a surface");
    if (!list) return;
    const std::vector<Field> items = list->is_list() ? list->items() : std::vector<Field>{*list};
    const std::size_t most = world_.planar ? 1 : 2;
    if (items.empty() || items.size() > most) {
      list->complain(fmt::format("{} formulas; allowed: {}", items.size(),
                                 most == 1 ? "one, of a curve" : "one, or two of a curve"));
      return;
    }
    formula::Graph& graph = vocabulary_.graph;
    formula::Names allowed = vocabulary_.parameters;
    for (const char* name : {"x", "y", "z"}) allowed[name] = graph.variable(name);
    for (const Field& item : items) {
      if (const auto value = vocabulary_.formula(item, allowed))
        joint_.surfaces.emplace_back(graph, *value);
    }
  }

  // Where the coordinates stand at the start, a number or a map of several: frames are set back by
  // that, angles before the slides along their axes.
  void read_start(const Field& field) {
    if (joint_.kind == JointKind::bushing || joint_.kind == JointKind::surface) {
      field.complain("a joint of this kind starts where its points stand");
      return;
    }
    if (coordinates_.empty()) {
      field.complain(fmt::format("a joint '{}' has no coordinate", joint_type(joint_.kind).name));
      return;
    }
    std::vector<double> values(coordinates_.size(), 0);
    if (field.is_map()) {
      std::vector<std::string_view> names;
      for (const JointCoordinate& x : coordinates_) names.emplace_back(x.name);
      if (!field.expect_map(names)) return;
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (const auto x = field.find(names[k])) values[k] = vocabulary_.number(*x).value_or(0);
      }
    } else if (values.size() == 1) {
      values[0] = vocabulary_.number(field).value_or(0);
    } else {
      field.complain(fmt::format("a joint '{}' has {} coordinates; give a map of their names",
                                 joint_type(joint_.kind).name, values.size()));
      return;
    }
    for (const bool turns : {true, false}) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (coordinates_[k].turns == turns) set_back(coordinates_[k].row.terms[0], values[k]);
      }
    }
  }

  void set_back(const JointTerm& term, double value) {
    if (term.block == JointBlock::bend) {
      joint_.frame_b.axes = joint_.frame_b.axes * rotation_of({value, 0, 0}).toRotationMatrix();
    } else if (term.block == JointBlock::angle) {
      joint_.frame_a.axes = joint_.frame_a.axes * rotation_of({0, 0, -value}).toRotationMatrix();
    } else {
      joint_.frame_a.point -= value * joint_.frame_a.axes.col(term.i);
    }
    if (joint_.kind == JointKind::screw)
      joint_.frame_a.point -= joint_.pitch / (2 * M_PI) * value * joint_.frame_a.axes.col(2);
  }

  const Field& field_;
  const std::map<std::string, int>& bodies_;
  const WorldState& initial_;
  ShapeReader& points_;
  Vocabulary& vocabulary_;
  RigidWorld& world_;
  Joint joint_;
  std::vector<JointCoordinate> coordinates_;
};

// A place for what controlled motors are told.
void set_efforts(RigidWorld& world) {
  std::size_t coordinates = 0;
  bool controlled = false;
  for (const Joint& joint : world.joints) {
    coordinates += joint_type(joint.kind).coordinates(joint, world.planar).size();
    for (const JointMotor& motor : joint.motors) controlled = controlled || motor.controlled;
  }
  if (controlled) world.efforts = std::make_shared<std::vector<double>>(coordinates, 0.0);
}

}  // namespace

void read_joints(const Field& list, const std::map<std::string, int>& bodies,
                 const WorldState& initial, ShapeReader& points, Vocabulary& vocabulary,
                 RigidWorld& world) {
  const std::vector<Field> items = list.items("a list of joints");
  for (std::size_t i = 0; i < items.size(); ++i)
    JointReader(items[i], bodies, initial, points, vocabulary, world).read(i);
  set_efforts(world);
  std::sort(world.apart.begin(), world.apart.end());
}

}  // namespace clack
