#include <gtest/gtest.h>

#include <cmath>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/nsgs.hpp"
#include "clack/solve/prox_newton.hpp"
#include "tests/solve/random_problem.hpp"

namespace clack {
namespace {

std::vector<Cone> mixed_cones() {
  return {Cone::coulomb(3, 0.4), Cone::nonnegative(),   Cone::coulomb(2, 0.3), Cone::free(1),
          Cone::coulomb(3, 0.8), Cone::coulomb(3, 0.0), Cone::nonnegative()};
}

SolverOptions tight() {
  SolverOptions options;
  options.tolerance = 1e-11;
  options.max_iterations = 100000;
  return options;
}

struct Outcome {
  SolveReport report;
  Vector r, u;
};

Outcome solve_with(std::string_view name, OwnedProblem& problem, const SolverOptions& options) {
  Outcome outcome;
  outcome.r = Vector::Zero(problem.W.rows());
  outcome.u = outcome.r;
  outcome.report =
      make_solver(name, options)->solve(problem.view(), outcome.r.data(), outcome.u.data());
  return outcome;
}

TEST(Solvers, GaussSeidelAndNewtonAgreeOnTheVelocities) {
  std::mt19937 random(21);
  for (int trial = 0; trial < 200; ++trial) {
    OwnedProblem problem = make_problem(random, mixed_cones(), 24);
    const Outcome a = solve_with("nsgs", problem, tight());
    const Outcome b = solve_with("prox-newton", problem, tight());
    ASSERT_EQ(a.report.status, Status::converged) << trial;
    ASSERT_EQ(b.report.status, Status::converged) << trial << " " << b.report.residual;
    EXPECT_LE((a.u - b.u).norm(), 1e-8 * problem.u_free.norm()) << trial;
  }
}

TEST(Solvers, ProblemsMadeFromAKnownSolutionAreSolved) {
  for (const std::string_view name : {"nsgs", "prox-newton"}) {
    std::mt19937 random(22);
    for (int trial = 0; trial < 200; ++trial) {
      Vector r, u;
      OwnedProblem problem = make_known_problem(random, mixed_cones(), 24, r, u);
      Vector check(u.size());
      ASSERT_LE(compute_residual(problem.view(), r.data(), check.data()).worst(), 1e-12);
      const Outcome outcome = solve_with(name, problem, tight());
      EXPECT_EQ(outcome.report.status, Status::converged) << name << " " << trial;
    }
  }
}

TEST(Solvers, RankDeficientProblemsAreSolvedByNewton) {
  std::mt19937 random(23);
  SolverOptions options = tight();
  options.max_iterations = 2000;
  for (int trial = 0; trial < 100; ++trial) {
    OwnedProblem problem = make_problem(random, mixed_cones(), 8);  // 16 rows of rank 8
    const Outcome outcome = solve_with("prox-newton", problem, options);
    EXPECT_EQ(outcome.report.status, Status::converged) << trial << " " << outcome.report.residual;
  }
}

TEST(Solvers, TheVerdictIsTheRecomputedResidual) {
  std::mt19937 random(24);
  OwnedProblem problem = make_problem(random, mixed_cones(), 24);
  for (const std::string_view name : {"nsgs", "prox-newton"}) {
    SolverOptions options = tight();
    options.max_iterations = 1;
    const Outcome outcome = solve_with(name, problem, options);
    Vector u(problem.W.rows());
    const Residual residual = compute_residual(problem.view(), outcome.r.data(), u.data());
    EXPECT_EQ(outcome.report.residual, residual.plain);
    EXPECT_EQ(outcome.report.residual_scaled, residual.scaled);
    EXPECT_EQ((outcome.u - u).norm(), 0);
  }
}

TEST(Solvers, LimitsAreObeyedAndReported) {
  std::mt19937 random(25);
  OwnedProblem problem = make_problem(random, mixed_cones(), 24);
  SolverOptions options = tight();
  options.tolerance = 1e-300;
  options.max_iterations = 7;
  EXPECT_EQ(solve_with("nsgs", problem, options).report.status, Status::iteration_limit);
  EXPECT_EQ(solve_with("nsgs", problem, options).report.iterations, 7);
  options.max_iterations = 1000000000;
  options.time_limit = 0.02;
  EXPECT_EQ(solve_with("nsgs", problem, options).report.status, Status::time_limit);
}

TEST(Solvers, WarmStartAtTheSolutionNeedsNoWork) {
  std::mt19937 random(26);
  OwnedProblem problem = make_problem(random, mixed_cones(), 24);
  Outcome outcome = solve_with("nsgs", problem, tight());
  SolverOptions options = tight();
  options.tolerance = 1e-10;
  const SolveReport again =
      make_solver("nsgs", options)->solve(problem.view(), outcome.r.data(), outcome.u.data());
  EXPECT_EQ(again.iterations, 1);
}

TEST(Solvers, EmptyProblemIsSolved) {
  OwnedProblem problem;
  problem.offset = {0};
  const Outcome outcome = solve_with("nsgs", problem, tight());
  EXPECT_EQ(outcome.report.status, Status::converged);
}

TEST(Solvers, UnknownNameAndBadOptionsAreRefused) {
  EXPECT_THROW(make_solver("nsgz", {}), InputError);
  SolverOptions options;
  options.tolerance = -1;
  EXPECT_THROW(make_solver("nsgs", options), InputError);
  options.tolerance = NAN;
  EXPECT_THROW(make_solver("nsgs", options), InputError);
}

}  // namespace
}  // namespace clack
