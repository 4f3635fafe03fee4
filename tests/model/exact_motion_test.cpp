// The closed form of the oscillator with a stop: it obeys its equation and its law of impact.
#include "clack/model/exact_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace clack {
namespace {

class Stop : public testing::TestWithParam<double> {};

TEST_P(Stop, IsHitWithRestitutionAndTheMotionIsHarmonicBetween) {
  const ImpactingOscillator form{.omega = 2.3, .start = 1.1, .stop = GetParam(), .e_n = 0.7};
  const double dt = 1e-4, w = form.omega;
  auto before = form.at(0);
  EXPECT_EQ(before.q, form.start);
  EXPECT_EQ(before.v, 0);
  int impacts = 0;
  for (double t = dt; t < 6; t += dt) {
    const auto now = form.at(t);
    EXPECT_GE(now.q, form.stop - 1e-12);
    // The free motion over dt from the state before.
    const double q = before.q * std::cos(w * dt) + before.v / w * std::sin(w * dt);
    const double v = before.v * std::cos(w * dt) - before.q * w * std::sin(w * dt);
    if (std::abs(now.v - v) < 1e-9) {
      EXPECT_NEAR(now.q, q, 1e-9);
    } else if (now.v != 0) {
      ++impacts;
      if (std::abs(before.v) > 0.1) {
        EXPECT_NEAR(now.v / before.v, -form.e_n, 0.02) << t;
        EXPECT_NEAR(now.q, form.stop, 1e-3) << t;
      }
    }
    before = now;
  }
  EXPECT_GE(impacts, 2);
}

INSTANTIATE_TEST_SUITE_P(Positions, Stop, testing::Values(-0.6, 0.0, 0.4));

TEST(ImpactingOscillator, ComesToRestOnAStopThatPressesIt) {
  const ImpactingOscillator form{.omega = 1, .start = 1, .stop = 0.5, .e_n = 0.5};
  EXPECT_EQ(form.at(100).q, 0.5);
  EXPECT_EQ(form.at(100).v, 0);
}

TEST(ImpactingOscillator, GrazesAStopBehindItsEquilibriumAfterAnInelasticImpact) {
  const ImpactingOscillator form{.omega = 1, .start = 1, .stop = -0.5, .e_n = 0};
  const double impact = std::acos(-0.5);
  EXPECT_NEAR(form.at(impact + M_PI).q, 0.5, 1e-12);
  EXPECT_NEAR(form.at(impact + 2 * M_PI).q, -0.5, 1e-12);
}

TEST(ImpactingOscillator, IsFreeWhereTheStopIsOutOfReach) {
  const ImpactingOscillator form{.omega = 2, .start = 1, .stop = -3, .e_n = 0.3};
  EXPECT_NEAR(form.at(7).q, std::cos(14.0), 1e-14);
}

TEST(ImpactingOscillator, WithoutEnergyLeftStaysOnItsStop) {
  const ImpactingOscillator form{.omega = 2, .start = 1, .stop = 0, .e_n = 0};
  EXPECT_EQ(form.at(5).q, 0);
  EXPECT_EQ(form.at(5).v, 0);
}

}  // namespace
}  // namespace clack
