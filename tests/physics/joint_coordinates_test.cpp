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

}  // namespace
}  // namespace clack
