// Mechanisms in joint coordinates against the same ones with constraints.
#include "mechanism_support.hpp"

namespace clack {
namespace {

using test::kInJoints;
using test::Mechanism;

struct Case {
  std::string name;
  double end, h;
  double bound;  // of the distance between the two at the finer step [m]
  std::string scheme = "moreau-jean";
  double order = 0.75;
};

// Of all bodies.
double distance(Mechanism& one, Mechanism& other) {
  double largest = 0;
  for (const Body& body : one.world().bodies)
    largest = std::max(largest, (one.position(body.name) - other.position(body.name)).norm());
  return largest;
}

double difference(const Case& own, double h) {
  Mechanism bodies = Mechanism::example(own.name, {test::step_is(h)});
  Mechanism joints =
      Mechanism::example(own.name, {kInJoints, test::scheme_is(own.scheme), test::step_is(h)});
  EXPECT_NE(joints.system().articulated(), nullptr) << own.name;
  bodies.run_to(own.end);
  joints.run_to(own.end);
  joints.expect_sound(own.name);
  return distance(bodies, joints);
}

// The default step with constraints is of first order.
TEST(JointCoordinates, MechanismsMoveAsWithConstraints) {
  const std::vector<Case> cases = {
      {"double_pendulum", 1, 4e-4, 2e-3},
      {"heavy_top", 0.2, 2e-4, 2e-2},
      {"door_with_stop", 1, 1e-3, 1e-2, "moreau-jean", 0.5},
      {"planetary_gear", 0.1, 5e-4, 1e-4, "moreau-direct-projection"},
      {"crank_rocker", 0.5, 1e-3, 1e-3, "moreau-direct-projection"},
      {"four_bar", 0.5, 1e-3, 1e-3, "moreau-direct-projection"},
      {"rocker_bogie", 0.5, 1e-3, 5e-3, "moreau-jean", 0.3},
  };
  for (const Case& own : cases) {
    const double coarse = difference(own, own.h), fine = difference(own, own.h / 2);
    std::printf("  %-20s %.2g, then %.2g with half the step\n", own.name.c_str(), coarse, fine);
    EXPECT_LT(fine, own.bound) << own.name;
    constexpr double kRoundOff = 1e-12;
    if (coarse > kRoundOff) {
      EXPECT_GT(std::log2(coarse / fine), own.order) << own.name;
    }
  }
}

// The largest difference of a joint's force or moment over the largest of these [1].
double reaction_difference(const std::string& name, double h) {
  Mechanism bodies = Mechanism::example(name, {test::step_is(h)});
  Mechanism joints = Mechanism::example(name, {kInJoints, test::step_is(h)});
  bodies.run_to(4e-3);
  joints.run_to(4e-3);
  double largest = 0;
  for (const Joint& joint : bodies.world().joints) {
    const std::array<double, 6> one = bodies.reaction(joint.name),
                                other = joints.reaction(joint.name);
    double size = 0, off = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      size = std::max(size, std::abs(one[k]));
      off = std::max(off, std::abs(one[k] - other[k]));
    }
    if (size > 1e-6) largest = std::max(largest, off / size);
  }
  return largest;
}

// By the balance of momentum of what hangs on a joint (eq:tree_reactions), and by multipliers.
TEST(JointCoordinates, ReactionsAreThoseOfTheConstraints) {
  for (const char* name : {"double_pendulum", "heavy_top", "crank_rocker", "braked_shaft",
                           "planetary_gear", "robot_arm"}) {
    const double coarse = reaction_difference(name, 4e-5), fine = reaction_difference(name, 2e-5);
    std::printf("  %-20s %.2g, then %.2g with half the step\n", name, coarse, fine);
    EXPECT_LT(fine, 1e-2) << name;
    EXPECT_LT(fine, 0.6 * coarse + 1e-6) << name;
  }
}

// A motor, rotors on both joints, and a spring with a full matrix of stiffness and damping.
const char* const kActuated = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {steel: {mu: 0}}
  shapes: {link: {box: {size: [0.4, 0.05, 0.05]}}}
  bodies:
    - {name: a, shape: link, position: [0.2, 0, 0]}
    - {name: b, shape: link, position: [0.6, 0, 0]}
  joints:
    - {name: one, kind: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, 0], armature: 0.3, motor: {force: 2*sin(5*t)}}
    - {name: two, kind: cylindrical, bodies: [a, b], point: [0.4, 0, 0], axis: [0, 1, 1], spring: {stiffness: [[3, 0.5], [0.5, 80]], damping: [[0.1, 0], [0, 1]]}, armature: {coordinate: angle, inertia: 0.02}}
simulation: {scheme: rattle, step: 1.0e-3, end: 0.5}
)";

TEST(JointCoordinates, RotorsMotorsAndCoupledSpringsActAsWithConstraints) {
  double before = 0;
  for (const double h : {1e-3, 5e-4}) {
    Mechanism bodies = Mechanism::text(kActuated, {test::step_is(h)});
    Mechanism joints = Mechanism::text(kActuated, {kInJoints, test::step_is(h)});
    bodies.run_to(0.5);
    joints.run_to(0.5);
    joints.expect_sound();
    const double off = distance(bodies, joints);
    EXPECT_LT(off, 2e-5);
    EXPECT_NEAR(joints.energy(), bodies.energy(), 1e-4);
    if (before > 0) {
      EXPECT_GT(std::log2(before / off), 1.75);
    }
    before = off;
    const std::array<double, 6> one = bodies.reaction("two"), other = joints.reaction("two");
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(one[k], other[k], 60 * h);
  }
}

// Rotors on joints that close loops: their coordinates are none of a tree.
TEST(JointCoordinates, RotorsActOnJointsThatCloseLoops) {
  std::vector<std::string> set = {test::scheme_is("rattle"), test::step_is(1e-3)};
  for (int k = 0; k < 7; ++k)
    set.push_back("system.joints." + std::to_string(k) + ".armature=0." + std::to_string(k + 1));
  Mechanism bodies = Mechanism::example("four_bar", set);
  set.insert(set.begin(), kInJoints);
  Mechanism joints = Mechanism::example("four_bar", set);
  bodies.run_to(0.6);
  joints.run_to(0.6);
  EXPECT_LT(distance(bodies, joints), 1e-5);
}

}  // namespace
}  // namespace clack
