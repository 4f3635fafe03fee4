// The power and the work of motors, drives and servos, joint by joint, against the ledger and closed
// forms.
#include "mechanism_support.hpp"

namespace clack {
namespace {

using test::kPi;
using test::Mechanism;

struct Drives {
  std::vector<double> power, work;  // by joint [W, J]
  double total = 0;
};

Drives drives_of(Mechanism& mechanism) {
  std::vector<double> values;
  mechanism.run().collect_drive_powers(values);
  Drives drives;
  const auto half = static_cast<long>(values.size() / 2);
  drives.power.assign(values.begin(), values.begin() + half);
  drives.work.assign(values.begin() + half, values.end());
  for (const double x : drives.work) drives.total += x;
  return drives;
}

void expect_booked(Mechanism& mechanism, const std::string& scheme) {
  const double external = mechanism.totals().work_external;
  EXPECT_NEAR(drives_of(mechanism).total, external, 1e-12 * (1 + std::abs(external))) << scheme;
  EXPECT_GT(std::abs(external), 1e-6) << scheme;
}

const std::vector<std::string> kSchemes = {"stewart-trinkle", "moreau-jean", "rattle",
                                           "generalized-alpha", "event-driven"};

// The torque of the closed form at a crank of 10 rad/s; over a whole turn a drive against gravity and
// inertia alone does no work.
TEST(DriveWork, OfTheCrankIsTheTorqueOfTheClosedFormTimesItsSpeed) {
  const double second = kPi / 30;  // of 60 degrees
  for (const std::string& scheme : kSchemes) {
    const double near = scheme == "moreau-jean" ? 4e-2 : 1.5e-2;  // it lets joints drift
    Mechanism rods =
        Mechanism::example("crank_rocker", {test::scheme_is(scheme), test::step_is(second / 400)});
    rods.run_to(second);
    EXPECT_NEAR(drives_of(rods).power[0], 3.69075096, near) << scheme;
    EXPECT_EQ(drives_of(rods).power[1], 0);
    expect_booked(rods, scheme);
    rods.run_to(3 * second);
    EXPECT_NEAR(drives_of(rods).power[0], -4.28163804, near) << scheme;
    rods.run_to(6 * second);
    rods.expect_sound(scheme);
    EXPECT_NEAR(drives_of(rods).work[0], 0, 0.4 * near) << scheme;
  }
}

TEST(DriveWork, OfTheCrankConvergesToTheClosedForm) {
  for (const char* scheme : {"stewart-trinkle", "rattle", "generalized-alpha"}) {
    const auto error = [&](int steps) {
      const double second = kPi / 30;
      Mechanism rods = Mechanism::example("crank_rocker",
                                          {test::scheme_is(scheme), test::step_is(second / steps)});
      rods.run_to(second);
      return std::abs(drives_of(rods).power[0] - 3.69075096);
    };
    EXPECT_LT(error(800), 0.7 * error(200)) << scheme;
    EXPECT_LT(error(1600), 5e-3) << scheme;
  }
}

TEST(DriveWork, OfMotorsIsWhatTheLedgerHasAsExternalWork) {
  for (const char* scheme :
       {"stewart-trinkle", "moreau-jean", "moreau-midpoint", "rattle", "newmark", "hht",
        "generalized-alpha", "schatzman-paoli", "event-driven"}) {
    Mechanism gears = Mechanism::example("planetary_gear", {test::scheme_is(scheme)});
    gears.run_to(0.05);
    expect_booked(gears, scheme);
    // The torque is constant.
    EXPECT_NEAR(drives_of(gears).work[0], 0.1 * gears.coordinate("shaft_angle"), 1e-3) << scheme;
  }
}

// A velocity drive of at most 0.5 N m on 0.1 kg m2: P = 0.5 x 5 t, then nothing.
TEST(DriveWork, OfALimitedDriveIsItsLimitTimesTheSpeed) {
  const char* const text = R"(
clack: 1
system:
  type: rigid-bodies
  space: 2d
  gravity: [0, 0]
  materials: {steel: {}}
  bodies: [{name: wheel, shape: {disc: {radius: 0.1}}, mass: 1, inertia: 0.1}]
  joints:
    - {name: axle, kind: revolute, bodies: [ground, wheel], point: [0, 0], drive: {velocity: 10, limit: 0.5}}
simulation: {step: 1.0e-3, end: 3}
measures:
  - {name: power, unit: W, of: axle_power}
  - {name: work, unit: J, of: axle_work}
)";
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    Mechanism wheel = Mechanism::text(text, {test::scheme_is(scheme)});
    wheel.run_to(1);
    EXPECT_NEAR(drives_of(wheel).power[0], 0.5 * 5, 2e-3) << scheme;
    wheel.run_to(3);
    EXPECT_NEAR(drives_of(wheel).power[0], 0, 1e-9) << scheme;
    EXPECT_NEAR(drives_of(wheel).work[0], 0.5 * 0.1 * 100, 1e-9) << scheme;
    EXPECT_NEAR(wheel.run().measured_q()[0], 0, 1e-9) << scheme;
    EXPECT_NEAR(wheel.run().measured_q()[1], 5, 1e-9) << scheme;
    expect_booked(wheel, scheme);
  }
}

// Motors of an arm and bodies that spin in space: loads that turn with them.
TEST(DriveWork, OfTheRobotArmSumsUpToTheLedger) {
  for (const char* scheme : {"stewart-trinkle", "moreau-jean"}) {
    Mechanism arm = Mechanism::example("robot_arm", {test::scheme_is(scheme)});
    arm.run_to(0.1);
    expect_booked(arm, scheme);
  }
}

}  // namespace
}  // namespace clack
