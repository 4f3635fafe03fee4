// Laws of friction in motion: spring and slider, rolling to rest, sliding with spin, a belt.
#include <gtest/gtest.h>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

using test::example;
using test::run;

std::string set(const char* name, double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%s=%.17g", name, value);
  return text;
}

// --- spring and slider with rate-and-state friction

// The growth of the swings of the speed: the logarithm of the ratio of two amplitudes, per second.
double growth_rate(double ratio, double h) {
  const double middle = 60, end = 120;
  double early = 0, late = 0;
  const test::Outcome outcome =
      run(example("spring_slider", {set("parameters.ratio", ratio), test::step_of(h),
                                    set("simulation.end", end), "parameters.disturbance=1.001"}),
          [&](const Simulation& simulation) {
            const double swing = std::abs(simulation.v()[0] / 1e-4 - 1);
            // Whole periods of 8.9 s at the end of each half.
            if (simulation.time() > middle - 9 && simulation.time() < middle)
              early = std::max(early, swing);
            if (simulation.time() > end - 9) late = std::max(late, swing);
          });
  EXPECT_EQ(outcome.failed_steps, 0);
  return std::log(late / early) / (end - middle);
}

TEST(SpringSlider, creeps_above_the_critical_stiffness_and_quakes_below) {
  // s = -V0 (k - k_c)/(2 a N): 0.0125 per second for 5 %.
  const double h = 2e-3;
  const double stiff = growth_rate(1.05, h), soft = growth_rate(0.95, h);
  EXPECT_LT(stiff, 0);
  EXPECT_GT(soft, 0);
  EXPECT_NEAR(stiff, -0.0125, 5e-4);
  EXPECT_NEAR(soft, 0.0125, 5e-4);
}

TEST(SpringSlider, sticks_and_slips_below_the_critical_stiffness) {
  const test::Outcome soft = run(example("spring_slider"));
  EXPECT_EQ(soft.failed_steps, 0);
  EXPECT_GT(soft.measures.at("largest speed at the end"), 1e-2);
  EXPECT_LT(soft.measures.at("smallest speed at the end"), 1e-6);
  const test::Outcome stiff = run(example("spring_slider", {"parameters.ratio=1.2"}));
  EXPECT_EQ(stiff.failed_steps, 0);
  EXPECT_NEAR(stiff.measures.at("largest speed at the end"), 1e-4, 1e-7);
  EXPECT_NEAR(stiff.measures.at("smallest speed at the end"), 1e-4, 1e-7);
}

// --- rolling to rest

TEST(RollingResistance, ball_slides_then_rolls_then_rests_at_the_times_of_the_closed_form) {
  const double g = 9.81, R = 0.03, mu = 0.2, mu_r = 3e-4, v0 = 2;
  const double t1 = v0 / (g * (3.5 * mu - 2.5 * mu_r / R)), d = 5. / 7 * g * mu_r / R;
  const double t2 = t1 + (v0 - mu * g * t1) / d;
  double last = HUGE_VAL;
  for (double h : {1e-2, 1e-3, 1e-4}) {
    const test::Outcome outcome = run(example("rolling_resistance", {test::step_of(h)}));
    EXPECT_EQ(outcome.failed_steps, 0);
    EXPECT_NEAR(outcome.measures.at("end of sliding"), t1, 1.01 * h);
    EXPECT_NEAR(outcome.measures.at("end of rolling"), t2, 1.01 * h);
    const double error = std::abs(outcome.measures.at("its error"));
    EXPECT_LT(error, 1e-2 * h);
    EXPECT_LT(error, 0.3 * last);
    last = error;
    EXPECT_LT(outcome.v.cwiseAbs().maxCoeff(), 1e-14);
  }
}

// --- sliding with spin

TEST(ContensouPuck, keeps_the_ratio_of_sliding_and_spin_and_ends_both_at_once) {
  const double m = 0.2, R = 0.05, g = 9.81, mu = 0.3, v0 = 1, w0 = 60;
  const double J = 0.5 * m * R * R, arm = 3 * M_PI / 16 * R, k = J / (m * arm * arm);
  double T = 0, way = 0;  // over s = ln(w0/w), trapezoidal
  const int n = 20000;
  for (int i = 0; i <= n; ++i) {
    const double ds = 60.0 / n, share = std::exp(-i * ds), v = v0 * std::pow(share, k);
    const double dt =
        J / (mu * m * g * arm * arm) * std::hypot(v, arm * w0 * share) * (i % n ? ds : 0.5 * ds);
    T += dt;
    way += v * dt;
  }
  double last = HUGE_VAL;
  for (double h : {1e-2, 1e-3, 1e-4}) {
    const test::Outcome outcome = run(example("contensou_puck", {test::step_of(h)}));
    EXPECT_EQ(outcome.failed_steps, 0);
    EXPECT_EQ(outcome.measures.at("end of sliding"), outcome.measures.at("end of spin"));
    EXPECT_NEAR(outcome.measures.at("end of spin"), T, 1.5 * h);
    EXPECT_NEAR(outcome.measures.at("way"), way, 0.1 * h);
    const double departure = outcome.measures.at("largest departure from v/v0 = (w/w0)^k");
    EXPECT_LT(departure, 0.2 * h);
    EXPECT_LT(departure, 0.15 * last);
    last = departure;
  }
}

// --- static peak, dynamic force

TEST(StaticDynamic, block_pulled_harder_and_harder_lets_go_at_the_static_limit) {
  // F = t N on 1 kg under 10 N: lets go at t = 5 s, then v' = t - 2.
  const auto speed_error = [](double h) {
    double worst = 0;
    const std::string scene = CLACK_SOURCE_DIR "/tests/physics/scenes/growing_pull.yaml";
    run(load_scene(scene, {test::step_of(h)}), [&](const Simulation& simulation) {
      const double t = simulation.time();
      const double exact = t <= 5 ? 0 : 0.5 * (t * t - 25) - 2 * (t - 5);
      worst = std::max(worst, std::abs(simulation.v()[0] - exact));
    });
    return worst;
  };
  EXPECT_LT(speed_error(1e-3), 5e-3);
  EXPECT_NEAR(speed_error(1e-2) / speed_error(1e-3), 10, 3);
}

// --- belt

struct Cycle {
  double amplitude, period;
  long failed_steps;
};

Cycle cycle_of(double h, std::vector<std::string> overrides = {}) {
  overrides.push_back(test::step_of(h));
  overrides.push_back("simulation.end=25");
  const test::Outcome outcome = run(example("belt_implicit", overrides));
  const auto& m = outcome.measures;
  return {0.5 * (m.at("largest displacement") - m.at("smallest displacement")), m.at("period"),
          outcome.failed_steps};
}

TEST(BeltImplicit, cycle_converges_to_the_exact_one_with_every_step_solved) {
  double last = HUGE_VAL;
  for (double h : {0.04, 0.01, 0.0025}) {
    const Cycle cycle = cycle_of(h);
    EXPECT_EQ(cycle.failed_steps, 0);
    const double error =
        std::max(std::abs(cycle.amplitude / 4.093215 - 1), std::abs(cycle.period / 6.653471 - 1));
    EXPECT_LT(error, 0.4 * h);
    EXPECT_LT(error, 0.4 * last);
    last = error;
  }
}

TEST(BeltImplicit, a_stribeck_cycle_converges_with_the_step) {
  const std::vector<std::string> stribeck = {
      "system.contacts.0.friction={law: stribeck, mu_s: 0.5, mu_d: 0.3, v_s: 0.5, exponent: 1, "
      "viscous: 0.005}"};
  const double finest = cycle_of(2.5e-4, stribeck).period;
  double last = HUGE_VAL;
  for (double h : {0.04, 0.01, 0.0025}) {
    const Cycle cycle = cycle_of(h, stribeck);
    EXPECT_EQ(cycle.failed_steps, 0);
    const double error = std::abs(cycle.period / finest - 1);
    EXPECT_LT(error, 0.4 * last);
    last = error;
  }
  EXPECT_LT(last, 2e-3);
}

}  // namespace
}  // namespace clack
