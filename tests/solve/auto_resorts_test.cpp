// What `auto` does beyond the plain case: groups of contacts, no solution, large islands, warm
// starts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "clack/core/split_mix.hpp"
#include "clack/problem/certificate.hpp"
#include "clack/problem/global_problem.hpp"
#include "clack/solve/auto/auto_solver.hpp"
#include "clack/solve/lcp/infeasibility.hpp"
#include "tests/support/generate.hpp"

namespace clack {
namespace {

using namespace test;

ProblemData generated(Packing packing, int contacts, double speed = 0) {
  GenerateOptions options;
  options.packing = packing;
  options.contacts = contacts;
  options.speed = speed;
  return reduce(generate_problem(options));
}

AutoOptions options_of(double tolerance) {
  AutoOptions options;
  options.tolerance = tolerance;
  return options;
}

// Eight corners join two bricks: W has rows that depend on each other, Newton works on its
// skeleton.
TEST(AutoResorts, GroupsOfContactsAreSolvedToTwelveDigits) {
  for (const double speed : {0.0, 0.01}) {
    const ProblemData problem = generated(Packing::wall, 200, speed);
    Vector r = Vector::Zero(problem.dimension()), u = r;
    const SolveReport report =
        AutoSolver(options_of(1e-12)).solve(problem.view(), r.data(), u.data());
    EXPECT_EQ(report.status, Status::converged) << report.residual << " " << report.note;
    EXPECT_LE(compute_certificate(problem.view(), r.data(), u.data()).worst(), 1e-8);
  }
}

// A pile of blocks, hyperstatic, with noise on every value of u_free: what leaves the range
// of W asks the blocks to deform, and is answered by contacts that slide or open.
ProblemData inconsistent(Packing packing, int contacts, double noise, std::uint64_t seed,
                         int dim = 2) {
  GenerateOptions options;
  options.packing = packing;
  options.dim = dim;
  options.contacts = contacts;
  options.mu = 0.8;
  options.speed = 0.01;
  ProblemData problem = reduce(generate_problem(options));
  SplitMix random(seed);
  const double size = noise * problem.u_free.norm() / std::sqrt(problem.dimension());
  for (double& x : problem.u_free) x += size * random.uniform(-1, 1);
  return problem;
}

// Newton's method alone has not ended after 100 steps on any of them.
TEST(AutoResorts, TowersInSpaceAreSolvedThroughInteriorPoints) {
  for (const int contacts : {60, 120}) {
    for (const std::uint64_t seed : {1, 2}) {
      const ProblemData problem = inconsistent(Packing::tower, contacts, 1e-2, seed, 3);
      Vector r = Vector::Zero(problem.dimension()), u = r;
      const SolveReport report =
          AutoSolver(options_of(1e-8)).solve(problem.view(), r.data(), u.data());
      EXPECT_EQ(report.status, Status::converged) << report.residual << " " << report.note;
      EXPECT_NE(report.note.find("1 through interior points"), std::string::npos) << report.note;
      EXPECT_LE(report.iterations, 300) << report.note;
    }
  }
}

// Impulses have to travel as far as their own size before a contact slides, driven by a noise of
// 1e-9: with a proximal parameter that is bounded from below this takes thousands of steps.
TEST(AutoResorts, FreeVelocitiesThatAreInconsistentByANoiseAreSolvedToTwelveDigits) {
  for (const auto& [packing, contacts] :
       {std::pair{Packing::tower, 24}, {Packing::tower, 60}, {Packing::wall, 24}}) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      const ProblemData problem = inconsistent(packing, contacts, 1e-9, seed);
      Vector r = Vector::Zero(problem.dimension()), u = r;
      const SolveReport report =
          AutoSolver(options_of(1e-12)).solve(problem.view(), r.data(), u.data());
      EXPECT_EQ(report.status, Status::converged) << report.residual << " " << report.note;
      EXPECT_LE(report.iterations, 1000) << report.note;
    }
  }
}

// These miss the first budget of Newton steps; other starts solve them, at a tenth of the cost of a
// step on the other map.
TEST(AutoResorts, OtherStartsAreTriedBeforeFischerAndBurmeistersMap) {
  for (const std::uint64_t seed : {5, 6, 7, 8}) {
    const ProblemData problem = inconsistent(Packing::wall, 120, 1e-3, seed);
    Vector r = Vector::Zero(problem.dimension()), u = r;
    const SolveReport report =
        AutoSolver(options_of(1e-12)).solve(problem.view(), r.data(), u.data());
    EXPECT_EQ(report.status, Status::converged) << report.residual << " " << report.note;
    EXPECT_EQ(report.note.find("Fischer"), std::string::npos) << report.note;
  }
}

// No impulse answers u_free = -1 through W = 0; one that runs away makes both residuals small.
TEST(AutoResorts, ARunawayImpulseIsNoSolution) {
  SparseMatrix W(2, 2);
  W.insert(0, 0) = 1;
  W.insert(1, 1) = 0;
  const ProblemData problem = make_reduced_problem({Cone::nonnegative(), Cone::nonnegative()}, W,
                                                   (Vector(2) << -1, -1).finished());
  for (const char* name : {"auto", "nsgs", "prox-newton", "admm"}) {
    Vector r = (Vector(2) << 1, 1e12).finished(), u = r;
    SolverOptions options;
    options.max_iterations = 200;
    const SolveReport report =
        make_solver(name, options)->solve(problem.view(), r.data(), u.data());
    EXPECT_NE(report.status, Status::converged)
        << name << " " << report.residual << " " << r.transpose();
  }
}

// Two contacts that face each other on one body and are driven together, beside a good island.
TEST(AutoResorts, AnIslandWithoutSolutionIsProvedToHaveNone) {
  Matrix W = Matrix::Zero(9, 9);
  W.topLeftCorner(3, 3).setIdentity();
  W.block(3, 3, 3, 3).setIdentity();
  W.block(6, 6, 3, 3).setIdentity();
  W.block(3, 6, 3, 3) = W.block(6, 3, 3, 3) = -Matrix::Identity(3, 3);
  Vector u_free = Vector::Zero(9);
  u_free[0] = -1;
  u_free[3] = u_free[6] = -0.5;
  const ProblemData problem =
      make_reduced_problem(std::vector<Cone>(3, Cone::coulomb(3, 0.3)), W.sparseView(), u_free);
  Vector r = Vector::Zero(9), u = r;
  const SolveReport report = AutoSolver(options_of(1e-8)).solve(problem.view(), r.data(), u.data());
  ASSERT_EQ(report.status, Status::infeasible) << report.note;
  EXPECT_TRUE(check_infeasibility(problem.view(), report.certificate));
  EXPECT_NE(report.note.find("island of 2 contacts"), std::string::npos) << report.note;
}

// Above the guard there is no factorisation, and the answer is the same kind of answer.
TEST(AutoResorts, IslandsAboveTheSizeGuardAreSweptWithMomentum) {
  const ProblemData problem = generated(Packing::random, 1500);
  AutoOptions options = options_of(1e-6);
  options.max_flops = 1e5;
  Vector r = Vector::Zero(problem.dimension()), u = r;
  const SolveReport report = AutoSolver(options).solve(problem.view(), r.data(), u.data());
  EXPECT_EQ(report.status, Status::converged) << report.residual << " " << report.note;
  EXPECT_NE(report.note.find("too large to factorise"), std::string::npos) << report.note;
  EXPECT_NE(report.note.find("0 Newton steps"), std::string::npos) << report.note;
}

TEST(AutoResorts, AWarmStartTakesLessWork) {
  const ProblemData problem = generated(Packing::wall, 400, 0.01);
  AutoSolver solver(options_of(1e-8));
  Vector r = Vector::Zero(problem.dimension()), u = r;
  ASSERT_EQ(solver.solve(problem.view(), r.data(), u.data()).status, Status::converged);
  ProblemData other = problem;
  SplitMix random(3);
  Vector z(problem.dimension()), change(problem.dimension());
  for (double& x : z) x = random.uniform(-1, 1);
  problem.W.multiply(z.data(), change.data());
  other.u_free += (1e-3 * problem.u_free.norm() / change.norm()) * change;
  Vector cold = Vector::Zero(problem.dimension());
  const SolveReport from_zero = solver.solve(other.view(), cold.data(), u.data());
  const SolveReport from_last = solver.solve(other.view(), r.data(), u.data());
  EXPECT_EQ(from_zero.status, Status::converged);
  EXPECT_EQ(from_last.status, Status::converged);
  EXPECT_LE(2 * from_last.iterations, from_zero.iterations)
      << from_zero.note << " | " << from_last.note;
}

}  // namespace
}  // namespace clack
