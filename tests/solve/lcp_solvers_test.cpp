// Lemke, Newton and enumeration on linear complementarity problems, mixed or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/solve/lcp/infeasibility.hpp"
#include "clack/solve/lcp/lcp_enum.hpp"
#include "tests/solve/lcp_support.hpp"

namespace clack {
namespace {

constexpr std::string_view kSolvers[] = {"lemke", "lcp-newton", "lcp-enum"};

TEST(Lcp, MonotoneProblemsMadeFromAKnownSolutionAreSolved) {
  for (const std::string_view name : kSolvers) {
    std::mt19937 random(31);
    for (int trial = 0; trial < 200; ++trial) {
      const int n = 2 + trial % 11;
      std::vector<int> free;
      for (int i = 0; i < n; i += 3) {
        if (trial % 2 == 1) free.push_back(i);
      }
      const int rank = trial % 3 == 0 ? n : (n + 1) / 2;  // two thirds have a singular part
      Vector r;
      OwnedProblem problem =
          make_known_lcp(random, random_monotone(random, n, rank), free, trial % 4 == 3 ? 2 : 0, r);
      const SolveOutcome outcome = solve_lcp(name, problem);
      ASSERT_EQ(outcome.report.status, Status::converged)
          << name << " " << trial << " " << outcome.report.residual << " " << outcome.report.note;
      EXPECT_TRUE(outcome.report.certificate.empty());
    }
  }
}

TEST(Lcp, AWarmStartIsLeftWhereNoContactCarriesLoad) {
  for (const std::string_view name : kSolvers) {
    OwnedProblem problem = make_lcp(Matrix::Identity(2, 2), Vector::Constant(2, 0.5));
    Vector r = Vector::Constant(2, 0.1), u = r;
    const SolveReport report =
        make_solver(name, {.tolerance = 1e-12})->solve(problem.view(), r.data(), u.data());
    EXPECT_EQ(report.status, Status::converged) << name;
    EXPECT_EQ(r, Vector::Zero(2)) << name;
    EXPECT_EQ(u, problem.u_free) << name;
  }
}

TEST(Lcp, SymmetricSemidefiniteProblemsHaveOneVelocity) {
  std::mt19937 random(32);
  for (int trial = 0; trial < 50; ++trial) {
    const Matrix A = random_matrix(random, 12, 5);
    Vector r;
    OwnedProblem problem = make_known_lcp(random, A * A.transpose(), {}, 0, r);
    const Vector u = problem.W * r + problem.u_free;
    for (const std::string_view name : kSolvers) {
      const SolveOutcome outcome = solve_lcp(name, problem);
      ASSERT_EQ(outcome.report.status, Status::converged)
          << name << " " << trial << " " << outcome.report.residual << " " << outcome.report.note;
      EXPECT_LE((outcome.u - u).norm(), 1e-9 * problem.u_free.norm()) << name << " " << trial;
    }
  }
}

TEST(Lcp, TheMinMapSolvesProblemsWithAPMatrix) {
  std::mt19937 random(33);
  for (int trial = 0; trial < 100; ++trial) {
    Vector r;
    const Matrix W = random_monotone(random, 10, 10) + Matrix::Identity(10, 10);
    OwnedProblem problem = make_known_lcp(random, W, {}, 0, r);
    const SolveOutcome outcome = solve_lcp("lcp-newton", problem, 1e-11, {{"map", "min"}});
    EXPECT_EQ(outcome.report.status, Status::converged) << trial;
    EXPECT_LE((outcome.r - r).norm(), 1e-9 * r.norm()) << trial;
  }
}

// Beale's linear program, on which the simplex method with the usual ratio test cycles, as
// optimality conditions: u = (c + A' y, b - A x), complementary to (x, y).
TEST(Lcp, DegenerateProgramOfBealeDoesNotCycle) {
  Matrix A(3, 4);
  A << 0.25, -60, -0.04, 9, 0.5, -90, -0.02, 3, 0, 0, 1, 0;
  Matrix W = Matrix::Zero(7, 7);
  W.topRightCorner(4, 3) = A.transpose();
  W.bottomLeftCorner(3, 4) = -A;
  Vector q(7);
  q << -0.75, 150, -0.02, 6, 0, 0, 1;
  OwnedProblem problem = make_lcp(W, q);
  for (const std::string_view name : {"lemke", "lcp-enum"}) {
    const SolveOutcome outcome = solve_lcp(name, problem, 1e-12);
    ASSERT_EQ(outcome.report.status, Status::converged) << name << " " << outcome.report.note;
    EXPECT_NEAR(q.head(4).dot(outcome.r.head(4)), -0.05, 1e-12) << name;
  }
}

// Kostreva (1979): principal pivoting by the least index goes round this problem for ever.
TEST(Lcp, KostrevasCycleIsNotEntered) {
  OwnedProblem problem =
      make_lcp(Matrix{{1, 2, 0}, {0, 1, 2}, {2, 0, 1}}, Vector::Constant(3, -1.0));
  for (const std::string_view name : kSolvers) {
    const SolveOutcome outcome = solve_lcp(name, problem, 1e-14);
    ASSERT_EQ(outcome.report.status, Status::converged) << name;
    EXPECT_LE((outcome.r - Vector::Constant(3, 1.0 / 3)).norm(), 1e-15) << name;
    EXPECT_LE(outcome.report.iterations, 20) << name;
  }
}

// Ties everywhere: u_free = -1 in all rows and small integers in W.
TEST(Lcp, PivotingEndsOnFullyDegenerateProblems) {
  std::mt19937 random(34);
  std::uniform_int_distribution<int> digit(-1, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 4 + trial % 9;
    Matrix W(n, n);
    for (double& value : W.reshaped()) value = digit(random);
    OwnedProblem problem = make_lcp(W * W.transpose(), Vector::Constant(n, -1.0));
    const SolveOutcome outcome = solve_lcp("lemke", problem);
    EXPECT_TRUE(outcome.report.status == Status::converged ||
                outcome.report.status == Status::infeasible)
        << trial << " " << outcome.report.note;
    EXPECT_LE(outcome.report.iterations, 200) << trial;
  }
}

// Exact for integers: is -q a nonnegative multiple of the column c?
bool is_multiple(const Eigen::Vector2d& c, const Eigen::Vector2d& q) {
  return c[0] * q[1] == c[1] * q[0] && c.dot(-q) >= 0 && (q.isZero() || !c.isZero());
}

// Does r e_i, r >= 0, solve the 2 x 2 problem?
bool has_one_sided(const Matrix& W, const Vector& q, int i) {
  const double a = W(i, i), b = W(1 - i, i);
  if (a != 0) return -q[i] / a >= 0 && a * (a * q[1 - i] - b * q[i]) >= 0;
  return q[i] == 0 && (q[1 - i] >= 0 || b > 0);
}

bool has_solution(const Matrix& W, const Vector& q) {
  if (q.minCoeff() >= 0 || has_one_sided(W, q, 0) || has_one_sided(W, q, 1)) return true;
  const double det = W(0, 0) * W(1, 1) - W(0, 1) * W(1, 0);
  if (det == 0) return is_multiple(W.col(0), q) || is_multiple(W.col(1), q);
  const double r0 = -(W(1, 1) * q[0] - W(0, 1) * q[1]) * det;
  const double r1 = -(W(0, 0) * q[1] - W(1, 0) * q[0]) * det;
  return r0 >= 0 && r1 >= 0;
}

TEST(Lcp, EnumerationDecidesEverySmallIntegerProblem) {
  int unsolvable = 0, feasible_but_unsolvable = 0;
  for (int code = 0; code < 5 * 5 * 5 * 5 * 5 * 5; ++code) {
    int rest = code;
    const auto digit = [&rest] {
      const int value = rest % 5 - 2;
      rest /= 5;
      return static_cast<double>(value);
    };
    Matrix W(2, 2);
    for (double& value : W.reshaped()) value = digit();
    Vector q(2);
    for (double& value : q) value = digit();
    OwnedProblem problem = make_lcp(W, q);
    const SolveOutcome outcome = solve_lcp("lcp-enum", problem);
    const Status expected = has_solution(W, q) ? Status::converged : Status::infeasible;
    ASSERT_EQ(outcome.report.status, expected) << W << "\n" << q << "\n" << outcome.report.note;
    const SolveOutcome pivoting = solve_lcp("lemke", problem);
    if (expected == Status::converged) {
      ASSERT_NE(pivoting.report.status, Status::infeasible) << W << "\n" << q;
      continue;
    }
    ASSERT_NE(pivoting.report.status, Status::converged);
    ++unsolvable;
    if (outcome.report.certificate.size() == 2) {
      ASSERT_TRUE(check_infeasibility(problem.view(), outcome.report.certificate));
    } else {
      ++feasible_but_unsolvable;
      ASSERT_TRUE(check_exhaustion(problem.view(), outcome.report.certificate));
    }
  }
  EXPECT_GT(unsolvable, 1000);
  EXPECT_GT(feasible_but_unsolvable, 100);
}

// A free unknown that the free rows do not determine: the block of free rows is singular.
TEST(Lcp, SingularFreeBlockIsPivotedThroughTheContacts) {
  std::mt19937 random(35);
  for (int trial = 0; trial < 100; ++trial) {
    Matrix W = random_monotone(random, 8, 8);
    W.topLeftCorner(3, 3).setZero();
    W.topRightCorner(3, 5) = -W.bottomLeftCorner(5, 3).transpose();  // stays monotone
    if (trial % 2 == 1) W.row(1) = -W.row(0), W.col(1) = -W.col(0);  // and a free row twice
    Vector r;
    OwnedProblem problem = make_known_lcp(random, W, {0, 1, 2}, 0, r);
    for (const std::string_view name : {"lemke", "lcp-enum"}) {
      const SolveOutcome outcome = solve_lcp(name, problem, 1e-10);
      EXPECT_EQ(outcome.report.status, Status::converged) << name << trial << outcome.report.note;
    }
  }
}

TEST(Lcp, FrictionIsRefusedAndFrictionlessConesAreTaken) {
  std::mt19937 random(36);
  OwnedProblem problem = make_problem(random, {Cone::coulomb(3, 0.1), Cone::nonnegative()}, 4);
  for (const std::string_view name : kSolvers)
    EXPECT_THROW((void)solve_lcp(name, problem), InputError);
  for (int trial = 0; trial < 20; ++trial) {
    problem = make_problem(random, {Cone::coulomb(3, 0), Cone::free(2), Cone::nonnegative()}, 8);
    const SolveOutcome reference = solve_lcp("nsgs", problem);
    for (const std::string_view name : kSolvers) {
      const SolveOutcome outcome = solve_lcp(name, problem);
      ASSERT_EQ(outcome.report.status, Status::converged) << name;
      EXPECT_LE((outcome.u - reference.u).norm(), 1e-8 * problem.u_free.norm()) << name;
    }
  }
}

TEST(Lcp, ScalesOfRowsAndUnknownsDoNotMatter) {
  std::mt19937 random(37);
  std::uniform_real_distribution<double> exponent(-6, 6);
  for (int trial = 0; trial < 50; ++trial) {
    Vector r;
    OwnedProblem problem = make_known_lcp(random, random_monotone(random, 8, 8), {2}, 0, r);
    Vector rows(8), columns(8);
    for (int i = 0; i < 8; ++i) rows[i] = std::pow(10, exponent(random));
    for (int i = 0; i < 8; ++i) columns[i] = std::pow(10, exponent(random));
    problem.W = rows.asDiagonal() * problem.W * columns.asDiagonal();
    problem.u_free = rows.cwiseProduct(problem.u_free);
    for (const std::string_view name : {"lemke", "lcp-enum"}) {
      const SolveOutcome outcome = solve_lcp(name, problem, 1e-8);
      EXPECT_LE((outcome.r.cwiseProduct(columns) - r).norm(), 1e-6 * r.norm()) << name << trial;
    }
  }
}

TEST(Lcp, LimitsAndUnknownOptionsAreHeeded) {
  std::mt19937 random(38);
  Vector r;
  OwnedProblem problem = make_known_lcp(random, random_monotone(random, 12, 6), {}, 0, r);
  for (const std::string_view name : kSolvers) {
    SolverOptions options;
    options.max_iterations = 1;
    options.tolerance = 1e-14;
    Vector start = Vector::Zero(12), u = start;
    const SolveReport report =
        make_solver(name, options)->solve(problem.view(), start.data(), u.data());
    EXPECT_EQ(report.status, Status::iteration_limit) << name;
    EXPECT_THROW(make_solver(name, {}, {{"no_such", "1"}}), InputError);
  }
  EXPECT_THROW(make_solver("lemke", {}, {{"paths", "0"}}), InputError);
  EXPECT_THROW(make_solver("lcp-newton", {}, {{"starts", "0"}}), InputError);
  EXPECT_THROW(make_solver("lcp-newton", {}, {{"map", "max"}}), InputError);
  EXPECT_THROW(make_solver("lcp-enum", {}, {{"stored_leaves", "-1"}}), InputError);
}

}  // namespace
}  // namespace clack
