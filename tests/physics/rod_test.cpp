// Elastic rods against walls: the waves of the continuous rod.
#include <gtest/gtest.h>

#include "tests/physics/support.hpp"

namespace clack {
namespace {

// The contact of a run: impulse by time.
struct Touch {
  double first = NAN, last = NAN;  // [s]
  double impulse = 0;              // [N s]
};

Touch first_touch(const Scene& scene, double until) {
  Touch touch;
  test::run(scene, [&](const Simulation& s) {
    const double r = s.last_step().r[0];
    if (r <= 0 || s.time() > until) return;
    if (std::isnan(touch.first)) touch.first = s.time();
    touch.last = s.time();
    touch.impulse += r;
  });
  return touch;
}

TEST(ImpactingBar, TouchesWhileTheWaveRunsToTheFarEndAndBack) {
  const Scene scene = test::example("impacting_bar");
  const double c = std::sqrt(210e9 / 7800), L = 0.99,
               force = 3.14e-4 * std::sqrt(210e9 * 7800.0) * 0.1;
  const Touch touch = first_touch(scene, 1);
  EXPECT_NEAR(touch.first, 5e-4, 6e-6);
  EXPECT_NEAR(touch.last - touch.first, 2 * L / c, 0.03 * 2 * L / c);
  EXPECT_NEAR(touch.impulse / (touch.last - touch.first), force, 0.03 * force);
  // The whole bar has turned round.
  const test::Outcome outcome = test::run(scene);
  const double mass = 7800 * 3.14e-4 * L;
  EXPECT_NEAR(touch.impulse, 2 * mass * 0.1, 0.02 * 2 * mass * 0.1);
  EXPECT_GT(outcome.energy.kinetic, 0.95 * 0.5 * mass * 0.01);
}

// More than 100 elements: sparse matrices.
TEST(ImpactingBar, OfManyElementsTouchesAsLong) {
  const Scene scene =
      test::example("impacting_bar", {"system.rod.elements=500", test::step_of(4e-7)});
  ASSERT_TRUE(scene.system->is_sparse());
  const double c = std::sqrt(210e9 / 7800), L = 0.99,
               force = 3.14e-4 * std::sqrt(210e9 * 7800.0) * 0.1;
  const Touch touch = first_touch(scene, 1);
  EXPECT_NEAR(touch.first, 5e-4, 1e-6);
  EXPECT_NEAR(touch.last - touch.first, 2 * L / c, 0.006 * 2 * L / c);
  EXPECT_NEAR(touch.impulse / (touch.last - touch.first), force, 0.006 * force);
}

TEST(RodAgainstAWall, TouchesWithTheForceOfAWaveForHalfASecond) {
  const Touch touch = first_touch(test::example("rod_wall"), 2);
  EXPECT_NEAR(touch.first, 0.5, 0.005);
  EXPECT_NEAR(touch.last, 1, 0.02);
  EXPECT_NEAR(touch.impulse, 0.5, 0.02);
}

TEST(RodAgainstAWall, ApproachesThePeriodicMotionOfTheContinuousRod) {
  const auto measures = [](int n) {
    const std::string tip = "u" + std::to_string(n);
    return test::run(
               test::example("rod_wall",
                             {"system.rod.elements=" + std::to_string(n), test::step_of(0.2 / n),
                              "system.contacts=[{name: wall, G: {" + tip + ": -1}, g0: gap}]",
                              "exact={v: {u1': 0}}",
                              "measures=[{name: period, of: " + tip +
                                  ", take: period}, {name: back, of: " + tip + ", take: min}]"}))
        .measures;
  };
  const auto coarse = measures(25), fine = measures(100), sparse = measures(400);
  EXPECT_NEAR(coarse.at("period"), 3.5, 0.06);
  EXPECT_NEAR(fine.at("period"), 3.5, 0.025);
  EXPECT_NEAR(sparse.at("period"), 3.5, 0.012);
  EXPECT_NEAR(coarse.at("back"), -1, 0.07);
  EXPECT_NEAR(fine.at("back"), -1, 0.03);
  EXPECT_NEAR(sparse.at("back"), -1, 0.012);
}

TEST(RodAgainstAWall, AgreesWithTheClosedFormOfItsTip) {
  const Scene scene = test::example("rod_wall", {"simulation.end=4"});
  Vector q = scene.initial.q, v = scene.initial.v;
  double worst = 0;
  test::run(scene, [&](const Simulation& s) {
    scene.exact.at(s.time(), q, v);
    worst = std::max(worst, std::abs(s.q()[99] - q[99]));
  });
  EXPECT_LT(worst, 0.03);
}

}  // namespace
}  // namespace clack
