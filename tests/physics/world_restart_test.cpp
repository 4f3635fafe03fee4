// A world taken up again from a checkpoint goes on bit by bit.
#include <gtest/gtest.h>

#include <algorithm>

#include "clack/core/error.hpp"
#include "tests/physics/world_support.hpp"

namespace clack {
namespace {

// Spheres and boxes that fall on a moving plate, one of them born late.
Arrangement make_heap() {
  Arrangement setup(0.4, 0.3);
  setup.state.t = 0.25;
  setup.add_plane(Vector3::UnitZ());
  setup.add_held(BodyKind::driven, make_shape(Box({0.4, 0.4, 0.05}))).path =
      BodyFunctions({"0.05*sin(20*t)", "0", "0.06", "0", "0", "0.3*sin(7*t)"});
  setup.add_held(BodyKind::driven, make_shape(Box({0.05, 0.5, 0.5})), {-0.7, 0, 0.5}).motion =
      BodyFunctions({"2*t", "0", "0", "0", "0", "0.5"});
  for (int k = 0; k < 12; ++k) {
    const Vector3 place(0.11 * (k % 3) - 0.1, 0.13 * (k / 3 % 2), 0.25 + 0.22 * (k / 3));
    if (k % 2)
      setup.add(make_shape(Sphere(0.1)), place).omega = {1, 2, 3};
    else
      setup
          .add(make_shape(Box({0.1, 0.07, 0.09})), place,
               Quaternion(1, 0.1 * k, 0.2, 0).normalized())
          .v = {0.1, 0, -1};
  }
  setup.last_body().birth = 0.3;
  setup.last_body().load = BodyFunctions({"1", "sin(50*t)", "0", "0", "0.1", "0"});
  return setup;
}

Arrangement make_planar_heap() {
  Arrangement setup(0.4, 0.2, true);
  setup.add_plane(Vector3::UnitY());
  const std::vector<Eigen::Vector2d> corners = {
      {-0.1, -0.08}, {0.1, -0.08}, {0.1, 0.08}, {-0.1, 0.08}};
  for (int k = 0; k < 10; ++k) {
    const Vector3 place(0.17 * (k % 2) + 0.01 * k, 0.15 + 0.2 * (k / 2), 0);
    setup.add(k % 3 ? make_shape(Disc(0.1)) : make_shape(Polygon(corners)), place).omega.z() = k;
  }
  return setup;
}

void expect_restarts(const Arrangement& setup, const std::string& solver, int before, int after) {
  test::BodySimulation whole = setup.simulate(2e-3, 1e-8, solver),
                       other = setup.simulate(2e-3, 1e-8, solver);
  for (int k = 0; k < before; ++k) (void)whole.step();
  ASSERT_GT(*std::max_element(whole.r().begin(), whole.r().end()), 0);
  const Checkpoint checkpoint = whole.checkpoint();
  for (int k = 0; k < after; ++k) (void)whole.step();
  WorldState elsewhere = setup.state;
  elsewhere.t = -3;
  for (BodyState& body : elsewhere.bodies) body.position.x() += 0.5;
  Arrangement moved = setup;
  moved.state = elsewhere;
  test::BodySimulation fresh = moved.simulate(2e-3, 1e-8, solver);
  for (int k = 0; k < 7; ++k) (void)other.step();
  for (test::BodySimulation* again : {&fresh, &other}) {
    again->restore(checkpoint);
    for (int k = 0; k < after; ++k) (void)again->step();
    ASSERT_NO_FATAL_FAILURE(expect_same_bits(*again, whole));
  }
}

TEST(WorldRestart, AHeapInSpaceGoesOnBitByBit) { expect_restarts(make_heap(), "bodies", 90, 60); }

TEST(WorldRestart, AHeapInThePlaneGoesOnBitByBit) {
  expect_restarts(make_planar_heap(), "bodies", 150, 60);
}

TEST(WorldRestart, OneStepAfterTheCheckpointIsTheSame) {
  for (const int before : {40, 121}) expect_restarts(make_heap(), "nsgs", before, 1);
}

TEST(WorldRestart, ACheckpointOfAnotherWorldIsRefused) {
  test::BodySimulation simulation = make_heap().simulate(1e-3);
  EXPECT_THROW(simulation.restore(make_planar_heap().simulate(1e-3).checkpoint()), InputError);
}

}  // namespace
}  // namespace clack
