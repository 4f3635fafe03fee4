#include <gtest/gtest.h>

#include <numbers>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

using test::example;
using test::Impact;
using test::impacts_of;
using test::run;
constexpr double kPi = std::numbers::pi;

TEST(ImpactingOscillator, hits_a_wall_at_its_equilibrium_every_half_period) {
  const double h = 1e-4, w = 2, e = 0.8;
  const Scene scene = example("impacting_oscillator", {test::step_of(h)});
  const std::vector<Impact> impacts = impacts_of(scene, 0);
  ASSERT_EQ(impacts.size(), 5u);
  for (std::size_t n = 0; n < impacts.size(); ++n) {
    const double speed = w * std::pow(e, static_cast<double>(n));
    EXPECT_NEAR(impacts[n].t, (n + 0.5) * kPi / w, (n + 1) * h) << "impact " << n;
    EXPECT_NEAR(impacts[n].before, -speed, 1e-6) << "impact " << n;
    EXPECT_NEAR(impacts[n].after, e * speed, 1e-6) << "impact " << n;
  }
}

TEST(ImpactingOscillator, excursion_shrinks_by_the_restitution_at_each_impact) {
  const test::Outcome outcome = run(example("impacting_oscillator"));
  EXPECT_NEAR(outcome.measures.at("excursion after the first impact"), 0.8, 1e-6);
  EXPECT_NEAR(outcome.measures.at("excursion after the fifth impact"), std::pow(0.8, 5), 1e-6);
  EXPECT_NEAR(outcome.measures.at("time between two impacts"), kPi / 2, 5e-4);
}

TEST(ImpactingOscillator, with_an_offset_stop_takes_longer_from_impact_to_impact) {
  const double h = 1e-4, w = 2, e = 0.8, d = 0.5, q0 = 1;
  const Scene scene = example("impacting_oscillator_offset", {test::step_of(h)});
  const std::vector<Impact> impacts = impacts_of(scene, 0);
  ASSERT_EQ(impacts.size(), 4u);
  double t = std::acos(-d / q0) / w, swing = q0 * q0 - d * d;  // A^2 - d^2
  for (std::size_t n = 0; n < impacts.size(); ++n) {
    EXPECT_NEAR(impacts[n].t, t, 2 * (n + 1) * h) << "impact " << n;
    EXPECT_NEAR(impacts[n].before, -w * std::sqrt(swing), 5 * (n + 1) * h) << "impact " << n;
    EXPECT_NEAR(impacts[n].after, -e * impacts[n].before, 1e-12) << "impact " << n;
    swing *= e * e;
    t += 2 * std::acos(-d / std::sqrt(d * d + swing)) / w;
  }
}

// Impacts of the lower of two masses, from the parabola of the centre of mass and the sine of the
// spring.
std::vector<Impact> exact_two_mass_impacts(std::size_t count) {
  const double m1 = 2, m2 = 1, k = 200, g = 9.81, y0 = 0.5, e = 1;
  const double m = m1 + m2, w = std::sqrt(k * m / (m1 * m2));
  double t = std::sqrt(2 * y0 / g), y1 = 0, y2 = 0, v1 = -g * t, v2 = v1;
  std::vector<Impact> result;
  while (true) {
    result.push_back({t, v1, -e * v1});
    if (result.size() == count) return result;
    v1 = -e * v1;
    const double c = (m1 * y1 + m2 * y2) / m, vc = (m1 * v1 + m2 * v2) / m, d = y1 - y2,
                 vd = v1 - v2;
    auto centre = [&](double s) { return c + vc * s - 0.5 * g * s * s; };
    auto spring = [&](double s) { return d * std::cos(w * s) + vd / w * std::sin(w * s); };
    auto lower = [&](double s) { return centre(s) + m2 / m * spring(s); };
    const double s = test::first_root(lower, 1e-6, 1e-4);
    const double rate = -d * w * std::sin(w * s) + vd * std::cos(w * s);
    t += s;
    y2 = centre(s) - m1 / m * spring(s);
    y1 = 0;
    v1 = vc - g * s + m2 / m * rate;
    v2 = vc - g * s - m1 / m * rate;
  }
}

TEST(TwoMassOscillator, lower_mass_hits_where_parabola_plus_sine_meet_the_floor) {
  const double h = 1e-4;
  const std::vector<Impact> exact = exact_two_mass_impacts(3);
  EXPECT_NEAR(exact[1].t, 0.510440, 1e-6);
  EXPECT_NEAR(exact[2].t, 1.136479, 1e-6);
  const std::vector<Impact> impacts =
      impacts_of(example("two_mass_oscillator", {test::step_of(h)}), 0);
  ASSERT_EQ(impacts.size(), exact.size());
  for (std::size_t n = 0; n < exact.size(); ++n) {
    EXPECT_NEAR(impacts[n].t, exact[n].t, 3 * h) << "impact " << n;
    EXPECT_NEAR(impacts[n].before, exact[n].before, 100 * h) << "impact " << n;
  }
}

TEST(TwoMassOscillator, elastic_impacts_keep_the_energy_to_round_off) {
  const test::Outcome outcome = run(example("two_mass_oscillator"));
  EXPECT_NEAR(outcome.measures.at("energy at the end"), 3 * 9.81 * 0.5, 1e-10);
}

}  // namespace
}  // namespace clack
