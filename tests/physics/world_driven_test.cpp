// Driven bodies, loads, births, removals and filters against closed forms.
#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "tests/physics/world_support.hpp"

namespace clack {
namespace {

TEST(WorldDriven, ABlockOnABeltSlidesWithMuGUntilItHasTheSpeedOfTheBelt) {
  const double mu = 0.4, speed = 1.2, h = 1e-3;
  Arrangement setup(mu);
  setup.add_held(BodyKind::driven, make_shape(Box({5, 5, 0.1})), {0, 0, -0.1}).motion =
      BodyFunctions({"0.72", "0.96", "0", "0", "0", "0"});  // |v| = 1.2 along (0.6, 0.8)
  setup.add(make_shape(Box({0.1, 0.1, 0.02})), {0, 0, 0.02});
  test::BodySimulation simulation = setup.simulate(h, 1e-12);
  double fed = 0, friction = 0;
  run_world(simulation, 0.6, [&](const test::BodySimulation& s) {
    const double expected = std::min(speed, mu * kGravity * s.time());
    ASSERT_NEAR(s.state().bodies[1].v.dot(Vector3(0.6, 0.8, 0)), expected, 1e-8);
    ASSERT_NEAR(s.state().bodies[0].position.x(), 0.72 * s.time(), 1e-12);
    fed += s.energy().work_contact;
    friction += s.energy().work_friction;
  });
  const double mass = setup.world->bodies[1].mass;
  // The belt gives twice the kinetic energy; half of it is rubbed away.
  EXPECT_NEAR(fed, mass * speed * speed, 1e-3 * mass);
  EXPECT_NEAR(friction, -0.5 * mass * speed * speed, 1e-3 * mass);
}

TEST(WorldDriven, AMotionInTheSpinOfABodyTurnsIt) {
  Arrangement setup;
  setup.add_held(BodyKind::driven, make_shape(Sphere(0.1))).motion =
      BodyFunctions({"0", "0", "0", "0", "0", "2"});
  test::BodySimulation simulation = setup.simulate(1e-3);
  run_world(simulation, 0.5);
  // Cayley's map turns by 2 atan(h omega/2) a step.
  const double angle = 500 * 2 * std::atan(1e-3);
  EXPECT_NEAR(rotation_vector(simulation.state().bodies[0].rotation).z(), angle, 1e-12);
}

TEST(WorldDriven, APathIsTakenExactlyHoweverManyStepsThereAre) {
  Arrangement setup;
  const BodyFunctions path({"sin(3*t)", "t^2", "-t", "20*t", "0.1", "sin(t)"});
  setup.add_held(BodyKind::driven, make_shape(Sphere(0.1))).path = path;
  test::BodySimulation simulation = setup.simulate(1e-3);
  for (int k = 0; k < 5000; ++k) EXPECT_EQ(simulation.step(), Status::converged);
  const std::array<double, 6> p = path.at(simulation.time());
  const BodyState& s = simulation.state().bodies[0];
  EXPECT_EQ(s.position, Vector3(p[0], p[1], p[2]));
  EXPECT_EQ(s.rotation.coeffs(), rotation_of({p[3], p[4], p[5]}).coeffs());
}

TEST(WorldDriven, APathHasTheVelocitiesThatLeadFromPoseToPose) {
  Arrangement setup;
  setup.add_held(BodyKind::driven, make_shape(Sphere(0.1))).path =
      BodyFunctions({"t^2", "0", "0", "0", "0", "7*t"});
  test::BodySimulation simulation = setup.simulate(1e-2);
  for (int k = 0; k < 300; ++k) {
    EXPECT_EQ(simulation.step(), Status::converged);
    const double t = simulation.time();
    ASSERT_NEAR(simulation.state().bodies[0].v.x(), 2 * t - 1e-2, 1e-10);
    ASSERT_LT((simulation.state().bodies[0].omega - Vector3(0, 0, 7)).norm(), 1e-10);
  }
}

TEST(WorldDriven, ABallOnAShakenPlateStaysOnItAndTakesItsWorkFromThere) {
  // The acceleration stays below g: the ball never leaves.
  Arrangement setup(0, 0);
  setup.add_held(BodyKind::driven, make_shape(Box({1, 1, 0.1}))).path =
      BodyFunctions({"0", "0", "0.02*sin(20*t)", "0", "0", "0"});
  setup.add(make_shape(Sphere(0.1)), {0, 0, 0.2}).v.z() = 0.4;  // that of the plate
  test::BodySimulation simulation = setup.simulate(1e-3, 1e-13);
  double fed = 0;
  run_world(simulation, 1, [&](const test::BodySimulation& s) {
    fed += s.energy().work_contact;
    ASSERT_NEAR(s.state().bodies[1].position.z(), 0.2 + 0.02 * std::sin(20 * s.time()), 1e-10);
  });
  const EnergyAudit& energy = simulation.energy();
  const double start = setup.last_body().mass * (0.2 * kGravity + 0.5 * 0.16);
  // The rule's own share, of first order in h, is the rest.
  EXPECT_NEAR(fed, energy.kinetic + energy.potential - start, 0.01 * start);
}

TEST(WorldDriven, APlateInThePlaneFollowsItsPathAndTurns) {
  Arrangement setup(0.5, 0, true);
  setup.add_held(BodyKind::driven, make_shape(Disc(0.3))).path =
      BodyFunctions({"0.1*t", "0", "0", "0", "0", "3*t"});
  test::BodySimulation simulation = setup.simulate(1e-3);
  run_world(simulation, 2);
  const BodyState& s = simulation.state().bodies[0];
  EXPECT_NEAR(s.position.x(), 0.2, 1e-15);
  EXPECT_NEAR(s.omega.z(), 3, 1e-10);
  EXPECT_NEAR(2 * std::atan2(s.rotation.z(), s.rotation.w()), 6, 1e-12);
}

TEST(WorldDriven, FunctionsThatDoNotFitTheBodyAreRefused) {
  const BodyFunctions some({"t", "0", "0", "0", "0", "0"}), out({"0", "0", "1", "0", "0", "0"}),
      bad({"1/t", "0", "0", "0", "0", "0"});
  auto expect_refused = [](bool planar, const std::function<void(Body&)>& change) {
    Arrangement setup(0.5, 0, planar);
    change(setup.add_held(BodyKind::driven, planar ? make_shape(Disc(1)) : make_shape(Sphere(1))));
    EXPECT_THROW(setup.simulate(1e-3), InputError);
  };
  expect_refused(false, [&](Body& b) { b.load = some; });
  expect_refused(false, [&](Body& b) { b.motion = b.path = some; });
  expect_refused(false, [&](Body& b) { b.kind = BodyKind::fixed, b.path = some; });
  expect_refused(false, [&](Body& b) { b.path = bad; });
  expect_refused(true, [&](Body& b) { b.path = out; });
}

// Under a load that is linear in time the middle of the step is exact for the velocity.
TEST(WorldLoads, AForceThatGrowsWithTimeGivesTheExactVelocityAndSum) {
  for (const bool planar : {false, true}) {
    Arrangement setup(0.5, 0, planar);
    setup.world->gravity.setZero();
    setup.add(planar ? make_shape(Disc(0.2)) : make_shape(Sphere(0.2)), {0, 0, 0});
    setup.last_body().load = BodyFunctions({"6*t", "-2", "0", "0", "0", "4*t"});
    const double h = 1e-2, m = setup.last_body().mass, J = setup.last_body().moments.z();
    test::BodySimulation simulation = setup.simulate(h);
    run_world(simulation, 1);
    const BodyState& s = simulation.state().bodies[0];
    EXPECT_NEAR(s.v.x(), 3 / m, 1e-13);
    EXPECT_NEAR(s.v.y(), -2 / m, 1e-13);
    EXPECT_NEAR(s.omega.z(), 2 / J, 1e-12);
    EXPECT_NEAR(s.position.x(), 3 / m * h * h * h * 100 * 101 * 201 / 6, 1e-12);
  }
}

TEST(WorldLoads, ATorqueInSpaceChangesTheAngularMomentumOfAnyBodyToRoundOff) {
  const Vector3 torque(0.3, -0.2, 0.5), start(1, 3, -2);
  Arrangement setup;
  setup.world->gravity.setZero();
  setup.add(make_shape(Box({0.1, 0.06, 0.04})), {0, 0, 0}).omega = start;
  setup.last_body().load = BodyFunctions({"0", "0", "0", "0.3", "-0.2", "0.5"});
  const Vector3 J = setup.last_body().moments;
  test::BodySimulation simulation = setup.simulate(1e-3);
  run_world(simulation, 0.5);
  const BodyState& s = simulation.state().bodies[0];
  const Vector3 expected = J.cwiseProduct(start) + 0.5 * torque;
  EXPECT_LT((s.rotation * J.cwiseProduct(s.omega) - expected).norm(), 1e-12 * expected.norm());
}

TEST(WorldPresence, ABodyBornLateFallsLikeOneThatStartsThen) {
  Arrangement setup(0.3, 0.5), late(0.3, 0.5);
  for (Arrangement* one : {&setup, &late}) {
    one->add_plane(Vector3::UnitZ());
    one->add(make_shape(Sphere(0.1)), {0, 0, 0.3}).v = {1, 0, 0};
  }
  late.last_body().birth = 0.1;
  test::BodySimulation simulation = setup.simulate(1e-3), born = late.simulate(1e-3);
  double brought = 0;
  while (born.time() < 0.1 - 1e-9) {
    ASSERT_EQ(born.step(), Status::converged);
    ASSERT_TRUE(born.contacts().empty());
    ASSERT_EQ(born.state().bodies[1].position, Vector3(0, 0, 0.3));
    ASSERT_EQ(born.state().bodies[1].v, Vector3(1, 0, 0));
    ASSERT_NO_FATAL_FAILURE(expect_closed_ledger(born));
    brought += born.energy().work_external;
  }
  EXPECT_NEAR(brought, late.last_body().mass * (0.5 + 0.3 * kGravity), 1e-10);
  run_world(simulation, 0.5);
  run_world(born, 0.6);
  EXPECT_LT((simulation.state().bodies[1].position - born.state().bodies[1].position).norm(),
            1e-11);
}

TEST(WorldPresence, WhatIsNotThereIsNotTouched) {
  Arrangement setup(0.3);
  setup.add(make_shape(Sphere(0.1)), {0, 0, 0}).v = {1, 0, 0};
  setup.add(make_shape(Sphere(0.1)), {0.5, 0, 0});
  setup.last_body().birth = 10;
  setup.add(make_shape(Sphere(0.1)), {0.9, 0, 0});
  setup.last_body().removal = 0.1;
  setup.world->gravity.setZero();
  test::BodySimulation simulation = setup.simulate(1e-3);
  double taken = 0;
  run_world(simulation, 1.5,
            [&](const test::BodySimulation& s) { taken += s.energy().work_external; });
  EXPECT_EQ(simulation.state().bodies[0].v, Vector3(1, 0, 0));
  EXPECT_EQ(taken, 0);  // it took nothing along: it rested
}

TEST(WorldPresence, ABoxFallsOnceItsSupportIsRemovedAndTheLedgerKnows) {
  Arrangement setup(0.3);
  setup.add(make_shape(Box({1, 1, 0.1})), {0, 0, -0.1});
  setup.last_body().load = BodyFunctions({"0", "0", "0", "0", "0", "0"});
  setup.last_body().removal = 0.2;
  setup.add(make_shape(Box({0.1, 0.1, 0.1})), {0, 0, 0.1});
  setup.add_plane(Vector3::UnitZ());
  setup.state.bodies.back().position.z() = -0.2;
  test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
  double taken = 0;
  run_world(simulation, 0.2,
            [&](const test::BodySimulation& s) { taken += s.energy().work_external; });
  EXPECT_NEAR(simulation.state().bodies[1].position.z(), 0.1, 1e-9);
  EXPECT_NEAR(taken, setup.world->bodies[0].mass * kGravity * 0.1, 1e-6);
  run_world(simulation, 0.3);
  EXPECT_NEAR(simulation.state().bodies[1].v.z(), -kGravity * 0.1, 1e-8);
}

TEST(WorldFilters, BodiesTouchWhereEachCollidesWithTheGroupOfTheOther) {
  struct Case {
    unsigned group_a, collides_a, group_b, collides_b;
    bool touch;
  };
  for (const Case& c : {Case{1, ~0u, 1, ~0u, true}, Case{1, 2, 2, 1, true}, Case{1, 2, 2, 2, false},
                        Case{1, 1, 2, 1, false}, Case{6, 8, 12, 2, true}}) {
    Arrangement setup;
    setup.world->gravity.setZero();
    setup.add(make_shape(Sphere(0.1)), {0, 0, 0}).v = {1, 0, 0};
    setup.last_body().group = c.group_a, setup.last_body().collides = c.collides_a;
    setup.add(make_shape(Sphere(0.1)), {0.4, 0, 0});
    setup.last_body().group = c.group_b, setup.last_body().collides = c.collides_b;
    test::BodySimulation simulation = setup.simulate(1e-3);
    run_world(simulation, 1);
    EXPECT_NEAR(simulation.state().bodies[0].v.x(), c.touch ? 0.5 : 1, 1e-9);
  }
}

TEST(WorldFilters, ALawOfAPairStandsInPlaceOfTheMeansOfTheMaterials) {
  Arrangement setup(0.5);
  setup.world->materials.push_back({"ice", 900, 0.02, 0});
  EXPECT_NEAR(setup.world->law(0, 1).mu, 0.1, 1e-15);
  setup.world->pairs.push_back({1, 0, 0.07, 0});
  setup.add_plane(Vector3::UnitZ());
  setup.world->bodies[0].material = 1;
  setup.add(make_shape(Box({0.1, 0.1, 0.1})), {0, 0, 0.1}).v = {1, 0, 0};
  test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
  run_world(simulation, 0.5);
  EXPECT_NEAR(simulation.state().bodies[1].v.x(), 1 - 0.07 * kGravity * 0.5, 1e-8);
}

}  // namespace
}  // namespace clack
