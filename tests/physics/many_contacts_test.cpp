#include <gtest/gtest.h>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

using test::example;
using test::run;

TEST(NewtonCradle, touching_balls_share_the_impact_by_thirds) {
  const test::Outcome outcome = run(example("newton_cradle"));
  EXPECT_NEAR(outcome.v[0], -1.0 / 3, 1e-11);
  EXPECT_NEAR(outcome.v[1], 2.0 / 3, 1e-11);
  EXPECT_NEAR(outcome.v[2], 2.0 / 3, 1e-11);
  EXPECT_NEAR(outcome.energy.kinetic, 0.5, 1e-11);
}

TEST(NewtonCradle, a_plastic_impact_leaves_all_balls_at_one_speed) {
  const test::Outcome outcome = run(example("newton_cradle", {"parameters.e=0"}));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(outcome.v[i], 1.0 / 3, 1e-11);
}

TEST(NewtonCradle, balls_with_gaps_pass_the_blow_on_to_the_last) {
  for (const char* step :
       {"simulation.step=1e-4", "simulation.step=7.7e-6", "simulation.step=4e-4"}) {
    const test::Outcome outcome = run(example("newton_cradle_gaps", {step}));
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(outcome.v[i], 0, 1e-12) << step << ", ball " << i;
    EXPECT_NEAR(outcome.v[4], 1, 1e-12) << step;
  }
}

TEST(BeadColumn, each_contact_carries_the_weight_above_it) {
  const Scene scene = example("bead_column");
  const test::Outcome outcome = run(scene);
  EXPECT_EQ(outcome.failed_steps, 0);
  for (int i = 0; i < 10; ++i) {
    const double weight = 0.1 * 9.81 * (10 - i);
    EXPECT_NEAR(outcome.r[i] / scene.options.h, weight, 1e-8 * weight) << "contact " << i;
    EXPECT_NEAR(outcome.v[i], 0, 1e-11) << "bead " << i;
    EXPECT_NEAR(outcome.q[i], (2 * i + 1) * 0.05, 6 * scene.options.h) << "bead " << i;
  }
}

TEST(BeadColumn, penetration_of_the_column_shrinks_with_the_step) {
  const double coarse = run(example("bead_column", {"simulation.step=2e-3"})).min_gap;
  const double fine =
      run(example("bead_column", {"simulation.step=2.5e-4", "simulation.end=2"})).min_gap;
  EXPECT_LT(coarse, 0);
  EXPECT_GT(coarse, -3 * 2e-3);  // about the speed of the fall, 3 m/s, times h
  EXPECT_GT(fine, -3 * 2.5e-4);
}

// Deflections and forces of the string at the end of a run.
void expect_string(const char* end, const Vector& q, const Vector& force) {
  for (const char* solver : {"nsgs", "prox-newton"}) {
    for (const char* step : {"0.05", end}) {  // along the path of loads, and at once
      const Scene scene = example("signorini_statics", {std::string("simulation.end=") + end,
                                                        std::string("simulation.step=") + step,
                                                        std::string("solver.name=") + solver});
      const test::Outcome outcome = run(scene);
      EXPECT_EQ(outcome.failed_steps, 0);
      EXPECT_LT((outcome.q - q).cwiseAbs().maxCoeff(), 2e-11) << solver << " at t = " << end;
      EXPECT_LT((outcome.r - force).cwiseAbs().maxCoeff(), 2e-11) << solver << " at t = " << end;
    }
  }
}

Vector five(double a, double b, double c) { return (Vector(5) << a, b, c, b, a).finished(); }

TEST(SignoriniStatics, active_set_and_forces_are_exact_at_each_load) {
  expect_string("0.7", five(-1.75, -2.8, -3.15), five(0, 0, 0));
  expect_string("1", five(-31.0 / 15, -47.0 / 15, -3.2), five(0, 0, 13.0 / 15));
  expect_string("2", five(-2.6, -3.2, -3.2), five(0, 1.4, 2));
}

}  // namespace
}  // namespace clack
