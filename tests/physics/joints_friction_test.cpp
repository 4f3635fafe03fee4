// Friction of joints, their stops, and impacts that go through them, against closed forms.
#include "mechanism_support.hpp"

namespace clack {
namespace {

using test::kPi;
using test::Mechanism;

// J 0.5 at 100 rad/s: 2 N m stop it in 25 s after 1250 rad; bearings under 20 kg in 127.4209989806
// s. What has stopped does not creep.
TEST(BrakedFlywheel, StopsAtTheTimeOfTheClosedFormAndDoesNotCreep) {
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    const double h = 1e-2;
    Mechanism wheels =
        Mechanism::example("braked_shaft", {test::scheme_is(scheme), test::step_is(h)});
    wheels.run_to(24.9);
    EXPECT_NEAR(wheels.spin("braked").x(), 0.4, 1e-9) << scheme;
    EXPECT_NEAR(wheels.reaction("brake")[5], -2, 1e-9) << scheme;
    EXPECT_NEAR(wheels.reaction("bearings")[5], -0.3924, 1e-8) << scheme;
    wheels.run_to(25 + h);
    EXPECT_LT(wheels.spin("braked").norm(), 1e-12) << scheme;
    // stewart-trinkle turns by 2 atan(h w/2) in a step.
    if (std::string(scheme) == "moreau-jean") {
      EXPECT_NEAR(wheels.coordinate("brake_angle"), 1250, 1e-6);
    }
    wheels.run_to(127.4209989806 - h);
    EXPECT_NEAR(wheels.spin("coasting").x(), 0.01 * 0.7848, 0.01) << scheme;
    EXPECT_GT(wheels.spin("coasting").x(), 1e-4) << scheme;
    wheels.run_to(127.4209989806 + 2 * h);
    EXPECT_LT(wheels.spin("coasting").norm(), 1e-12) << scheme;
    const double rest = wheels.coordinate("bearings_angle"),
                 other = wheels.coordinate("brake_angle");
    wheels.run_to(wheels.time() + 1000 * h);
    EXPECT_NEAR(wheels.coordinate("bearings_angle"), rest, 1e-11) << scheme;
    EXPECT_NEAR(wheels.coordinate("brake_angle"), other, 1e-11) << scheme;
    EXPECT_NEAR(wheels.totals().work_friction, -5000, 1e-6) << scheme;
    wheels.expect_sound(scheme);
  }
}

// A constant load below the bound is held for 10,000 steps without creep.
TEST(BrakedFlywheel, HoldsALoadBelowItsBoundWithoutCreep) {
  const char* const scene = R"(clack: 1
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
simulation: {step: 1.0e-3, end: 10}
)";
  Mechanism wheels = Mechanism::text(scene);
  wheels.run_to(10);
  wheels.expect_sound();
  for (const char* joint : {"one", "two"})
    EXPECT_LT(std::abs(wheels.coordinate(std::string(joint) + "_angle")), 1e-11);
  EXPECT_NEAR(wheels.reaction("one")[5], -1.99, 1e-9);
  EXPECT_NEAR(wheels.reaction("two")[5], -0.39, 1e-9);
}

const char* const kFrictionPendulum = R"(clack: 1
parameters: {start: pi/3}
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -9.81]
  materials: {wood: {}}
  bodies:
    - {name: rod, shape: {capsule: {radius: 0.01, length: 1}}, mass: 1, inertia: 1/12, position: [0.5*sin(start), -0.5*cos(start)], rotation: start - pi/2}
  joints:
    - {name: pin, kind: revolute, bodies: [ground, rod], point: [0, 0], start: start, friction: FRICTION}
simulation: {step: 2.0e-4, end: 6}
)";

std::string friction_pendulum(const std::string& friction) {
  std::string text = kFrictionPendulum;
  return text.replace(text.find("FRICTION"), 8, friction);
}

// Turning angles by the energy balance m g l/2 (cos a - cos b) = 0.5 |a - b| of each half swing.
TEST(FrictionPendulum, TurnsAtTheAnglesOfTheClosedFormAndComesToRest) {
  for (const char* scheme : {"stewart-trinkle", "moreau-jean", "generalized-alpha"}) {
    const bool drifts = std::string(scheme) != "stewart-trinkle";
    Mechanism rod = Mechanism::text(friction_pendulum("0.5"), {test::scheme_is(scheme)});
    const double expected[] = {-46.422177684, 33.705839769, -21.536851548, 9.688833282};
    std::vector<double> turns;
    double before = -1, first = 0;
    while (rod.time() < 6) {
      rod.step();
      const double rate = rod.rate("pin_angle");
      if (before * rate < 0 || (before != 0 && std::abs(rate) < 1e-9)) {
        turns.push_back(rod.coordinate("pin_angle") * 180 / kPi);
        if (turns.size() == 1) first = rod.time();
      }
      before = std::abs(rate) < 1e-9 ? 0 : rate;
    }
    ASSERT_GE(turns.size(), 5u) << scheme;
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(turns[k], expected[k], drifts ? 0.1 : 0.02) << scheme << k;
    EXPECT_NEAR(first, .8687328298, 1e-3) << scheme;
    EXPECT_NEAR(rod.coordinate("pin_angle") * 180 / kPi, 2.021355128, drifts ? 0.2 : 0.05)
        << scheme;
    EXPECT_LT(std::abs(rod.rate("pin_angle")), 1e-9) << scheme;
    rod.expect_sound(scheme);
  }
}

// sin(angle) = 2 mu r/l for the force of the pin at rest, m g: 1.719131321 degrees.
TEST(FrictionPendulum, OnAPinRestsWithinItsConeOfFriction) {
  const std::string scene = friction_pendulum("{mu: 0.3, radius: 0.05}");
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    for (const double degrees : {1.70, 1.74}) {
      Mechanism rod = Mechanism::text(
          scene,
          {test::scheme_is(scheme), "parameters.start=" + std::to_string(degrees * kPi / 180)});
      const double start = rod.coordinate("pin_angle");
      rod.run_to(0.3);
      const double way = std::abs(rod.coordinate("pin_angle") - start);
      if (degrees < 1.7191)
        EXPECT_LT(way, 1e-12) << scheme;
      else
        EXPECT_GT(way, 1e-5) << scheme;
      rod.expect_sound(scheme);
    }
  }
}

// A rod on a pin at its end is struck across at x by P: w = 3 P x/(m l^2), the pin gives P (3x/2l -
// 1). With friction of its load, mu r = 0.015, struck at the tip: w = 2.977995110 instead of 3.
TEST(StruckRod, PinGivesTheImpulseOfTheClosedFormWithAndWithoutFriction) {
  const auto scene = [](double x, const std::string& friction) {
    return "clack: 1\nparameters: {h: 1.0e-6, x: " + std::to_string(x) + R"(}
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, 0]
  materials: {wood: {}}
  bodies:
    - {name: rod, shape: {capsule: {radius: 0.01, length: 1}}, mass: 1, inertia: 1/12, position: [0.5, 0], force: [0, 1/h], torque: (x - 0.5)/h}
  joints:
    - {name: pin, kind: revolute, bodies: [ground, rod], point: [0, 0])" +
           friction + "}\nsimulation: {step: 1.0e-6, end: 1}\n";
  };
  for (const char* scheme : {"stewart-trinkle", "moreau-jean", "rattle"}) {
    for (const double x : {0.5, 2.0 / 3, 1.0}) {
      Mechanism rod = Mechanism::text(scene(x, ""), {test::scheme_is(scheme)});
      rod.step();
      EXPECT_NEAR(rod.spin("rod").z(), 3 * x, 1e-5) << scheme;
      EXPECT_NEAR(rod.reaction("pin")[1] * rod.h(), 1.5 * x - 1, 1e-5) << scheme;
      EXPECT_EQ(rod.failed(), 0) << scheme;
    }
    if (std::string(scheme) == "rattle") continue;  // has no place for laws of its own
    Mechanism rod =
        Mechanism::text(scene(1, ", friction: {mu: 0.3, radius: 0.05}"), {test::scheme_is(scheme)});
    rod.step();
    EXPECT_EQ(rod.failed(), 0) << scheme;
    EXPECT_NEAR(rod.spin("rod").z(), 2.977995110, 2e-6) << scheme;
    EXPECT_NEAR(rod.reaction("pin")[5] * rod.h(), -.015 * 0.5 * 2.977995110 + .015, 1e-6) << scheme;
  }
}

// Impact times on a stop by quadrature of the swing between them, e = 0.5.
TEST(DoorWithStop, StrikesAtTheTimesOfTheClosedFormAndComesToRest) {
  struct Case {
    const char* stop;
    std::vector<double> times;
    double speed;
  };
  const Case cases[] = {
      {"pi/2", {.4833337136, 1.3298722719, 2.1553587632, 2.9759386811, 3.7953123033}, 5.4249423960},
      {"pi/3", {.3844985215, .8916095178, 1.2001629341, 1.3666567115, 1.4517678543}, 5.0484777541}};
  for (const char* scheme : {"stewart-trinkle", "rattle", "moreau-jean"}) {
    for (const Case& own : cases) {
      Mechanism door =
          Mechanism::example("door_with_stop", {test::scheme_is(scheme), test::step_is(2e-4),
                                                std::string("parameters.stop=") + own.stop});
      std::vector<double> times;
      double before = 0, fastest = 0;
      while (times.size() < 5 && door.time() < 4) {
        door.step();
        const double rate = door.rate("hinge_angle");
        fastest = std::min(fastest, rate);
        if (before < 0 && rate > 0) times.push_back(door.time());
        before = rate;
      }
      ASSERT_EQ(times.size(), 5u) << scheme << own.stop;
      for (std::size_t k = 0; k < 5; ++k)
        EXPECT_NEAR(times[k], own.times[k], 4e-3) << scheme << own.stop << k;
      EXPECT_NEAR(fastest, -own.speed, 4e-3) << scheme << own.stop;
    }
    Mechanism door =
        Mechanism::example("door_with_stop", {test::scheme_is(scheme), test::step_is(2e-4)});
    door.run_to(1.6);
    EXPECT_LT(std::abs(door.rate("hinge_angle")), 1e-9) << scheme;
    EXPECT_NEAR(door.coordinate("hinge_angle"), -kPi / 3,
                std::string(scheme) == "moreau-jean" ? 1e-3 : 1e-12)
        << scheme;
    EXPECT_NEAR(door.reaction("hinge")[5], 2.4525, 1e-5) << scheme;
    door.expect_sound(scheme);
  }
}

// The tip of a double pendulum strikes a wall: W = H'M_c^-1 H of the joined rods, not of the outer
// one alone.
TEST(ImpactThroughJoints, TakesTheInertiaOfAllThatIsJoined) {
  const auto scene = [](double e, double mu) {
    return "clack: 1\nparameters: {e: " + std::to_string(e) + ", mu: " + std::to_string(mu) +
           R"(, a: pi/6, b: pi/18}
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, 0]
  materials: {wood: {mu: mu, e_n: e}}
  bodies:
    - {name: wall, shape: {line: {normal: [-1, 0], offset: -sin(a) - sin(b)}}, fixed: true}
    - {name: upper, shape: {polygon: {points: [[-0.5, -0.001], [0.5, 0], [-0.5, 0.001]]}}, mass: 1, inertia: 1/12, position: [0.5*sin(a), -0.5*cos(a)], rotation: a - pi/2, velocity: [cos(a), sin(a)], spin: 2}
    - {name: lower, shape: {polygon: {points: [[-0.5, -0.001], [0.5, 0], [-0.5, 0.001]]}}, mass: 1, inertia: 1/12, position: [sin(a) + 0.5*sin(b), -cos(a) - 0.5*cos(b)], rotation: b - pi/2, velocity: [2*cos(a) + 0.75*cos(b), 2*sin(a) + 0.75*sin(b)], spin: 1.5}
  joints:
    - {name: pivot, kind: revolute, bodies: [ground, upper], point: [0, 0]}
    - {name: elbow, kind: revolute, bodies: [upper, lower], point: [sin(a), -cos(a)]}
simulation: {step: 1.0e-8, end: 1}
)";
  };
  for (const char* scheme : {"stewart-trinkle", "moreau-jean", "rattle"}) {
    const std::vector<std::string> set = {test::scheme_is(scheme)};
    Mechanism rods = Mechanism::text(scene(0.5, 0), set);
    for (int k = 0; k < 3; ++k) rods.step();
    EXPECT_EQ(rods.failed(), 0) << scheme;
    EXPECT_NEAR(rods.spin("upper").z(), 3.1295452461, 1e-6) << scheme;
    EXPECT_NEAR(rods.spin("lower").z(), -4.3814611438, 1e-6) << scheme;

    Mechanism rough = Mechanism::text(scene(0.5, 0.3), set);
    for (int k = 0; k < 3; ++k) rough.step();
    EXPECT_NEAR(rough.spin("upper").z(), 2.93722189, 1e-6) << scheme;
    EXPECT_NEAR(rough.spin("lower").z(), -4.21233482, 1e-6) << scheme;

    Mechanism soft = Mechanism::text(scene(0, 0), set);
    for (int k = 0; k < 3; ++k) soft.step();
    EXPECT_NEAR(soft.totals().work_impact, -1.5531021841, 1e-5) << scheme;
  }
  Mechanism rods = Mechanism::text(scene(0.5, 0));
  rods.step();
  const auto pivot = rods.reaction("pivot"), elbow = rods.reaction("elbow");
  EXPECT_NEAR(pivot[0] * 1e-8, .0230990, 1e-5);
  EXPECT_NEAR(pivot[1] * 1e-8, .3365064, 1e-5);
  EXPECT_NEAR(elbow[0] * 1e-8, -.4660084, 1e-5);
  EXPECT_NEAR(elbow[1] * 1e-8, .0541201, 1e-5);
}

}  // namespace
}  // namespace clack
