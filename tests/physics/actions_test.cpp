// Dry friction, drives and servos along positions of formulas, against closed forms.
#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "support.hpp"

namespace clack {
namespace {

test::Outcome run(const std::string& text, const std::string& scheme, double end) {
  const Scene scene = parse_scene(
      "scene", text, {"simulation.scheme=" + scheme, "simulation.end=" + std::to_string(end)});
  const test::Outcome outcome = test::run(scene, [](const Simulation&) {});
  EXPECT_EQ(outcome.failed_steps, 0) << scheme;
  EXPECT_LT(outcome.balance, 1e-12) << scheme;
  return outcome;
}

std::string block(const std::string& force, const std::string& action, const std::string& v = "0") {
  return R"(
clack: 1
system:
  type: lagrangian
  coordinates: [x]
  kinetic: 0.5*2*x'^2
  forces: {x: ")" +
         force + R"("}
  actions: [{name: act, along: x, )" +
         action + R"(}]
initial: {q: [0], v: [)" +
         v + R"(]}
simulation: {step: 1.0e-3, end: 1}
solver: {tolerance: 1.0e-10}
)";
}

const std::vector<std::string> kSchemes = {"moreau-jean", "generalized-alpha", "newmark",
                                           "moreau-midpoint"};

TEST(Actions, FrictionHoldsABlockUpToItsBoundAndBrakesItByNoMore) {
  for (const std::string& scheme : kSchemes) {
    const test::Outcome held = run(block("3.999", "friction: 4"), scheme, 1);
    EXPECT_LT(std::abs(held.q[0]), 1e-12) << scheme;
    const test::Outcome pulled = run(block("10", "friction: 4"), scheme, 1);
    EXPECT_NEAR(pulled.v[0], 3, 1e-9) << scheme;
    EXPECT_NEAR(pulled.energy.work_friction, -4 * pulled.q[0], 1e-6) << scheme;
    // Slides 4 = v^2 m/2F and stays.
    const test::Outcome braked = run(block("0", "friction: 4", "4"), scheme, 3);
    EXPECT_NEAR(braked.q[0], 4, 5e-3) << scheme;
    EXPECT_LT(std::abs(braked.v[0]), 1e-12) << scheme;
  }
}

TEST(Actions, ADriveReachesItsSpeedWithItsLimitAndKeepsIt) {
  for (const std::string& scheme : kSchemes) {
    const test::Outcome half = run(block("0", "drive: {velocity: 6, limit: 4}"), scheme, 1.5);
    EXPECT_NEAR(half.v[0], 3, 1e-9) << scheme;
    const test::Outcome there = run(block("-1", "drive: {velocity: 6, limit: 4}"), scheme, 6);
    EXPECT_NEAR(there.v[0], 6, 1e-9) << scheme;
    EXPECT_NEAR(there.r[0] / 1e-3, 1, 1e-6) << scheme;
    EXPECT_GT(there.energy.work_external, 0) << scheme;
  }
}

TEST(Actions, AServoGivesByTheForceOverItsStiffness) {
  for (const std::string scheme : {"moreau-jean", "moreau-midpoint"}) {
    const test::Outcome end =
        run(block("-5", "servo: {position: 0.3, stiffness: 1000, damping: 90}"), scheme, 2);
    EXPECT_NEAR(end.q[0], 0.3 - 5e-3, 1e-6) << scheme;
    // No stiffness is too large.
    const test::Outcome stiff =
        run(block("-5", "servo: {position: 0.3, stiffness: 1.0e12}"), scheme, 1);
    EXPECT_NEAR(stiff.q[0], 0.3, 1e-5) << scheme;
  }
}

// A force along the rim is a torque by its radius.
TEST(Actions, ActAlongADefinedPosition) {
  const std::string text = R"(
clack: 1
system:
  type: lagrangian
  coordinates: [a]
  define: {rim: 0.4*a}
  kinetic: 0.5*0.8*a'^2
  actions: [{name: brake, along: rim, friction: 3}]
initial: {q: [0], v: [6]}
simulation: {step: 1.0e-3, end: 1}
solver: {tolerance: 1.0e-10}
)";
  for (const std::string& scheme : kSchemes) {
    const test::Outcome end = run(text, scheme, 1);
    EXPECT_NEAR(end.v[0], 6 - 3 * 0.4 / 0.8, 1e-9) << scheme;
    EXPECT_NEAR(end.energy.work_friction, -3 * 0.4 * end.q[0], 1e-6) << scheme;
  }
}

TEST(Actions, InAnAssemblyBrakeABody) {
  const std::string text = R"(
clack: 1
system:
  type: assembly
  parts:
    things:
      type: rigid-bodies
      gravity: [0, 0, 0]
      materials: {steel: {}}
      bodies: [{name: ball, shape: {sphere: {radius: 0.1}}, mass: 2, inertia: [1, 1, 1], velocity: [4, 1, 0]}]
    cart: {type: lagrangian, coordinates: [y], kinetic: 0.5*y'^2}
  springs: []
  actions: [{name: brake, along: ball_x - y, friction: 1}]
simulation: {step: 1.0e-3, end: 1}
solver: {tolerance: 1.0e-10}
)";
  const test::Outcome end = run(text, "moreau-jean", 1);
  EXPECT_NEAR(end.v[0], 4 - 0.5, 1e-9);
  EXPECT_NEAR(end.v[1], 1, 1e-12);
  EXPECT_NEAR(end.v[6], 1, 1e-9);
}

TEST(Actions, OfAnEventDrivenRunAndWithoutALawAreRefused) {
  const auto fault = [](const std::string& text, const std::string& scheme) -> std::string {
    try {
      (void)parse_scene("scene", text, {"simulation.scheme=" + scheme});
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(fault(block("0", "friction: 4"), "event-driven").find("joint-friction"),
            std::string::npos);
  EXPECT_NE(
      fault(block("0", "friction: 4, drive: {velocity: 1}"), "moreau-jean").find("needs one of"),
      std::string::npos);
  EXPECT_NE(fault(block("0", "friction: -4"), "moreau-jean").find(">= 0"), std::string::npos);
}

}  // namespace
}  // namespace clack
