// Stick-slip of a block on a belt: one friction characteristic, taken as it is and smoothed twice.
#include <gtest/gtest.h>

#include <array>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

using test::example;
using test::run;

struct Cycle {
  double amplitude = NAN, period = NAN;
  long failed_steps = 0;
};

constexpr double kM = 1, kK = 1, kN = 10, kMuS = 0.5, kMuD = 0.3, kDelta = 3, kBelt = 3;

using Pair = std::array<double, 2>;

Pair slip_rate(const Pair& s) {
  const double mu = kMuD + (kMuS - kMuD) / (1 + kDelta * std::abs(s[1] - kBelt));
  return {s[1], (-kK * s[0] + kN * mu) / kM};
}

Pair runge_kutta(const Pair& s, double h) {
  auto moved = [&](const Pair& k, double by) { return Pair{s[0] + by * k[0], s[1] + by * k[1]}; };
  const Pair a = slip_rate(s), b = slip_rate(moved(a, h / 2)), c = slip_rate(moved(b, h / 2)),
             d = slip_rate(moved(c, h));
  return {s[0] + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0]),
          s[1] + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])};
}

// The limit cycle: sticking ends at k x = mu_s N; from there one slip phase until the block has the
// speed of the belt again, and a stick phase back.
Cycle exact_cycle() {
  const double h = 1e-4;
  Pair s = {kMuS * kN / kK, kBelt};
  double t = 0, low = s[0], high = s[0];
  while (true) {
    const Pair next = runge_kutta(s, h);
    if (next[1] >= kBelt && t > 1) break;
    s = next;
    t += h;
    low = std::min(low, s[0]);
    high = std::max(high, s[0]);
  }
  const double rest =
      test::first_root([&](double x) { return kBelt - runge_kutta(s, x)[1]; }, 0, h / 4);
  s = runge_kutta(s, rest);
  return {0.5 * (high - low), t + rest + (kMuS * kN / kK - s[0]) / kBelt};
}

Cycle cycle_of(const std::string& name, double h, std::vector<std::string> overrides = {}) {
  overrides.push_back(test::step_of(h));
  overrides.push_back("simulation.end=25");
  const test::Outcome outcome = run(example(name, overrides));
  const auto& m = outcome.measures;
  return {0.5 * (m.at("largest displacement") - m.at("smallest displacement")), m.at("period"),
          outcome.failed_steps};
}

// The larger relative error of amplitude and period; infinite where there is no cycle.
double error_of(const Cycle& cycle) {
  static const Cycle exact = exact_cycle();
  const double error = std::max(std::abs(cycle.amplitude / exact.amplitude - 1),
                                std::abs(cycle.period / exact.period - 1));
  return std::isfinite(error) ? error : HUGE_VAL;
}

// The finest run of the arctangent, wanted twice.
const Cycle& fine_arctangent() {
  static const Cycle cycle = cycle_of("belt_arctan", 2e-4);
  return cycle;
}

const std::string kMidpoint = "simulation.scheme=moreau-midpoint";

TEST(Belt, exact_cycle_has_the_figures_that_the_scenes_state) {
  EXPECT_NEAR(exact_cycle().period, 6.653471, 1e-6);
  EXPECT_NEAR(exact_cycle().amplitude, 4.093215, 1e-6);
}

TEST(Belt, set_valued_cycle_converges_to_the_exact_one) {
  const double coarse = error_of(cycle_of("belt_stribeck", 0.04));
  const double middle = error_of(cycle_of("belt_stribeck", 0.01));
  const double fine = error_of(cycle_of("belt_stribeck", 0.0025));
  EXPECT_LT(coarse, 0.01);
  EXPECT_LT(middle, 0.0027);
  EXPECT_LT(fine, 0.0007);
  EXPECT_GT(coarse / middle, 3);  // 4 where the error is of first order
  EXPECT_GT(middle / fine, 3);
}

TEST(Belt, set_valued_friction_sticks_exactly) {
  long sticking = 0, creeping = 0;
  run(example("belt_stribeck"), [&](const Simulation& simulation) {
    const double slip = std::abs(simulation.v()[0] - kBelt);
    sticking += slip < 1e-14;
    creeping += slip >= 1e-14 && slip < 1e-3;
  });
  EXPECT_GT(sticking, 1000);
  EXPECT_LT(creeping, 20);
}

TEST(Belt, arctangent_needs_a_sharpness_of_ten_thousand_for_one_percent) {
  EXPECT_GT(error_of(cycle_of("belt_arctan", 1e-3, {"parameters.eps=1e3"})), 0.025);
  EXPECT_LT(error_of(fine_arctangent()), 0.01);
}

TEST(Belt, explicit_scheme_takes_the_largest_steps_with_set_valued_friction) {
  EXPECT_LT(error_of(cycle_of("belt_stribeck", 0.04, {kMidpoint})), 0.01);
  EXPECT_GT(error_of(cycle_of("belt_arctan", 0.04, {kMidpoint})), 0.01);
  EXPECT_GT(error_of(cycle_of("belt_arctan", 0.02, {kMidpoint})), 0.01);
  EXPECT_LT(error_of(cycle_of("belt_arctan", 0.005, {kMidpoint})), 0.01);
  EXPECT_GT(error_of(cycle_of("belt_lugre", 0.04, {kMidpoint})), 0.01);
  EXPECT_GT(error_of(cycle_of("belt_lugre", 1e-3, {kMidpoint})), 0.01);
}

TEST(Belt, implicit_scheme_solves_every_step_of_the_arctangent_from_2e_4_down_only) {
  EXPECT_GT(cycle_of("belt_arctan", 0.01).failed_steps, 100);
  EXPECT_GT(cycle_of("belt_arctan", 1e-3).failed_steps, 100);
  EXPECT_EQ(fine_arctangent().failed_steps, 0);
}

TEST(Belt, implicit_scheme_takes_lugre_with_the_steps_of_set_valued_friction_up_to_an_edge) {
  const Cycle good = cycle_of("belt_lugre", 0.05);
  EXPECT_LT(error_of(good), 0.01);
  EXPECT_EQ(good.failed_steps, 0);
  EXPECT_GT(error_of(cycle_of("belt_lugre", 0.07)), 0.1);
}

}  // namespace
}  // namespace clack
