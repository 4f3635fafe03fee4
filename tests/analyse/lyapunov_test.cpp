// Lyapunov exponents through impacts, stick and chaos.
#include "clack/analyse/orbits/lyapunov.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "clack/analyse/orbits/orbit.hpp"
#include "clack/core/error.hpp"
#include "tests/analyse/orbit_scenes.hpp"

namespace clack {
namespace {

using test::values;

constexpr double kPi = 3.14159265358979323846;

struct Forced {
  explicit Forced(double W)
      : T(2 * kPi / W),
        map(test::scene_of(test::kForced, {test::assignment("parameters.W", W)}).system) {}
  State settled(int periods) const {
    FlowMapOptions longer;
    longer.steps = 16 * periods;
    return FlowMap(map.shared_system(), longer)
        .compute({0.3, values({-0.5}), values({0})}, periods * T, false)
        .end;
  }
  double T;
  FlowMap map;
};

TEST(Lyapunov, exponents_of_a_stable_orbit_are_those_of_its_multipliers) {
  // A complex pair: both exponents are ln(det)/2T, the first one alone up to a bounded sum.
  const Forced first(1.6);
  const State start = first.settled(60);
  const LyapunovExponents pair =
      compute_lyapunov(first.map, start, {.time = 400 * first.T, .interval = first.T});
  ASSERT_TRUE(pair.good()) << pair.note;
  EXPECT_NEAR(pair.exponents.sum() / 2, -0.10682304, 1e-8);
  EXPECT_NEAR(pair.exponents[0], -0.10682304, 1e-3);
  // The determinant: impacts lose e^2, damping 2 z t.
  EXPECT_NEAR(pair.exponents.sum(), 2 * std::log(0.8) / first.T - 0.1, 1e-9);
  // Two real ones at W = 2.
  const Forced second(2);
  const LyapunovExponents real =
      compute_lyapunov(second.map, second.settled(80),
                       {.time = 40 * second.T, .interval = 2 * second.T, .align = 900 * second.T});
  ASSERT_TRUE(real.good()) << real.note;
  EXPECT_NEAR(real.exponents[0], std::log(0.6901792) / second.T, 2e-7);
  EXPECT_NEAR(real.exponents[1], std::log(0.6772991) / second.T, 2e-7);
}

TEST(Lyapunov, chaos_has_a_positive_one_that_does_not_depend_on_the_interval) {
  const Forced chaotic(2.8);
  const State start = chaotic.settled(100);
  std::vector<LyapunovExponents> found;
  for (const double interval : {1.0, 0.37}) {
    found.push_back(compute_lyapunov(
        chaotic.map, start,
        {.time = 400 * chaotic.T, .interval = interval * chaotic.T, .align = 10 * chaotic.T}));
    ASSERT_TRUE(found.back().good()) << found.back().note;
  }
  std::printf("  W = 2.8: %.5f +- %.5f and %.5f +- %.5f\n", found[0].exponents[0], found[0].error,
              found[1].exponents[0], found[1].error);
  for (const LyapunovExponents& x : found) {
    EXPECT_GT(x.exponents[0], 5 * x.error);
    EXPECT_LT(x.exponents[1], 0);
  }
  EXPECT_NEAR(found[0].exponents[0], found[1].exponents[0], 3 * (found[0].error + found[1].error));
  // It is the rate at which a neighbour leaves, until it is far away.
  const double d = 1e-9;
  double rate = 0;
  int starts = 0;
  State now = start;
  for (; starts < 60; ++starts) {
    const MappedFlow one = chaotic.map.compute(now, 5 * chaotic.T, false);
    const MappedFlow other =
        chaotic.map.compute(test::moved(now, values({d, 0})), 5 * chaotic.T, false);
    rate +=
        std::log((test::joined(other.end) - test::joined(one.end)).norm() / d) / (5 * chaotic.T);
    now = one.end;
  }
  EXPECT_GT(rate / starts, 0);
}

TEST(Lyapunov, stick_loses_directions_and_a_free_motion_has_a_zero_exponent) {
  const Scene belt = test::example_scene("belt_stribeck", {"simulation.scheme=event-driven"});
  FlowMapOptions options;
  options.simulation = belt.options;
  const FlowMap map(belt.system, options);
  FlowMapOptions longer = options;
  longer.steps = 400;
  const State start = FlowMap(belt.system, longer).compute(belt.initial, 40, false).end;
  const LyapunovExponents found = compute_lyapunov(map, start, {.time = 200, .interval = 3.1});
  ASSERT_TRUE(found.good()) << found.note;
  // Two coordinates: the normal one is held, the other sticks once a period.
  EXPECT_NEAR(found.exponents[0], 0, 0.02);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(found.exponents[i], -HUGE_VAL) << i;
}

TEST(Lyapunov, bad_options_are_named) {
  const Forced forced(1.6);
  const State start{0, values({-0.5}), values({0})};
  EXPECT_THROW((void)compute_lyapunov(forced.map, start, {.time = 0, .interval = 1}), InputError);
  EXPECT_THROW((void)compute_lyapunov(forced.map, start, {.time = 1, .interval = 2}), InputError);
  EXPECT_THROW((void)compute_lyapunov(forced.map, start, {.time = 1, .interval = 1, .align = -1}),
               InputError);
}

}  // namespace
}  // namespace clack
