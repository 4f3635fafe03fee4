// Bodies on one joint or two against closed forms and references of minimal coordinates.
#include "mechanism_support.hpp"

namespace clack {
namespace {

using test::kPi;
using test::Mechanism;
using test::Method;

// The IFToMM library's A01: a point mass on a rod of 1 m, from the level position at rest. A body
// with its centre at 0.5 m and J = m l/4 moves the same.
const char* const kSimplePendulum = R"(clack: 1
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -9.81]
  materials: {lead: {}}
  bodies:
    - {name: bob, shape: {disc: {radius: 0.01}}, mass: 1, inertia: 0.25, position: [-0.5, 0]}
  joints:
    - {name: pin, kind: revolute, bodies: [ground, bob], point: [0, 0]}
simulation: {step: 1.0e-3, end: 10}
)";

// Positions at 9.99 and 10 s by elliptic functions.
TEST(JointPendulum, PointMassIsWhereEllipticFunctionsPutItAfterTenSeconds) {
  for (const Method& method : test::methods()) {
    if (test::lets_joints_drift(method)) continue;  // lets the rod grow by 5 % in that time
    const double h = method.order == 1 ? 1e-3 : 4e-3;
    test::expect_converges(method, h, 0.3, [](const std::vector<std::string>& set) {
      Mechanism pendulum = Mechanism::text(kSimplePendulum, set);
      pendulum.run_to(10);
      pendulum.expect_sound(set[0]);
      EXPECT_LT(pendulum.drift(), 1e-12);
      return (2 * pendulum.position("bob") - Vector3(-.275087462576, -.961419205099, 0)).norm();
    });
  }
}

// Chrono's unit test of revolute joints: from the level position about an axis that lies along y.
const char* const kChrono = R"(clack: 1
parameters: {g: 9.80665}
system:
  type: rigid-bodies
  gravity: [0, 0, -g]
  materials: {steel: {}}
  bodies:
    - {name: bob, shape: {sphere: {radius: 0.1}}, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}
  joints:
    - {name: pin, kind: revolute, bodies: [ground, bob], point: [0, 0, 0], axis: [0, 1, 0]}
simulation: {step: 1.0e-3, end: 5}
)";

TEST(JointPendulum, RevoluteOfChronosTestIsAtItsPlaceAfterFiveSeconds) {
  for (const Method& method : test::methods()) {
    if (test::lets_joints_drift(method)) continue;
    const double h = method.order == 1 ? 1e-3 : 4e-3;
    test::expect_converges(method, h, 0.02, [](const std::vector<std::string>& set) {
      Mechanism pendulum = Mechanism::text(kChrono, set);
      pendulum.run_to(5);
      pendulum.expect_sound(set[0]);
      return (pendulum.position("bob") - Vector3(-1.99968386888, 0, -.0355587475452)).norm();
    });
  }
}

// At the bottom the pin carries m g + m l w^2 with w^2 = 2 m g l/(I + m l^2): 28.9415768293 N.
TEST(JointPendulum, ReactionAtTheBottomIsThatOfTheClosedForm) {
  for (const char* scheme : {"stewart-trinkle", "rattle", "generalized-alpha", "moreau-jean"}) {
    Mechanism pendulum = Mechanism::text(kChrono, {test::scheme_is(scheme), test::step_is(2e-4)});
    double largest = 0;
    while (pendulum.time() < 2) {
      pendulum.step();
      const auto r = pendulum.reaction("pin");
      largest = std::max(largest, std::hypot(r[0], r[1], r[2]));
    }
    EXPECT_NEAR(largest, 28.9415768293, 2e-2) << scheme;
  }
}

// theta'' = (-9 g/7, 3 g/7); the pivot carries 2 m g/7, the elbow pulls the lower rod down by m
// g/14.
TEST(DoublePendulum, StartsWithTheReactionsOfTheClosedForm) {
  const double g = 9.81;
  for (const char* scheme : {"stewart-trinkle", "rattle", "generalized-alpha", "moreau-jean"}) {
    const double h = 1e-5;
    Mechanism rods =
        Mechanism::example("double_pendulum", {test::scheme_is(scheme), test::step_is(h)});
    rods.step();
    EXPECT_NEAR(rods.spin("upper").z() / h, -9 * g / 7, 1e-4) << scheme;
    EXPECT_NEAR(rods.spin("lower").z() / h, 3 * g / 7, 1e-4) << scheme;
    EXPECT_NEAR(rods.reaction("pivot")[1], 2 * g / 7, 1e-4) << scheme;
    EXPECT_NEAR(rods.reaction("elbow")[1], -g / 14, 1e-4) << scheme;
  }
}

// The tip at 2 s, from two independent formulations in minimal and maximal coordinates.
TEST(DoublePendulum, TipIsAtTheReferenceAfterTwoSeconds) {
  for (const Method& method : test::methods()) {
    if (test::lets_joints_drift(method)) continue;
    const double h = method.order == 1 ? 4e-4 : 1e-3;
    test::expect_converges(method, h, 0.03, [](const std::vector<std::string>& set) {
      Mechanism rods = Mechanism::example("double_pendulum", set);
      rods.run_to(2);
      rods.expect_sound(set[0]);
      EXPECT_LT(rods.drift(), 1e-12);
      return (rods.point("lower", {0.5, 0, 0}) - Vector3(.3135247765, -1.9147466176, 0)).norm();
    });
  }
}

TEST(SphericalPendulum, IsAtTheReferenceAndItsRodCarriesTheTension) {
  for (const Method& method : test::methods()) {
    if (test::lets_joints_drift(method)) continue;
    if (test::is_in_joints(method)) continue;  // its rod is a distance, which fits no tree
    const double h = method.order == 1 ? 1e-3 : 2e-3;
    test::expect_converges(method, h, 3e-3, [](const std::vector<std::string>& set) {
      Mechanism bob = Mechanism::example("spherical_pendulum", set);
      bob.run_to(1);
      bob.expect_sound(set[0]);
      return (bob.position("bob") - Vector3(-.7383166596, -.4314920437, -.5183658230)).norm();
    });
  }
  // The first step of stewart-trinkle takes the velocity for that of half a step before: it is the
  // second one that has all of the centripetal force.
  for (const char* scheme : {"stewart-trinkle", "rattle", "generalized-alpha"}) {
    Mechanism bob =
        Mechanism::example("spherical_pendulum", {test::scheme_is(scheme), test::step_is(1e-5)});
    bob.step();
    bob.step();
    const auto r = bob.reaction("rod");
    EXPECT_NEAR(std::hypot(r[0], r[1], r[2]), 7.905, 1e-3) << scheme;
  }
}

// Lowest angle of the libration, and the azimuth that half of it takes (quadrature of the first
// integrals).
TEST(SphericalPendulum, LibratesBetweenTheRootsOfItsCubicAndTurnsItsEllipse) {
  Mechanism bob = Mechanism::example("spherical_pendulum", {test::scheme_is("rattle")});
  double lowest = 0, azimuth = 0, time = 0, before = -0.5;
  while (bob.time() < 0.7) {
    bob.step();
    const Vector3 x = bob.position("bob");
    if (x.z() < lowest) {
      lowest = x.z();
      azimuth = std::atan2(x.y(), x.x());
      time = bob.time();
    }
    before = x.z();
  }
  EXPECT_GT(before, lowest);
  EXPECT_NEAR(std::acos(-lowest) * 180 / kPi, 27.4271272396, 1e-3);
  EXPECT_NEAR(azimuth * 180 / kPi, 109.7547177771, 0.3);  // a step is 0.5 degrees there
  EXPECT_NEAR(time, .5398345813, 1e-3);
}

// Heavy top of Geradin and Cardona; the spin about its axis is constant.
TEST(HeavyTop, IsAtTheReferenceAndKeepsItsSpin) {
  for (const Method& method : test::methods()) {
    if (test::lets_joints_drift(method)) continue;
    const double h = method.order == 1 ? 2e-4 : 4e-4;
    test::expect_converges(method, h, 2e-2, [](const std::vector<std::string>& set) {
      Mechanism top = Mechanism::example("heavy_top", set);
      top.run_to(0.5);
      top.expect_sound(set[0]);
      const Vector3 axis = top.axis("top", {0, 0, 1});
      EXPECT_NEAR(top.spin("top").dot(axis), 150, 1e-9) << set[0];
      return (top.position("top") - Vector3(-.7024682971, -.0211651847, -.7114002577)).norm();
    });
  }
}

// A rotor on a bearing in a frame on a ball joint: steady precession (m a + m_f a_f) g/(I_3 s)
// about the vertical, with the axis level.
TEST(Gyroscope, OnARevolutePrecessesSteadily) {
  const char* const scene = R"(clack: 1
parameters: {g: 9.81, s: 200, rate: 1.6554375}
system:
  type: rigid-bodies
  gravity: [0, 0, -g]
  materials: {steel: {}}
  bodies:
    - {name: frame, shape: {box: {size: [0.15, 0.02, 0.02]}}, mass: 0.5, inertia: [1.0e-3, 2.0e-3, 2.0e-3], position: [0.075, 0, 0], velocity: [0, rate*0.075, 0], spin: [0, 0, rate]}
    - {name: rotor, shape: {box: {size: [0.02, 0.1, 0.1]}}, mass: 2, inertia: [0.01, 0.005, 0.005], position: [0.15, 0, 0], velocity: [0, rate*0.15, 0], spin: [s, 0, rate]}
  joints:
    - {name: socket, kind: spherical, bodies: [ground, frame], point: [0, 0, 0]}
    - {name: bearing, kind: revolute, bodies: [frame, rotor], point: [0.15, 0, 0], axis: [1, 0, 0]}
simulation: {step: 1.0e-4, end: 1}
)";
  const double rate = 1.6554375;
  for (const Method& method : test::methods()) {
    if (test::lets_joints_drift(method)) continue;
    const double h = method.order == 1 ? 2e-4 : 4e-4;
    test::expect_converges(method, h, 2e-3, [&](const std::vector<std::string>& set) {
      Mechanism gyro = Mechanism::text(scene, set);
      gyro.run_to(0.4);
      gyro.expect_sound(set[0]);
      EXPECT_NEAR(gyro.rate("bearing_angle"), 200, 0.02) << set[0];
      EXPECT_NEAR(gyro.coordinate("bearing_angle"), 80, 0.02) << set[0];
      const Vector3 expected = 0.15 * Vector3(std::cos(rate * 0.4), std::sin(rate * 0.4), 0);
      return (gyro.position("rotor") - expected).norm();
    });
  }
}

// Huygens: two pendula on a cart, here with bodies that move as points of 0.5 kg at 0.5 m on a cart
// of 2 kg would. In anti-phase the cart stays at rest at any amplitude; at 60 degrees a period
// takes 1.522312275996 s.
const char* const kHuygens = R"(clack: 1
parameters: {a: pi/3, b: -pi/3, c: 0, l: 0.45, m: 0.25/l, J: m*l*(0.5 - l)}
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, -9.81]
  materials: {steel: {}}
  bodies:
    - {name: cart, shape: {disc: {radius: 0.05}}, mass: 3 - 2*m, inertia: 1, group: all, ignores: [all]}
    - {name: left, shape: {disc: {radius: 0.01}}, mass: m, inertia: J, position: [-1 + l*sin(a), -l*cos(a)], group: all, ignores: [all]}
    - {name: right, shape: {disc: {radius: 0.01}}, mass: m, inertia: J, position: [1 + l*sin(b), -l*cos(b)], group: all, ignores: [all]}
  joints:
    - {name: rail, kind: prismatic, bodies: [ground, cart], point: [0, 0], axis: [1, 0], damping: c}
    - {name: left pin, kind: revolute, bodies: [cart, left], point: [-1, 0], start: a}
    - {name: right pin, kind: revolute, bodies: [cart, right], point: [1, 0], start: b}
simulation: {step: 1.0e-3, end: 5}
)";

TEST(Huygens, PendulaInAntiPhaseLeaveTheCartAtRest) {
  for (const Method& method : test::methods()) {
    if (test::lets_joints_drift(method)) continue;
    const double period = 1.522312275996, h = period / (method.order == 1 ? 2000 : 500);
    test::expect_converges(method, h, 0.02, [&](const std::vector<std::string>& set) {
      Mechanism pendula = Mechanism::text(kHuygens, set);
      pendula.run_to(period);
      pendula.expect_sound(set[0]);
      EXPECT_LT(std::abs(pendula.coordinate("rail_slide")), 1e-12) << set[0];
      return std::abs(pendula.coordinate("left pin_angle") - kPi / 3) +
             std::abs(pendula.rate("left pin_angle"));
    });
  }
}

// `damping: 0` above is a spring without stiffness and damping, which no scheme may divide by. With
// a damped cart (.1, 0) tends to (.05, -.05): what is left is the motion in anti-phase.
TEST(Huygens, ADampedCartSynchronisesThePendula) {
  for (const char* scheme : {"stewart-trinkle", "generalized-alpha"}) {
    std::vector<std::string> set = {test::scheme_is(scheme), test::step_is(1e-2),
                                    "parameters.a=0.1", "parameters.b=0", "parameters.c=1"};
    if (set[0] != test::scheme_is("stewart-trinkle"))
      set.emplace_back("simulation.constraints=position-velocity-acceleration");
    Mechanism pendula = Mechanism::text(kHuygens, set);
    pendula.run_to(60);
    double largest = 0, sum = 0;
    while (pendula.time() < 62) {
      pendula.step();
      const double a = pendula.coordinate("left pin_angle"),
                   b = pendula.coordinate("right pin_angle");
      largest = std::max(largest, std::abs(a));
      sum = std::max(sum, std::abs(a + b));
    }
    EXPECT_NEAR(largest, 0.05, 2e-3) << scheme;
    EXPECT_LT(sum, 2e-3) << scheme;
    EXPECT_EQ(pendula.failed(), 0);
  }
}

}  // namespace
}  // namespace clack
