#include "clack/io/scene/world_reader.hpp"

#include <fmt/format.h>

#include <cmath>

#include "clack/io/scene/joint_reader.hpp"
#include "clack/io/scene/law_reader.hpp"
#include "clack/io/scene/motion_reader.hpp"
#include "clack/io/scene/robot_reader.hpp"
#include "clack/io/scene/sample_reader.hpp"
#include "clack/io/scene/scene_text.hpp"
#include "clack/model/laws/basic_laws.hpp"
#include "clack/model/shapes/mass.hpp"

namespace clack {
namespace {

class WorldReader {
 public:
  WorldReader(const Field& field, Vocabulary& vocabulary, const std::string& folder)
      : field_(field), vocabulary_(vocabulary), shapes_(vocabulary, folder, is_planar(field)) {}

  NamedWorld read() {
    if (!field_.expect_map({"type", "space", "gravity", "materials", "pairs", "cell", "shapes",
                            "bodies", "robots", "links", "joints", "couplers",
                            "coordinates"})) {
      return {};
    }
    out_.world = std::make_shared<RigidWorld>();
    out_.world->planar = shapes_.planar();
    if (const auto x = field_.find("gravity"))
      out_.world->gravity = shapes_.point(*x).value_or(Vector3::Zero());
    if (const auto x = field_.find("coordinates")) read_coordinates(*x);
    read_materials();
    if (const auto x = field_.find("pairs")) read_pairs(*x);
    if (const auto x = field_.find("cell")) read_cell(*x);
    if (const auto x = field_.find("shapes")) shapes_.read_named(*x);
    const auto robots = field_.find("robots");
    RobotReader robot_reader(vocabulary_, shapes_, out_);
    if (robots) robot_reader.read_files(*robots);
    const auto bodies =
        robots ? field_.find("bodies") : field_.require("bodies", "a list of bodies");
    if (!robots && !bodies) return {};
    if (bodies) read_bodies(*bodies);
    for (const Field& list : robot_reader.bodies()) read_bodies(list);
    if (const auto x = field_.find("links")) read_links(*x);
    if (const auto x = field_.find("joints"))
      read_joints(*x, out_.names, out_.initial, shapes_, vocabulary_, *out_.world);
    robot_reader.read_joints();
    if (const auto x = field_.find("couplers")) read_couplers(*x, vocabulary_, *out_.world);
    robot_reader.read_couplers();
    return std::move(out_);
  }

 private:
  void read_bodies(const Field& list) {
    const std::vector<Field> items = list.items("a list of bodies");
    for (std::size_t i = 0; i < items.size(); ++i) read_body(items[i], i);
    if (items.empty() && list.is_list()) list.complain("has no bodies");
  }

  static bool is_planar(const Field& field) {
    if (!field.is_map()) return false;
    const auto space = field.find("space");
    return space && space->choice({"3d", "2d"}).value_or("3d") == "2d";
  }

  void read_coordinates(const Field& field) {
    const std::string word = field.choice({"bodies", "joints", "auto"}).value_or("bodies");
    out_.coordinates = word == "joints" ? BodyCoordinates::joints
                       : word == "auto" ? BodyCoordinates::automatic
                                        : BodyCoordinates::bodies;
  }

  void read_materials() {
    const auto field = field_.require("materials", "a map of names to density, mu and e_n");
    if (!field || !field->expect_free_map()) return;
    for (const Entry& entry : field->entries()) {
      Material material;
      material.name = entry.key;
      if (entry.value.expect_map({"density", "mu", "e_n"})) {
        number(entry.value, "density", kPositive, material.density);
        number(entry.value, "mu", kNonNegative, material.mu);
        number(entry.value, "e_n", kUnit, material.e_n);
      }
      material_names_.push_back(entry.key);
      out_.world->materials.push_back(material);
    }
    if (material_names_.empty()) field->complain("has no materials");
  }

  void number(const Field& map, const char* key, const Range& range, double& value) {
    if (const auto x = map.find(key)) value = vocabulary_.number(*x, range).value_or(value);
  }

  int material_index(const Field& field) {
    const std::string name = field.choice(material_names_).value_or("");
    const auto it = std::find(material_names_.begin(), material_names_.end(), name);
    return it == material_names_.end() ? 0 : static_cast<int>(it - material_names_.begin());
  }

  void read_pairs(const Field& list) {
    for (const Field& item : list.items("a list of pairs")) {
      if (!item.expect_map({"materials", "mu", "e_n", "normal", "friction", "cohesion"}) ||
          material_names_.empty()) {
        continue;
      }
      const auto both = item.require("materials", "two names of materials");
      if (!both) continue;
      const std::vector<Field> names = both->items("two names of materials");
      if (names.size() != 2) {
        both->complain(fmt::format("expected two materials; found {}", names.size()));
        continue;
      }
      MaterialPair pair = out_.world->law(material_index(names[0]), material_index(names[1]));
      number(item, "mu", kNonNegative, pair.mu);
      number(item, "e_n", kUnit, pair.e_n);
      read_pair_law(item, pair);
      if (pair.law) check_law(item, *pair.law);
      out_.world->pairs.push_back(pair);
    }
  }

  // What bodies have no plain number for stays a law of its own: e_t, mu by a formula.
  void read_pair_law(const Field& item, MaterialPair& pair) {
    ContactLaw plain{.mu = pair.mu, .e_n = pair.e_n, .e_t = 0, .own = {}};
    pair.law = read_own_law(item, vocabulary_, plain);
    if (pair.law) return;
    pair.e_n = plain.e_n;
    if (plain.mu.is_constant()) pair.mu = plain.mu.at(0);
    if (plain.e_t == 0 && plain.mu.is_constant()) return;
    pair.law = combine_laws(std::make_shared<NewtonImpact>(plain.e_n, plain.e_t),
                            std::make_shared<CoulombFriction>(plain.mu), nullptr);
  }

  // All contacts between bodies have the rows T and those that turn.
  void check_law(const Field& field, const Law& law) const {
    const bool planar = shapes_.planar();
    const std::string fault = law.fault(planar ? 1 : 2, planar ? 1 : 3);
    if (!fault.empty()) field.complain(fmt::format("law '{}' {}", law.name(), fault));
  }

  // Points in the frame of the surroundings at the start: one, or one of each body.
  void read_links(const Field& list) {
    const std::vector<Field> items = list.items("a list of links");
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Field& item = items[i];
      if (!item.expect_map(
              {"name", "bodies", "point", "points", "direction", "length", "area", "link"}))
        continue;
      Link link;
      const auto name = item.find("name");
      link.name = name ? name->text("a name").value_or("") : fmt::format("link{}", i + 1);
      const auto both = item.require("bodies", "two names of bodies");
      const auto law = item.require("link", "a law; see `clack list laws`");
      const std::vector<Field> names =
          both ? both->items("two names of bodies") : std::vector<Field>{};
      if (both && names.size() != 2)
        both->complain(fmt::format("expected two bodies; found {}", names.size()));
      const auto points = read_link_points(item, link);
      if (!law || names.size() != 2 || !points) continue;
      const int a = body_index(names[0]), b = body_index(names[1]);
      if (a < 0 || b < 0) continue;
      if (a == b) {
        both->complain("a link needs two different bodies");
        continue;
      }
      ContactLaw none;
      link.law = read_own_law(item, vocabulary_, none);
      if (const auto area = item.find("area"))
        link.area = vocabulary_.number(*area, kPositive).value_or(1);
      if (link.law) check_law(item, *link.law);
      place_link(item, a, b, *points, link);
      if (link.law) out_.world->links.push_back(std::move(link));
    }
  }

  using LinkPoints = std::array<Vector3, 2>;
  std::optional<LinkPoints> read_link_points(const Field& item, Link& link) {
    const auto one = item.find("point"), two = item.find("points");
    if (one.has_value() == two.has_value()) {
      item.complain(
          "needs either 'point', where both bodies are tied, or 'points', one of each body");
      return std::nullopt;
    }
    if (one) {
      const auto x = shapes_.point(*one);
      return x ? std::optional(LinkPoints{*x, *x}) : std::nullopt;
    }
    const std::vector<Field> items = two->items("two points");
    if (items.size() != 2) {
      two->complain(fmt::format("expected two points; found {}", items.size()));
      return std::nullopt;
    }
    const auto x = shapes_.point(items[0]), y = shapes_.point(items[1]);
    if (!x || !y) return std::nullopt;
    link.axial = true;
    if (*x == *y) {
      two->complain("are the same; give one 'point'");
      return std::nullopt;
    }
    return LinkPoints{*x, *y};
  }

  int body_index(const Field& field) {
    const std::string name = field.text("the name of a body").value_or("");
    const auto it = out_.names.find(name);
    if (it != out_.names.end()) return it->second;
    field.complain(fmt::format("there is no body '{}'", shorten(name)));
    return -1;
  }

  // The lower index is body a, as of contacts.
  void place_link(const Field& item, int a, int b, const LinkPoints& points, Link& link) {
    const bool turned = a > b;
    link.a = std::min(a, b);
    link.b = std::max(a, b);
    const BodyState &x = out_.initial.bodies[static_cast<std::size_t>(link.a)],
                    &y = out_.initial.bodies[static_cast<std::size_t>(link.b)];
    link.point_a = x.rotation.conjugate() * (points[turned ? 1 : 0] - x.position);
    link.point_b = y.rotation.conjugate() * (points[turned ? 0 : 1] - y.position);
    link.length = (points[1] - points[0]).norm();
    number(item, "length", kPositive, link.length);
    Vector3 direction = link.axial ? points[1] - points[0] : Vector3(y.position - x.position);
    if (const auto given = item.find("direction")) {
      if (link.axial) given->complain("is that of the two points");
      direction = shapes_.point(*given).value_or(direction);
    }
    if (!(direction.norm() > 0)) direction = Vector3::UnitX();
    link.normal = x.rotation.conjugate() * direction.normalized();
  }

  void read_cell(const Field& field) {
    if (!field.expect_map({"period", "shear_rate", "shear_normal"})) return;
    const auto period = field.require("period", "the cell's sides [m]; 0: open in that direction");
    const auto sides = period ? shapes_.point(*period) : std::nullopt;
    if (!sides) return;
    if (sides->minCoeff() < 0) period->complain("a side is negative; it must be >= 0");
    out_.world->period = *sides;
    number(field, "shear_rate", kAny, out_.world->shear_rate);
    const auto axis = field.find("shear_normal");
    if (!axis) return;
    const auto word = axis->choice(shapes_.planar() ? std::vector<std::string>{"y"}
                                                    : std::vector<std::string>{"y", "z"});
    out_.world->shear_normal = word == "z" ? 2 : 1;
  }

  struct Common {  // what the keys of an entry say of all its bodies
    std::string name;
    Body body;
    Vector3 v = Vector3::Zero(), spin = Vector3::Zero();  // frame of the surroundings
    std::optional<double> mass;
    std::optional<Vector3> moments;
  };

  void read_body(const Field& field, std::size_t index) {
    if (!field.expect_map({"name",    "shape",    "sample",   "material", "fixed",
                           "driven",  "position", "rotation", "velocity", "spin",
                           "force",   "torque",   "mass",     "inertia",  "born",
                           "removed", "group",    "ignores",  "collide",  "parts"})) {
      return;
    }
    const Common common = read_common(field, index);
    const Pose pose = shapes_.read_pose(field);
    const auto shape = field.find("shape"), sample = field.find("sample");
    if (sample) {
      read_sample_bodies(field, *sample, common, pose);
      return;
    }
    if (const auto parts = field.find("parts")) parts->complain("only a 'sample' has parts");
    if (!shape) {
      field.complain("needs a 'shape' or a 'sample'");
      return;
    }
    if (const ShapePtr made = shapes_.read(*shape))
      add(field, common, common.name, made, pose, false);
  }

  void read_sample_bodies(const Field& field, const Field& sample, const Common& common,
                          const Pose& pose) {
    std::map<std::string, Body> parts = read_parts(field, common.body);
    for (const SampleBody& item : read_sample(sample, field.find("shape"), shapes_, vocabulary_)) {
      Common own = common;
      if (const auto part = parts.find(item.suffix); part != parts.end()) {
        own.body = part->second;
        parts.erase(part);
      }
      const std::string name = item.suffix.empty() ? own.name : own.name + "_" + item.suffix;
      add(field, own, name, item.shape, pose * item.pose, item.fixed);
    }
    for (const auto& [suffix, body] : parts)
      field.find("parts")->complain(fmt::format("the sample has no part '{}'", suffix));
  }

  // `parts:` gives single bodies of a sample, by their suffix, another material or time.
  std::map<std::string, Body> read_parts(const Field& field, const Body& common) {
    std::map<std::string, Body> result;
    const auto parts = field.find("parts");
    if (!parts || !parts->expect_free_map()) return result;
    for (const Entry& entry : parts->entries()) {
      Body& body = result.emplace(entry.key, common).first->second;
      if (!entry.value.expect_map({"material", "fixed", "born", "removed", "group", "ignores"}))
        continue;
      if (const auto x = entry.value.find("material")) body.material = material_index(*x);
      if (const auto x = entry.value.find("fixed")) {
        body.kind = x->choice({"true", "false"}) == "true" ? BodyKind::fixed : BodyKind::free;
      }
      number(entry.value, "born", kAny, body.birth);
      number(entry.value, "removed", kAny, body.removal);
      read_groups(entry.value, body);
    }
    return result;
  }

  Common read_common(const Field& field, std::size_t index) {
    Common common;
    const auto name = field.find("name");
    common.name = name ? name->text("a name").value_or("") : fmt::format("body{}", index + 1);
    common.body.material = read_material(field);
    read_kind(field, common.body);
    if (const auto x = field.find("velocity")) common.v = shapes_.point(*x).value_or(common.v);
    if (const auto x = field.find("spin")) common.spin = read_spin(*x);
    if (field.find("force") || field.find("torque")) {
      common.body.load = BodyFunctions(
          read_time_functions(field, "force", "torque", shapes_.planar(), vocabulary_));
    }
    if (const auto x = field.find("mass")) common.mass = vocabulary_.number(*x, kPositive);
    if (const auto x = field.find("inertia")) common.moments = read_inertia(*x);
    number(field, "born", kAny, common.body.birth);
    number(field, "removed", kAny, common.body.removal);
    read_groups(field, common.body);
    return common;
  }

  int read_material(const Field& field) {
    if (material_names_.empty()) return 0;  // said already
    if (const auto x = field.find("material")) return material_index(*x);
    if (material_names_.size() > 1) {
      std::vector<std::string_view> words(material_names_.begin(), material_names_.end());
      field.complain("needs a 'material'" + allowed_words("", words));
    }
    return 0;
  }

  void read_kind(const Field& field, Body& body) {
    const auto fixed = field.find("fixed"), driven = field.find("driven");
    if (fixed && fixed->choice({"true", "false"}).value_or("false") == "true")
      body.kind = BodyKind::fixed;
    if (!driven) {
      if (body.kind == BodyKind::fixed) refuse_motion(field, "a fixed body");
      return;
    }
    if (body.kind == BodyKind::fixed) driven->complain("a body is either fixed or driven");
    body.kind = BodyKind::driven;
    refuse_motion(field, "a driven body");
    read_motion(*driven, body);
  }

  static void refuse_motion(const Field& field, const char* what) {
    for (const char* key : {"velocity", "spin", "force", "torque", "mass", "inertia"}) {
      if (const auto x = field.find(key)) x->complain(fmt::format("has no meaning for {}", what));
    }
  }

  // By velocities, or by positions with the rotation as a vector.
  void read_motion(const Field& field, Body& body) {
    if (!field.expect_map({"velocity", "spin", "position", "rotation", "table"})) return;
    const bool velocities = field.find("velocity") || field.find("spin");
    const bool positions = field.find("position") || field.find("rotation");
    const auto table = field.find("table");
    if (velocities + positions + table.has_value() != 1) {
      field.complain("expected 'velocity' and 'spin', or 'position' and 'rotation', or 'table'");
      return;
    }
    if (table) {
      body.path = BodyFunctions(read_motion_table(*table, shapes_));
    } else if (positions) {
      body.path = BodyFunctions(
          read_time_functions(field, "position", "rotation", shapes_.planar(), vocabulary_));
    } else {
      body.motion = BodyFunctions(
          read_time_functions(field, "velocity", "spin", shapes_.planar(), vocabulary_));
    }
  }

  Vector3 read_spin(const Field& field) {
    if (shapes_.planar()) return {0, 0, vocabulary_.number(field).value_or(0)};
    return shapes_.point(field).value_or(Vector3::Zero());
  }

  std::optional<Vector3> read_inertia(const Field& field) {
    if (shapes_.planar()) {
      const auto x = vocabulary_.number(field, kPositive);
      return x ? std::optional(Vector3(*x, *x, *x)) : std::nullopt;
    }
    const auto x = vocabulary_.row(field, 3);
    if (!x) return std::nullopt;
    if (!(x->minCoeff() > 0)) field.complain("has a moment that is not > 0");
    return Vector3(*x);
  }

  // Groups are words; each is a bit.
  unsigned group_bit(const Field& field) {
    const std::string name = field.text("the name of a group").value_or("");
    const auto it = groups_.emplace(name, groups_.size()).first;
    constexpr std::size_t kMost = 31;
    if (it->second >= kMost) {
      field.complain(fmt::format("is the group number {}; allowed are {}", it->second + 1, kMost));
      return 0;
    }
    return 2u << it->second;  // bit 0: bodies without a group
  }

  void read_groups(const Field& field, Body& body) {
    if (const auto x = field.find("collide")) {
      if (x->choice({"true", "false"}) == "false") body.collides = 0;
    }
    if (const auto x = field.find("group")) body.group = group_bit(*x);
    const auto ignores = field.find("ignores");
    if (!ignores) return;
    if (ignores->is_scalar()) {
      body.collides &= ~group_bit(*ignores);
      return;
    }
    for (const Field& item : ignores->items("names of groups")) body.collides &= ~group_bit(item);
  }

  void add(const Field& field, const Common& common, const std::string& name, const ShapePtr& shape,
           const Pose& pose, bool fixed) {
    Body body = common.body;
    if (fixed) body.kind = BodyKind::fixed;
    BodyState state;
    try {
      if (body.is_free()) {
        give_mass(common, shape, pose, body, state);
      } else {
        body.shape = shape;
        state.position = pose.position;
        state.rotation = Quaternion(pose.rotation).normalized();
      }
    } catch (const InputError& error) {
      field.complain(error.what());
      return;
    }
    body.name = name;
    if (body.is_free()) {
      state.v = common.v;
      state.omega = state.rotation.conjugate() * common.spin;
    }
    if (!out_.names.emplace(name, static_cast<int>(out_.world->bodies.size())).second) {
      field.find("name").value_or(field).complain(
          fmt::format("the name '{}' is taken already", shorten(name)));
      return;
    }
    out_.world->bodies.push_back(std::move(body));
    out_.initial.bodies.push_back(state);
  }

  void give_mass(const Common& common, const ShapePtr& shape, const Pose& pose, Body& body,
                 BodyState& state) {
    if (common.mass && common.moments) {  // shapes without volume too
      body.shape = shape;
      state.position = pose.position;
      state.rotation = Quaternion(pose.rotation).normalized();
    } else {
      const auto material = static_cast<std::size_t>(body.material);
      const Material& stuff =
          material_names_.empty() ? Material{} : out_.world->materials[material];
      const Body made = make_body("", shape, stuff, body.material, pose, state);
      body.shape = made.shape;
      body.mass = made.mass;
      body.moments = made.moments;
    }
    if (common.mass && body.mass > 0) body.moments *= *common.mass / body.mass;
    if (common.mass) body.mass = *common.mass;
    if (common.moments) body.moments = *common.moments;
  }

  const Field& field_;
  Vocabulary& vocabulary_;
  ShapeReader shapes_;
  NamedWorld out_;
  std::vector<std::string> material_names_;
  std::map<std::string, std::size_t> groups_;
};

}  // namespace

NamedWorld read_world(const Field& field, Vocabulary& vocabulary, const std::string& folder) {
  return WorldReader(field, vocabulary, folder).read();
}

}  // namespace clack
