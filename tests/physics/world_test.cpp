// Rigid bodies against closed forms and conservation laws.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/physics/world_support.hpp"

namespace clack {
namespace {

TEST(World, AFreeBodyTumblesWithConstantEnergyAndAngularMomentum) {
  Arrangement setup;
  setup.world->gravity.setZero();
  BodyState& s = setup.add(make_shape(Box({0.1, 0.2, 0.35})), {0, 0, 0});
  s.omega = {1e-3, 5, 1e-3};  // about the middle axis: it turns over again and again
  test::BodySimulation simulation = setup.simulate(1e-3);
  const Body& body = setup.world->bodies[0];
  auto momentum = [&](const BodyState& x) {
    return Vector3(x.rotation * body.moments.cwiseProduct(x.omega));
  };
  const Vector3 start = momentum(simulation.state().bodies[0]);
  const double energy = setup.world->kinetic_energy(simulation.state());
  double lowest = 1;
  for (int k = 0; k < 100000; ++k) {
    EXPECT_EQ(simulation.step(), Status::converged);
    lowest = std::min(lowest, (simulation.state().bodies[0].rotation * Vector3::UnitY()).y());
  }
  const BodyState& end = simulation.state().bodies[0];
  EXPECT_LT(lowest, -0.99);
  EXPECT_NEAR((momentum(end) - start).norm() / start.norm(), 0, 1e-10);
  EXPECT_NEAR(setup.world->kinetic_energy(simulation.state()) / energy, 1, 1e-10);
  EXPECT_NEAR(end.rotation.norm(), 1, 1e-14);
}

TEST(World, ABoxOnASlopeSticksBelowTheFrictionAngleAndSlidesExactlyAbove) {
  const double mu = 0.5;
  for (const double azimuth : {0.0, 0.7, 2.1}) {
    for (const double slope : {0.9 * std::atan(mu), 1.2 * std::atan(mu)}) {
      Arrangement setup(mu);
      const Vector3 normal(std::sin(slope) * std::cos(azimuth), std::sin(slope) * std::sin(azimuth),
                           std::cos(slope));
      setup.add_plane(normal);
      const Quaternion q = Quaternion::FromTwoVectors(Vector3::UnitZ(), normal);
      const Vector3 start = 0.1 * normal;
      setup.add(make_shape(Box({0.3, 0.2, 0.1})), start, q);
      test::BodySimulation simulation = setup.simulate(1e-3);
      run_world(simulation, 0.5);
      const Vector3 way = simulation.state().bodies[1].position - start;
      const Vector3 down =
          (setup.world->gravity - normal * normal.dot(setup.world->gravity)).normalized();
      const double a =
          slope > std::atan(mu) ? kGravity * (std::sin(slope) - mu * std::cos(slope)) : 0;
      EXPECT_NEAR(simulation.state().bodies[1].v.dot(down), a * 0.5, 1e-8);
      EXPECT_NEAR(way.dot(down), 0.5 * a * 0.25, 1.01 * 0.5 * a * 0.5 * 1e-3 + 1e-8);
      EXPECT_NEAR((way - down * way.dot(down)).norm(), 0, 1e-8);
    }
  }
}

TEST(World, ASphereRollsDownASlopeOrSlipsAsItsFrictionSays) {
  for (const double factor : {0.8, 1.3}) {  // of the slope above which it slips, tan a = 7/2 mu
    const double mu = 0.2, slope = std::atan(factor * 3.5 * mu);
    Arrangement setup(mu);
    const Vector3 normal(std::sin(slope), 0, std::cos(slope));
    setup.add_plane(normal);
    setup.add(make_shape(Sphere(0.25)), 0.25 * normal);
    test::BodySimulation simulation = setup.simulate(1e-3);
    run_world(simulation, 0.5);
    const double a = factor < 1 ? 5.0 / 7 * kGravity * std::sin(slope)
                                : kGravity * (std::sin(slope) - mu * std::cos(slope));
    EXPECT_NEAR(simulation.state().bodies[1].v.norm(), 0.5 * a, 1e-7);
  }
}

TEST(World, TheMatrixFreeSolverAndTheFamilyGiveTheSameMotion) {
  Arrangement arrangement(0.3);
  arrangement.add_plane(Vector3::UnitZ());
  // Spheres: with more than three points a body the forces, and with them friction's torque, are
  // not unique.
  arrangement.add(make_shape(Sphere(0.2)), {0, 0, 0.2}).v = {1, 0.5, 0};
  arrangement.add(make_shape(Sphere(0.1)), {0.05, 0, 0.497}).omega = {0, 4, 0};
  test::BodySimulation free = arrangement.simulate(1e-3),
                       assembled = arrangement.simulate(1e-3, 1e-10, "auto");
  run_world(free, 0.1);
  run_world(assembled, 0.1);
  for (std::size_t i = 0; i < 3; ++i) {
    const BodyState &a = free.state().bodies[i], &b = assembled.state().bodies[i];
    EXPECT_LT((a.position - b.position).norm() + (a.v - b.v).norm() + (a.omega - b.omega).norm(),
              1e-6)
        << i;
  }
}

TEST(World, ABallBouncesWithItsRestitution) {
  Arrangement setup(0, 0.8);
  setup.add_plane(Vector3::UnitZ());
  setup.add(make_shape(Sphere(0.1)), {0, 0, 1.1});
  test::BodySimulation simulation = setup.simulate(1e-5);
  const double fall = std::sqrt(2 / kGravity);
  run_world(simulation, fall + 0.8 * fall);
  EXPECT_NEAR(simulation.state().bodies[1].position.z() - 0.1, 0.64, 1e-3);
}

TEST(World, NothingPassesThroughAThinWallAtTenRadiiAStep) {
  Arrangement setup(0.3);
  setup.world->gravity.setZero();
  Body wall;
  wall.name = "wall";
  wall.kind = BodyKind::fixed;
  wall.shape = make_shape(Box({2, 2, 0.01}));
  setup.world->bodies.push_back(wall);
  setup.state.bodies.emplace_back();
  for (const double start : {0.3, 0.55, 0.8, 1.05}) {
    Arrangement one = setup;
    one.world = std::make_shared<RigidWorld>(*setup.world);
    one.add(make_shape(Sphere(0.05)), {0, 0, start}).v = {0, 0, -50};
    test::BodySimulation simulation = one.simulate(1e-2);
    run_world(simulation, 0.2);
    EXPECT_GE(simulation.state().bodies[1].position.z(), 0.06 - 1e-9) << start;
  }
}

TEST(World, ABoxAndAStackRestWithoutCreep) {
  for (const int boxes : {1, 5}) {
    Arrangement setup(0.4);
    setup.add_plane(Vector3::UnitZ());
    for (int k = 0; k < boxes; ++k)
      setup.add(make_shape(Box({0.1, 0.1, 0.1})), {0, 0, 0.1 + 0.2 * k});
    test::BodySimulation simulation = setup.simulate(5e-3, 1e-12);
    for (int k = 0; k < 2000; ++k) ASSERT_EQ(simulation.step(), Status::converged) << k;
    for (int k = 0; k < boxes; ++k) {
      const Vector3 moved = simulation.state().bodies[static_cast<std::size_t>(k + 1)].position -
                            Vector3(0, 0, 0.1 + 0.2 * k);
      EXPECT_LT(moved.norm(), 1e-10) << boxes << " " << k;
    }
  }
}

}  // namespace
}  // namespace clack
