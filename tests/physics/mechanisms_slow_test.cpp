// Mechanisms over a million steps.
#include "mechanism_support.hpp"

namespace clack {
namespace {

using test::Mechanism;

// The energy of a chaotic motion stays in the band of the first steps.
TEST(MillionSteps, OfADoublePendulumKeepItsEnergy) {
  Mechanism rods = Mechanism::example("double_pendulum", {test::step_is(1e-3)});
  const double start = rods.energy();
  double worst = 0, late = 0;
  for (long k = 0; k < 1000000; ++k) {
    rods.step();
    worst = std::max(worst, std::abs(rods.energy() - start));
    if (k > 900000) late = std::max(late, std::abs(rods.energy() - start));
  }
  std::printf("  energy error %.3g J, %.3g J of the last 100,000 steps\n", worst, late);
  EXPECT_LT(worst, 0.3);
  EXPECT_LT(rods.drift(), 1e-12);
  rods.expect_sound();
}

TEST(MillionSteps, OfRattleKeepTheEnergyOfADoublePendulumToSecondOrder) {
  Mechanism rods =
      Mechanism::example("double_pendulum", {test::scheme_is("rattle"), test::step_is(1e-3)});
  const double start = rods.energy();
  double worst = 0;
  for (long k = 0; k < 1000000; ++k) {
    rods.step();
    worst = std::max(worst, std::abs(rods.energy() - start));
  }
  std::printf("  energy error %.3g J\n", worst);
  EXPECT_LT(worst, 0.05);
  rods.expect_sound();
}

// Loads below the bound of a brake and of a bearing.
TEST(MillionSteps, OfAHeldLoadShowNoCreep) {
  Mechanism wheels = Mechanism::text(R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {steel: {}}
  shapes: {wheel: {box: {size: [0.1, 0.3, 0.3]}}}
  bodies:
    - {name: brake, shape: wheel, mass: 20, inertia: [0.5, 0.4, 0.4], torque: [1.99, 0, 0]}
    - {name: bearing, shape: wheel, mass: 20, inertia: [0.5, 0.4, 0.4], position: [1, 0, 0], torque: [0.39, 0, 0]}
  joints:
    - {name: one, kind: revolute, bodies: [ground, brake], point: [0, 0, 0], axis: [1, 0, 0], friction: 2}
    - {name: two, kind: revolute, bodies: [ground, bearing], point: [1, 0, 0], axis: [1, 0, 0], friction: {mu: 0.1, radius: 0.02}}
simulation: {step: 1.0e-3, end: 1000}
)");
  for (long k = 0; k < 1000000; ++k) wheels.step();
  wheels.expect_sound();
  std::printf("  angles %.3g and %.3g rad\n", wheels.coordinate("one_angle"),
              wheels.coordinate("two_angle"));
  for (const char* joint : {"one_angle", "two_angle"})
    EXPECT_LT(std::abs(wheels.coordinate(joint)), 1e-9);
}

}  // namespace
}  // namespace clack
