// Cams, Geneva wheels, ratchets, gears, latches: examples against what is known of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace clack {
namespace {

using Names = std::vector<std::string>;

std::string number(double x) { return fmt::format("{:.17g}", x); }

test::Outcome run_solved(const std::string& name, const Names& changes) {
  const test::Outcome outcome = test::run_world(test::example(name, changes));
  EXPECT_EQ(outcome.failed_steps, 0) << name;
  EXPECT_LT(outcome.balance, 1e-12) << name;
  return outcome;
}

TEST(Cam, LosesItsFollowerAboveTheCriticalSpeed) {
  const double e = 0.01, m = 0.5, k = 2000, preload = 20, g = 9.81;
  const double critical = std::sqrt((preload + m * g + 2 * k * e) / (m * e));
  EXPECT_NEAR(critical, 113.9341915318, 1e-9);
  const auto speed = [&](const char* name, double factor) {
    return std::string("parameters.") + name + "=" + number(factor * critical);
  };
  const test::Outcome outcome = run_solved(
      "cam_follower", {speed("slow", 1 - 1e-4), speed("fast", 1 + 1e-4), "simulation.end=0.1"});
  EXPECT_LT(outcome.measures.at("largest gap of the slow one"), 1e-15);
  EXPECT_GT(outcome.measures.at("largest gap of the fast one"), 1e-9);
}

TEST(GenevaDrive, TurnsOnceInFourTurnsAndAsItsFormulaSays) {
  const double lambda = std::sin(M_PI / 4), rate = 2 * M_PI, lead = 0.9;
  const Scene scene = test::example("geneva_drive", {test::step_of(1e-4)});
  double worst = 0, at_rest = 0, turns = 0, last = M_PI / 4, moving = 0;
  const test::Outcome outcome = test::run_world(scene, [&](const test::BodySimulation& simulation) {
    const double angle = simulation.state().coordinates[0];
    const double alpha = std::remainder(rate * simulation.time() - lead, 2 * M_PI);
    const double quarter = std::round((rate * simulation.time() - lead) / (2 * M_PI));
    const double beta = std::atan2(lambda * std::sin(alpha), 1 - lambda * std::cos(alpha));
    if (std::abs(alpha) < M_PI / 4 - 0.01)
      worst = std::max(worst, std::abs(angle - quarter * M_PI / 2 - beta - M_PI / 4));
    if (std::abs(alpha) > M_PI / 4 + 0.05)
      at_rest = std::max(at_rest, std::abs(simulation.state().bodies[1].omega.z()));
    if (std::abs(simulation.state().bodies[1].omega.z()) > 0.01) moving += 1e-4;
    turns = (angle - last) / (2 * M_PI) + 0.125;
  });
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_NEAR(turns, 1, 1e-3);
  EXPECT_LT(worst, 1e-3);  // play over the depth of the slot, and first order in the step
  EXPECT_LT(at_rest, 1e-9);
  EXPECT_NEAR(moving, 1, 0.05);  // a quarter of the time
  EXPECT_NEAR(outcome.measures.at("largest speed of the wheel"), rate * (1 + std::sqrt(2)), 0.02);
}

TEST(Ratchet, AdvancesByWholeTeethOfEachSwingAndNeverTurnsBackByOne) {
  for (const double swing : {1.4, 2.4, 3.4}) {
    const Scene scene = test::example("ratchet", {"parameters.swing=" + number(swing),
                                                  "parameters.late=0.2*p", "simulation.end=2"});
    double most = 0, back = 0;
    const test::Outcome outcome =
        test::run_world(scene, [&](const test::BodySimulation& simulation) {
          const double angle = simulation.state().coordinates[0];
          most = std::max(most, angle);
          back = std::max(back, most - angle);
        });
    EXPECT_EQ(outcome.failed_steps, 0);
    const double tooth = 2 * M_PI / 12;
    EXPECT_NEAR(outcome.measures.at("angle of the wheel after three cycles"),
                std::remainder(2 * std::floor(swing) * tooth, 2 * M_PI), 0.01 * tooth)
        << swing;
    EXPECT_LT(back, tooth) << swing;
  }
}

TEST(GearPair, HasTheRatioOfItsTeethInTheMeanAndNearlySoAtAllTimes) {
  double far = 0, near = 1e9, worst = 0;
  const Scene scene = test::example("gear_pair", {"simulation.end=2*pi/rate", test::step_of(2e-4)});
  const test::Outcome outcome = test::run_world(scene, [&](const test::BodySimulation& simulation) {
    if (simulation.time() < 0.05) return;  // until the load has taken up the play
    const double lag = simulation.state().coordinates[0] + 10 * simulation.time() * 20 / 30;
    far = std::max(far, lag);
    near = std::min(near, lag);
    worst = std::max(worst, std::abs(simulation.state().bodies[1].omega.z() + 20 / 3.));
  });
  EXPECT_EQ(outcome.failed_steps, 0);
  // The wheel leans on one flank: half the play, and no more than the chords and the step move it.
  const double play = 0.5e-4 / 0.03;
  EXPECT_NEAR(far, play, 0.3 * play);
  EXPECT_LT(far - near, 0.2 * play);
  EXPECT_LT(worst, 0.05 * 20 / 3);
}

// --- circuit breaker -----------------------------------------------------------------------------

Names breaker(double mu, double trip, double aside = 0) {
  return {"parameters.mu=" + number(mu), "parameters.trip=" + number(trip),
          "parameters.aside=" + number(aside), "simulation.end=0.02"};
}

TEST(CircuitBreaker, HoldsByFrictionAboveTheTangentOfTheLean) {
  EXPECT_NEAR(std::tan(M_PI / 18), 0.176327, 1e-6);
  const auto latch = [](double mu) {
    return run_solved("circuit_breaker", breaker(mu, 0)).measures.at("angle of the latch");
  };
  EXPECT_LT(std::abs(latch(0.1764)), 1e-12);
  EXPECT_LT(latch(0.1762), -1e-5);
}

TEST(CircuitBreaker, TripsAtTheTorqueThatOvercomesTheFriction) {
  const double N = 1.2, l = 0.02, gamma = M_PI / 18, mu = 0.25;
  const double torque = N * l * (mu * std::cos(gamma) - std::sin(gamma));
  EXPECT_NEAR(torque, 1.741290e-3, 1e-9);
  const auto run = [&](double trip) { return run_solved("circuit_breaker", breaker(mu, trip)); };
  EXPECT_LT(std::abs(run(0.9995 * torque).measures.at("angle of the latch")), 1e-12);
  EXPECT_LT(run(1.0005 * torque).measures.at("angle of the latch"), -1e-6);
  EXPECT_GT(run(4e-3).measures.at("angle of the arm"), 0.7);  // at the stop, bouncing
}

TEST(CircuitBreaker, LatchOnAJournalHoldsByItsFrictionCircleBesides) {
  const double R = 0.002, l = 0.02,
               limit = std::tan(M_PI / 18 - std::asin(R / l * std::sin(std::atan(0.1))));
  EXPECT_NEAR(limit, 0.166085, 1e-6);
  const auto slip = [&](double mu) {
    return run_solved("latch_journal", {"parameters.mu=" + number(mu)})
        .measures.at("angle of the latch");
  };
  EXPECT_LT(std::abs(slip(limit + 3e-4)), 5e-5);  // rolls within its clearance
  EXPECT_LT(slip(limit - 3e-4), -3e-4);
}

TEST(CircuitBreaker, OpensInItsTimeAndBouncesOffItsStop) {
  const double h = 2e-6;
  Names changes = breaker(0.25, 0, 0.01);
  changes.push_back(test::step_of(h));
  changes.push_back("simulation.end=0.028");
  std::vector<double> times;
  double before = 0, speed = 0;
  const test::Outcome outcome = test::run_world(
      test::example("circuit_breaker", changes), [&](const test::BodySimulation& simulation) {
        const double rate = simulation.state().bodies[0].omega.z();
        if (before > 1 && rate < 0) {
          times.push_back(simulation.time() - 0.5 * h);
          if (times.size() == 1) speed = before;
        }
        before = rate;
      });
  EXPECT_EQ(outcome.failed_steps, 0);
  ASSERT_GE(times.size(), 4u);
  EXPECT_NEAR(times[0], 0.011393075548, 2 * h);
  EXPECT_NEAR(speed, 136.2516, 0.05);
  EXPECT_NEAR(times[1], 0.022942681, 2e-5);
  EXPECT_NEAR(times[2], 0.026803439, 3e-5);
  EXPECT_NEAR(times[3], 0.027974929, 3e-5);
}

// --- escapement ----------------------------------------------------------------------------------

TEST(Escapement, LetsTheWheelOnByOneToothAPeriod) {
  double start = 0, end = 0, crossings = 0, before = 0, first = 0, last = 0;
  const Scene scene = test::example("escapement", {"parameters.start=7.84", "simulation.end=3.2"});
  const test::Outcome outcome = test::run_world(scene, [&](const test::BodySimulation& simulation) {
    const double wheel = simulation.state().coordinates[0],
                 balance = simulation.state().coordinates[1];
    if (before < 0 && balance >= 0) {
      if (crossings == 0) start = wheel, first = simulation.time();
      ++crossings, end = wheel, last = simulation.time();
    }
    before = balance;
  });
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_LT(outcome.balance, 1e-12);
  ASSERT_GE(crossings, 3);
  EXPECT_NEAR((start - end) / (crossings - 1), M_PI / 15, 1e-3 * M_PI / 15);
  EXPECT_NEAR((last - first) / (crossings - 1), 1.001314, 2e-4);
}

}  // namespace
}  // namespace clack
