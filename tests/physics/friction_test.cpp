#include <gtest/gtest.h>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

using test::example;
using test::run;
constexpr double kG = 9.81;

TEST(Box3d, slides_straight_down_from_rest_with_the_exact_acceleration) {
  const double slope = M_PI / 6, a = kG * (std::sin(slope) - 0.3 * std::cos(slope));
  for (const char* turn : {"parameters.turn=0.4", "parameters.turn=0", "parameters.turn=-2"}) {
    const test::Outcome outcome = run(example("box_3d", {"initial.v=[0, 0, 0]", turn}));
    const double speed = a * outcome.t, distance = 0.5 * a * outcome.t * outcome.t;
    EXPECT_NEAR(outcome.v[0], speed * std::cos(slope), 1e-11) << turn;
    EXPECT_NEAR(outcome.v[1], 0, 1e-11) << turn;
    EXPECT_NEAR(outcome.v[2], -speed * std::sin(slope), 1e-11) << turn;
    EXPECT_NEAR(outcome.q[0], distance * std::cos(slope), 1e-10) << turn;
    EXPECT_NEAR(outcome.r[0] / 1e-3, 2 * kG * std::cos(slope), 1e-9) << turn;
  }
}

TEST(Box3d, stays_where_friction_exceeds_the_slope) {
  const test::Outcome outcome =
      run(example("box_3d", {"initial.v=[0, 0, 0]", "parameters.mu=0.6"}));
  EXPECT_LT(outcome.q.cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Box3d, pushed_on_a_level_plane_it_stops_after_v0_squared_over_two_mu_g) {
  const test::Outcome outcome = run(
      example("box_3d", {"parameters.slope=0", "initial.v=[1.2, 1.6, 0]", test::step_of(1e-4)}));
  EXPECT_NEAR(outcome.q[0], 0.6 * 4 / (2 * 0.3 * kG), 1e-4);
  EXPECT_NEAR(outcome.q[1], 0.8 * 4 / (2 * 0.3 * kG), 1e-4);
  EXPECT_NEAR(outcome.q[0] / outcome.q[1], 0.75, 1e-11);  // straight ahead
  EXPECT_EQ(outcome.v.cwiseAbs().maxCoeff() < 1e-14, true);
}

// The largest departure from |v| sin(c)/tan(c/2)^kappa = v0 of a box pushed across the slope.
double hodograph_error(double h) {
  const double slope = M_PI / 6, kappa = 0.3 / std::tan(slope);
  double worst = 0;
  run(example("box_3d", {test::step_of(h)}), [&](const Simulation& simulation) {
    const Vector& v = simulation.v();
    const double down = v[0] * std::cos(slope) - v[2] * std::sin(slope), across = v[1];
    const double c = std::atan2(across, down), speed = std::hypot(down, across);
    worst = std::max(worst, std::abs(speed * std::sin(c) / std::pow(std::tan(0.5 * c), kappa) - 2));
  });
  return worst;
}

TEST(Box3d, pushed_across_the_slope_it_follows_the_hodograph_of_first_order_in_the_step) {
  const double coarse = hodograph_error(1e-3), fine = hodograph_error(1e-4);
  EXPECT_LT(fine, 2e-3);
  EXPECT_NEAR(coarse / fine, 10, 1);
}

TEST(Woodpecker, strides_in_0146_seconds_and_drops_nineteen_and_a_half_millimetres_each_time) {
  const Scene scene = example("woodpecker", {test::step_of(5e-5), "simulation.end=1.5"});
  std::vector<double> heights;  // at the upward swings of the bird through zero
  double last = 0;
  const test::Outcome outcome = run(scene, [&](const Simulation& simulation) {
    const Vector& q = simulation.q();
    if (last < 0 && q[2] >= 0 && simulation.time() > 0.5) heights.push_back(q[0]);
    last = q[2];
  });
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_NEAR(outcome.measures.at("time of one stride"), 0.146, 5e-4);
  ASSERT_GE(heights.size(), 5u);
  EXPECT_NEAR((heights.front() - heights.back()) / static_cast<double>(heights.size() - 1), 0.0195,
              1e-4);
}

}  // namespace
}  // namespace clack
