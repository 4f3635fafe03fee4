// Joints of rigid bodies in the default step, beside other bodies and in long chains.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "clack/integrate/simulation.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"
#include "clack/model/laws/law_list.hpp"
#include "clack/model/sparse_linear_system.hpp"
#include "tests/support/body_simulation.hpp"
#include "world_support.hpp"

namespace clack {
namespace {

Link hinge(int a, int b, const Vector3& on_a, const Vector3& on_b) {
  Link link;
  link.name = "hinge";
  link.a = a;
  link.b = b;
  link.point_a = on_a;
  link.point_b = on_b;
  link.law = make_law(LawKind::link, "hinge", {});
  return link;
}

// A chain of balls that hangs level from a fixed one and is let go.
Arrangement chain(int count) {
  Arrangement setup(0);
  setup.add_held(BodyKind::fixed, make_shape(Sphere(0.01)));
  for (int i = 0; i < count; ++i) {
    setup.add(make_shape(Sphere(0.02)), {0.1 * (i + 1), 0, 0});
    const Vector3 on_a = i == 0 ? Vector3::Zero() : Vector3(0.05, 0, 0);
    const Vector3 on_b = i == 0 ? Vector3(-0.1, 0, 0) : Vector3(-0.05, 0, 0);
    setup.world->links.push_back(hinge(i, i + 1, on_a, on_b));
  }
  return setup;
}

TEST(Joints, APendulumKeepsItsLengthAndItsEnergyOverTenSeconds) {
  const Arrangement setup = chain(1);
  test::BodySimulation simulation = setup.simulate(1e-3);
  const double scale = setup.world->bodies.back().mass * kGravity * 0.1;
  double worst = 0, energy = 0;
  run_world(simulation, 10, [&](const test::BodySimulation& s) {
    worst = std::max(worst, std::abs(s.state().bodies[1].position.norm() - 0.1));
    energy = std::max(energy, std::abs(s.energy().kinetic + s.energy().potential));
  });
  EXPECT_LT(worst, 1e-10);
  EXPECT_LT(energy, 0.02 * scale);
}

TEST(Joints, AChainOfAThousandBodiesHolds) {
  const Arrangement setup = chain(1000);
  test::BodySimulation simulation = setup.simulate(1e-3, 1e-8);
  for (int k = 0; k < 5; ++k) ASSERT_EQ(simulation.step(), Status::converged);
  double worst = 0;
  for (std::size_t i = 0; i < setup.world->links.size(); ++i)
    worst = std::max(worst, simulation.link_drift(i));
  EXPECT_LT(worst, 1e-10);
}

// Three hinges on one line between two bodies: five rows too many.
TEST(Joints, ThatAreRedundantHoldAndMoveAsOne) {
  Arrangement setup(0);
  setup.add_held(BodyKind::fixed, make_shape(Sphere(0.01)), {-1, 0, 0});
  setup.add(make_shape(Box({0.2, 0.2, 0.02})), {0.1, 0, 0});
  for (const double y : {-0.1, 0.0, 0.1})
    setup.world->links.push_back(hinge(0, 1, {1, y, 0}, {-0.1, y, 0}));
  test::BodySimulation simulation = setup.simulate(1e-3, 1e-9);
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(simulation.step(), Status::converged) << simulation.time();
    for (std::size_t i = 0; i < 3; ++i) ASSERT_LT(simulation.link_drift(i), 1e-10);
  }
  const BodyState& door = simulation.state().bodies[1];
  EXPECT_NEAR(door.position.y(), 0, 1e-10);
  EXPECT_NEAR(door.position.norm(), 0.1, 1e-10);
}

// The other islands move bit by bit as they would without the joint.
TEST(Joints, LeaveOtherIslandsAlone) {
  Arrangement plain(0.5);
  plain.add_plane(Vector3::UnitZ());
  for (int i = 0; i < 4; ++i) plain.add(make_shape(Sphere(0.1)), {0.3 * i, 0, 0.15});
  plain.add_held(BodyKind::fixed, make_shape(Sphere(0.01)), {9, 0, 5});
  plain.add(make_shape(Sphere(0.02)), {9.1, 0, 5});
  Arrangement jointed = plain;
  jointed.world = std::make_shared<RigidWorld>(*plain.world);
  jointed.world->links.push_back(hinge(5, 6, Vector3::Zero(), {-0.1, 0, 0}));
  test::BodySimulation a = plain.simulate(1e-3), b = jointed.simulate(1e-3);
  for (int k = 0; k < 300; ++k) {
    ASSERT_EQ(a.step(), Status::converged);
    ASSERT_EQ(b.step(), Status::converged);
  }
  for (std::size_t i = 1; i <= 4; ++i)
    EXPECT_EQ(a.state().bodies[i].position, b.state().bodies[i].position) << i;
  EXPECT_NEAR((b.state().bodies[6].position - Vector3(9, 0, 5)).norm(), 0.1, 1e-12);
}

// Born in flight, thrown, taken away: as by the default step but for its order.
TEST(BodySchemes, BodiesAreBornAndRemovedUnderEveryKindOfScheme) {
  Arrangement setup(0.4);
  setup.add_plane(Vector3::UnitZ());
  setup.add(make_shape(Sphere(0.1)), {0, 0, 0.1});
  setup.last_body().removal = 0.3;
  setup.add(make_shape(Sphere(0.1)), {0.5, 0, 0.6}).v = {0.2, 0, -1};
  setup.last_body().birth = 0.1;
  const auto bodies = std::make_shared<RigidBodies>(setup.world, setup.state);
  for (const char* scheme : {"moreau-jean", "rattle", "generalized-alpha", "event-driven"}) {
    SimulationOptions options;
    options.scheme = scheme;
    options.h = 1e-3;
    options.solver = "auto";
    options.solver_options.tolerance = 1e-10;
    Simulation simulation(bodies, bodies->to_state(setup.state), options);
    for (int k = 0; k < 250; ++k) {
      ASSERT_EQ(simulation.step(), Status::converged) << scheme;
      const EnergyAudit& energy = simulation.last_step().energy;
      ASSERT_NEAR(energy.error, 0, 1e-9 * (1 + std::abs(energy.potential))) << scheme;
    }
    const double t = 0.15;  // of flight
    EXPECT_NEAR(simulation.q()[14], 0.5 + 0.2 * t, 1e-3) << scheme;
    EXPECT_NEAR(simulation.q()[16], 0.6 - t - 0.5 * kGravity * t * t, 5e-3) << scheme;
    for (int k = 0; k < 100; ++k) ASSERT_EQ(simulation.step(), Status::converged) << scheme;
    EXPECT_LT(simulation.v().segment<6>(6).norm(), 1e-12) << scheme;
  }
}

// A string of 20,000 masses above 200 stops: factorised once, then a step is cheap.
TEST(SparseSystem, AStringFallsOnItsStopsAndStaysAboveThem) {
  const int n = 20000, stops = 200;
  SparseLinearData data;
  MatrixEntries mass, stiffness, gaps;
  for (int i = 0; i < n; ++i) {
    mass.emplace_back(i, i, 1e-3);
    stiffness.emplace_back(i, i, 2e3);
    if (i + 1 < n) stiffness.emplace_back(i, i + 1, -1e3);
    if (i > 0) stiffness.emplace_back(i, i - 1, -1e3);
  }
  data.M.resize(n, n);
  data.M.setFromTriplets(mass.begin(), mass.end());
  data.K.resize(n, n);
  data.K.setFromTriplets(stiffness.begin(), stiffness.end());
  data.f = Vector::Constant(n, -1e-3 * kGravity);
  for (int c = 0; c < stops; ++c) {
    gaps.emplace_back(c * (n / stops) + 50, c, 1);
    Contact contact;
    contact.name = "stop";
    data.contacts.push_back(contact);
  }
  data.G.resize(n, stops);
  data.G.setFromTriplets(gaps.begin(), gaps.end());
  data.g0 = Vector::Constant(stops, 1e-6);
  const auto system = std::make_shared<SparseLinearSystem>(std::move(data));
  SimulationOptions options;
  options.h = 1e-3;
  options.solver = "auto";
  options.solver_options.tolerance = 1e-8;
  options.scheme = "moreau-jean";
  options.scheme_options.theta = 1;
  Simulation simulation(system, {0, Vector::Zero(n), Vector::Zero(n)}, options);
  double loaded = 0;
  for (int k = 0; k < 30; ++k) {
    ASSERT_EQ(simulation.step(), Status::converged);
    ASSERT_NEAR(simulation.last_step().energy.error, 0, 1e-10);
    loaded = std::max(loaded, simulation.last_step().r.maxCoeff());
  }
  EXPECT_GT(loaded, 0);
  EXPECT_LT(simulation.q().minCoeff(), -1e-6);
}

}  // namespace
}  // namespace clack
