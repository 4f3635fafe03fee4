#include "clack/io/scene/joint_elements.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "clack/io/scene/scene_text.hpp"

namespace clack {

JointElementReader::JointElementReader(const Field& field, const RigidWorld& world,
                                       Vocabulary& vocabulary, Joint& joint)
    : field_(field),
      world_(world),
      vocabulary_(vocabulary),
      joint_(joint),
      coordinates_(joint_type(joint.kind).coordinates(joint, world.planar)) {}

template <class Read>
void JointElementReader::for_each(const char* key, const std::vector<std::string_view>& keys,
                                  Read&& read) {
  const auto field = field_.find(key);
  if (!field) return;
  const std::vector<Field> items = field->is_list() ? field->items() : std::vector<Field>{*field};
  for (const Field& item : items) {
    if (!item.expect_map(keys)) continue;
    const auto coordinate = read_coordinate(item);
    if (coordinate) read(item, *coordinate);
  }
}

std::optional<int> JointElementReader::read_coordinate(const Field& item) {
  if (coordinates_.empty()) {
    item.complain(fmt::format("a joint '{}' has no coordinate on which this could act",
                              joint_type(joint_.kind).name));
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const JointCoordinate& x : coordinates_) names.push_back(x.name);
  const auto field = item.is_map() ? item.find("coordinate") : std::nullopt;
  if (!field) {
    if (names.size() == 1) return 0;
    item.complain("needs a 'coordinate'" + allowed_words("", {names.begin(), names.end()}));
    return std::nullopt;
  }
  const auto word = field->choice(names);
  if (!word) return std::nullopt;
  return static_cast<int>(std::find(names.begin(), names.end(), *word) - names.begin());
}

void JointElementReader::read() {
  for_each("limits", {"coordinate", "lower", "upper", "e_n", "radius"},
           [&](const Field& item, int k) { read_limit(item, k); });
  read_springs();
  read_armature();
  if (const auto x = field_.find("damping")) {
    const auto k = read_coordinate(*x);
    if (k)
      joint_.springs.push_back(
          {.coordinate = *k, .damping = vocabulary_.number(*x, kNonNegative).value_or(0)});
  }
  for_each("motor", {"coordinate", "force"}, [&](const Field& item, int k) {
    const auto force = item.require("force", "a formula of t, x and v [N, N m]");
    if (force) joint_.motors.push_back({k, read_function(*force, true)});
  });
  read_control();
  for_each("drive", {"coordinate", "position", "velocity", "limit"},
           [&](const Field& item, int k) { read_drive(item, k); });
  for_each("servo", {"coordinate", "position", "stiffness", "damping", "limit"},
           [&](const Field& item, int k) { read_servo(item, k); });
  read_friction();
  check_drives();
}

void JointElementReader::replace() {
  if (!field_.expect_map(
          {"limits", "spring", "damping", "motor", "drive", "servo", "friction", "armature"}))
    return;
  if (field_.find("limits")) joint_.limits.clear();
  if (field_.find("spring") || field_.find("damping"))
    joint_.springs.clear(), joint_.spring_matrices.clear();
  if (field_.find("motor")) joint_.motors.clear();
  if (field_.find("drive")) joint_.drives.clear(), joint_.speeds.clear();
  if (field_.find("servo")) joint_.servos.clear();
  if (field_.find("friction")) joint_.frictions.clear();
  if (field_.find("armature")) joint_.armatures.clear();
  read();
}

// A stiffness that is a list is a matrix on all coordinates.
void JointElementReader::read_springs() {
  const auto field = field_.find("spring");
  if (!field) return;
  const std::vector<Field> items = field->is_list() ? field->items() : std::vector<Field>{*field};
  for (const Field& item : items) {
    if (!item.expect_map({"coordinate", "stiffness", "rest", "damping"})) continue;
    const auto stiffness = item.require("stiffness", "a number >= 0, or a matrix");
    if (!stiffness) continue;
    if (stiffness->is_list())
      read_spring_matrix(item);
    else
      read_spring(item);
  }
}

void JointElementReader::read_spring(const Field& item) {
  const auto k = read_coordinate(item);
  if (!k) return;
  JointSpring spring{.coordinate = *k};
  number(item, "stiffness", kNonNegative, spring.stiffness);
  number(item, "rest", kAny, spring.rest);
  number(item, "damping", kNonNegative, spring.damping);
  joint_.springs.push_back(spring);
}

namespace {

// Forces of a potential, or of a dissipation, that is nowhere negative.
void check_spring_matrix(const Field& field, const Matrix& A) {
  constexpr double kRoundOff = 1e-12;
  const double size = A.cwiseAbs().maxCoeff();
  Eigen::Index row = 0, column = 0;
  const double skew = (A - A.transpose()).cwiseAbs().maxCoeff(&row, &column);
  if (skew > kRoundOff * size) {
    field.complain(fmt::format(
        "is not symmetric: the entry {}, {} is {:g}, the entry {}, {} is {:g}; forces of such a "
        "matrix would do work on a closed path",
        row + 1, column + 1, A(row, column), column + 1, row + 1, A(column, row)));
    return;
  }
  const double least =
      Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues().minCoeff();
  if (least < -kRoundOff * size)
    field.complain(
        fmt::format("has the negative eigenvalue {:.6g}; allowed are those >= 0", least));
}

}  // namespace

void JointElementReader::read_spring_matrix(const Field& item) {
  const auto n = static_cast<int>(coordinates_.size());
  if (const auto x = item.find("coordinate")) {
    x->complain("a stiffness that is a matrix acts on all coordinates of the joint together");
    return;
  }
  if (n == 0) {
    (void)read_coordinate(item);
    return;
  }
  JointSpringMatrix spring{Matrix::Zero(n, n), Matrix::Zero(n, n), Vector::Zero(n)};
  for (const auto& [key, matrix] :
       {std::pair("stiffness", &spring.stiffness), std::pair("damping", &spring.damping)}) {
    const auto field = item.find(key);
    const auto values = field ? vocabulary_.matrix(*field, n, n) : std::nullopt;
    if (!values) continue;
    check_spring_matrix(*field, *values);
    *matrix = 0.5 * (*values + values->transpose());
  }
  if (const auto field = item.find("rest"))
    spring.rest = vocabulary_.row(*field, n).value_or(spring.rest);
  joint_.spring_matrices.push_back(spring);
}

// A number is what the coordinate feels; a map has the rotor itself and the ratio of its gear.
void JointElementReader::read_armature() {
  const auto field = field_.find("armature");
  if (!field) return;
  if (is_accelerated_from_outside()) {
    field->complain(
        "needs bodies whose acceleration follows from forces: one of this joint is "
        "driven; give its rotor to the drive, or drive the joint instead of the body");
    return;
  }
  const std::vector<Field> items = field->is_list() ? field->items() : std::vector<Field>{*field};
  for (const Field& item : items) {
    const auto k = read_coordinate(item);
    if (!k) continue;
    double inertia = 0, ratio = 1;
    if (!item.is_map()) {
      inertia = vocabulary_.number(item, kPositive).value_or(1);
    } else {
      if (!item.expect_map({"coordinate", "inertia", "ratio"})) continue;
      if (const auto x = item.require("inertia", "a number > 0 [kg m^2]"))
        inertia = vocabulary_.number(*x, kPositive).value_or(1);
      number(item, "ratio", kAny, ratio);
      if (ratio == 0) item.find("ratio")->complain("is 0: a gear has a ratio other than that");
    }
    if (inertia * ratio * ratio > 0) joint_.armatures.push_back({*k, inertia * ratio * ratio});
  }
}

bool JointElementReader::is_accelerated_from_outside() const {
  for (const int body : {joint_.a, joint_.b}) {
    if (body >= 0 && world_.bodies[static_cast<std::size_t>(body)].kind == BodyKind::driven)
      return true;
  }
  return false;
}

// `true` where there is one coordinate, else names of those that are controlled.
void JointElementReader::read_control() {
  const auto field = field_.find("control");
  if (!field) return;
  const auto add = [&](int k) { joint_.motors.push_back({k, {}, true}); };
  if (!field->is_list() && coordinates_.size() == 1) {
    if (field->choice({"true", "false"}) == "true") add(0);
    return;
  }
  std::vector<std::string> names;
  for (const JointCoordinate& x : coordinates_) names.push_back(x.name);
  for (const Field& item : field->items("a list of coordinates")) {
    const auto word = item.choice(names);
    if (!word) continue;
    add(static_cast<int>(std::find(names.begin(), names.end(), *word) - names.begin()));
  }
}

// A position is followed whatever force that takes; a velocity with at most the force `limit`.
void JointElementReader::read_drive(const Field& item, int k) {
  const auto position = item.find("position"), velocity = item.find("velocity"),
             limit = item.find("limit");
  if (position.has_value() == velocity.has_value()) {
    item.complain("needs either 'position' or 'velocity', a formula of t");
    return;
  }
  if (position) {
    if (limit)
      limit->complain("a drive of positions takes the force that it needs; a 'servo' has a limit");
    joint_.drives.push_back({k, read_function(*position, false)});
    return;
  }
  JointSpeed speed{.coordinate = k, .target = read_function(*velocity, false)};
  if (limit) speed.limit = vocabulary_.number(*limit, kPositive).value_or(speed.limit);
  joint_.speeds.push_back(speed);
}

void JointElementReader::read_servo(const Field& item, int k) {
  JointServo servo{.coordinate = k};
  const auto position = item.require("position", "a formula of t [m, rad]");
  const auto stiffness = item.require("stiffness", "a number > 0");
  if (position) servo.target = read_function(*position, false);
  if (stiffness) servo.stiffness = vocabulary_.number(*stiffness, kPositive).value_or(1);
  number(item, "damping", kNonNegative, servo.damping);
  number(item, "limit", kPositive, servo.limit);
  joint_.servos.push_back(servo);
}

void JointElementReader::check_drives() {
  std::vector<int> driven(coordinates_.size(), 0);
  for (const JointDrive& x : joint_.drives) ++driven[static_cast<std::size_t>(x.coordinate)];
  for (const JointSpeed& x : joint_.speeds) {
    if (!std::isfinite(x.limit)) ++driven[static_cast<std::size_t>(x.coordinate)];
  }
  if (std::any_of(driven.begin(), driven.end(), [](int count) { return count > 1; }))
    field_.find("drive")->complain("two drives of one coordinate work against each other");
}

// A number is a force; a map says what the load of the joint adds.
void JointElementReader::read_friction() {
  const auto field = field_.find("friction");
  if (!field) return;
  const std::vector<Field> items = field->is_list() ? field->items() : std::vector<Field>{*field};
  for (const Field& item : items) {
    JointFriction friction;
    if (joint_.kind == JointKind::spherical) {
      friction.coordinate = -1;
    } else {
      const auto k = read_coordinate(item);
      if (!k) continue;
      friction.coordinate = *k;
    }
    if (item.is_map()) {
      if (!item.expect_map(
              {"coordinate", "force", "mu", "radius", "span", "collar_mu", "collar_radius"}))
        continue;
      number(item, "force", kNonNegative, friction.force);
      number(item, "mu", kNonNegative, friction.mu);
      number(item, "span", kPositive, friction.span);
      number(item, "collar_mu", kNonNegative, friction.collar_mu);
      number(item, "collar_radius", kPositive, friction.collar_radius);
      read_friction_radius(item, friction);
    } else {
      friction.force = vocabulary_.number(item, kNonNegative).value_or(0);
    }
    joint_.frictions.push_back(friction);
  }
}

// Of what turns friction acts at a radius, which must be given.
void JointElementReader::read_friction_radius(const Field& item, JointFriction& friction) {
  const bool slides = friction.coordinate >= 0 && joint_.kind != JointKind::screw &&
                      !coordinates_[static_cast<std::size_t>(friction.coordinate)].turns;
  const auto radius = item.find("radius");
  if (slides && radius) radius->complain("friction of a sliding coordinate has no radius");
  if (radius) friction.radius = vocabulary_.number(*radius, kPositive).value_or(1);
  if (!slides && !radius && friction.mu > 0)
    item.complain("needs the 'radius' at which friction with 'mu' acts");
  if (friction.collar_mu > 0 && !(friction.collar_radius > 0))
    item.complain("needs 'collar_radius' beside 'collar_mu'");
}

void JointElementReader::read_limit(const Field& item, int k) {
  JointLimit limit{.coordinate = k};
  number(item, "lower", kAny, limit.lower);
  number(item, "upper", kAny, limit.upper);
  number(item, "e_n", kUnit, limit.e_n);
  number(item, "radius", kPositive, limit.radius);
  if (!item.find("lower") && !item.find("upper")) item.complain("needs 'lower' or 'upper'");
  if (limit.lower > limit.upper)
    item.complain(fmt::format("lower is {}, above upper, {}", limit.lower, limit.upper));
  joint_.limits.push_back(limit);
}

void JointElementReader::number(const Field& map, const char* key, const Range& range,
                                double& value) {
  if (const auto x = map.find(key)) value = vocabulary_.number(*x, range).value_or(value);
}

JointFunction JointElementReader::read_function(const Field& field, bool of_state) {
  formula::Graph& graph = vocabulary_.graph;
  formula::Names allowed = vocabulary_.parameters;
  const std::array inputs = {graph.variable("t"), graph.variable("x"), graph.variable("v")};
  allowed["t"] = inputs[0];
  if (of_state) {
    allowed["x"] = inputs[1];
    allowed["v"] = inputs[2];
  }
  const auto value = vocabulary_.formula(field, allowed);
  return value ? JointFunction(graph, *value) : JointFunction();
}

}  // namespace clack
