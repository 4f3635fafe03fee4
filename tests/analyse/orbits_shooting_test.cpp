// Periodic orbits by single and multiple shooting, against closed forms and against the motion.
#include <gtest/gtest.h>

#include <cmath>

#include "clack/analyse/orbits/orbit.hpp"
#include "tests/analyse/orbit_scenes.hpp"

namespace clack {
namespace {

using test::values;

constexpr double kPi = 3.14159265358979323846;

// The speed before the impact of an orbit with one impact.
double impact_speed(const Orbit& orbit) { return orbit.slowest_approach; }

struct ForcedCase {
  double W, v, real, imag;
};

class ForcedOscillator : public testing::TestWithParam<ForcedCase> {};

TEST_P(ForcedOscillator, closes_on_the_known_orbit_by_both_methods) {
  const ForcedCase& c = GetParam();
  const Scene scene = test::scene_of(test::kForced, {test::assignment("parameters.W", c.W)});
  const double T = 2 * kPi / c.W;
  const OrbitProblem problem = OrbitProblem::make(scene.system, OrbitKind::forced, T);
  const FlowMap map(scene.system);
  State guess = map.compute(scene.initial, 12 * T, false).end;  // not settled yet
  guess.t = 0;                                                  // a whole number of periods later
  for (const Orbit& orbit :
       {single_shooting(problem, guess, T), multiple_shooting(problem, guess, T)}) {
    ASSERT_TRUE(orbit.good()) << orbit.note;
    EXPECT_TRUE(orbit.admissible) << orbit.inadmissible;
    EXPECT_LT(orbit.closing, 1e-10);
    EXPECT_EQ(orbit.impacts, 1);
    EXPECT_NEAR(impact_speed(orbit), c.v, 1e-9);
    ASSERT_EQ(orbit.multipliers.values.size(), 2u);
    EXPECT_TRUE(orbit.multipliers.stable);
    const double larger = c.imag > 0 ? c.real : 0.6901792;
    EXPECT_NEAR(orbit.multipliers.values[0].real(), larger, 5e-8);
    EXPECT_NEAR(std::abs(orbit.multipliers.values[0].imag()), c.imag, 1e-8);
    EXPECT_NEAR(orbit.multipliers.values[1].real(), c.real, 5e-8);
    EXPECT_GT(orbit.history.front(), 1e-4);  // there was something to close
  }
}

INSTANTIATE_TEST_SUITE_P(Known, ForcedOscillator,
                         testing::Values(ForcedCase{1.6, 1.6279077957, 0.15768567, 0.63818779},
                                         ForcedCase{2.0, 3.9016492909, 0.6772991, 0}),
                         [](const auto& instance) {
                           return instance.param.W == 2 ? std::string("at_the_resonance")
                                                        : std::string("below_it");
                         });

// The leading Lyapunov exponent of an orbit is that of its multipliers.
TEST(Orbit, exponent_of_the_forced_oscillator_is_the_known_one) {
  const Scene scene = test::scene_of(test::kForced);
  const double T = 2 * kPi / 1.6;
  const State guess = FlowMap(scene.system).compute(scene.initial, 40 * T, false).end;
  const Orbit orbit =
      single_shooting(OrbitProblem::make(scene.system, OrbitKind::forced, T), guess, T);
  ASSERT_TRUE(orbit.good()) << orbit.note;
  EXPECT_NEAR(std::log(orbit.multipliers.largest) / T, -0.10682304, 1e-8);
}

// Ball on a table A sin(w t), e = 1/2: at Gamma = A w^2/g = 1.5268... a multiplier is -1.
TEST(Orbit, ball_on_a_table_doubles_its_period_where_it_is_known_to) {
  const double e = 0.5, Omega = 20, g = 9.81, T = 2 * kPi / Omega;
  for (double Gamma : {1.2, 1.5268237005}) {
    const Scene scene =
        test::example_scene("moving_floor", {test::assignment("parameters.A", Gamma * g / 400)});
    const OrbitProblem problem = OrbitProblem::make(scene.system, OrbitKind::forced, T);
    const double phi = std::acos(kPi * (1 - e) / ((1 + e) * Gamma)), t0 = phi / Omega + 0.5 * T;
    // Half a period after take-off with a speed close to that of the orbit.
    const double up = 1.01 * kPi * g / Omega, half = 0.5 * T;
    const State guess{t0,
                      values({Gamma * g / 400 * std::sin(phi) + up * half - g * half * half / 2}),
                      values({up - g * half})};
    const Orbit orbit = multiple_shooting(problem, guess, T);
    ASSERT_TRUE(orbit.good()) << orbit.note;
    EXPECT_TRUE(orbit.admissible) << orbit.inadmissible;
    const auto product = orbit.multipliers.values[0] * orbit.multipliers.values[1];
    EXPECT_NEAR(product.real(), e * e, 1e-10);
    if (Gamma > 1.5) {
      EXPECT_NEAR(orbit.multipliers.values[0].real(), -1, 1e-8);
    } else {
      EXPECT_TRUE(orbit.multipliers.stable);
    }
    const double v = kPi * g / Omega;  // take-off speed
    EXPECT_NEAR(orbit.phases[1].z[1], v, 1e-9);
  }
}

struct ChainOrbit {
  double T, r, E, x1, pair_sum;
};

// The start half a period after the impact, moved a little.
State chain_guess(double T, double r, double wrong) {
  State state{0, Vector::Zero(2), Vector::Zero(2)};
  for (double om : {0.5 * (std::sqrt(5.0) - 1), 0.5 * (std::sqrt(5.0) + 1)}) {
    Vector shape = values({1, 2 - om * om});
    shape.normalize();
    state.q += r * shape * shape[1] / (2 * om * std::sin(om * T / 2));
  }
  state.q *= 1 + wrong;
  state.v[0] = wrong;
  return state;
}

TEST(Orbit, conservative_orbits_of_the_chain_are_those_known) {
  const Scene scene = test::scene_of(test::kChain);
  const OrbitProblem problem = OrbitProblem::make(scene.system, OrbitKind::conservative);
  for (const ChainOrbit& c :
       {ChainOrbit{10.0, -0.0877593757, 0.2639587253, 0.614000051521, -0.20396847},
        {9.5, -0.3586885488, 0.2828976961, 0.629674638032, -1.96125842},
        {9.0, -0.6675045537, 0.3457976133, 0.700255641992, -1.93223561},
        {8.5, -1.1014277809, 0.5864266854, 0.929864851847, -1.91026599},
        {8.1, -2.0839560094, 3.2169207859, 2.056939852636, -3.58710673},
        {7.0, -1.9472012071, 0.8861992700, 0.097197067606, 0.93837003},
        {3.7, -3.2753594865, 18.1646018759, -3.571069196812, -5.21025618}}) {
    const Orbit orbit = multiple_shooting(problem, chain_guess(c.T, c.r, 1e-3), c.T);
    ASSERT_TRUE(orbit.good()) << c.T << ": " << orbit.note;
    EXPECT_TRUE(orbit.admissible) << orbit.inadmissible;
    EXPECT_LT(std::abs(orbit.damping), 1e-11);
    EXPECT_NEAR(orbit.period, c.T, 1e-12);
    EXPECT_NEAR(orbit.energy, c.E, 1e-9 * std::max(1.0, c.E)) << c.T;
    EXPECT_NEAR(impact_speed(orbit), -c.r / 2, 1e-9 * std::max(1.0, -c.r)) << c.T;
    EXPECT_NEAR(orbit.phases[1].z[0], c.x1, 1e-9) << c.T;  // x1 at the impact
    double sum = 0;
    for (const auto& value : orbit.multipliers.values) sum += value.real();
    EXPECT_NEAR(sum - 2, c.pair_sum, 2e-8) << c.T;
    EXPECT_LT(orbit.multipliers.trivial_error, 1e-4);
    EXPECT_EQ(orbit.multipliers.stable, c.pair_sum > -2 && c.pair_sum < 2) << c.T;
  }
}

TEST(Orbit, an_orbit_that_would_penetrate_is_marked) {
  // Below T = 7.9905 the family would pass through the stop between its impacts.
  const Scene scene = test::scene_of(test::kChain);
  OrbitProblem problem = OrbitProblem::make(scene.system, OrbitKind::conservative);
  const double T = 7.95, r = -2.98;
  const Orbit orbit = multiple_shooting(problem, chain_guess(T, r, 0), T);
  // Either the guess already takes another course, or the solution does; never an admissible one
  // with a single impact.
  EXPECT_FALSE(orbit.good() && orbit.admissible && orbit.impacts == 1) << orbit.note;
}

TEST(Orbit, belt_oscillator_has_the_known_limit_cycle) {
  const Scene scene = test::example_scene("belt_stribeck");
  const OrbitProblem problem = OrbitProblem::make(scene.system, OrbitKind::autonomous);
  const State settled = FlowMap(scene.system).compute(scene.initial, 33, false).end;
  const double guess = guess_period(problem, settled, 20);
  EXPECT_NEAR(guess, 6.65, 0.02);
  for (const Orbit& orbit :
       {single_shooting(problem, settled, guess), multiple_shooting(problem, settled, guess)}) {
    ASSERT_TRUE(orbit.good()) << orbit.note;
    EXPECT_TRUE(orbit.admissible) << orbit.inadmissible;
    EXPECT_NEAR(orbit.period, 6.653471, 1e-6);
    EXPECT_NEAR(0.5 * (orbit.largest[0] - orbit.smallest[0]), 4.093215, 5e-4);  // from samples
    EXPECT_LT(orbit.multipliers.trivial_error, 1e-8);
    EXPECT_LT(orbit.multipliers.largest, 1e-8);  // sticking forgets everything else
  }
}

TEST(Orbit, friction_oscillator_sticks_and_slips_with_the_period_of_its_closed_form) {
  const Scene scene = test::example_scene("friction_oscillator");
  const OrbitProblem problem = OrbitProblem::make(scene.system, OrbitKind::autonomous);
  const State settled = FlowMap(scene.system).compute(scene.initial, 11, false).end;
  const Orbit orbit = multiple_shooting(problem, settled, guess_period(problem, settled, 20));
  ASSERT_TRUE(orbit.good()) << orbit.note;
  EXPECT_TRUE(orbit.admissible) << orbit.inadmissible;
  EXPECT_NEAR(orbit.period, 5.2667194025784205 + 1.470117789186714, 1e-7);
  EXPECT_LT(orbit.multipliers.trivial_error, 1e-8);
  EXPECT_LT(orbit.multipliers.largest, 1e-8);
}

TEST(Orbit, woodpecker_cycle_closes_and_has_the_multipliers_of_its_map) {
  const Scene scene = test::example_scene("woodpecker");
  OrbitProblem problem = OrbitProblem::make(scene.system, OrbitKind::autonomous);
  problem.drifting = {0};  // it comes down the pole
  const FlowMap map(scene.system);
  const State settled = map.compute(scene.initial, 1.0, false).end;
  const double guess = guess_period(problem, settled, 0.4);
  EXPECT_NEAR(guess, 0.146, 1e-3);
  for (const Orbit& orbit :
       {single_shooting(problem, settled, guess), multiple_shooting(problem, settled, guess)}) {
    ASSERT_TRUE(orbit.good()) << orbit.note;
    EXPECT_TRUE(orbit.admissible) << orbit.inadmissible;
    EXPECT_LT(orbit.closing, 1e-10);
    EXPECT_NEAR(orbit.period, 0.146, 1e-4);
    EXPECT_LT(orbit.drift[0], 0);
    EXPECT_TRUE(orbit.multipliers.stable);
    EXPECT_LT(orbit.multipliers.trivial_error, 1e-6);
    std::printf("  T = %.12f, down %.9f a stride, multipliers", orbit.period, orbit.drift[0]);
    for (const auto& value : orbit.multipliers.values)
      std::printf(" %.8f%+.8fi", value.real(), value.imag());
    std::printf("\n");
    // The monodromy matrix against differences of the event-driven map, along what the closed
    // sleeve allows; the height is left out.
    PhaseMotion motion(scene.system, sequence_scale(orbit.phases, test::joined(orbit.start)),
                       1e-12);
    motion.enter(orbit.phases.front());
    const Matrix basis =
        without_coordinates(motion.tangent_space(orbit.start.t, test::joined(orbit.start)), {0});
    Matrix by_differences(6, basis.cols());
    for (int i = 0; i < basis.cols(); ++i) {
      const double size = basis.col(i).head(3).norm() > 0.1 ? 1e-5 : 1e-3;
      by_differences.col(i) =
          test::map_difference(map, orbit.start, orbit.period, size * basis.col(i)) / size;
    }
    const Multipliers reference = compute_multipliers(by_differences * basis.transpose(), basis, 1);
    ASSERT_EQ(reference.values.size(), orbit.multipliers.values.size());
    for (std::size_t i = 0; i < reference.values.size(); ++i)
      EXPECT_LT(std::abs(reference.values[i] - orbit.multipliers.values[i]), 1e-6) << i;
    // Sticking with e_n = 0 loses directions: a multiplier is zero.
    EXPECT_LT(std::abs(orbit.multipliers.values.back()), 1e-9);
  }
}

TEST(Orbit, says_why_there_is_none) {
  const Scene scene = test::example_scene("bouncing_ball");
  const OrbitProblem problem = OrbitProblem::make(scene.system, OrbitKind::autonomous);
  const Orbit orbit = single_shooting(problem, scene.initial, 1.0);
  EXPECT_FALSE(orbit.good());
  EXPECT_NE(orbit.note.find("rest"), std::string::npos) << orbit.note;
  EXPECT_EQ(guess_period(problem, scene.initial, 3.0), 0);
}

}  // namespace
}  // namespace clack
