#include "clack/solve/auto/auto_solver.hpp"

#include <gtest/gtest.h>

#include "clack/problem/certificate.hpp"
#include "tests/solve/random_problem.hpp"

namespace clack {
namespace {

SolveReport solve_auto(OwnedProblem& problem, double tolerance, Vector& r, Vector& u) {
  AutoOptions options;
  options.tolerance = tolerance;
  r = Vector::Zero(problem.W.rows());
  u = r;
  return AutoSolver(options).solve(problem.view(), r.data(), u.data());
}

std::vector<Cone> repeat(const Cone& cone, int count) { return std::vector<Cone>(count, cone); }

TEST(Auto, ProblemsWithAKnownSolutionAreSolvedForEveryCone) {
  std::mt19937 random(41);
  const std::vector<std::vector<Cone>> kinds = {
      repeat(Cone::nonnegative(), 12),
      repeat(Cone::coulomb(2, 0.4), 10),
      repeat(Cone::coulomb(3, 0.4), 8),
      repeat(Cone::rolling(0.4, 0.1), 5),
      repeat(Cone::free(1), 6),
      {Cone::coulomb(3, 0.5), Cone::free(1), Cone::nonnegative(), Cone::coulomb(2, 0.3),
       Cone::rolling(0.3, 0.2)}};
  for (const std::vector<Cone>& cones : kinds) {
    int rows = 0;
    for (const Cone& cone : cones) rows += cone.dim();
    for (int trial = 0; trial < 200; ++trial) {
      Vector known_r, known_u, r, u;
      OwnedProblem problem = make_known_problem(random, cones, rows + 4, known_r, known_u);
      const SolveReport report = solve_auto(problem, 1e-8, r, u);
      ASSERT_EQ(report.status, Status::converged)
          << trial << " dim " << cones[0].dim() << " " << report.note;
      EXPECT_LE(compute_certificate(problem.view(), r.data(), u.data()).worst(), 1e-6);
    }
  }
}

TEST(Auto, IslandsAreFoundAndSolvedApart) {
  std::mt19937 random(42);
  OwnedProblem a = make_problem(random, repeat(Cone::coulomb(3, 0.4), 3), 12);
  OwnedProblem both = make_problem(random, repeat(Cone::coulomb(3, 0.4), 6), 20);
  both.W.setZero();
  both.W.topLeftCorner(9, 9) = both.W.bottomRightCorner(9, 9) = a.W;
  Vector r, u;
  const SolveReport report = solve_auto(both, 1e-10, r, u);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_NE(report.note.find("2 islands (largest 3)"), std::string::npos) << report.note;
}

TEST(Auto, DegenerateProblemsAreSolved) {
  std::mt19937 random(43);
  Vector r, u;
  OwnedProblem empty;
  empty.offset = {0};
  EXPECT_EQ(solve_auto(empty, 1e-10, r, u).status, Status::converged);
  for (const double mu : {0.0, 1e3}) {
    OwnedProblem problem = make_problem(random, repeat(Cone::coulomb(3, mu), 4), 16);
    EXPECT_EQ(solve_auto(problem, 1e-8, r, u).status, Status::converged) << mu;
  }
  // Parallel contacts and redundant rows: the same contact three times.
  OwnedProblem one = make_problem(random, {Cone::coulomb(3, 0.4)}, 5);
  OwnedProblem three = make_problem(random, repeat(Cone::coulomb(3, 0.4), 3), 5);
  three.W = one.W.replicate(3, 3);
  three.u_free = one.u_free.replicate(3, 1);
  EXPECT_EQ(solve_auto(three, 1e-10, r, u).status, Status::converged);
  // u_free in the dual cone: the solution is zero.
  OwnedProblem open = make_problem(random, repeat(Cone::coulomb(3, 0.4), 3), 12);
  for (int c = 0; c < 3; ++c) open.u_free.segment(3 * c, 3) << 1.0, 0.3, 0.2;
  EXPECT_EQ(solve_auto(open, 1e-12, r, u).status, Status::converged);
  EXPECT_EQ(r.norm(), 0);
}

TEST(Auto, UnitsDoNotMatter) {
  for (const double unit : {1e-4, 1.0, 1e4}) {
    std::mt19937 random(44);
    OwnedProblem problem = make_problem(random, repeat(Cone::coulomb(3, 0.4), 8), 12);
    problem.W *= unit;
    Vector r, u;
    EXPECT_EQ(solve_auto(problem, 1e-8, r, u).status, Status::converged) << unit;
  }
}

TEST(Auto, TwoSolvesGiveTheSameBits) {
  std::mt19937 random(45);
  OwnedProblem problem = make_problem(random, repeat(Cone::coulomb(3, 0.4), 20), 24);
  Vector r1, u1, r2, u2;
  (void)solve_auto(problem, 1e-10, r1, u1);
  (void)solve_auto(problem, 1e-10, r2, u2);
  EXPECT_EQ((r1 - r2).norm(), 0);
}

}  // namespace
}  // namespace clack
