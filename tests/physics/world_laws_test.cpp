// Laws and links between rigid bodies against closed forms: rolling, drilling, ties, rods, wires,
// bonds.
#include <gtest/gtest.h>

#include <numbers>

#include "clack/model/laws/law_list.hpp"
#include "tests/physics/world_support.hpp"

namespace clack {
namespace {

using Numbers = std::map<std::string, double>;

LawPtr friction(const std::string& name, const Numbers& numbers) {
  return combine_laws(make_law(LawKind::normal, "newton", {}),
                      make_law(LawKind::friction, name, numbers), nullptr);
}

void set_pair(Arrangement& setup, LawPtr law, int a = 0, int b = 0) {
  setup.world->pairs.push_back({a, b, 0, 0, std::move(law)});
}

// Ties two bodies at a point, for its normal from one to the other.
void tie(Arrangement& setup, int a, int b, const Vector3& point, const Vector3& normal,
         const std::string& name) {
  const BodyState &x = setup.state.bodies[static_cast<std::size_t>(a)],
                  &y = setup.state.bodies[static_cast<std::size_t>(b)];
  Link link;
  link.a = a;
  link.b = b;
  link.point_a = x.rotation.conjugate() * (point - x.position);
  link.point_b = y.rotation.conjugate() * (point - y.position);
  link.normal = x.rotation.conjugate() * normal;
  link.law = make_law(LawKind::link, name, {});
  setup.world->links.push_back(link);
}

// Between the centres of two bodies.
void connect(Arrangement& setup, int a, int b, double length, const std::string& name,
             const Numbers& numbers) {
  Link link;
  link.a = a;
  link.b = b;
  link.axial = true;
  link.length = length;
  link.law = make_law(LawKind::link, name, numbers);
  setup.world->links.push_back(link);
}

void add_fixed(Arrangement& setup, const ShapePtr& shape, const Vector3& position) {
  setup.add_held(BodyKind::fixed, shape, position);
}

// m v' = -F, 2/5 m R^2 w' = F R - mu_r m g, v = R w: v' = -mu_r g/(R (1 + 2/5)).
TEST(WorldLaws, ARollingBallIsSlowedByTheArmOfItsTorqueUntilItRests) {
  const double R = 0.1, arm = 4e-3, slowing = arm * kGravity / (1.4 * R), start = 0.5;
  Arrangement setup;
  set_pair(setup, friction("rolling", {{"mu", 0.5}, {"mu_r", arm}}));
  setup.add_plane(Vector3::UnitZ());
  BodyState& ball = setup.add(make_shape(Sphere(R)), {0, 0, R});
  ball.v = {0.6 * start, 0.8 * start, 0};
  ball.omega = Vector3::UnitZ().cross(ball.v) / R;
  test::BodySimulation simulation = setup.simulate(0.01);
  run_world(simulation, 2, [&](const test::BodySimulation& s) {
    const double speed = std::max(start - slowing * s.time(), 0.0);
    const BodyState& now = s.state().bodies[1];
    ASSERT_NEAR(now.v.x(), 0.6 * speed, 1e-8) << s.time();
    ASSERT_NEAR(now.v.y(), 0.8 * speed, 1e-8);
    ASSERT_NEAR(now.omega.norm(), speed / R, 1e-7);
  });
  EXPECT_GT(simulation.time(), 1.1 * start / slowing);  // 1.78 s: it came to rest on the way
}

// 2/5 m R^2 w' = -arm m g, the arm that of the law or mu 3 pi/16 of the contact's radius.
TEST(WorldLaws, ASpinningBallStopsAfterTheTimeOfItsDrillingTorque) {
  const double R = 0.1, start = 5, mu = 0.3, disc = 0.01;
  const std::vector<std::pair<LawPtr, double>> cases = {
      {friction("rolling", {{"mu", mu}, {"mu_r", 1e-3}, {"mu_s", 2e-3}}), 2e-3},
      {friction("contensou", {{"mu", mu}, {"radius", disc}}),
       mu * 3 * std::numbers::pi / 16 * disc}};
  for (const auto& [law, arm] : cases) {
    Arrangement setup;
    set_pair(setup, law);
    setup.add_plane(Vector3::UnitZ());
    setup.add(make_shape(Sphere(R)), {0, 0, R}).omega = {0, 0, start};
    const double slowing = arm * kGravity / (0.4 * R * R);
    test::BodySimulation simulation = setup.simulate(0.01);
    run_world(simulation, 1.5 * start / slowing, [&](const test::BodySimulation& s) {
      ASSERT_NEAR(s.state().bodies[1].omega.z(), std::max(start - slowing * s.time(), 0.0), 1e-7)
          << s.time();
      ASSERT_LT(s.state().bodies[1].v.norm(), 1e-9);
    });
  }
}

// A ball and a brick thrown on a floor; stated as plain contacts, or in blocks where a third body
// has a law that plain contacts cannot take.
TEST(WorldLaws, CoulombAsALawMovesBodiesAsThePlainNumbersDo) {
  for (const double e_n : {0.0, 0.4}) {
    const auto thrown = [&](bool law, bool blocks) {
      Arrangement setup(0.3, e_n);
      setup.world->materials.push_back({"other", 1000, 0.3, e_n});
      if (law)
        set_pair(setup, combine_laws(make_law(LawKind::normal, "newton", {{"e_n", e_n}}),
                                     make_law(LawKind::friction, "coulomb", {{"mu", 0.3}}), {}));
      set_pair(setup, friction("rolling", {{"mu", 0.3}, {"mu_r", blocks ? 1e-3 : 0}}), 0, 1);
      setup.add_plane(Vector3::UnitZ());
      setup.add(make_shape(Sphere(0.1)), {0, 0, 0.12}).v = {1, 0.5, -0.3};
      setup.add(make_shape(Box({0.1, 0.05, 0.03})), {0, 1, 0.035}).v = {0.8, 0.1, 0};
      setup.add(make_shape(Sphere(0.1)), {0, 2, blocks ? 0.1 : 1.0});
      setup.last_body().material = 1;
      test::BodySimulation simulation = setup.simulate(2e-3, 1e-11);
      run_world(simulation, 0.3);
      return simulation.state();
    };
    const WorldState plain = thrown(false, false);
    for (const bool blocks : {false, true}) {
      const WorldState other = thrown(true, blocks);
      for (const std::size_t i : {1, 2}) {
        EXPECT_LT((plain.bodies[i].v - other.bodies[i].v).norm(), 1e-8) << i << blocks;
        EXPECT_LT((plain.bodies[i].position - other.bodies[i].position).norm(), 1e-8)
            << i << blocks;
      }
    }
  }
}

// A disc on a hinge: T = 2 pi sqrt((L^2 + R^2/2)/(g L)) (1 + amplitude^2/16).
TEST(WorldLaws, ADiscOnAHingeSwingsWithThePeriodOfItsInertia) {
  const double L = 0.5, R = 0.2, amplitude = 0.1;
  const double known = 2 * std::numbers::pi * std::sqrt((L * L + 0.5 * R * R) / (kGravity * L)) *
                       (1 + amplitude * amplitude / 16);
  const auto swing = [&](double h) {
    Arrangement setup(0, 0, true);
    add_fixed(setup, make_shape(Disc(0.01)), Vector3::Zero());
    setup.add(make_shape(Disc(R)), L * Vector3(std::sin(amplitude), -std::cos(amplitude), 0));
    tie(setup, 0, 1, Vector3::Zero(), Vector3::UnitY(), "hinge");
    test::BodySimulation simulation = setup.simulate(h);
    double before = 1, first = 0, last = 0;
    int crossings = 0;
    run_world(simulation, 5, [&](const test::BodySimulation& s) {
      const double x = s.state().bodies[1].position.x();
      if (x * before < 0) {
        last = s.time() - h * x / (x - before);
        if (crossings++ == 0) first = last;
      }
      before = x;
      // The tie stands on velocities: what its direction turns in a step is left behind.
      ASSERT_NEAR(s.state().bodies[1].position.norm(), L, 0.3 * h * s.time());
      ASSERT_NEAR(s.state().bodies[1].v.norm(), L * std::abs(s.state().bodies[1].omega.z()),
                  20 * h);
    });
    return 2 * (last - first) / (crossings - 1);
  };
  const double coarse = std::abs(swing(4e-3) / known - 1), fine = std::abs(swing(1e-3) / known - 1);
  EXPECT_LT(coarse, 4e-3);
  EXPECT_LT(fine, 0.35 * coarse);
}

// In line, one pushed: half the acceleration each; as a cantilever, shear and moment are held.
TEST(WorldLaws, GluedBodiesMoveAsOne) {
  const ShapePtr cube = make_shape(Box({0.05, 0.05, 0.05}));
  Arrangement pair;
  pair.world->gravity.setZero();
  pair.add(cube, {0, 0, 0});
  pair.last_body().load = BodyFunctions({"3", "0", "0", "0", "0", "0"});
  pair.add(cube, {0.2, 0, 0}).v = {0, 0, 0};
  tie(pair, 0, 1, {0.1, 0, 0}, Vector3::UnitX(), "glue");
  const double mass = pair.last_body().mass;
  test::BodySimulation pushed = pair.simulate(0.01);
  run_world(pushed, 2, [&](const test::BodySimulation& s) {
    const BodyState &a = s.state().bodies[0], &b = s.state().bodies[1];
    ASSERT_NEAR((b.position - a.position).x(), 0.2, 1e-9);
    ASSERT_NEAR(b.v.x(), 3 * s.time() / (2 * mass), 1e-8);
  });

  Arrangement beam;
  add_fixed(beam, cube, Vector3::Zero());
  beam.add(cube, {0.2, 0, 0});
  tie(beam, 0, 1, {0.05, 0, 0}, Vector3::UnitX(), "glue");
  test::BodySimulation held = beam.simulate(0.01);
  run_world(held, 2, [&](const test::BodySimulation& s) {
    ASSERT_LT((s.state().bodies[1].position - Vector3(0.2, 0, 0)).norm(), 1e-9);
    ASSERT_LT(s.state().bodies[1].omega.norm(), 1e-9);
  });
}

// Two cubes on one glue that are thrown tumbling turn as one body.
TEST(WorldLaws, GluedBodiesThatTurnKeepTheirDistance) {
  for (const double h : {4e-3, 1e-3}) {
    Arrangement setup;
    setup.world->gravity.setZero();
    for (const double x : {-0.1, 0.1}) {
      BodyState& body = setup.add(make_shape(Box({0.05, 0.05, 0.05})), {x, 0, 0});
      body.omega = {0, 0, 2};
      body.v = {0, 2 * x, 0};
    }
    tie(setup, 0, 1, Vector3::Zero(), Vector3::UnitX(), "glue");
    test::BodySimulation simulation = setup.simulate(h);
    run_world(simulation, 1);
    const BodyState &a = simulation.state().bodies[0], &b = simulation.state().bodies[1];
    EXPECT_LT((a.rotation * a.omega - b.rotation * b.omega).norm(), 1e-8);
    EXPECT_NEAR(a.omega.z(), 2, 1e-3 * h / 4e-3);
    EXPECT_NEAR((a.position - b.position).norm(), 0.2, 1e-13);
  }
}

// Slack it falls freely, taut it hangs, thrown up it is free again.
TEST(WorldLaws, ARigidWirePullsOnly) {
  const double h = 1e-3, length = 1, slack = 0.1;
  Arrangement setup;
  add_fixed(setup, make_shape(Sphere(0.01)), Vector3::Zero());
  setup.add(make_shape(Sphere(0.05)), {0, 0, -(length - slack)});
  const double weight = setup.last_body().mass * kGravity;
  connect(setup, 0, 1, length, "wire", {});
  test::BodySimulation simulation = setup.simulate(h);
  const double taut = std::sqrt(2 * slack / kGravity);
  run_world(simulation, 0.5, [&](const test::BodySimulation& s) {
    const BodyState& ball = s.state().bodies[1];
    if (s.time() < taut - 2 * h) {
      ASSERT_NEAR(ball.v.z(), -kGravity * s.time(), 1e-9);
    } else if (s.time() > taut + 2 * h) {
      ASSERT_NEAR(ball.v.z(), 0, 1e-9);
      ASSERT_NEAR(ball.position.z(), -length, 1e-9);
      ASSERT_NEAR(s.holding(0).reaction.force.norm(), weight, 1e-6 * weight);
    }
  });
  setup.state = simulation.state();
  setup.state.bodies[1].v.z() = 1;
  test::BodySimulation up = setup.simulate(h);
  run_world(up, setup.state.t + 0.15, [&](const test::BodySimulation& s) {
    ASSERT_NEAR(s.state().bodies[1].v.z(), 1 - kGravity * (s.time() - setup.state.t), 1e-9);
  });
}

// e+ (1 + k/2) - (2 - k/2) e + e- = 0 with k = h^2 w^2: positions move with v+ and the spring takes
// their mean (eq:rod_link), so that it loses amplitude by h w^2/4 a second.
TEST(WorldLaws, ARodOscillatesAtTheFrequencyOfItsSpring) {
  const double h = 1e-3, omega = 20, length = 0.5, amplitude = 0.05;
  Arrangement setup(0, 0, true);
  setup.world->gravity.setZero();
  add_fixed(setup, make_shape(Disc(0.01)), Vector3::Zero());
  setup.add(make_shape(Disc(0.1)), {length + amplitude, 0, 0});
  connect(setup, 0, 1, length, "rod", {{"k", setup.last_body().mass * omega * omega}});
  test::BodySimulation simulation = setup.simulate(h, 1e-12);
  const double k = h * h * omega * omega;
  double older = amplitude, old = amplitude, first = 0, last = 0;
  int crossings = 0;
  run_world(simulation, 3, [&](const test::BodySimulation& s) {
    const double e = s.state().bodies[1].position.x() - length;
    if (s.steps() > 1) {
      ASSERT_NEAR(e * (1 + k / 2), (2 - k / 2) * old - older, 1e-12);
    }
    if (e * old < 0) {
      last = s.time() - h * e / (e - old);
      if (crossings++ == 0) first = last;
    }
    older = old;
    old = e;
  });
  EXPECT_NEAR((crossings - 1) * std::numbers::pi / (last - first), omega, 1e-3 * omega);
}

const Numbers kBond = {{"c_n", 1e8}, {"c_t", 1e8}, {"s_1", 1e4},
                       {"s_2", 2e4}, {"G_1", 5},   {"G_2", 8}};

// A fixed disc, a free one bonded to it, and a driven body that draws the free one away.
Arrangement drawn_discs(double a, double b, double speed) {
  Arrangement setup(0.4, 0, true);
  setup.world->gravity.setZero();
  setup.world->materials.push_back({"driver", 1000, 0, 0});
  set_pair(setup, combine_laws(make_law(LawKind::normal, "velocity", {}),
                               make_law(LawKind::friction, "coulomb", {{"mu", 0.4}}),
                               make_law(LawKind::cohesion, "bilinear", kBond)));
  add_fixed(setup, make_shape(Disc(a)), Vector3::Zero());
  setup.add(make_shape(Disc(b)), {a + b, 0, 0}).v = {speed, 0, 0};
  Body& driver = setup.add_held(BodyKind::driven, make_shape(Disc(0.1 * b)), {a + 3 * b, 0, 0});
  driver.material = 1;
  driver.motion = BodyFunctions({std::to_string(speed), "0", "0", "0", "0", "0"});
  tie(setup, 1, 2, {a + 2 * b, 0, 0}, Vector3::UnitX(), "glue");
  return setup;
}

TEST(WorldLaws, ABondTakesItsFractureEnergyFromTheDrive) {
  const double a = 0.1, b = 0.06, known = 5 * a * b / (a + b);
  const Arrangement setup = drawn_discs(a, b, 0.01);
  test::BodySimulation simulation = setup.simulate(1e-3, 1e-12);
  ASSERT_EQ(simulation.bonds().made(), 1U);
  double drive = 0, bond_work = 0;
  int steps = 0;
  run_world(simulation, 0.3, [&](const test::BodySimulation& s) {
    drive += s.energy().work_contact;
    for (std::size_t c = 0; c < s.contacts().size(); ++c) {
      const std::span<const double> memory = s.laws().memory(static_cast<int>(c));
      if (s.contacts()[c].b == 1 && memory.size() > 1) bond_work = memory[1];
    }
    steps += s.bonds().holding() == 1;
  });
  EXPECT_EQ(simulation.bonds().holding(), 0U);
  EXPECT_GT(steps, 50);
  EXPECT_NEAR(bond_work, known, 1e-6 * known);
  EXPECT_NEAR(drive, known, 1e-6 * known);
  EXPECT_NEAR(simulation.state().bodies[1].v.x(), 0.01, 1e-12);
}

TEST(WorldLaws, AWorldWithBondsThatBreakGoesOnBitByBit) {
  for (const int before : {1, 40, 90, 120}) {
    const Arrangement setup = drawn_discs(0.1, 0.06, 0.01);
    test::BodySimulation whole = setup.simulate(1e-3, 1e-10), again = setup.simulate(1e-3, 1e-10);
    for (int k = 0; k < before; ++k) (void)whole.step();
    const Checkpoint checkpoint = whole.checkpoint();
    for (int k = 0; k < 150; ++k) (void)whole.step();
    again.restore(checkpoint);
    for (int k = 0; k < 150; ++k) (void)again.step();
    ASSERT_NO_FATAL_FAILURE(expect_same_bits(again, whole)) << before;
    ASSERT_EQ(again.bonds().holding(), whole.bonds().holding());
    ASSERT_EQ(again.laws().memory(), whole.laws().memory());
  }
}

}  // namespace
}  // namespace clack
