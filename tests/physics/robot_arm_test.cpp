// The arm of examples/robot_arm.yaml: a robot read from a URDF that pushes a box.
#include <gtest/gtest.h>

#include "clack/model/joints/world_joints.hpp"
#include "mechanism_support.hpp"
#include "tests/physics/support.hpp"

namespace clack {
namespace {

constexpr double kStiffness = 5000;  // of the scene's servos [N m/rad]

class Arm {
 public:
  explicit Arm(Scene own = test::example("robot_arm"))
      : scene(std::move(own)), simulation(scene), joints(*scene.world, scene.world_initial) {}

  std::size_t body(const std::string& name) const {
    const auto& bodies = scene.world->bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (bodies[i].name == name) return i;
    }
    throw std::runtime_error("no body " + name);
  }
  const BodyState& state(const std::string& name) const {
    return simulation.state().bodies[body(name)];
  }
  double angle(const std::string& joint) const {
    for (std::size_t j = 0; j < joints.joints().size(); ++j) {
      if (joints.joints()[j].name != "arm." + joint) continue;
      return simulation.state()
          .coordinates[static_cast<std::size_t>(joints.coordinate(static_cast<int>(j), 0))];
    }
    throw std::runtime_error("no joint " + joint);
  }
  // Impulses between the box and a finger, all together [N s].
  double push() const {
    const int box = static_cast<int>(body("box"));
    double sum = 0;
    for (std::size_t i = 0; i < simulation.contacts().size(); ++i) {
      const WorldContact& contact = simulation.contacts()[i];
      const int other = contact.a == box ? contact.b : contact.b == box ? contact.a : -1;
      if (other > 1) sum += simulation.impulses()[i].norm();  // 0 and 1 are floor and box
    }
    return sum;
  }

  Scene scene;
  test::BodySimulation simulation;
  WorldJoints joints;
};

// The column turns until the nearer finger, 0.4555 m from the column and 0.03 m thick, meets the
// face of the box at y = -0.07 m: 0.4555 sin a - 0.015 cos a = 0.07 at a = 0.1871 rad before the
// middle; the arm hangs 4 mrad low, which puts the fingers 2 mm further out.
TEST(RobotArm, moves_the_box_only_when_its_fingers_have_reached_it) {
  Arm arm;
  const Vector3 start = arm.state("box").position;
  while (arm.simulation.time() < 1.2 && arm.push() == 0) {
    EXPECT_LT((arm.state("box").position - start).norm(), 1e-12);
    ASSERT_EQ(arm.simulation.step(), Status::converged);
  }
  EXPECT_NEAR(arm.angle("yaw"), -0.1871, 2e-3);
  EXPECT_NEAR(arm.simulation.time(), 0.888, 3e-3);
  ASSERT_EQ(arm.simulation.step(), Status::converged);
  EXPECT_GT(arm.state("box").position.y(), 1e-5);
}

// While the arm only hangs, each servo gives the moment of the weights beyond its joint.
TEST(RobotArm, stands_off_its_servos_by_the_moment_of_its_weight_over_their_stiffness) {
  Arm arm(test::example("robot_arm", {"system.robots.0.joints.yaw.servo.position=-0.6"}));
  for (int i = 0; i < 500; ++i) ASSERT_EQ(arm.simulation.step(), Status::converged);
  const double c = std::cos(0.6), s = std::sin(0.6);  // the arm's plane is turned by -0.6
  const auto radius = [&](const Vector3& x) { return c * x.x() - s * x.y(); };
  const double elbow = radius(arm.state("arm.elbow_block").position);
  double pitch_moment = 0, elbow_moment = 0;
  for (const char* name : {"upper_arm", "elbow_block", "forearm", "wrist_roll_link",
                           "wrist_pitch_link", "hand", "left_finger", "right_finger"}) {
    const std::size_t i = arm.body(std::string("arm.") + name);
    const double weight = 9.81 * arm.scene.world->bodies[i].mass;
    const double out = radius(arm.simulation.state().bodies[i].position);
    pitch_moment += weight * out;  // the joint is on the column
    if (std::string(name) != "upper_arm" && std::string(name) != "elbow_block")
      elbow_moment += weight * (out - elbow);
  }
  EXPECT_GT(pitch_moment, 15);
  EXPECT_NEAR(arm.angle("pitch"), 0.9 + pitch_moment / kStiffness, 1e-7);
  EXPECT_NEAR(arm.angle("elbow"), 1.3 + elbow_moment / kStiffness, 1e-7);
  EXPECT_NEAR(arm.angle("yaw"), -0.6, 1e-9);
}

TEST(RobotArm, follows_its_servos_and_leaves_the_box_against_its_fingers) {
  Arm arm;
  // A spring that is loaded at once gives way by twice what its load takes at rest, here 22 N m.
  const double widest = 2 * 22 / kStiffness;
  while (arm.simulation.time() < 2 - 1e-9) {
    ASSERT_EQ(arm.simulation.step(), Status::converged);
    const double t = arm.simulation.time();
    EXPECT_NEAR(arm.angle("yaw"), -0.1 - 0.5 * std::cos(M_PI * t / 2), widest);
    EXPECT_NEAR(arm.angle("pitch"), 0.9, widest);
    EXPECT_NEAR(arm.angle("elbow"), 1.3, widest);
    EXPECT_NEAR(arm.angle("left"), arm.angle("right"), 1e-9);  // which mimics it
  }
  EXPECT_NEAR(arm.angle("yaw"), 0.4, 1e-3);
  // Of the box, seen along the fingers' way: half its width and half a finger ahead of the hand,
  // but for its turning by less than a quarter of a radian.
  const Vector3 along(-std::sin(0.4), std::cos(0.4), 0);
  const double ahead = along.dot(arm.state("box").position - arm.state("arm.left_finger").position);
  EXPECT_GT(ahead, 0.085 - 1e-3);
  EXPECT_LT(ahead, 0.085 + 0.07 * 0.25);
  EXPECT_NEAR(arm.state("box").position.z(), 0.07, 1e-4);
  EXPECT_LT(arm.state("box").v.norm(), 2e-3);
}

// The effort of 40 N at the finger that is driven is shared with the one that mimics it.
TEST(RobotGripper, presses_with_half_its_effort_and_lifts_the_box_by_friction) {
  for (const double mu : {0.11, 0.15}) {
    test::Mechanism arm = test::Mechanism::example(
        "robot_gripper", {"parameters.mu=" + std::to_string(mu), "simulation.step=2e-3"});
    arm.run_to(0.25);
    EXPECT_NEAR(arm.normal_force("arm.left_finger"), 20, 0.5);
    EXPECT_NEAR(arm.normal_force("arm.left_finger") + arm.normal_force("arm.right_finger"), 40,
                1e-3);
    const double start = (arm.position("arm.hand") - arm.position("box")).z();
    arm.run_to(1.5);
    const double end = (arm.position("arm.hand") - arm.position("box")).z();
    EXPECT_GT(arm.position("arm.hand").z(), 0.3);
    EXPECT_LT(arm.drift(), 1e-12);
    if (mu < 0.1226)
      EXPECT_LT(arm.position("box").z(), 0.121);
    else
      EXPECT_LT(std::abs(end - start), 2e-3);
  }
}

}  // namespace
}  // namespace clack
