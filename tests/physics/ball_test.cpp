#include <gtest/gtest.h>

#include <numbers>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

using test::example;
using test::Impact;
using test::impacts_of;
using test::run;
constexpr double kG = 9.81;  // [m/s^2]

TEST(BouncingBall, impact_times_form_the_geometric_series) {
  const double h = 1e-4, e = 0.9, t1 = std::sqrt(2 / kG);
  const std::vector<Impact> impacts =
      impacts_of(example("bouncing_ball", {test::step_of(h), "simulation.end=5"}), 0);
  double t = t1, flight = 2 * t1 * e, speed = kG * t1;
  ASSERT_GE(impacts.size(), 5u);
  for (std::size_t n = 0; n < 5; ++n) {
    EXPECT_NEAR(impacts[n].t, t, 3 * (n + 1) * h) << "impact " << n;
    EXPECT_NEAR(impacts[n].before, -speed, 20 * (n + 1) * h) << "impact " << n;
    t += flight;
    flight *= e;
    speed *= e;
  }
}

TEST(BouncingBall, rests_after_the_accumulation_and_carries_its_weight) {
  const test::Outcome outcome = run(example("bouncing_ball"));
  EXPECT_NEAR(outcome.v[0], 0, 1e-14);
  EXPECT_NEAR(outcome.r[0] / 0.005, kG, 1e-10);
  EXPECT_LT(std::abs(outcome.q[0]), 1e-3);
}

TEST(PlanarBallBounce, accumulates_at_the_closed_form_time_and_rests) {
  const double h = 1e-4, t1 = std::sqrt(1.8 / kG);
  const Scene scene = example("planar_ball_bounce", {test::step_of(h)});
  const std::vector<Impact> impacts = impacts_of(scene, 0, 1e-2);
  ASSERT_GE(impacts.size(), 5u);
  EXPECT_NEAR(impacts[0].t, 0.428353, h);
  EXPECT_NEAR(impacts[0].before, -4.202142, 10 * h);
  // From each impact on, what is left is a geometric series of flights.
  for (const Impact& impact : impacts) {
    EXPECT_NEAR(impact.t + 2 * impact.after / (kG * (1 - 0.5)), 3 * t1, 20 * h);  // 1.285059 s
  }
  const test::Outcome outcome = run(scene);
  EXPECT_NEAR(outcome.q[1], 0.1, 1e-6);
  EXPECT_NEAR(outcome.v.cwiseAbs().maxCoeff(), 0, 1e-14);
  EXPECT_EQ(outcome.q[0], 0);
}

TEST(PlanarBallSpin, impact_slips_with_the_closed_form_velocities) {
  const double h = 1e-4;
  double t = 0;
  Vector after;
  run(example("planar_ball_spin", {test::step_of(h)}), [&](const Simulation& simulation) {
    if (t > 0 || !(simulation.last_step().r[0] > 1)) return;
    t = simulation.time();
    after = simulation.v();
  });
  EXPECT_NEAR(t, 0.428353, 2 * h);
  EXPECT_NEAR(after[0], -0.840428, 3 * h);
  EXPECT_NEAR(after[1], 0, 1e-14);
  EXPECT_NEAR(after[0] + 0.1 * after[2], 2.058500, 20 * h);
}

TEST(PlanarBallSpin, rolls_with_ten_sevenths_from_the_closed_form_time_on) {
  const double h = 1e-4;
  double rolling_from = 0;
  const test::Outcome outcome =
      run(example("planar_ball_spin", {test::step_of(h)}), [&](const Simulation& simulation) {
        const Vector& v = simulation.v();
        if (std::abs(v[0] + 0.1 * v[2]) > 1e-9) rolling_from = simulation.time();
      });
  EXPECT_NEAR(rolling_from, 0.728120, 2 * h);
  // The momentum about the contact point does not know of the step; 3e4 sliding steps round off.
  EXPECT_NEAR(outcome.v[0], -10.0 / 7, 2e-11);
  EXPECT_NEAR(outcome.v[2], 100.0 / 7, 2e-10);
  EXPECT_NEAR(outcome.q[0], -0.871343, 2 * h);
  EXPECT_NEAR(outcome.q[2], 33.216428, 50 * h);
}

// Impacts on the table, from the roots of a parabola minus a sine.
std::vector<Impact> exact_table_impacts(const State& start, double e, double A, double Omega,
                                        int count) {
  double t = start.t, y = start.q[0], v = start.v[0];
  std::vector<Impact> result;
  for (int i = 0; i < count; ++i) {
    auto gap = [&](double s) {
      return y + v * s - 0.5 * kG * s * s - A * std::sin(Omega * (t + s));
    };
    const double s = test::first_root(gap, 1e-3, 1e-4);
    t += s;
    y = A * std::sin(Omega * t);
    const double table = A * Omega * std::cos(Omega * t), before = v - kG * s - table;
    result.push_back({t, before, -e * before});
    v = table - e * before;
  }
  return result;
}

constexpr double kOmega = 20, kAmplitude = 1.2 * kG / (kOmega * kOmega);

TEST(MovingFloor, ball_meets_the_table_where_the_parabola_meets_the_sine) {
  const double h = 1e-4;
  const Scene scene = example("moving_floor", {test::step_of(h), "simulation.end=1.7"});
  const std::vector<Impact> impacts = impacts_of(scene, 0);
  const std::vector<Impact> exact = exact_table_impacts(scene.initial, 0.5, kAmplitude, kOmega, 5);
  ASSERT_EQ(impacts.size(), 5u);
  for (std::size_t n = 0; n < 5; ++n) {
    EXPECT_NEAR(impacts[n].t, exact[n].t, 3 * h) << "impact " << n;
    EXPECT_NEAR(impacts[n].before, exact[n].before, 30 * h) << "impact " << n;
  }
}

TEST(MovingFloor, ball_locks_to_the_period_and_phase_of_the_table) {
  const double h = 5e-4, pi = std::numbers::pi;
  const Scene scene = example("moving_floor", {test::step_of(h)});
  const std::vector<Impact> impacts = impacts_of(scene, 0);
  const double phase = std::acos(pi * 0.5 / (1.2 * 1.5));
  ASSERT_GE(impacts.size(), 35u);
  EXPECT_NEAR(std::fmod(kOmega * impacts.back().t, 2 * pi), phase, 2 * kOmega * h);
  const double table = kAmplitude * kOmega * std::cos(phase);
  EXPECT_NEAR(impacts.back().after, pi * kG / kOmega - table, 30 * h);
  const test::Outcome outcome = run(scene);
  EXPECT_NEAR(outcome.measures.at("time between bounces"), 2 * pi / kOmega, h / 10);
  EXPECT_NEAR(outcome.measures.at("take-off speed"), pi * kG / kOmega, 10 * h);
}

}  // namespace
}  // namespace clack
