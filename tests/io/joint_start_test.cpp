// Mechanisms are closed at their start, from poses and velocities that do not fit exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "clack/io/scene/field.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {
namespace {

std::string linkage(const std::string& joints, const std::string& velocity = "[0, 0, 0]") {
  return R"(clack: 1
system:
  type: rigid-bodies
  materials: {m: {mu: 0}}
  bodies:
    - {name: crank, shape: {sphere: {radius: 0.1}}, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}
    - {name: rod, shape: {sphere: {radius: 0.1}}, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0], velocity: )" +
         velocity + "}\n  joints:\n" + joints + "simulation: {step: 1.0e-3, end: 0.1}\n";
}

constexpr const char* kPivot =
    "    - {name: pivot, kind: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 1, "
    "0]}\n";
constexpr const char* kElbow =
    "    - {name: elbow, kind: revolute, bodies: [crank, rod], point: [1, 0, 0], axis: [0, 1, "
    "0]}\n";

BodyState body(const Scene& scene, int i) {
  return RigidBodies::body(scene.initial.q, scene.initial.v, i);
}

bool mentions(const Scene& scene, const std::string& words) {
  for (const std::string& remark : scene.remarks) {
    if (remark.find(words) != std::string::npos) return true;
  }
  return false;
}

// The free end goes to (1.6, 0, 0.2): both links are 1 m long, so that the triangle is known.
TEST(JointStart, ALoopIsClosedOverALargeGap) {
  const Scene scene =
      parse_scene("scene", linkage(std::string(kPivot) + kElbow +
                                   "    - {name: foot, kind: spherical, bodies: [ground, rod], "
                                   "points: [[1.6, 0, 0.2], [2, 0, 0]]}\n"));
  const BodyState crank = body(scene, 0), rod = body(scene, 1);
  const Vector3 elbow = crank.position + crank.rotation * Vector3(0.5, 0, 0),
                foot = rod.position + rod.rotation * Vector3(0.5, 0, 0);
  EXPECT_NEAR(elbow.norm(), 1, 1e-12);
  EXPECT_NEAR((foot - elbow).norm(), 1, 1e-12);
  EXPECT_NEAR((foot - Vector3(1.6, 0, 0.2)).norm(), 0, 1e-12);
  EXPECT_TRUE(mentions(scene, "'foot' was off by 0.4"));
}

TEST(JointStart, OneThatFitsIsLeftAsItIsBitByBit) {
  const Scene scene = parse_scene("scene", linkage(std::string(kPivot) + kElbow));
  EXPECT_EQ(body(scene, 0).position, Vector3(0.5, 0, 0));
  EXPECT_EQ(body(scene, 1).position, Vector3(1.5, 0, 0));
  EXPECT_TRUE(scene.remarks.empty());
}

TEST(JointStart, ALoopThatCannotCloseIsRefusedWithItsJoint) {
  try {
    (void)parse_scene("scene", linkage(std::string(kPivot) + kElbow +
                                       "    - {name: foot, kind: spherical, bodies: [ground, rod], "
                                       "points: [[2.5, 0, 0], [2, 0, 0]]}\n"));
    FAIL() << "assembled";
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be assembled"), std::string::npos)
        << error.what();
  }
}

// A ball on a pivot 1 m away that is pushed at 45 degrees: what points at the pivot is lost.
TEST(JointStart, VelocitiesThatDoNotFitLoseTheLeastEnergy) {
  const Scene scene =
      parse_scene("scene", linkage("    - {name: ball, kind: distance, bodies: [ground, rod], "
                                   "points: [[0.5, 0, 0], [1.5, 0, 0]]}\n",
                                   "[1, 0, 2]"));
  EXPECT_NEAR((body(scene, 1).v - Vector3(0, 0, 2)).norm(), 0, 1e-14);
  EXPECT_TRUE(mentions(scene, "0.5 J less"));
}

// A door on two hinges: ten rows, of which five are enough.
TEST(JointStart, RowsThatFollowFromOthersAreCounted) {
  const Scene scene =
      parse_scene("scene", linkage(std::string(kPivot) +
                                   "    - {name: second, kind: revolute, bodies: [ground, crank], "
                                   "point: [0, 0.3, 0], axis: [0, 1, 0]}\n"));
  EXPECT_TRUE(mentions(scene, "5 of the 10 rows"));
}

TEST(JointStart, ALimitThatIsPassedIsRemarked) {
  const Scene scene =
      parse_scene("scene", linkage("    - {name: pivot, kind: revolute, bodies: [ground, crank], "
                                   "point: [0, 0, 0], axis: [0, 1, 0], "
                                   "limits: {lower: 0.1}}\n"));
  EXPECT_TRUE(mentions(scene, "beyond its limit by 0.1"));
}

// A body hung on one that is driven, with the velocity that this has.
TEST(JointStart, ADrivenBodyMovesFromTheStart) {
  const Scene scene = parse_scene("scene", R"(clack: 1
system:
  type: rigid-bodies
  materials: {m: {mu: 0}}
  bodies:
    - {name: crane, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1], driven: {velocity: [2, 0, 0]}}
    - {name: load, shape: {sphere: {radius: 0.1}}, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], velocity: [2, 0, 0]}
  joints:
    - {name: hook, kind: spherical, bodies: [crane, load], point: [0, 0, 1]}
simulation: {step: 1.0e-3, end: 0.1}
)");
  EXPECT_TRUE(scene.remarks.empty()) << scene.remarks[0];
  EXPECT_NEAR((body(scene, 1).v - Vector3(2, 0, 0)).norm(), 0, 1e-15);
}

// A crank driven to angle 0.3 at the start: the mechanism is turned there.
TEST(JointStart, ADriveIsFollowedFromTheStart) {
  const Scene scene =
      parse_scene("scene", linkage("    - {name: pivot, kind: revolute, bodies: [ground, crank], "
                                   "point: [0, 0, 0], axis: [0, 1, 0], "
                                   "drive: {position: 0.3 + 2*t}}\n"));
  const BodyState crank = body(scene, 0);
  EXPECT_NEAR((crank.position - 0.5 * Vector3(std::cos(0.3), 0, -std::sin(0.3))).norm(), 0, 1e-12);
  EXPECT_NEAR(crank.omega.y(), 2, 1e-12);
}

}  // namespace
}  // namespace clack
