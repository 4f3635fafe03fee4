// Drives, motors, servos, gears and screws against closed forms.
#include "mechanism_support.hpp"

namespace clack {
namespace {

using test::kPi;
using test::Mechanism;

double angle_of(const Mechanism& mechanism, const std::string& body) {
  const Vector3 x = mechanism.axis(body, Vector3::UnitX());
  return std::atan2(x.y(), x.x());
}

// Rocker angle, its speed and the torque of the drive at crank angles of 60 and 180 degrees; the
// torque from the power balance of the closed form.
TEST(CrankRocker, PositionsAreExactAndTheDriveTakesTheTorqueOfTheClosedForm) {
  const double quarter = kPi / 30;  // s for 60 degrees
  for (const char* scheme : {"stewart-trinkle", "rattle", "generalized-alpha"}) {
    Mechanism rods =
        Mechanism::example("crank_rocker", {test::scheme_is(scheme), test::step_is(quarter / 400)});
    const bool second_order = std::string(scheme) == "rattle";
    double work = 0;
    const auto run_to = [&](double end) {
      while (rods.time() < end - 1e-9) {
        rods.step();
        work += rods.reaction("motor")[5] * 10 * rods.h();
      }
    };
    run_to(quarter);
    EXPECT_NEAR(angle_of(rods, "rocker") * 180 / kPi, 75.228684023, 1e-8) << scheme;
    EXPECT_NEAR(rods.spin("rocker").z(), 2.943536344, second_order ? 1e-8 : 6e-3) << scheme;
    EXPECT_NEAR(rods.reaction("motor")[5], .369075096, 1.5e-3) << scheme;
    EXPECT_NEAR((rods.point("rocker", {0.125, 0, 0}) - Vector3(.3637404261, .2417377879, 0)).norm(),
                0, 1e-9);
    run_to(3 * quarter);
    EXPECT_NEAR(angle_of(rods, "rocker") * 180 / kPi, 120, 1e-9) << scheme;
    EXPECT_NEAR(rods.reaction("motor")[5], -.428163804, 1.5e-3) << scheme;
    rods.expect_sound(scheme);
    // What the drive feeds in is external work.
    EXPECT_NEAR(rods.totals().work_external, work, 3e-3) << scheme;
  }
}

TEST(CrankRocker, SwingsBetweenTheLimitsOfItsTriangles) {
  Mechanism rods = Mechanism::example("crank_rocker");
  double smallest = 10, largest = 0;
  while (rods.time() < 0.7) {
    rods.step();
    smallest = std::min(smallest, angle_of(rods, "rocker"));
    largest = std::max(largest, angle_of(rods, "rocker"));
  }
  EXPECT_NEAR(smallest * 180 / kPi, 70.5287793655, 2e-3);
  EXPECT_NEAR(largest * 180 / kPi, 126.8698976458, 2e-3);
}

// tan(angle 2) = tan(angle 1)/cos(bend), speeds in the ratio cos(bend)/(1 - sin(bend)^2 cos(angle
// 1)^2).
TEST(CardanJoint, PassesTheAngleAndTheSpeedOfTheClosedForm) {
  const double bend = kPi / 6;
  for (const char* scheme : {"stewart-trinkle", "generalized-alpha", "moreau-jean"}) {
    Mechanism shafts = Mechanism::example("cardan_joint",
                                          {test::scheme_is(scheme), test::step_is(kPi / 60 / 400)});
    shafts.run_to(kPi / 60);  // 30 degrees
    EXPECT_NEAR(shafts.coordinate("first bearing_angle"), kPi / 6, 1e-6) << scheme;
    EXPECT_NEAR(shafts.coordinate("second bearing_angle") * 180 / kPi, 33.690067526, 1e-2)
        << scheme;
    EXPECT_NEAR(shafts.rate("second bearing_angle") / shafts.rate("first bearing_angle"),
                1.0658774200, 1e-3)
        << scheme;
    double least = 10, most = 0;
    while (shafts.time() < kPi / 10) {
      shafts.step();
      const double ratio = shafts.rate("second bearing_angle") / 10;
      least = std::min(least, ratio);
      most = std::max(most, ratio);
    }
    shafts.expect_sound(scheme);
    EXPECT_NEAR(least, std::cos(bend), 1e-4) << scheme;
    EXPECT_NEAR(most, 1 / std::cos(bend), 2e-3) << scheme;
  }
}

// Willis: carrier 1/5, planet -1/3 of the sun; 0.1 N m against an inertia of 2.0166666667e-4.
TEST(PlanetaryGear, TurnsInTheRatiosOfWillisAndAcceleratesByItsReducedInertia) {
  for (const char* scheme : {"stewart-trinkle", "rattle", "moreau-jean"}) {
    Mechanism gears = Mechanism::example("planetary_gear", {test::scheme_is(scheme)});
    gears.run_to(0.1);
    gears.expect_sound(scheme);
    const double sun = gears.spin("sun").z();
    const bool drifts = std::string(scheme) == "moreau-jean";
    EXPECT_NEAR(sun / 0.1, 495.8677685950, drifts ? 0.3 : 2e-3) << scheme;
    EXPECT_NEAR(gears.spin("carrier").z() / sun, 0.2, drifts ? 1e-4 : 1e-6) << scheme;
    EXPECT_NEAR(gears.spin("planet2").z() / sun, -1.0 / 3, drifts ? 1e-4 : 1e-6) << scheme;
    // Many turns of the coordinates, without jumps.
    EXPECT_NEAR(gears.coordinate("shaft_angle"), 5 * gears.coordinate("arm_angle"), 1e-9) << scheme;
  }
}

// A nut of 2 kg that falls on its thread: g/(1 + J (2 pi/p)^2/m), one turn in 0.6359788430 s.
TEST(Screw, FallsWithTheInertiaOfItsTurning) {
  const char* const scene = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {steel: {}}
  bodies:
    - {name: nut, shape: {box: {size: [0.1, 0.1, 0.05]}}, mass: 2, inertia: [1.0e-3, 1.0e-3, 1.0e-3]}
  joints:
    - {name: thread, kind: screw, bodies: [ground, nut], point: [0, 0, 0], axis: [0, 0, 1], pitch: 0.01}
simulation: {step: 1.0e-3, end: 1}
)";
  const double end = .6359788430;
  for (const char* scheme : {"stewart-trinkle", "rattle", "generalized-alpha"}) {
    Mechanism nut = Mechanism::text(scene, {test::scheme_is(scheme), test::step_is(end / 1000)});
    nut.run_to(end);
    nut.expect_sound(scheme);
    const bool second_order = std::string(scheme) == "rattle";
    EXPECT_NEAR(nut.coordinate("thread_angle"), -2 * kPi, second_order ? 1e-4 : 0.02) << scheme;
    EXPECT_NEAR(nut.position("nut").z(), nut.coordinate("thread_angle") * 0.01 / (2 * kPi), 1e-12)
        << scheme;
    EXPECT_NEAR(nut.velocity("nut").z(), -.049447536431 * end, 1e-5) << scheme;
  }
}

// Raised by F r tan(phi + lead), lowered by F r tan(phi - lead); in between the thread holds.
TEST(Screw, WithFrictionLocksUntilTheTorqueOfTheInclinedPlane) {
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    for (const auto& [rise, torque] : {std::pair(0.1, .1448143734), {-0.1, -.0162090354}}) {
      const double time = torque / rise;
      Mechanism nut = Mechanism::example("screw", {test::scheme_is(scheme), test::step_is(1e-3),
                                                   "parameters.rise=" + std::to_string(rise)});
      nut.run_to(time - 2e-3);
      EXPECT_LT(std::abs(nut.spin("nut").z()), 1e-12) << scheme << rise;
      EXPECT_LT(std::abs(nut.position("nut").z() - 0.1), 1e-14) << scheme << rise;
      nut.run_to(time + 6e-3);
      EXPECT_GT(nut.spin("nut").z() / rise, 1e-4) << scheme << rise;
      nut.expect_sound(scheme);
      EXPECT_LE(nut.totals().work_friction, 0);
    }
  }
}

// A bound of its own is a moment, however steep the thread.
TEST(Screw, WithABrakeTurnsFromTheMomentOfTheBrakeOn) {
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    for (const double torque : {1.99, 2.01}) {
      Mechanism nut =
          Mechanism::text(R"(clack: 1
parameters: {torque: 2}
system:
  type: rigid-bodies
  gravity: [0, 0, 0]
  materials: {steel: {}}
  bodies:
    - {name: nut, shape: {box: {size: [0.1, 0.1, 0.05]}}, mass: 2, inertia: [0.01, 0.01, 0.01]}
  joints:
    - {name: thread, kind: screw, bodies: [ground, nut], point: [0, 0, 0], axis: [0, 0, 1], pitch: 1, friction: 2, motor: {force: torque}}
simulation: {step: 1.0e-3, end: 1}
)",
                          {test::scheme_is(scheme), "parameters.torque=" + std::to_string(torque)});
      nut.run_to(0.1);
      EXPECT_EQ(nut.failed(), 0) << scheme;
      EXPECT_EQ(nut.spin("nut").z() > 1e-3, torque > 2) << scheme;
    }
  }
}

// J w' = 0.5 up to 10 rad/s at 2 s; a load of 0.7 then brings it down by 2 rad/s2, the torque stays
// 0.5.
TEST(VelocityDrive, GivesAtMostItsLimit) {
  const char* const scene = R"(clack: 1
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, 0]
  materials: {steel: {}}
  bodies:
    - {name: wheel, shape: {disc: {radius: 0.1}}, mass: 1, inertia: 0.1}
  joints:
    - {name: shaft, kind: revolute, bodies: [ground, wheel], point: [0, 0], drive: {velocity: 10, limit: 0.5}, motor: {force: -load}}
parameters: {load: 0}
simulation: {step: 1.0e-3, end: 4}
)";
  for (const char* scheme : {"stewart-trinkle", "moreau-jean", "generalized-alpha"}) {
    Mechanism wheel = Mechanism::text(scene, {test::scheme_is(scheme)});
    wheel.run_to(1);
    EXPECT_NEAR(wheel.rate("shaft_angle"), 5, 1e-10) << scheme;
    EXPECT_NEAR(wheel.reaction("shaft")[5], 0.5, 1e-10) << scheme;
    wheel.run_to(2.5);
    EXPECT_NEAR(wheel.rate("shaft_angle"), 10, 1e-10) << scheme;
    EXPECT_NEAR(wheel.reaction("shaft")[5], 0, 1e-9) << scheme;
    EXPECT_NEAR(wheel.totals().work_external, 5, 1e-9) << scheme;
    wheel.expect_sound(scheme);
  }
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    Mechanism wheel = Mechanism::text(
        scene, {test::scheme_is(scheme), "parameters.load=0.7", "system.bodies.0.spin=10"});
    wheel.run_to(1);
    EXPECT_NEAR(wheel.rate("shaft_angle"), 8, 1e-10) << scheme;
    EXPECT_NEAR(wheel.reaction("shaft")[5], 0.5, 1e-10) << scheme;  // that of the motor is a load
    wheel.expect_sound(scheme);
  }
}

// A servo against gravity settles where k (f - x) = m g, whatever its stiffness; with a limit below
// the weight the slide falls by what is missing.
TEST(Servo, SettlesAtItsSteadyErrorAndFallsUnderALimit) {
  const char* const scene = R"(clack: 1
parameters: {k: 1.0e3, c: 60, most: 1.0e9}
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {steel: {}}
  bodies:
    - {name: load, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, inertia: [0.01, 0.01, 0.01]}
  joints:
    - {name: lift, kind: prismatic, bodies: [ground, load], point: [0, 0, 0], axis: [0, 0, 1], servo: {position: 0.2, stiffness: k, damping: c, limit: most}}
simulation: {step: 1.0e-3, end: 3}
)";
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    for (const double k : {1e3, 1e9}) {
      Mechanism lift =
          Mechanism::text(scene, {test::scheme_is(scheme), "parameters.k=" + std::to_string(k)});
      lift.run_to(2);
      EXPECT_NEAR(lift.coordinate("lift_slide"), 0.2 - 9.81 / k, 1e-8) << scheme << k;
      // What rings of the stiff one falls by a little in each step of moreau-jean.
      EXPECT_NEAR(lift.reaction("lift")[2], 9.81, k > 1e6 ? 0.1 : 1e-6) << scheme << k;
      lift.expect_sound(scheme);
    }
    Mechanism weak = Mechanism::text(scene, {test::scheme_is(scheme), "parameters.most=4.81"});
    weak.run_to(0.5);
    EXPECT_NEAR(weak.velocity("load").z(), -5 * 0.5, 1e-9) << scheme;
    EXPECT_NEAR(weak.reaction("lift")[2], 4.81, 1e-9) << scheme;
  }
}

// Wind turbine NREL 5 MW: rotor and generator on an elastic shaft with a gear of 97; free-free
// 13.965396 rad/s, damping ratio 0.050018.
TEST(Drivetrain, RingsAtTheFrequencyAndDampingOfTheClosedForm) {
  const char* const scene = R"(clack: 1
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, 0]
  materials: {steel: {mu: 0}}
  shapes: {wheel: {disc: {radius: 1}}}
  bodies:
    - {name: rotor, shape: wheel, mass: 1, inertia: 38759228, spin: 0.1, group: all, ignores: [all]}
    - {name: hub, shape: wheel, mass: 1, inertia: 1.0, group: all, ignores: [all]}
    - {name: generator, shape: wheel, mass: 1, inertia: 534.116, position: [5, 0], group: all, ignores: [all]}
  joints:
    - {name: slow, kind: revolute, bodies: [ground, hub], point: [0, 0]}
    - {name: shaft, kind: revolute, bodies: [hub, rotor], point: [0, 0], spring: {stiffness: 867637000, damping: 6215000}}
    - {name: fast, kind: revolute, bodies: [ground, generator], point: [5, 0]}
  couplers:
    - {name: gear, of: {slow: 97, fast: -1}}
simulation: {step: 1.0e-3, end: 3}
)";
  for (const char* scheme : {"stewart-trinkle", "moreau-jean", "rattle"}) {
    Mechanism train = Mechanism::text(scene, {test::scheme_is(scheme)});
    std::vector<double> times, peaks;
    double before = 0, last = 0;
    while (train.time() < 3) {
      train.step();
      const double x = train.coordinate("shaft_angle");
      if (last > 0 && last >= before && last > x) {
        // Of the parabola through three points.
        const double shift = 0.5 * (before - x) / (before - 2 * last + x);
        times.push_back(train.time() + (shift - 1) * train.h());
        peaks.push_back(last - 0.25 * (before - x) * shift);
      }
      before = last;
      last = x;
    }
    train.expect_sound(scheme);
    ASSERT_GE(times.size(), 5u) << scheme;
    const double period = (times[4] - times[0]) / 4, decrement = std::log(peaks[0] / peaks[4]) / 4;
    const double damping = decrement / std::hypot(2 * kPi, decrement);
    // The default step damps by h w/4 of its own, 0.0035 here.
    const double own = std::string(scheme) == "stewart-trinkle" ? train.h() * 13.965 / 4 : 0;
    EXPECT_NEAR(2 * kPi / period / std::sqrt(1 - damping * damping), 13.965396163, 1e-2) << scheme;
    EXPECT_NEAR(damping - own, .050018, 2e-4) << scheme;
    EXPECT_NEAR(train.coordinate("fast_angle"), 97 * train.coordinate("slow_angle"), 1e-9)
        << scheme;
  }
}

}  // namespace
}  // namespace clack
