#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "clack/core/error.hpp"
#include "clack/problem/certificate.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/solver.hpp"
#include "tests/solve/random_problem.hpp"

namespace clack {
namespace {

constexpr const char* kSolvers[] = {"nsgs",           "jacobi",           "prox-sor",
                                    "vi-fixed-point", "vi-extragradient", "vi-hyperplane"};

struct Outcome {
  SolveReport report;
  Vector r, u;
};

Outcome solve(const std::string& name, OwnedProblem& problem, double tolerance = 1e-8,
              int limit = 200000) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = limit;
  Outcome outcome;
  outcome.r = outcome.u = Vector::Zero(problem.W.rows());
  outcome.report =
      make_solver(name, options)->solve(problem.view(), outcome.r.data(), outcome.u.data());
  return outcome;
}

class FirstOrder : public testing::TestWithParam<const char*> {};

TEST_P(FirstOrder, SolvesProblemsMadeFromKnownSolutionsForEveryCone) {
  const std::vector<std::vector<Cone>> kinds = {
      {Cone::free(1), Cone::nonnegative()},
      {Cone::free(3), Cone::nonnegative()},
      {Cone::nonnegative()},
      {Cone::coulomb(2, 0.4)},
      {Cone::coulomb(3, 0.3)},
      {Cone::coulomb(3, 0.7)},
      {Cone::rolling(0.4, 0.3)},
      {Cone::coulomb(3, 0.4), Cone::free(1), Cone::rolling(0.5, 0.1), Cone::coulomb(2, 0.6)}};
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    std::vector<Cone> cones;
    while (cones.size() < 4) cones.insert(cones.end(), kinds[k].begin(), kinds[k].end());
    int rows = 0;
    for (const Cone& cone : cones) rows += cone.dim();
    std::mt19937 random(50 + static_cast<unsigned>(k));
    for (int trial = 0; trial < 200; ++trial) {
      Vector r, u;
      OwnedProblem problem = make_known_problem(random, cones, 4 * rows, r, u);
      const Outcome outcome = solve(GetParam(), problem);
      ASSERT_EQ(outcome.report.status, Status::converged)
          << "kind " << k << " trial " << trial << " " << outcome.report.residual;
      ASSERT_LE(compute_certificate(problem.view(), outcome.r.data(), outcome.u.data()).worst(),
                1e-6)
          << "kind " << k << " trial " << trial;
    }
  }
}

TEST_P(FirstOrder, AgreesWithGaussSeidelOnTheVelocities) {
  std::mt19937 random(61);
  const std::vector<Cone> cones(5, Cone::coulomb(3, 0.4));
  for (int trial = 0; trial < 50; ++trial) {
    OwnedProblem problem = make_problem(random, cones, 60);
    const Outcome a = solve("nsgs", problem, 1e-11), b = solve(GetParam(), problem, 1e-11);
    ASSERT_EQ(b.report.status, Status::converged) << trial;
    EXPECT_LE((a.u - b.u).norm(), 1e-8 * problem.u_free.norm()) << trial;
  }
}

// Contacts whose rows are copies of others: W has a third of the rank, the impulses are not unique.
TEST_P(FirstOrder, SolvesParallelAndRedundantContacts) {
  std::mt19937 random(62);
  for (int trial = 0; trial < 20; ++trial) {
    OwnedProblem one = make_problem(random, {Cone::coulomb(3, 0.5), Cone::coulomb(3, 0.5)}, 30),
                 problem;
    problem.W = one.W.replicate(3, 3);
    problem.u_free = one.u_free.replicate(3, 1);
    problem.cones.assign(6, Cone::coulomb(3, 0.5));
    problem.offset = {0, 3, 6, 9, 12, 15, 18};
    const Outcome outcome = solve(GetParam(), problem);
    EXPECT_EQ(outcome.report.status, Status::converged) << trial << " " << outcome.report.residual;
    EXPECT_LE((outcome.u.head(6) - outcome.u.tail(6)).norm(), 1e-12 * (1 + problem.u_free.norm()));
  }
}

TEST_P(FirstOrder, SolvesNoContactAndOneContactOfAnyFriction) {
  OwnedProblem empty;
  empty.offset = {0};
  EXPECT_EQ(solve(GetParam(), empty).report.status, Status::converged);
  std::mt19937 random(63);
  for (const double mu : {0.0, 0.3}) {
    for (int trial = 0; trial < 50; ++trial) {
      OwnedProblem problem = make_problem(random, {Cone::coulomb(3, mu)}, 12);
      EXPECT_EQ(solve(GetParam(), problem).report.status, Status::converged) << mu << " " << trial;
    }
  }
}

// So much friction that no contact can slide. Sweeps solve it; the others must end with an honest
// status and a finite impulse.
TEST_P(FirstOrder, EndsHonestlyAtAFrictionOfAThousand) {
  std::mt19937 random(64);
  for (int trial = 0; trial < 20; ++trial) {
    OwnedProblem problem = make_problem(random, {Cone::coulomb(3, 1e3), Cone::coulomb(3, 1e3)}, 24);
    const Outcome outcome = solve(GetParam(), problem, 1e-8, 20000);
    Vector u(6);
    const double residual = compute_residual(problem.view(), outcome.r.data(), u.data()).worst();
    EXPECT_TRUE(outcome.r.allFinite());
    EXPECT_EQ(outcome.report.status == Status::converged, residual <= 1e-8) << trial;
    if (std::string(GetParam()) != "nsgs") continue;
    EXPECT_LE(residual, 1e-8) << trial;
  }
}

TEST_P(FirstOrder, LeavesContactsOpenWhoseFreeVelocityLiesInTheDualCone) {
  std::mt19937 random(65);
  OwnedProblem problem = make_problem(
      random, {Cone::coulomb(3, 0.5), Cone::rolling(0.3, 0.2), Cone::nonnegative()}, 30);
  problem.u_free.setZero();
  for (const int row : {0, 3, 8}) problem.u_free[row] = 1;
  const Outcome outcome = solve(GetParam(), problem);
  EXPECT_EQ(outcome.report.status, Status::converged);
  EXPECT_EQ(outcome.r.norm(), 0);
}

// A contact between bodies that cannot move, approached and left: no impulse helps or is needed.
TEST_P(FirstOrder, BlocksOfZerosGiveNoNaN) {
  std::mt19937 random(66);
  for (const double velocity : {-1.0, 1.0}) {
    OwnedProblem problem = make_problem(
        random,
        {Cone::coulomb(3, 0.5), Cone::coulomb(3, 0.5), Cone::rolling(0.3, 0.1), Cone::free(1)}, 40);
    for (const int begin : {3, 6, 11}) {
      const int count = begin == 3 ? 3 : begin == 6 ? 5 : 1;
      problem.W.middleRows(begin, count).setZero();
      problem.W.middleCols(begin, count).setZero();
      problem.u_free.segment(begin, count).setZero();
      if (begin < 11) problem.u_free[begin] = velocity;
    }
    const Outcome outcome = solve(GetParam(), problem, 1e-8, 500);
    EXPECT_TRUE(outcome.r.allFinite());
    EXPECT_TRUE(std::isfinite(outcome.report.residual));
    EXPECT_EQ(outcome.report.status == Status::converged, velocity > 0);
  }
}

TEST_P(FirstOrder, UnitsOfMassAndVelocityDoNotMatter) {
  std::mt19937 random(67);
  for (int trial = 0; trial < 10; ++trial) {
    OwnedProblem problem = make_problem(random, std::vector<Cone>(4, Cone::coulomb(3, 0.4)), 48);
    const int base = solve(GetParam(), problem).report.iterations;
    for (const double mass : {1e-4, 1.0, 1e4}) {
      for (const double speed : {1e-4, 1.0, 1e4}) {
        OwnedProblem scaled = problem;
        scaled.W /= mass;
        scaled.u_free *= speed;
        const Outcome outcome = solve(GetParam(), scaled);
        ASSERT_EQ(outcome.report.status, Status::converged) << mass << " " << speed;
        EXPECT_LE(outcome.report.iterations, 2 * base + 2) << mass << " " << speed;
        EXPECT_GE(2 * outcome.report.iterations + 2, base) << mass << " " << speed;
      }
    }
  }
}

TEST_P(FirstOrder, ObeysItsLimitsAndIsDeterministic) {
  std::mt19937 random(68);
  OwnedProblem problem = make_problem(random, std::vector<Cone>(5, Cone::coulomb(3, 0.4)), 15);
  const Outcome a = solve(GetParam(), problem, 1e-300, 23),
                b = solve(GetParam(), problem, 1e-300, 23);
  EXPECT_EQ(a.report.status, Status::iteration_limit);
  EXPECT_EQ(a.report.iterations, 23);
  EXPECT_EQ((a.r - b.r).norm(), 0);
  SolverOptions options;
  options.tolerance = 1e-300;
  options.max_iterations = 1000000000;
  options.time_limit = 0.02;
  Vector r = Vector::Zero(15), u = r;
  EXPECT_EQ(make_solver(GetParam(), options)->solve(problem.view(), r.data(), u.data()).status,
            Status::time_limit);
}

TEST_P(FirstOrder, StartsFromTheImpulseGiven) {
  std::mt19937 random(69);
  OwnedProblem problem = make_problem(random, std::vector<Cone>(5, Cone::coulomb(3, 0.4)), 60);
  const Outcome cold = solve(GetParam(), problem, 1e-10);
  Vector r = cold.r, u = cold.u;
  SolverOptions options;
  options.tolerance = 1e-9;
  const SolveReport warm =
      make_solver(GetParam(), options)->solve(problem.view(), r.data(), u.data());
  EXPECT_EQ(warm.status, Status::converged);
  EXPECT_LE(warm.iterations, 2);
  EXPECT_GT(cold.report.iterations, 2);
}

INSTANTIATE_TEST_SUITE_P(Solvers, FirstOrder, testing::ValuesIn(kSolvers), [](const auto& solver) {
  std::string name = solver.param;
  for (char& letter : name) letter = letter == '-' ? '_' : letter;
  return name;
});

// The step of jacobi is safe by itself: contacts that repeat each other would make it diverge if it
// did not know the largest eigenvalue of the whole.
TEST(FirstOrderSteps, JacobiConvergesOnRedundantContactsWithoutReduction) {
  std::mt19937 random(70);
  for (int trial = 0; trial < 20; ++trial) {
    OwnedProblem one = make_problem(random, {Cone::coulomb(3, 0.2)}, 30), problem;
    problem.W = one.W.replicate(8, 8);
    problem.u_free = one.u_free.replicate(8, 1);
    problem.u_free[0] = -1;
    problem.cones.assign(8, Cone::coulomb(3, 0.2));
    for (int k = 0; k <= 8; ++k) problem.offset.push_back(3 * k);
    SolverOptions options;
    options.tolerance = 1e-8;
    Vector r = Vector::Zero(24), u = r;
    const auto solver = make_solver("jacobi", options, {{"reduction", "1"}});
    EXPECT_EQ(solver->solve(problem.view(), r.data(), u.data()).status, Status::converged) << trial;
  }
}

int count_solved(const char* reduction) {
  std::mt19937 random(71);
  int solved = 0;
  for (int trial = 0; trial < 50; ++trial) {
    OwnedProblem problem = make_problem(random, std::vector<Cone>(4, Cone::coulomb(3, 1.5)), 48);
    SolverOptions options;
    options.tolerance = 1e-8;
    options.max_iterations = 50000;
    Vector r = Vector::Zero(12), u = r;
    const auto solver =
        make_solver("prox-sor", options, {{"omega", "1.9"}, {"reduction", reduction}});
    solved += solver->solve(problem.view(), r.data(), u.data()).status == Status::converged;
  }
  return solved;
}

TEST(FirstOrderSteps, OmegaIsReducedWhereTheIterationDoesNotConverge) {
  const int fixed = count_solved("1"), reduced = count_solved("0.7");
  EXPECT_EQ(reduced, 50);
  EXPECT_LT(fixed, 50);
}

TEST(FirstOrderOptions, UnknownKeysAndBadValuesAreRefused) {
  EXPECT_THROW(make_solver("jacobi", {}, {{"omega", "2"}}), InputError);
  EXPECT_THROW(make_solver("prox-sor", {}, {{"omega", "fast"}}), InputError);
  EXPECT_THROW(make_solver("prox-sor", {}, {{"rho", "1"}}), InputError);
  EXPECT_THROW(make_solver("vi-fixed-point", {}, {{"step", "-1"}}), InputError);
  EXPECT_THROW(make_solver("vi-extragradient", {}, {{"gamma", "2"}}), InputError);
  EXPECT_THROW(make_solver("vi-hyperplane", {}, {{"lower", "0.95"}}), InputError);
  EXPECT_NO_THROW(make_solver("vi-hyperplane", {}, {{"gamma", "1.2"}, {"check_every", "3"}}));
}

}  // namespace
}  // namespace clack
