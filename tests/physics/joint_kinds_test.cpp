// A bead on a wire, a body in a bushing: joints by formulas and by springs alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "clack/analyse/measures.hpp"
#include "clack/io/scene/scene.hpp"
#include "clack/record/run.hpp"

namespace clack {
namespace {

std::string with_scheme(std::string scene, const std::string& scheme) {
  return scene + "simulation: {step: 1.0e-3, end: 1, scheme: " + scheme +
         "}\nsolver: {tolerance: 1.0e-10}\n";
}

constexpr const char* kWire = R"(clack: 1
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -10]
  materials: {m: {mu: 0}}
  bodies:
    - {name: bead, shape: {disc: {radius: 0.01}}, mass: 2, inertia: 1.0e-3, position: [0.5, 0.25]}
  joints:
    - {name: wire, kind: surface, bodies: [ground, bead], points: [[0, 0], [0.5, 0.25]], surfaces: y - x^2}
)";

// y = x^2 without friction: energy tells the speed, and the bead stays on the wire.
TEST(JointKinds, ABeadStaysOnItsWireAndKeepsItsEnergy) {
  for (const char* scheme : {"stewart-trinkle", "rattle", "moreau-direct-projection"}) {
    const Scene scene = parse_scene("scene", with_scheme(kWire, scheme));
    const auto run = make_run(scene, 1);
    const double start = run->energy().kinetic + run->energy().potential;
    double off = 0, lost = 0, lowest = 1;
    while (run->time() < 1 - 1e-9) {
      ASSERT_EQ(run->step(), Status::converged) << scheme << " at " << run->time();
      const double x = run->q()[0], y = run->q()[1];
      off = std::max(off, std::abs(y - x * x));
      lost = std::max(lost, std::abs(run->energy().kinetic + run->energy().potential - start));
      lowest = std::min(lowest, y);
    }
    EXPECT_LT(off, 1e-11) << scheme;
    EXPECT_LT(lost, 0.01 * 2 * 10 * 0.25) << scheme;
    EXPECT_LT(lowest, 1e-4) << scheme << ": it has gone through the bottom";
  }
}

constexpr const char* kBushing = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, 0]
  materials: {m: {mu: 0}}
  bodies:
    - {name: block, shape: {sphere: {radius: 0.01}}, mass: 2, inertia: [0.5, 0.5, 0.5], position: [0, 0, 0], velocity: [0.01, 0, 0], spin: [0, 0, 0.02]}
  joints:
    - name: mount
      kind: bushing
      bodies: [ground, block]
      point: [0, 0, 0]
      spring:
        - {coordinate: x, stiffness: 200}
        - {coordinate: turn_z, stiffness: 8, damping: 0.4}
)";

// w^2 = k/m along x; w^2 = k/J with damping about z.
TEST(JointKinds, ABodyInABushingOscillatesByItsStiffness) {
  for (const char* scheme : {"stewart-trinkle", "moreau-jean", "rattle", "generalized-alpha"}) {
    const Scene scene = parse_scene("scene", with_scheme(kBushing, scheme));
    const auto run = make_run(scene, 1);
    while (run->time() < 1 - 1e-9) ASSERT_EQ(run->step(), Status::converged) << scheme;
    const double t = run->time(), w = 10, decay = 0.4, turning = std::sqrt(16 - decay * decay);
    // That of the default step is of first order.
    const double bound = std::string(scheme) == "stewart-trinkle" ? 2e-5 : 2e-7;
    EXPECT_NEAR(run->q()[0], 0.01 / w * std::sin(w * t), bound) << scheme;
    const double angle = 2 * std::asin(run->q()[6]);
    EXPECT_NEAR(angle, 0.02 / turning * std::exp(-decay * t) * std::sin(turning * t), 2 * bound)
        << scheme;
  }
}

// A mechanism that moves freely has no free velocity but round-off, against which nothing is judged.
TEST(JointKinds, WithoutGravityNoStepMisses) {
  const std::string file = std::string(CLACK_SOURCE_DIR) + "/examples/cardan_joint.yaml";
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    const Scene scene =
        load_scene(file, {"system.gravity=[0, 0, 0]", "simulation.end=0.1",
                          "simulation.scheme=" + std::string(scheme), "solver.tolerance=1e-8"});
    const auto run = make_run(scene, 1);
    while (run->time() < 0.1 - 1e-9) ASSERT_EQ(run->step(), Status::converged) << run->time();
  }
}

// A rod that hangs at rest from a pin and is turned by a torque: coordinates and reactions by name.
TEST(JointKinds, MeasuresNameCoordinatesRatesAndReactions) {
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    const Scene scene = parse_scene("scene", with_scheme(R"(clack: 1
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -10]
  materials: {m: {mu: 0}}
  bodies:
    - {name: rod, shape: {capsule: {radius: 0.01, length: 0.5}}, mass: 2, inertia: 0.2, position: [0.5, 0]}
  joints:
    - {name: pin, kind: revolute, bodies: [ground, rod], point: [0, 0], drive: {position: 0.5*t^2}}
measures:
  - {name: angle, of: pin_angle}
  - {name: rate, of: pin_angle_rate}
  - {name: torque, of: pin_tz}
  - {name: force, of: pin_force - sqrt(pin_fx^2 + pin_fy^2)}
)",
                                                         scheme));
    const auto run = make_run(scene, 1);
    Measures measures(scene.measures);
    while (run->time() < 1 - 1e-9) ASSERT_EQ(run->step(), Status::converged) << scheme;
    measures.add(run->time(), run->measured_q(), run->measured_v());
    EXPECT_NEAR(measures.last(0), 0.5, 2e-3) << scheme;
    EXPECT_NEAR(measures.last(1), 1, 2e-3) << scheme;
    // J about the pin 0.7, weight 20 N at 0.5 m cos(0.5).
    EXPECT_NEAR(measures.last(2), 0.7 + 10 * std::cos(0.5), 2e-2) << scheme;
    EXPECT_NEAR(measures.last(3), 0, 1e-12) << scheme;
  }
}

}  // namespace
}  // namespace clack
