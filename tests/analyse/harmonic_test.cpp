// Harmonic balance against closed forms: linear response, nonsmooth modes, dry friction.
#include "clack/analyse/harmonic/harmonic_orbit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "clack/analyse/modes/impact_modes.hpp"
#include "clack/core/error.hpp"
#include "tests/analyse/orbit_scenes.hpp"

namespace clack {
namespace {

using test::values;

constexpr double kPi = 3.14159265358979323846;

HarmonicProblem family_of(const Scene& scene, int harmonics) {
  HarmonicProblem problem;
  problem.orbit.kind = OrbitKind::conservative;
  problem.orbit.system = [system = scene.system](double) { return system; };
  problem.options.harmonics = harmonics;
  return problem;
}

// Energy where the branch from the first linear mode reaches a period.
double energy_at(const HarmonicProblem& problem, double period) {
  const Orbit start = harmonic_linear_mode(problem, 0);
  EXPECT_TRUE(start.good()) << start.note;
  if (!start.good()) return NAN;
  const Branch branch = continue_harmonic(
      problem, start, {.over = BranchCoordinate::period, .low = period, .max_step = 0.5});
  EXPECT_EQ(branch.status, Status::converged) << branch.stop;
  EXPECT_NEAR(branch.points.back().orbit.period, period, 1e-8);
  return branch.points.back().orbit.energy;
}

TEST(HarmonicBalance, of_rigid_impacts_converges_with_the_first_order) {
  const Scene scene = test::scene_of(test::kChain);
  const double exact = ImpactModes(*scene.system).one_impact(9.5).energy;
  const double known[] = {9e-2, 5e-2, 3e-2, 1.6e-2};
  double last = 0;
  for (int i = 0; i < 4; ++i) {
    const int H = 10 << i;
    const double error = energy_at(family_of(scene, H), 9.5) / exact - 1;
    std::printf("  H = %d: %.3e\n", H, error);
    EXPECT_NEAR(error, known[i], 0.15 * known[i]) << H;
    if (i > 0) {
      EXPECT_NEAR(last / error, 1.8, 0.15) << H;  // towards 2, O(1/H)
    }
    last = error;
  }
}

const std::string kMasslessRod = R"(clack: 1
system:
  type: linear
  rod: {length: 1, area: 1, young: 1, density: 1, elements: 5, mass: massless-tip, left: clamped}
  contacts:
    - {name: wall, G: {u5: -1}, g0: 1}
initial: {v: 0}
simulation: {theta: 0.51, step: 1.0e-3, end: 1}
)";

TEST(HarmonicBalance, of_a_massless_tip_converges_to_the_contact_of_finite_length) {
  const Scene scene = test::scene_of(kMasslessRod);
  const double bound[] = {1e-3, 2e-4, 1e-5};  // known: 6e-4, 1.3e-4, 1.5e-6
  for (int i = 0; i < 3; ++i) {
    const int H = 10 << i;
    const double error = energy_at(family_of(scene, H), 3.5) / 2.7700167316 - 1;
    std::printf("  H = %d: %.3e\n", H, error);
    EXPECT_LT(std::abs(error), bound[i]) << H;
  }
}

// A mass on k1 that meets, at its equilibrium, a massless plate on k2.
const std::string kBilinear = R"(clack: 1
parameters: {k1: 1, k2: 3}
system:
  type: linear
  coordinates: [x, y]
  M: [[1, 0], [0, 0]]
  K: [[k1, 0], [0, k2]]
  contacts:
    - {name: plate, G: [-1, 1]}
initial: {q: [0, 0]}
simulation: {theta: 0.51, step: 1.0e-3, end: 1}
)";

TEST(HarmonicBalance, of_a_bilinear_oscillator_without_gap_has_the_mean_of_both_periods) {
  const Scene scene = test::scene_of(kBilinear);
  const HarmonicProblem problem = family_of(scene, 40);
  const double om1 = 1, om2 = 2, om = 2 * om1 * om2 / (om1 + om2);
  for (double energy : {0.01, 0.5, 80.0}) {
    const Orbit orbit = harmonic_linear_mode(problem, 0, energy);
    ASSERT_TRUE(orbit.good()) << orbit.note;
    std::printf("  E %g: omega/exact - 1 = %.2e\n", orbit.energy, 2 * kPi / orbit.period / om - 1);
    EXPECT_NEAR(2 * kPi / orbit.period, om, 1e-5 * om);
    EXPECT_GT(orbit.energy, 0.05 * energy);
  }
}

HarmonicProblem forced_over_W(const std::string& text, const std::vector<std::string>& set, int H) {
  HarmonicProblem problem;
  problem.orbit.kind = OrbitKind::forced;
  problem.orbit.system = [text, set](double W) {
    std::vector<std::string> all = set;
    all.push_back(test::assignment("parameters.W", W));
    return test::scene_of(text, all).system;
  };
  problem.orbit.period = [](double W) { return 2 * kPi / W; };
  problem.options.harmonics = H;
  return problem;
}

TEST(HarmonicBalance, of_a_contact_that_is_never_touched_is_the_linear_response) {
  HarmonicProblem problem = forced_over_W(test::kForced, {"parameters.g=100"}, 5);
  problem.orbit.parameter = 0.5;
  const Orbit start = harmonic_orbit(problem);
  ASSERT_TRUE(start.good()) << start.note;
  const Branch branch = continue_harmonic(problem, start, {.low = 0.4, .high = 2, .max_step = 0.5});
  ASSERT_EQ(branch.status, Status::converged) << branch.stop;
  EXPECT_GT(branch.points.size(), 8u);
  for (const BranchPoint& point : branch.points) {
    const double W = point.orbit.parameter, z = 0.05;
    const double exact = 1 / std::hypot(1 - W * W, 2 * z * W);
    EXPECT_NEAR(std::hypot(point.orbit.series.q(0, 1), point.orbit.series.q(0, 6)), exact,
                1e-9 * exact);
  }
}

// Den Hartog: a mass on a spring, driven by P cos(W t), with dry friction F, in motion without
// stops: x0 k/P = sqrt(V^2 - (U F/P)^2), V = 1/(1 - W^2), U = sin(pi/W)/(W (1 + cos(pi/W))), units
// of the natural frequency.
const std::string kDenHartog = R"(clack: 1
parameters: {W: 0.6, F: 0.4}
system:
  type: linear
  coordinates: [x, y]
  M: [[1, 0], [0, 1]]
  K: [[1, 0], [0, 1]]
  f: [cos(W*t), -1]
  contacts:
    - {name: ground, G: [0, 1], T: [[1, 0]], mu: F}
initial: {q: [0, 0]}
simulation: {step: 0.01, end: 1}
)";

TEST(HarmonicBalance, of_dry_friction_has_the_amplitude_of_den_hartog) {
  for (double W : {0.7, 1.4}) {
    const double F = 0.4, V = 1 / (1 - W * W);
    const double U = std::sin(kPi / W) / (W * (1 + std::cos(kPi / W)));
    const double exact = std::sqrt(V * V - U * F * U * F);
    double error[2];
    for (int i = 0; i < 2; ++i) {
      HarmonicProblem problem =
          forced_over_W(kDenHartog, {test::assignment("parameters.F", F)}, i == 0 ? 15 : 60);
      problem.orbit.parameter = W;
      const Orbit orbit = harmonic_orbit(problem);
      ASSERT_TRUE(orbit.good()) << orbit.note;
      error[i] = orbit.largest[0] / exact - 1;
    }
    std::printf("  W = %g: %.2e with 15 harmonics, %.2e with 60\n", W, error[0], error[1]);
    EXPECT_LT(std::abs(error[1]), 3e-3);  // the force jumps: O(1/H)
    EXPECT_NEAR(error[0] / error[1], 3.5, 0.7);
  }
}

// Two stops in each half swing: against the event-driven motion.
TEST(HarmonicBalance, of_dry_friction_with_stops_is_the_event_driven_motion) {
  const std::vector<std::string> set = {"parameters.F=0.6", "simulation.scheme=event-driven"};
  HarmonicProblem problem = forced_over_W(kDenHartog, set, 40);
  problem.orbit.parameter = 0.3;
  const Orbit orbit = harmonic_orbit(problem);
  ASSERT_TRUE(orbit.good()) << orbit.note;
  const double T = 2 * kPi / 0.3;
  const FlowMap map(problem.orbit.system(0.3));
  State state = map.compute({0, values({0, 0}), values({0, 0})}, 10 * T, false).end;
  double worst = 0;
  for (int k = 0; k < 20; ++k) {
    worst = std::max(worst, std::abs(state.q[0] - harmonic_state(orbit, state.t).q[0]));
    state = map.compute(state, T / 20, false).end;
  }
  std::printf("  largest distance %.2e of %.3f\n", worst, orbit.largest[0]);
  EXPECT_LT(worst, 5e-3);
}

// Negative damping against dry friction: x'' - c x' + x + F sign x' = 0. Half a swing from x0 at rest
// ends at F - (x0 - F) E, E = exp(pi z/sqrt(1 - z^2)), z = c/2; so a cycle has x0 = F (E + 1)/(E -
// 1) and the period 2 pi/sqrt(1 - z^2).
TEST(HarmonicBalance, of_an_autonomous_cycle_has_its_amplitude_and_period) {
  const std::string text = R"(clack: 1
parameters: {c: 0.2, F: 0.1}
system:
  type: linear
  coordinates: [x, y]
  M: [[1, 0], [0, 1]]
  C: [[-c, 0], [0, 0]]
  K: [[1, 0], [0, 1]]
  f: [0, -1]
  contacts:
    - {name: ground, G: [0, 1], T: [[1, 0]], mu: F}
initial: {q: [0, 0]}
simulation: {step: 0.01, end: 1}
)";
  HarmonicProblem problem;
  problem.orbit.kind = OrbitKind::autonomous;
  problem.orbit.system = [system = test::scene_of(text).system](double) { return system; };
  problem.options.harmonics = 60;
  Orbit guess;
  guess.period = 6;
  guess.series.force = Matrix::Zero(2, 121);
  guess.series.motion = Matrix::Zero(2, 121);
  guess.series.force(0, 0) = 1;
  guess.series.motion(1, 1) = 0.8;
  const Orbit orbit = harmonic_orbit(problem, &guess);
  ASSERT_TRUE(orbit.good()) << orbit.note;
  const double z = 0.1, E = std::exp(kPi * z / std::sqrt(1 - z * z));
  const double x0 = 0.1 * (E + 1) / (E - 1);
  std::printf("  amplitude %.2e, period %.2e\n", orbit.largest[0] / x0 - 1,
              orbit.period * std::sqrt(1 - z * z) / (2 * kPi) - 1);
  EXPECT_NEAR(orbit.largest[0], x0, 3e-3 * x0);
  EXPECT_NEAR(orbit.period, 2 * kPi / std::sqrt(1 - z * z), 2e-3);
}

TEST(HarmonicBalance, marks_an_impact_that_is_not_elastic) {
  HarmonicProblem problem = forced_over_W(test::kForced, {"parameters.g=2"}, 10);
  problem.orbit.parameter = 0.8;  // without stop: 2.7
  const Orbit orbit = harmonic_orbit(problem);
  ASSERT_TRUE(orbit.good()) << orbit.note;
  EXPECT_FALSE(orbit.admissible);
  EXPECT_NE(orbit.inadmissible.find("elastic impacts only"), std::string::npos);
}

TEST(HarmonicBalance, refuses_what_it_cannot_have) {
  const auto message = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  const auto structure = [&](const Scene& scene) {
    return message([&] { LinearStructure(scene.system); });
  };
  EXPECT_NE(structure(test::example_scene("pendulum_wall")).find("not linear"), std::string::npos);
  EXPECT_NE(structure(test::example_scene("two_mass_oscillator")).find("K is singular"),
            std::string::npos);
  EXPECT_NE(structure(test::example_scene("spring_slider")).find("law of its own"),
            std::string::npos);
  HarmonicProblem forced = forced_over_W(test::kForced, {}, 10);
  forced.orbit.parameter = 1.6;
  forced.orbit.period = [](double) { return 1.0; };
  EXPECT_NE(message([&] { (void)harmonic_orbit(forced); }).find("do not have the period"),
            std::string::npos);
  forced.orbit.kind = OrbitKind::conservative;
  EXPECT_NE(message([&] { (void)harmonic_linear_mode(forced, 0); }).find("driven"),
            std::string::npos);
  const Scene chain = test::scene_of(test::kChain);
  EXPECT_NE(message([&] {
              (void)harmonic_linear_mode(family_of(chain, 10), 0, 1.0);
            }).find("touches a contact at"),
            std::string::npos);
  EXPECT_NE(message([&] { (void)harmonic_linear_mode(family_of(chain, 10), 2); }).find("mode 3"),
            std::string::npos);
}

}  // namespace
}  // namespace clack
