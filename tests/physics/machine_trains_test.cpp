// A bevel gear with a differential, and the arm of a breaker on a journal.
#include <fmt/format.h>

#include "mechanism_support.hpp"
#include "support.hpp"

namespace clack {
namespace {

using test::Mechanism;

// (9 Jp + Jc + JL + JR + Jt) c' + (JL - JR) s' = 3 T - B,   (JL - JR) c' + (JL + JR + 4 Ja) s' = -B.
TEST(BevelDifferential, AcceleratesAsTheTwoEquationsOfItsTrain) {
  const double Jp = 1e-3, Jc = 0.02, J = 0.02, Ja = 1e-3, Jt = 8e-4, T = 0.2, B = 0.1;
  const double c = (3 * T - B) / (9 * Jp + Jc + 2 * J + Jt), s = -B / (2 * J + 4 * Ja);
  EXPECT_NEAR(c, 7.163324, 1e-6);
  EXPECT_NEAR(s, -2.272727, 1e-6);
  for (const char* scheme : {"stewart-trinkle", "rattle", "moreau-jean"}) {
    Mechanism gears = Mechanism::example("bevel_differential", {test::scheme_is(scheme)});
    gears.run_to(1);
    // Couplers hold on positions; rates of axes that turn follow to first order in the step.
    const double near = std::string(scheme) == "rattle" ? 1e-9 : 1e-3;
    gears.expect_sound(scheme);
    EXPECT_NEAR(gears.spin("carrier").x(), c, 5e-3) << scheme;
    EXPECT_NEAR(gears.spin("left").x(), c + s, 5e-3) << scheme;
    EXPECT_NEAR(gears.spin("right").x(), c - s, 5e-3) << scheme;
    EXPECT_NEAR(gears.rate("motor_angle"), 3 * gears.rate("housing_angle"), near) << scheme;
    EXPECT_NEAR(gears.spin("left").x() + gears.spin("right").x(), 2 * gears.spin("carrier").x(),
                near)
        << scheme;
    EXPECT_NEAR(gears.rate("pin_angle"), 2 * gears.rate("left side_angle"), near) << scheme;
    // The planet's axle is turned out of its direction.
    const std::array<double, 6> pin = gears.reaction("pin");
    EXPECT_NEAR(std::hypot(pin[3], pin[4]), std::hypot(2 * s * c * Ja, c * Jt), 2e-4) << scheme;
  }
}

struct Opening {
  double time = 0, speed = 0;
};

Opening open(double c, double mu) {
  const double h = 2e-6;
  Opening opening;
  double before = 0;
  const test::Outcome outcome =
      test::run_world(test::example("breaker_journal",
                                    {fmt::format("parameters.c={:.17g}", c),
                                     fmt::format("parameters.mu={:.17g}", mu), test::step_of(h)}),
                      [&](const test::BodySimulation& simulation) {
                        const double rate = simulation.state().bodies[0].omega.z();
                        if (opening.time == 0 && before > 1 && rate < 0)
                          opening = {simulation.time() - 0.5 * h, before};
                        before = rate;
                      });
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_LT(outcome.balance, 1e-12);
  return opening;
}

// J theta'' = k (1.5 - theta) - F R sin(atan(mu)), F = m a sqrt(theta''^2 + theta'^4).
double friction_circle_time(double mu) {
  const double J = 2e-6, k = 0.02, ma = 0.01 * 0.0125, rho = 0.002 * std::sin(std::atan(mu));
  double angle = 0, rate = 0, t = 0;
  const double h = 1e-8, stop = 50 * test::kPi / 180;
  while (angle < stop) {
    double acceleration = 0;
    for (int pass = 0; pass < 20; ++pass)
      acceleration = (k * (1.5 - angle) - rho * ma * std::hypot(acceleration, rate * rate)) / J;
    rate += h * acceleration;
    angle += h * rate;
    t += h;
  }
  return t;
}

TEST(BreakerJournal, OpensInTheTimeOfTheIdealPivotAsTheClearanceVanishes) {
  const double exact = std::acos(1 - 50 * test::kPi / 180 / 1.5) / 100;
  EXPECT_NEAR(exact, 0.011393075548, 1e-11);
  EXPECT_NEAR(friction_circle_time(0), exact, 1e-7);
  double before = 1;
  for (const double c : {5e-5, 2.5e-5, 1.25e-5}) {
    const Opening opening = open(c, 0);
    const double late = opening.time - exact;
    EXPECT_GT(late, 0) << c;
    EXPECT_LT(late, 0.75 * before) << c;
    EXPECT_NEAR(opening.speed, 136.2516, 1.5 * c / 5e-5) << c;
    before = late;
  }
  EXPECT_LT(before, 4e-5);
}

TEST(BreakerJournal, WithFrictionIsLateByTheFrictionCircle) {
  const double c = 1.25e-5, late = friction_circle_time(0.1) - friction_circle_time(0);
  EXPECT_GT(late, 3e-5);
  EXPECT_NEAR(open(c, 0.1).time - open(c, 0).time, late, 0.15 * late);
}

}  // namespace
}  // namespace clack
