// Energy of mechanisms over many steps, and the ledger with everything that acts on joints.
#include "mechanism_support.hpp"

namespace clack {
namespace {

using test::Mechanism;

// Largest change of the energy in the first and in the last third of a run.
std::pair<double, double> energy_errors(Mechanism& mechanism, long steps) {
  const double start = mechanism.energy();
  double early = 0, late = 0;
  for (long k = 0; k < steps; ++k) {
    mechanism.step();
    const double error = std::abs(mechanism.energy() - start);
    if (k < steps / 3) early = std::max(early, error);
    if (k >= 2 * (steps / 3)) late = std::max(late, error);
  }
  return {early, late};
}

// SHAKE and RATTLE keep the energy of a chaotic motion within a band; m g l is 9.81 J.
TEST(MechanismEnergy, OscillatesWithoutDriftOverTenThousandStepsOfADoublePendulum) {
  for (const char* scheme : {"stewart-trinkle", "rattle"}) {
    Mechanism rods =
        Mechanism::example("double_pendulum", {test::scheme_is(scheme), test::step_is(1e-3)});
    const auto [early, late] = energy_errors(rods, 10000);
    std::printf("  %s: %.2g J at first, %.2g J at last\n", scheme, early, late);
    const double band = std::string(scheme) == "rattle" ? 5e-3 : 0.3;
    EXPECT_LT(early, band) << scheme;
    EXPECT_LT(late, band) << scheme;
    rods.expect_sound(scheme);
  }
}

TEST(MechanismEnergy, StaysWithinABandWhileAFourBarPassesItsSingularPositions) {
  Mechanism bars = Mechanism::example("four_bar", {test::step_is(2e-3)});
  const auto [early, late] = energy_errors(bars, 10000);
  EXPECT_LT(early, 0.6);  // of up to 70 J of kinetic energy
  EXPECT_LT(late, 0.6);
  EXPECT_LT(bars.drift(), 1e-5);
  bars.expect_sound();
}

// A cart with a servo of limited force, a pendulum with friction, spring, damper and limit, and an
// arm with a motor and a drive. Every step's ledger closes to round-off, and what the scheme itself
// adds falls with the step.
const char* const kEverything = R"(clack: 1
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -9.81]
  materials: {steel: {mu: 0}}
  shapes: {bar: {capsule: {radius: 0.02, length: 0.5}}}
  bodies:
    - {name: cart, shape: bar, mass: 2, inertia: 0.1, group: all, ignores: [all]}
    - {name: upper, shape: bar, mass: 1, inertia: 0.02, position: [0.25, 0], group: all, ignores: [all]}
    - {name: lower, shape: bar, mass: 1, inertia: 0.02, position: [0.75, 0], group: all, ignores: [all]}
    - {name: arm, shape: bar, mass: 0.5, inertia: 0.01, position: [-0.25, 0], group: all, ignores: [all]}
  joints:
    - {name: rail, kind: prismatic, bodies: [ground, cart], point: [0, 0], axis: [1, 0], damping: 0.5,
       servo: {position: 0.2*sin(3*t), stiffness: 200, damping: 5, limit: 15}}
    - {name: shoulder, kind: revolute, bodies: [cart, upper], point: [0, 0], friction: {force: 0.05, mu: 0.1, radius: 0.02},
       limits: {lower: -1.1, upper: 0.5, e_n: 0.5, radius: 0.1}, spring: {stiffness: 2, rest: -1, damping: 0.05}}
    - {name: elbow, kind: revolute, bodies: [upper, lower], point: [0.5, 0], motor: {force: 0.5*cos(5*t) - 0.1*v}}
    - {name: wrist, kind: revolute, bodies: [cart, arm], point: [0, 0], drive: {velocity: 3*cos(t), limit: 2}}
simulation: {step: 1.0e-3, end: 3}
)";

TEST(MechanismEnergy, LedgerClosesWithEverythingThatActsOnJoints) {
  for (const char* scheme : {"stewart-trinkle", "moreau-jean", "generalized-alpha"}) {
    double numerical[2] = {};
    for (const int k : {0, 1}) {
      Mechanism machine = Mechanism::text(
          kEverything, {test::scheme_is(scheme), test::step_is(k == 0 ? 2e-3 : 2.5e-4)});
      machine.run_to(1.5);
      machine.expect_sound(scheme);
      const EnergyAudit& works = machine.totals();
      EXPECT_LT(works.work_friction, -1e-3) << scheme;
      EXPECT_LT(works.work_damping, -1e-3) << scheme;
      EXPECT_LT(works.work_impact, -1e-3) << scheme;
      EXPECT_GT(std::abs(works.work_external), 0.1) << scheme;
      numerical[k] = std::abs(works.numerical) + std::abs(works.work_contact);
      std::printf(
          "  %-18s external %.4f damping %.4f friction %.4f impact %.4f contact %.2g numerical "
          "%.2g J\n",
          scheme, works.work_external, works.work_damping, works.work_friction, works.work_impact,
          works.work_contact, works.numerical);
    }
    EXPECT_LT(numerical[1], 0.5 * numerical[0]) << scheme;
  }
}

}  // namespace
}  // namespace clack
