#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <numbers>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

using test::example;
using test::Impact;
using test::impacts_of;
using test::run;

TEST(PendulumWall, hits_at_the_elliptic_integral_with_the_speed_of_free_fall) {
  const double h = 1e-4;
  const std::vector<Impact> impacts = impacts_of(example("pendulum_wall", {test::step_of(h)}), 0);
  ASSERT_EQ(impacts.size(), 1u);
  // Quarter of the period of a pendulum with an amplitude of 90 degrees.
  const double t = std::sqrt(1.0 / 10) * std::comp_ellint_1(std::sin(std::numbers::pi / 4));
  EXPECT_NEAR(t, 0.586310, 1e-6);
  EXPECT_NEAR(impacts[0].t, t, h);
  EXPECT_NEAR(impacts[0].before, -std::sqrt(20.0), 1e-7);
  EXPECT_NEAR(impacts[0].after, 0.5 * std::sqrt(20.0), 1e-7);
}

TEST(PendulumWall, rebounds_to_a_quarter_of_the_height) {
  const test::Outcome outcome = run(example("pendulum_wall"));
  const double exact = std::acos(0.75) * 180 / std::numbers::pi;  // 41.4096 degrees
  EXPECT_NEAR(outcome.measures.at("rebound"), exact, 1e-4);
  EXPECT_EQ(outcome.failed_steps, 0);
}

TEST(FiveLinkPendulum, small_oscillations_are_the_roots_of_laguerres_polynomial) {
  const Scene scene = example("five_link_pendulum");
  const int n = scene.system->nv();
  Matrix M(n, n), K(n, n), C(n, n);
  const Vector zero = Vector::Zero(n);
  scene.system->mass(0, zero, M);
  scene.system->jacobians(0, zero, zero, K, C);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> solver(K, M);
  const double roots[] = {0.26356031971814, 1.41340305910652, 3.59642577104072, 7.08581000585884,
                          12.6408008442758};
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(solver.eigenvalues()[i] * 0.2 / 9.81, roots[i], 1e-12 * roots[4]);
  }
  EXPECT_EQ(C.cwiseAbs().maxCoeff(), 0);
}

TEST(FiveLinkPendulum, loses_energy_in_impacts_only) {
  double highest = 0, worst_flight = 0, last = NAN;
  long impacts = 0;
  const test::Outcome outcome =
      run(example("five_link_pendulum"), [&](const Simulation& simulation) {
        const Step& step = simulation.last_step();
        const double energy = step.energy.kinetic + step.energy.potential;
        const bool impact = step.r.maxCoeff() > 0;
        if (impact) {
          ++impacts;
          EXPECT_LT(step.energy.work_impact, 1e-12) << "t = " << simulation.time();
        }
        if (!impact && std::isfinite(last))
          worst_flight = std::max(worst_flight, std::abs(energy - last));
        highest = std::max(highest, energy);
        last = energy;
      });
  EXPECT_GE(impacts, 4);
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_LT(worst_flight, 1e-4);
  EXPECT_NEAR(
      outcome.energy.kinetic + outcome.energy.potential,
      -15 * 0.2 * 9.81 * std::cos(1.0) + outcome.energy.work_impact + outcome.energy.numerical,
      1e-10);
  EXPECT_LT(std::abs(outcome.energy.numerical), 3e-3);
  EXPECT_GT(outcome.min_gap, -1e-3);
}

}  // namespace
}  // namespace clack
