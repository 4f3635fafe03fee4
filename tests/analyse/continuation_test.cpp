// Branches of orbits: folds, period doubling, grazing, and the branch of twice the period.
#include "clack/analyse/orbits/continuation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "clack/analyse/modes/impact_modes.hpp"
#include "clack/core/error.hpp"
#include "tests/analyse/orbit_scenes.hpp"

namespace clack {
namespace {

using test::values;

constexpr double kPi = 3.14159265358979323846;
constexpr double kOmega = 20, kG = 9.81, kE = 0.5;

// A ball on a table, over Gamma = A Omega^2/g; one impact per period.
OrbitProblem table_problem() {
  OrbitProblem problem;
  problem.kind = OrbitKind::forced;
  problem.system = [](double Gamma) {
    return test::example_scene("moving_floor",
                               {test::assignment("parameters.A", Gamma * kG / (kOmega * kOmega)),
                                "parameters.phi=0"})
        .system;
  };
  problem.period = [](double) { return 2 * kPi / kOmega; };
  problem.parameter = 1.2;
  return problem;
}

Orbit table_orbit(const OrbitProblem& problem) {
  const double Gamma = problem.parameter, T = 2 * kPi / kOmega, half = T / 2;
  const double phi = std::acos(kPi * (1 - kE) / ((1 + kE) * Gamma)), up = kPi * kG / kOmega;
  const double height =
      Gamma * kG / (kOmega * kOmega) * std::sin(phi) + up * half - kG * half * half / 2;
  return multiple_shooting(problem, {phi / kOmega + half, values({height}), values({0})}, T);
}

const BranchPoint* find(const Branch& branch, PointKind kind) {
  for (const BranchPoint& point : branch.points) {
    if (point.kind == kind) return &point;
  }
  return nullptr;
}

TEST(Continuation, ball_on_a_table_folds_and_doubles_where_it_is_known_to) {
  const OrbitProblem problem = table_problem();
  const Orbit start = table_orbit(problem);
  ASSERT_TRUE(start.good() && start.admissible) << start.note << start.inadmissible;
  const double edge = kPi * (1 - kE) / (1 + kE);  // pi (1 - e)/(1 + e)
  const double other = 2 * (1 + kE * kE) / ((1 + kE) * (1 + kE));
  const Branch up = continue_orbit(problem, start, {.low = 1, .high = 1.6});
  EXPECT_EQ(up.status, Status::converged) << up.stop;
  EXPECT_NEAR(up.points.back().orbit.parameter, 1.6, 1e-9) << up.stop;
  const BranchPoint* doubling = find(up, PointKind::period_doubling);
  ASSERT_TRUE(doubling);
  EXPECT_NEAR(doubling->orbit.parameter, std::hypot(edge, other), 1e-9);
  EXPECT_NEAR(doubling->orbit.parameter, 1.5268237005, 1e-9);
  EXPECT_FALSE(up.points.back().orbit.multipliers.stable);
  // Down, through the fold and up again on the unstable side.
  const Branch down = continue_orbit(problem, start, {.low = 0.9, .high = 1.4, .direction = -1});
  const BranchPoint* fold = find(down, PointKind::fold);
  ASSERT_TRUE(fold) << down.stop;
  EXPECT_NEAR(fold->orbit.parameter, edge, 1e-9);
  EXPECT_NEAR(fold->orbit.parameter, 1.0471975512, 1e-9);
  EXPECT_GT(down.points.back().orbit.parameter, edge + 0.05) << down.stop;
  EXPECT_FALSE(down.points.back().orbit.multipliers.stable);
  EXPECT_TRUE(down.points.front().orbit.multipliers.stable);
}

TEST(Continuation, the_doubled_branch_is_what_simulation_settles_on) {
  const OrbitProblem problem = table_problem();
  const Branch up = continue_orbit(problem, table_orbit(problem), {.low = 1, .high = 1.6});
  const BranchPoint* doubling = find(up, PointKind::period_doubling);
  ASSERT_TRUE(doubling);
  const DoubledOrbit doubled = switch_at_doubling(problem, doubling->orbit);
  ASSERT_TRUE(doubled.orbit.good()) << doubled.orbit.note;
  EXPECT_TRUE(doubled.orbit.admissible) << doubled.orbit.inadmissible;
  EXPECT_EQ(doubled.orbit.impacts, 2);
  EXPECT_TRUE(doubled.orbit.multipliers.stable);
  EXPECT_GT(doubled.orbit.parameter, doubling->orbit.parameter);
  const Branch branch = continue_orbit(doubled.problem, doubled.orbit, {.low = 1.5, .high = 1.58});
  EXPECT_EQ(branch.status, Status::converged) << branch.stop;
  const Orbit& end = branch.points.back().orbit;
  EXPECT_NEAR(end.parameter, 1.58, 1e-9);
  ASSERT_TRUE(end.multipliers.stable);
  // From somewhere else, after many impacts: the same two impact speeds.
  const FlowMap map(problem.system(end.parameter));
  const double T = 4 * kPi / kOmega;
  State far = end.start;
  far.v[0] += 0.02;
  const MappedFlow settled = map.compute(far, 300 * T, false);
  ASSERT_TRUE(settled.good()) << settled.note;
  const double same = std::abs(settled.end.q[0] - end.start.q[0]);
  const double shifted = std::abs(settled.end.q[0] - map.compute(end.start, T / 2, false).end.q[0]);
  EXPECT_LT(std::min(same, shifted), 1e-8);
}

TEST(Continuation, family_of_the_chain_is_the_closed_form_and_ends_at_grazing) {
  const Scene scene = test::scene_of(test::kChain);
  const ImpactModes modes(*scene.system);
  const OrbitProblem problem = OrbitProblem::make(scene.system, OrbitKind::conservative);
  const ImpactMode mode = modes.one_impact(9.5);
  const Orbit start = multiple_shooting(problem, modes.state(mode, 4.0), 9.5);
  ASSERT_TRUE(start.good() && start.admissible) << start.note;
  const auto begin = std::chrono::steady_clock::now();
  double ends[2];
  std::size_t count = 0;
  for (int direction : {-1, 1}) {
    const Branch branch = continue_orbit(
        problem, start,
        {.over = BranchCoordinate::period, .low = 5, .high = 12, .direction = direction});
    std::printf("  %zu points, %s\n", branch.points.size(), branch.stop.c_str());
    EXPECT_NE(branch.stop.find(direction > 0 ? "graz" : "'stop' closes"), std::string::npos);
    for (const BranchPoint& point : branch.points) {
      const ImpactMode exact = modes.one_impact(point.orbit.period);
      EXPECT_NEAR(point.orbit.energy, exact.energy, 1e-8 * exact.energy) << point.orbit.period;
      EXPECT_LT(std::abs(point.orbit.damping), 1e-9);
    }
    ends[direction > 0] = branch.points.back().orbit.period;
    count += branch.points.size();
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("  %zu orbits in %.2f s\n", count, seconds);
  EXPECT_NEAR(ends[0], 7.9905166, 2e-4);   // a second contact
  EXPECT_NEAR(ends[1], 10.1664074, 5e-3);  // grazing: the linear mode
}

TEST(Continuation, family_over_energy_ends_at_its_bound) {
  const Scene scene = test::scene_of(test::kChain);
  const ImpactModes modes(*scene.system);
  const OrbitProblem problem = OrbitProblem::make(scene.system, OrbitKind::conservative);
  const Orbit start = multiple_shooting(problem, modes.state(modes.one_impact(9.5), 4.0), 9.5);
  const Branch branch = continue_orbit(
      problem, start, {.over = BranchCoordinate::energy, .low = 0.2, .high = 0.5864266854});
  ASSERT_EQ(branch.status, Status::converged) << branch.stop;
  EXPECT_NEAR(branch.points.back().orbit.period, 8.5, 1e-8);
}

// The impact moves through the start of the period while the frequency rises: that is no event.
TEST(Continuation, forced_oscillator_is_followed_over_its_frequency) {
  OrbitProblem problem;
  problem.kind = OrbitKind::forced;
  problem.system = [](double W) {
    return test::scene_of(test::kForced, {test::assignment("parameters.W", W)}).system;
  };
  problem.period = [](double W) { return 2 * kPi / W; };
  problem.parameter = 1.6;
  const double T = 2 * kPi / 1.6;
  State guess =
      FlowMap(problem.system(1.6)).compute({0, values({-0.5}), values({0})}, 12 * T, false).end;
  const Orbit start = multiple_shooting(problem, guess, T);
  ASSERT_TRUE(start.good() && start.admissible) << start.note;
  const Branch branch = continue_orbit(problem, start, {.low = 1, .high = 2});
  EXPECT_EQ(branch.status, Status::converged) << branch.stop;
  const Orbit& end = branch.points.back().orbit;
  EXPECT_NEAR(end.parameter, 2, 1e-9) << branch.stop;
  EXPECT_NEAR(end.slowest_approach, 3.9016492909, 1e-8);
}

// 1 + tr + det = 0 for the closed form of the map: W = 2.6588845466848356, impact speed
// 0.4405739544173389 m/s.
TEST(Continuation, forced_oscillator_doubles_its_period_where_the_closed_form_does) {
  OrbitProblem problem;
  problem.kind = OrbitKind::forced;
  problem.system = [](double W) {
    return test::example_scene("forced_stop", {test::assignment("parameters.W", W)}).system;
  };
  problem.period = [](double W) { return 2 * kPi / W; };
  problem.parameter = 2.6;
  const double T = 2 * kPi / 2.6;
  const State guess =
      FlowMap(problem.system(2.6)).compute({0, values({-0.5}), values({0})}, 40 * T, false).end;
  const Orbit start = multiple_shooting(problem, {guess.t - 40 * T, guess.q, guess.v}, T);
  ASSERT_TRUE(start.good() && start.admissible) << start.note << start.inadmissible;
  const Branch branch = continue_orbit(problem, start, {.low = 2.5, .high = 2.7});
  EXPECT_EQ(branch.status, Status::converged) << branch.stop;
  const BranchPoint* doubling = find(branch, PointKind::period_doubling);
  ASSERT_TRUE(doubling) << branch.stop;
  EXPECT_NEAR(doubling->orbit.parameter, 2.6588845466848356, 1e-8);
  EXPECT_NEAR(doubling->orbit.slowest_approach, 0.4405739544173389, 1e-8);
  const DoubledOrbit doubled = switch_at_doubling(problem, doubling->orbit);
  ASSERT_TRUE(doubled.orbit.good() && doubled.orbit.admissible)
      << doubled.orbit.note << doubled.orbit.inadmissible;
  EXPECT_EQ(doubled.orbit.impacts, 2);
  const Branch twice = continue_orbit(doubled.problem, doubled.orbit, {.low = 2.6, .high = 2.7});
  EXPECT_EQ(twice.status, Status::converged) << twice.stop;
  EXPECT_GT(twice.points.size(), 2u) << twice.stop;
  std::printf("  doubled: %zu orbits, %s\n", twice.points.size(), twice.stop.c_str());
  // Every doubled orbit closes after two periods and not after one.
  for (const BranchPoint& point : twice.points) {
    const FlowMap map(problem.system(point.orbit.parameter));
    const double once = 2 * kPi / point.orbit.parameter;
    const MappedFlow half = map.compute(point.orbit.start, once, false);
    const MappedFlow full = map.compute(point.orbit.start, 2 * once, false);
    EXPECT_GT((half.end.q - point.orbit.start.q).norm() + (half.end.v - point.orbit.start.v).norm(),
              1e-4);
    EXPECT_LT((full.end.q - point.orbit.start.q).norm() + (full.end.v - point.orbit.start.v).norm(),
              1e-8);
  }
}

TEST(Continuation, refuses_what_makes_no_sense) {
  const Scene scene = test::scene_of(test::kChain);
  const OrbitProblem problem = OrbitProblem::make(scene.system, OrbitKind::conservative);
  EXPECT_THROW((void)continue_orbit(problem, {}, {}), InputError);
  EXPECT_THROW((ContinuationOptions{.low = 2, .high = 1}.validate()), InputError);
}

}  // namespace
}  // namespace clack
