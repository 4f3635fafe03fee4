// Equilibria with contact: snap-through onto a stop, limit points, flutter of steady sliding.
#include "clack/analyse/equilibria/equilibrium_branch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "clack/core/error.hpp"
#include "tests/analyse/orbit_scenes.hpp"

namespace clack {
namespace {

using test::values;

EquilibriumProblem problem_of(const std::string& example, const std::string& name,
                              std::vector<std::string> set = {}) {
  EquilibriumProblem problem;
  problem.system = [=](double value) {
    std::vector<std::string> all = set;
    all.push_back(test::assignment("parameters." + name, value));
    return test::example_scene(example, all).system;
  };
  return problem;
}

std::vector<EquilibriumPoint> special(const EquilibriumBranch& branch) {
  std::vector<EquilibriumPoint> points;
  for (const EquilibriumPoint& point : branch.points)
    if (point.kind != EquilibriumKind::regular && point.kind != EquilibriumKind::end)
      points.push_back(point);
  return points;
}

// Load of the shallow truss at the height y, and where it has its limits.
constexpr double kK = 1000, kB = 1, kH = 0.3;
double truss_load(double y) {
  const double l0 = std::hypot(kB, kH), l = std::hypot(kB, y);
  return 2 * kK * y * (l0 / l - 1);
}
double truss_limit() {
  const double l = std::cbrt(std::hypot(kB, kH) * kB * kB);
  return std::sqrt(l * l - kB * kB);
}

TEST(Equilibrium, shallow_truss_snaps_through_at_its_limit_points) {
  const EquilibriumProblem problem = problem_of("von_mises_truss", "F", {"parameters.s=-10"});
  const Equilibrium start = find_equilibrium(problem, 0, values({0.3}));
  ASSERT_TRUE(start.good()) << start.note;
  EXPECT_NEAR(start.q[0], kH, 1e-12);
  const EquilibriumBranch branch =
      continue_equilibrium(problem, start, {.low = -20, .high = 20, .step = 0.05, .max_step = 0.2});
  ASSERT_EQ(branch.status, Status::converged) << branch.stop;
  EXPECT_EQ(branch.stop, "reached parameter = 20");
  for (const EquilibriumPoint& point : branch.points) {
    const double y = point.equilibrium.q[0];
    EXPECT_NEAR(point.equilibrium.parameter, truss_load(y), 1e-8);
    if (point.kind == EquilibriumKind::regular) {
      EXPECT_EQ(point.equilibrium.stable, std::abs(y) > truss_limit());
    }
  }
  const auto points = special(branch);
  ASSERT_EQ(points.size(), 2u);
  for (const int k : {0, 1}) {
    const double sign = k == 0 ? 1 : -1;
    const auto& found = points[static_cast<std::size_t>(k)];
    EXPECT_EQ(found.kind, EquilibriumKind::fold);
    EXPECT_NEAR(found.equilibrium.q[0], sign * truss_limit(), 1e-8);
    EXPECT_NEAR(found.equilibrium.parameter, sign * truss_load(truss_limit()), 1e-10);
  }
}

TEST(Equilibrium, a_stop_catches_the_truss_and_carries_the_rest) {
  const EquilibriumProblem problem = problem_of("von_mises_truss", "F");
  const Equilibrium start = find_equilibrium(problem, 0, values({0.3}));
  const EquilibriumBranch branch =
      continue_equilibrium(problem, start, {.low = -50, .high = 30, .step = 0.05, .max_step = 0.2});
  ASSERT_EQ(branch.status, Status::converged) << branch.stop;
  EXPECT_EQ(branch.stop, "reached parameter = 30");
  const auto points = special(branch);
  // Up to the limit, down, then the stop, on which the load rises again.
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].kind, EquilibriumKind::fold);
  EXPECT_EQ(points[1].kind, EquilibriumKind::fold);
  EXPECT_EQ(points[2].kind, EquilibriumKind::closes);
  const Equilibrium& closing = points[2].equilibrium;
  EXPECT_NEAR(closing.q[0], -0.2, 1e-12);
  EXPECT_NEAR(closing.parameter, truss_load(-0.2), 1e-9);
  EXPECT_NEAR(closing.force[0], 0, 1e-9);
  const Equilibrium& end = branch.points.back().equilibrium;
  EXPECT_NEAR(end.q[0], -0.2, 1e-12);
  EXPECT_NEAR(end.force[0], 30 - truss_load(-0.2), 1e-9);
  EXPECT_TRUE(end.stable);
}

TEST(Equilibrium, a_stop_before_the_second_limit_turns_the_branch_round) {
  const EquilibriumProblem problem = problem_of("von_mises_truss", "F", {"parameters.s=-0.05"});
  const Equilibrium start = find_equilibrium(problem, 0, values({0.3}));
  const EquilibriumBranch branch =
      continue_equilibrium(problem, start, {.low = -50, .high = 20, .step = 0.05, .max_step = 0.2});
  ASSERT_EQ(branch.status, Status::converged) << branch.stop;
  const auto points = special(branch);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1].kind, EquilibriumKind::closes);
  EXPECT_NEAR(points[1].equilibrium.parameter, truss_load(-0.05), 1e-9);
  EXPECT_NEAR(branch.points.back().equilibrium.force[0], 20 - truss_load(-0.05), 1e-9);
  // Back down the load the stop lets go where it has closed, on the side of the unstable branch.
  const EquilibriumBranch back = continue_equilibrium(
      problem, branch.points.back().equilibrium,
      {.low = -50, .high = 21, .direction = -1, .step = 0.05, .max_step = 0.2});
  const auto opened = special(back);
  ASSERT_GE(opened.size(), 1u);
  EXPECT_EQ(opened[0].kind, EquilibriumKind::opens);
  EXPECT_NEAR(opened[0].equilibrium.parameter, truss_load(-0.05), 1e-8);
}

TEST(Equilibrium, modes_of_steady_sliding_merge_at_the_known_friction) {
  const double expected = (std::pow(2 - 1.4 - 1, 2) + 4 * 0.25) / (4 * 0.5 * 1);
  for (const double c : {0.0, 0.05}) {
    const EquilibriumProblem problem =
        problem_of("mode_coupling", "mu", {test::assignment("parameters.c", c)});
    const Equilibrium start = find_equilibrium(problem, 0.1, values({0, 0, 0}));
    ASSERT_TRUE(start.good()) << start.note;
    EXPECT_TRUE(start.stable);
    EXPECT_EQ(start.closed[0], 1);
    const EquilibriumBranch branch = continue_equilibrium(
        problem, start, {.low = 0.05, .high = 1.2, .step = 0.1, .max_step = 0.2});
    ASSERT_EQ(branch.status, Status::converged) << branch.stop;
    const auto points = special(branch);
    ASSERT_EQ(points.size(), 1u);
    EXPECT_EQ(points[0].kind, EquilibriumKind::flutter);
    // With damping c of both: (Im of omega^2)^2 = c^2 (mean of omega^2).
    const double damped = expected + c * c * (2 + 1.4 + 1) / 2 / (0.5 * 1);
    EXPECT_NEAR(points[0].equilibrium.parameter, damped, 1e-9);
    EXPECT_FALSE(branch.points.back().equilibrium.stable);
  }
}

TEST(Equilibrium, eigenvalues_of_sliding_are_those_of_the_reduced_matrices) {
  const EquilibriumProblem problem = problem_of("mode_coupling", "mu", {"parameters.c=0.1"});
  const double mu = 0.9;
  const Equilibrium found = find_equilibrium(problem, mu, values({0, 0, 0}));
  ASSERT_TRUE(found.good()) << found.note;
  ASSERT_EQ(found.eigenvalues.size(), 4u);
  // w^2 - (k11 + kyy) w + k11 kyy - k12 (k12 + mu kc) = 0 for w = -(s^2 + c s).
  for (const auto& s : found.eigenvalues) {
    const std::complex<double> w = -(s * s + 0.1 * s);
    EXPECT_LT(std::abs(w * w - 4.4 * w + 2 * 2.4 + 0.5 * (-0.5 + mu)), 1e-9) << s;
  }
  EXPECT_NEAR(found.force[0], 1 - found.q[1], 1e-12);  // preload less the spring of the pad
}

TEST(Equilibrium, contacts_are_opened_and_closed_until_all_fit) {
  const std::string scene = R"(clack: 1
parameters: {F: 1}
system:
  type: linear
  coordinates: [x1, x2]
  M: [[1, 0], [0, 1]]
  K: [[2, -1], [-1, 1]]
  f: [0, F]
  contacts:
    - {name: left, G: [1, 0]}
    - {name: right, G: [0, -1], g0: 1}
initial: {q: [0, 0]}
simulation: {scheme: event-driven, step: 0.1, end: 10}
)";
  EquilibriumProblem problem;
  problem.system = [&](double F) {
    return test::scene_of(scene, {test::assignment("parameters.F", F)}).system;
  };
  // Free: x = (F, 2F). From F = 1/2 on the right stop holds x2 = 1, x1 = 1/2.
  const Equilibrium found = find_equilibrium(problem, 2, values({0, 0}));
  ASSERT_TRUE(found.good()) << found.note;
  EXPECT_NEAR(found.q[0], 0.5, 1e-12);
  EXPECT_NEAR(found.force[1], 1.5, 1e-12);
  EXPECT_EQ(found.closed[0], 0);
  const EquilibriumBranch branch = continue_equilibrium(
      problem, find_equilibrium(problem, -1, values({0, 0})), {.low = -1, .high = 2});
  const auto points = special(branch);
  ASSERT_EQ(points.size(), 2u) << branch.stop;
  EXPECT_EQ(points[0].kind, EquilibriumKind::opens);
  EXPECT_NEAR(points[0].equilibrium.parameter, 0, 1e-10);
  EXPECT_EQ(points[1].kind, EquilibriumKind::closes);
  EXPECT_NEAR(points[1].equilibrium.parameter, 0.5, 1e-10);
}

TEST(Equilibrium, stick_and_bad_options_are_refused) {
  const EquilibriumProblem still = problem_of("mode_coupling", "mu", {"parameters.V=0"});
  EXPECT_THROW((void)find_equilibrium(still, 0.2, values({0, 0, 0})), InputError);
  const EquilibriumProblem problem = problem_of("mode_coupling", "mu");
  const Equilibrium start = find_equilibrium(problem, 0.1, values({0, 0, 0}));
  EXPECT_THROW((void)continue_equilibrium(problem, start, {.low = 1, .high = 0}), InputError);
  EXPECT_THROW((void)continue_equilibrium(problem, {}, {.low = 0, .high = 1}), InputError);
}

}  // namespace
}  // namespace clack
