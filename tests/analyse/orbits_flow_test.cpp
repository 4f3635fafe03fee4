// The derivative of the event-driven motion by its start: against values known in closed form and
// against differences of the motion itself.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <complex>

#include "clack/core/error.hpp"
#include "tests/analyse/orbit_scenes.hpp"

namespace clack {
namespace {

using test::values;

constexpr double kPi = 3.14159265358979323846;

// Half a period after the impact of the chain's orbit of one impact per period: x(T/2), at rest.
State chain_at_half_period(double T, double r) {
  State state{0, Vector::Zero(2), Vector::Zero(2)};
  for (double om : {0.5 * (std::sqrt(5.0) - 1), 0.5 * (std::sqrt(5.0) + 1)}) {
    Vector shape = values({1, 2 - om * om});
    shape.normalize();
    state.q += r * shape * shape[1] / (2 * om * std::sin(om * T / 2));
  }
  return state;
}

struct ChainOrbit {
  double T, r, pair_sum;
};

TEST(FlowMap, multipliers_of_the_chain_are_those_known) {
  const Scene scene = test::scene_of(test::kChain);
  const FlowMap map(scene.system);
  for (const ChainOrbit& orbit : {ChainOrbit{10.0, -0.0877593757, -0.20396847},
                                  {9.5, -0.3586885488, -1.96125842},
                                  {9.0, -0.6675045537, -1.93223561},
                                  {8.5, -1.1014277809, -1.91026599},
                                  {8.1, -2.0839560094, -3.58710673},
                                  {7.0, -1.9472012071, 0.93837003},
                                  {3.7, -3.2753594865, -5.21025618}}) {
    const State start = chain_at_half_period(orbit.T, orbit.r);
    const MappedFlow flow = map.compute(start, orbit.T, true);
    ASSERT_TRUE(flow.good()) << flow.note;
    ASSERT_EQ(flow.not_smooth, "") << orbit.T;
    EXPECT_EQ(flow.impacts, 1);
    EXPECT_LT((flow.end.q - start.q).norm(), 1e-7);  // r has ten digits
    // Two multipliers are +1; the trace gives the sum of the others.
    EXPECT_NEAR(flow.Phi.trace() - 2, orbit.pair_sum, 2e-7) << orbit.T;
    EXPECT_NEAR(flow.Phi.determinant(), 1, 1e-9) << orbit.T;
    EXPECT_NEAR(flow.slowest_approach, -orbit.r / 2, 1e-7);  // elastic: u- = r/2
  }
}

TEST(FlowMap, multipliers_of_the_forced_oscillator_are_those_known) {
  // Starts a little after the impact, from (g, -e v).
  const double v = 1.6279077957, e = 0.8, W = 1.6, T = 2 * kPi / W;
  const Scene scene = test::scene_of(test::kForced, {"parameters.phi=0.2583884382"});
  const FlowMap map(scene.system);
  const MappedFlow ahead = map.compute({0, values({0}), values({-e * v})}, 0.5, false);
  const MappedFlow flow = map.compute(ahead.end, T, true);
  ASSERT_TRUE(flow.good()) << flow.note;
  ASSERT_EQ(flow.not_smooth, "");
  EXPECT_LT((flow.end.q - ahead.end.q).norm() + (flow.end.v - ahead.end.v).norm(), 1e-8);
  EXPECT_NEAR(flow.Phi.trace(), 2 * 0.15768567, 3e-8);
  EXPECT_NEAR(flow.Phi.determinant(), e * e * std::exp(-2 * 0.05 * T), 1e-10);
  const std::complex<double> multiplier = flow.Phi.eigenvalues()[0];
  EXPECT_NEAR(std::abs(multiplier.imag()), 0.63818779, 2e-8);
}

void expect_derivative(const Scene& scene, const State& start, double duration,
                       const std::vector<Vector>& directions, double tolerance,
                       const std::vector<std::string>& modes) {
  const FlowMap map(scene.system);
  const MappedFlow flow = map.compute(start, duration, true);
  ASSERT_TRUE(flow.good()) << flow.note;
  ASSERT_EQ(flow.not_smooth, "");
  EXPECT_EQ(flow.phases.size(), modes.size());
  for (const Vector& direction : directions) {
    const Vector expected = test::map_difference(map, start, duration, direction);
    const double error = (flow.Phi * direction - expected).norm() / direction.norm();
    const double size = expected.norm() / direction.norm();
    std::printf("  %.1e of %.2g\n", error, size);
    EXPECT_LT(error, tolerance * std::max(1.0, size));
  }
}

TEST(FlowMap, derivative_through_stick_and_slip_is_that_of_the_motion) {
  const Scene scene = test::example_scene("belt_stribeck");
  const FlowMap map(scene.system);
  const State sliding = map.compute(scene.initial, 4, false).end;
  // Slides, sticks, slides again.
  expect_derivative(scene, sliding, 5, {values({1e-4, 0, 0, 0}), values({0, 0, 1e-4, 0})}, 1e-7,
                    {"slide", "stick", "slide"});
}

TEST(FlowMap, derivative_through_capture_and_release_is_that_of_the_motion) {
  // A mass that falls on a floor without restitution, lies there, and is thrown off again.
  const std::string thrown = R"(clack: 1
system:
  type: lagrangian
  coordinates: [y, x]
  kinetic: 0.5*y'^2 + 0.5*x'^2*(1 + 0.3*cos(y))
  potential: 0.5*x^2 + 0.3*x*sin(y)
  forces: {y: 4*sin(2*t) - 1}
  contacts:
    - {name: floor, gap: y + 0.1*sin(x), e_n: 0}
initial: {q: [0.3, 0.4], v: [-1, 0.1]}
simulation: {scheme: event-driven, step: 0.1, end: 4}
)";
  const Scene scene = test::scene_of(thrown);
  expect_derivative(scene, scene.initial, 4.2,
                    {values({1e-4, 0, 0, 0}), values({0, 1e-4, 0, 0}), values({0, 0, 1e-4, 0}),
                     values({0, 0, 0, 1e-4})},
                    1e-7, {"flight", "contact", "flight"});
}

TEST(FlowMap, derivative_of_a_nonlinear_impact_is_that_of_the_motion) {
  const Scene scene = test::example_scene("pendulum_wall", {"initial.q=[1.2]", "initial.v=[0.3]"});
  expect_derivative(scene, scene.initial, 1.0, {values({1e-4, 0}), values({0, 1e-4})}, 1e-8,
                    {"fall", "rebound"});
}

TEST(FlowMap, derivative_of_frictional_impact_and_rolling_is_that_of_the_motion) {
  const Scene scene = test::example_scene("planar_ball_spin");
  std::vector<Vector> directions;
  for (int i = 0; i < 6; ++i) directions.push_back(1e-4 * Vector::Unit(6, i));
  expect_derivative(scene, scene.initial, 1.0, directions, 1e-8, {"fall", "slide", "roll"});
}

TEST(FlowMap, derivative_with_a_moving_contact_is_that_of_the_motion) {
  const Scene scene = test::example_scene("moving_floor", {"initial.v=[1.0]", "initial.q=[0.1]"});
  expect_derivative(scene, scene.initial, 0.8, {values({1e-5, 0}), values({0, 1e-5})}, 1e-7,
                    {"flight", "flight", "flight"});
}

TEST(FlowMap, woodpecker_stride_has_the_derivative_of_the_motion_and_loses_rank) {
  const Scene scene = test::example_scene("woodpecker");
  const FlowMap map(scene.system);
  const State start = map.compute(scene.initial, 1.0, false).end;
  const MappedFlow flow = map.compute(start, 0.146, true);
  ASSERT_TRUE(flow.good()) << flow.note;
  ASSERT_EQ(flow.not_smooth, "");
  std::string sequence;
  for (const ContactPhase& phase : flow.phases) {
    for (const ContactState& state : phase.states)
      sequence += state.mode == ContactMode::open      ? 'o'
                  : state.mode == ContactMode::sliding ? 's'
                                                       : 't';
    sequence += ' ';
  }
  std::printf("  phases: %s\n", sequence.c_str());
  // The sleeve's edge is closed at the start: the start may move along it only.
  PhaseMotion motion(scene.system, sequence_scale(flow.phases, test::joined(flow.end)), 1e-12);
  motion.enter(flow.phases.front());
  const Matrix allowed = motion.tangent_space(start.t, test::joined(start));
  EXPECT_LT(allowed.cols(), 6);
  for (int i = 0; i < allowed.cols(); ++i) {
    const double size = allowed.col(i).head(3).norm() > 0.1 ? 1e-5 : 1e-3;
    const Vector direction = size * allowed.col(i);
    const Vector expected = test::map_difference(map, start, 0.146, direction);
    const Vector error = flow.Phi * direction - expected;
    std::printf("  %.1e of %.2g\n", error.norm() / size, expected.norm() / size);
    EXPECT_LT(error.norm(), 1e-6 * std::max(size, expected.norm()));
  }
  // Sleeve impacts with e_n = 0 and sticking take directions away.
  Eigen::JacobiSVD<Matrix> svd(flow.Phi);
  EXPECT_LT(svd.singularValues()[5], 1e-9 * svd.singularValues()[0]);
}

TEST(FlowMap, says_why_a_start_on_an_impact_has_no_derivative) {
  const Scene scene = test::scene_of(test::kChain);
  const MappedFlow flow =
      FlowMap(scene.system).compute({0, values({0, 1}), values({0, 1})}, 1, true);
  EXPECT_TRUE(flow.good());
  EXPECT_NE(flow.not_smooth.find("starts with an impact"), std::string::npos) << flow.not_smooth;
  EXPECT_EQ(flow.Phi.size(), 0);
}

TEST(FlowMap, refuses_bodies_in_space) {
  const Scene scene = test::example_scene("sphere_pile");
  try {
    FlowMap map(scene.system);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("quaternions"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace clack
