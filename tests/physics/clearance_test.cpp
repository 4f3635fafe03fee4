// Journals in bearings, sliders in guides, couplings with play.
#include <gtest/gtest.h>

#include "support.hpp"
#include "world_support.hpp"

namespace clack {
namespace {

constexpr double kClearance = 5e-4, kHole = 0.02;  // [m]

// --- a disc at the bottom of a hole --------------------------------------------------------------

double period_error(double steps_per_period, bool rolls) {
  const double exact = 2 * M_PI * std::sqrt((rolls ? 1.5 : 1) * kClearance / kGravity);
  const Scene scene = test::example(
      "disc_in_hole",
      {test::step_of(exact / steps_per_period), "simulation.end=0.4", "parameters.start=0.01"});
  const test::Outcome outcome = test::run_world(scene);
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_LT(outcome.balance, 1e-12);
  return outcome.measures.at(rolls ? "period of the roller" : "period of the slider") - exact;
}

TEST(DiscInAHole, HasThePeriodOfASliderOrOfARoller) {
  EXPECT_NEAR(2 * M_PI * std::sqrt(kClearance / kGravity), 0.044857014655, 1e-12);
  EXPECT_NEAR(2 * M_PI * std::sqrt(1.5 * kClearance / kGravity), 0.054938398644, 1e-12);
  for (const bool rolls : {false, true}) {
    const double coarse = std::abs(period_error(200, rolls)),
                 fine = std::abs(period_error(800, rolls));
    EXPECT_LT(coarse, 2e-4 * 0.05) << rolls;
    EXPECT_LT(fine, 0.3 * coarse + 1e-7) << rolls;
  }
}

// Without gravity a journal goes around its bearing at constant speed, on a circle with the radius
// of the clearance: nothing but the turning of the normal can go wrong.
struct Whirl {
  double overlap, energy;  // deepest in clearances; kinetic at the end, of that at the start
};

Whirl whirl(const ShapePtr& hole, const ShapePtr& journal, bool planar, int steps, double e_n) {
  Arrangement setup(0, e_n, planar);
  setup.world->gravity.setZero();
  setup.add_held(BodyKind::fixed, hole);
  setup.add(journal, {kClearance, 0, 0}).v = {0, 1, 0};
  test::BodySimulation simulation = setup.simulate(2 * M_PI * kClearance / steps, 1e-12);
  const double start = simulation.energy().kinetic;
  double farthest = 0;
  for (int k = 0; k < 5 * steps; ++k) {
    EXPECT_EQ(simulation.step(), Status::converged);
    farthest = std::max(farthest, simulation.state().bodies[1].position.norm());
  }
  return {farthest / kClearance - 1, simulation.energy().kinetic / start};
}

TEST(Whirl, OfAJournalStaysInItsClearance) {
  const struct {
    ShapePtr hole, journal;
    bool planar;
  } cases[] = {
      {make_shape(RingShape(kHole, 2 * kHole)), make_shape(Disc(kHole - kClearance)), true},
      {make_shape(Tube(kHole, 2 * kHole, 0.01)), make_shape(Cylinder(kHole - kClearance, 0.02)),
       false},
      {make_shape(Socket(kHole, 2 * kHole)), make_shape(Sphere(kHole - kClearance)), false}};
  for (const auto& c : cases) {
    for (const int steps : {100, 200}) {
      const double turn = 2 * M_PI / steps;
      const Whirl result = whirl(c.hole, c.journal, c.planar, steps, 0);
      EXPECT_LT(result.overlap, turn * turn / 6) << steps;  // some 1/8 by (eq:mid_normal)
      // Each step loses (turn of the step)^2 of the energy, and the turn falls with the speed.
      EXPECT_NEAR(result.energy * (1 + 5 * steps * turn * turn), 1, 0.01) << steps;
    }
    const Whirl bouncing = whirl(c.hole, c.journal, c.planar, 200, 0.5);
    EXPECT_LT(bouncing.overlap, 1e-3);
    EXPECT_LE(bouncing.energy, 1 + 1e-12);
  }
}

// A shaft in a bearing in space settles on two contacts that share its weight.
TEST(ShaftInABearing, RestsOnTwoContactsThatShareItsWeight) {
  for (const double half_length : {0.03, 0.08}) {  // within the tube, and beyond its ends
    Arrangement setup(0.2);
    setup.world->gravity = Vector3(0, -kGravity, 0);
    setup.add_held(BodyKind::fixed, make_shape(Tube(kHole, 2 * kHole, 0.05)));
    setup.add(make_shape(Cylinder(kHole - kClearance, half_length)), Vector3::Zero());
    test::BodySimulation simulation = setup.simulate(1e-4);
    run_world(simulation, 0.1);
    ASSERT_EQ(simulation.contacts().size(), 2u);
    const double weight = setup.world->bodies[1].mass * kGravity;
    for (int k : {0, 1})
      EXPECT_NEAR(simulation.r()[static_cast<std::size_t>(3 * k)] / 1e-4, weight / 2,
                  1e-6 * weight);
    EXPECT_NEAR(simulation.state().bodies[1].position.y(), -kClearance, 1e-9);
    EXPECT_LT(simulation.state().bodies[1].v.norm(), 1e-9);
  }
}

// --- dry friction of a journal --------------------------------------------------------------------

TEST(JournalFriction, StopsAFlywheelByTheSineOfTheAngleOfFriction) {
  const double expected = 0.5 / (20 * kGravity * 0.02 * std::sin(std::atan(0.1)));
  EXPECT_NEAR(100 * expected, 128.0565191274, 1e-9);
  double stop = 0;
  const test::Outcome outcome = test::run_world(
      test::example("journal_friction"), [&](const test::BodySimulation& simulation) {
        if (stop == 0 && simulation.state().bodies[1].omega.z() <= 0) stop = simulation.time();
      });
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_NEAR(stop, expected, 1e-3 * expected);  // the joint's law would be 0.5 % longer
  EXPECT_NEAR(outcome.measures.at("turn of the flywheel"), expected / 2, 1e-3 * expected);
  EXPECT_LT(std::abs(outcome.measures.at("way of the resting rod")), 1e-9);
  EXPECT_LT(outcome.measures.at("way of the slipping rod"), -1e-4);
}

TEST(JournalFriction, HoldsARodUpToTheAngleAtWhichThePinSlips) {
  EXPECT_NEAR(std::asin(2 * 0.05 * std::sin(std::atan(0.3))) * 180 / M_PI, 1.646608760, 1e-8);
  for (const double away : {-2e-3, 2e-3}) {  // [deg]
    const double limit = std::asin(2 * 0.05001 * std::sin(std::atan(0.3))) * 180 / M_PI;
    const test::Outcome outcome = test::run_world(test::example(
        "journal_friction",
        {"parameters.low=" + std::to_string(limit + away) + "*deg", "simulation.end=0.5"}));
    EXPECT_EQ(std::abs(outcome.measures.at("way of the resting rod")) < 1e-9, away < 0) << away;
  }
}

// --- slider-crank with a slider in a guide (Flores, Leine and Glocker 2010) ----------------------

struct SliderCrank {
  double upper = 0, lower = 0;  // times of the first strokes on either wall [s]
  double angle = 0, rod = 0;    // at 0.02 s [rad]
  double rate = 0;              // of the crank at 0.02 s [rad/s]
  double speed = 0;             // of the first stroke [m/s]
};

SliderCrank run_slider_crank(double h) {
  SliderCrank result;
  double u = 0;
  const Scene scene =
      test::example("slider_crank_clearance", {test::step_of(h), "simulation.end=0.027"});
  const test::Outcome outcome = test::run_world(scene, [&](const test::BodySimulation& simulation) {
    const auto& bodies = simulation.state().bodies;
    for (std::size_t c = 0; c < simulation.contacts().size(); ++c) {
      if (!(simulation.r()[2 * c] > 0)) continue;
      double& time = simulation.contacts()[c].a == 0 ? result.upper : result.lower;
      if (time == 0) time = simulation.time() - 0.5 * h;
      if (result.speed == 0) result.speed = u;
    }
    u = bodies[4].v.y();
    if (std::abs(simulation.time() - 0.02) > 0.4 * h) return;
    result.angle = simulation.state().coordinates[0];
    result.rod = result.angle + simulation.state().coordinates[1];
    result.rate = bodies[2].omega.z();
  });
  EXPECT_EQ(outcome.failed_steps, 0);
  EXPECT_LT(outcome.balance, 1e-12);
  return result;
}

TEST(SliderCrankWithClearance, StrikesItsGuideAsSolvedFromEventToEvent) {
  const SliderCrank coarse = run_slider_crank(1e-5), fine = run_slider_crank(2.5e-6);
  EXPECT_NEAR(fine.upper, 0.00269250275, 2.5e-6);
  EXPECT_NEAR(fine.speed, 0.841612322, 2e-3);
  EXPECT_NEAR(fine.lower, 0.0258895629, 1e-5);
  EXPECT_NEAR(fine.angle, 1.61331654, 1e-5);
  EXPECT_NEAR(fine.rod, -0.51990471, 1e-5);
  EXPECT_NEAR(fine.rate, 71.6817657, 5e-3);
  // What the scheme and the impacts' times in their steps leave falls with the step.
  EXPECT_LT(std::abs(fine.angle - 1.61331654), 0.6 * std::abs(coarse.angle - 1.61331654));
}

// The same bodies and joints from event to event, against an independent code in two angles.
TEST(SliderCrankWithClearance, FromEventToEventIsThatOfAnotherCode) {
  const Scene scene =
      test::example("slider_crank_clearance",
                    {"simulation.scheme=event-driven", test::step_of(2e-5), "simulation.end=0.02"});
  Simulation simulation(scene.system, scene.initial, scene.options);
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(simulation.step(), Status::converged);
  const double crank = simulation.q()[35], rod = crank + simulation.q()[36];
  EXPECT_NEAR(crank, 1.61331654, 1e-7);
  EXPECT_NEAR(rod, -0.51990471, 1e-7);
  EXPECT_NEAR(simulation.v()[17], 71.6817657, 1e-5);
  EXPECT_NEAR(simulation.v()[23], 1.3825266, 1e-5);
}

// --- coupling with play --------------------------------------------------------------------------

TEST(BacklashCoupling, CrossesItsPlayAndBouncesAsInClosedForm) {
  const double h = 1e-5;
  std::vector<double> times;
  double impulse = 0, first = 0, second = 0;
  const Scene scene = test::example("backlash_coupling", {test::step_of(h)});
  const test::Outcome outcome = test::run_world(scene, [&](const test::BodySimulation& simulation) {
    for (std::size_t c = 0; c < simulation.contacts().size(); ++c) {
      const double r = simulation.r()[2 * c];
      if (!(r > 1e-3)) continue;
      times.push_back(simulation.time() - 0.5 * h);
      if (times.size() > 1) continue;
      impulse = r * std::sqrt(0.1 * 0.1 - 0.01 * 0.01);  // the jaw is beside the pin
      first = simulation.state().bodies[0].omega.z();
      second = simulation.state().bodies[1].omega.z();
    }
  });
  EXPECT_EQ(outcome.failed_steps, 0);
  ASSERT_GT(times.size(), 2u);
  EXPECT_NEAR(times[0], 0.028284271247, h);
  EXPECT_NEAR(impulse, 0.035355339059, 5e-5);
  EXPECT_NEAR(first, 10.353553390593, 1e-3);
  EXPECT_NEAR(second, 9.646446609407, 1e-3);
  // Each flight is e times as long as the one before; the first one took half a parabola.
  EXPECT_NEAR(times[1] - times[0], 2 * 0.5 * times[0], 5 * h);
  EXPECT_NEAR(times[2] - times[1], 2 * 0.25 * times[0], 5 * h);
  // Then both turn as one.
  EXPECT_NEAR(outcome.measures.at("speed of the first"), 10 - 0.1 / 0.12, 1e-3);
  EXPECT_NEAR(outcome.measures.at("speed of the second"), 10 - 0.1 / 0.12, 1e-3);
  EXPECT_NEAR(outcome.measures.at("torque passed on"), 0.1 / 0.12, 1e-4);
}

}  // namespace
}  // namespace clack
