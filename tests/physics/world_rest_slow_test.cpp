// What rests stays where it is: a million steps, with the default tolerance.
#include <gtest/gtest.h>

#include "tests/physics/world_support.hpp"

namespace clack {
namespace {

constexpr long kSteps = 1000000;

// Cubes of 1 m on each other; the farthest that one of them is from its place at the end.
double drift_of_stack(int cubes) {
  Arrangement setup(0.5);
  setup.add_plane(Vector3::UnitZ());
  for (int i = 0; i < cubes; ++i) setup.add(make_shape(Box({0.5, 0.5, 0.5})), {0, 0, 0.5 + i});
  SimulationOptions options = body_options();
  options.h = 1e-3;
  test::BodySimulation simulation(setup.world, setup.state, options);
  for (long k = 0; k < kSteps; ++k) {
    if (simulation.step() != Status::converged) return HUGE_VAL;
  }
  double drift = 0;
  for (std::size_t i = 0; i < setup.state.bodies.size(); ++i) {
    const BodyState &then = setup.state.bodies[i], &now = simulation.state().bodies[i];
    drift = std::max({drift, (now.position - then.position).norm(),
                      now.rotation.angularDistance(then.rotation)});
  }
  return drift;
}

TEST(WorldRest, ABoxOnAPlaneNeitherCreepsNorSinksInAMillionSteps) {
  EXPECT_LT(drift_of_stack(1), 1e-9);
}

TEST(WorldRest, AStackOfTwentyBoxesNeitherCreepsNorSinksInAMillionSteps) {
  EXPECT_LT(drift_of_stack(20), 1e-9);
}

}  // namespace
}  // namespace clack
