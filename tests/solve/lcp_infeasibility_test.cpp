// Certificates of infeasibility: found where there is no solution, never elsewhere.
#include <gtest/gtest.h>

#include <cmath>

#include "clack/problem/residual.hpp"
#include "clack/solve/lcp/infeasibility.hpp"
#include "clack/solve/lcp/lcp_enum.hpp"
#include "tests/solve/lcp_support.hpp"

namespace clack {
namespace {

// Farkas' conditions in plain matrix language, apart from the library's check.
void expect_farkas(const OwnedProblem& problem, const std::vector<double>& certificate) {
  ASSERT_EQ(std::ssize(certificate), problem.W.rows());
  const ConstVectorMap y(certificate.data(), problem.W.rows());
  const Vector sum = problem.W.transpose() * y;
  const double small = 1e-11 * problem.W.cwiseAbs().maxCoeff() * y.cwiseAbs().maxCoeff();
  for (int i = 0; i < y.size(); ++i) {
    const bool free = problem.cones[static_cast<std::size_t>(i)].is_free();
    EXPECT_TRUE(free || y[i] >= 0) << i;
    EXPECT_LE(free ? std::abs(sum[i]) : sum[i], small) << i;
  }
  EXPECT_LT(problem.u_free.dot(y), -1e-6 * problem.u_free.norm() * y.norm());
}

// W' y <= 0 and u_free' y < 0 for a drawn y; semidefinite (W y = 0) or without structure.
OwnedProblem make_infeasible(std::mt19937& random, int n, bool semidefinite,
                             std::vector<int> free) {
  Vector y = random_vector(random, n).cwiseAbs();
  y[n - 1] = y[n / 2] = 0;
  for (const int i : free) y[i] = random_vector(random, 1)[0];
  y.normalize();
  Matrix W;
  if (semidefinite) {
    Matrix A = random_matrix(random, n, n / 2 + 1);
    A -= y * (y.transpose() * A);
    W = A * A.transpose();
  } else {
    Vector target = -random_vector(random, n).cwiseAbs();
    for (const int i : free) target[i] = 0;
    W = random_matrix(random, n, n);
    W += y * (target.transpose() - y.transpose() * W);
  }
  Vector u_free = random_vector(random, n);
  u_free -= (u_free.dot(y) + 1) * y;
  return make_lcp(W, u_free, free);
}

TEST(Infeasibility, RandomInfeasibleProblemsGetACheckedCertificateFromEverySolver) {
  for (const std::string_view name : {"lemke", "lcp-newton", "lcp-enum"}) {
    std::mt19937 random(41);
    for (int trial = 0; trial < 200; ++trial) {
      OwnedProblem problem =
          make_infeasible(random, 5 + trial % 8, trial % 2 == 0,
                          trial % 3 == 0 ? std::vector<int>{0, 1} : std::vector<int>{});
      const SolveOutcome outcome = solve_lcp(name, problem);
      ASSERT_EQ(outcome.report.status, Status::infeasible)
          << name << " " << trial << " " << outcome.report.note;
      expect_farkas(problem, outcome.report.certificate);
      EXPECT_FALSE(outcome.report.note.empty());
    }
  }
}

TEST(Infeasibility, SolvableProblemsNeverGetOne) {
  std::mt19937 random(42);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 3 + trial % 10;
    const Matrix W = trial % 3 == 0 ? random_matrix(random, n, n)
                     : trial % 3 == 1
                         ? random_monotone(random, n, n / 2)
                         : Matrix(random_matrix(random, n, 1) * random_matrix(random, 1, n));
    Vector r;
    OwnedProblem problem = make_known_lcp(
        random, W, trial % 2 ? std::vector<int>{0, 2} : std::vector<int>{}, trial % 5, r);
    EXPECT_FALSE(find_infeasibility(problem.view())) << trial;
    const SolveOutcome outcome = solve_lcp("lemke", problem);
    EXPECT_NE(outcome.report.status, Status::infeasible) << trial;
  }
}

// A solution that is large, but there: no proof may be claimed for it.
TEST(Infeasibility, NearlySingularProblemsAreNotCalledInfeasible) {
  for (const double gap : {1e-3, 1e-5, 1e-7}) {
    OwnedProblem problem = make_lcp(Matrix{{1, -1}, {-1, 1 + gap}}, Vector::Constant(2, -1.0));
    EXPECT_FALSE(find_infeasibility(problem.view())) << gap;
    EXPECT_EQ(solve_lcp("lemke", problem).report.status, Status::converged) << gap;
  }
}

TEST(Infeasibility, FalseCertificatesAreRejected) {
  std::mt19937 random(43);
  for (int trial = 0; trial < 50; ++trial) {
    OwnedProblem problem = make_infeasible(random, 8, true, {});
    const auto proof = find_infeasibility(problem.view());
    ASSERT_TRUE(proof);
    std::vector<double> wrong = proof->y;
    for (double& value : wrong) value = -value;
    EXPECT_FALSE(check_infeasibility(problem.view(), wrong));
    wrong = proof->y;
    wrong[0] += 0.01;
    EXPECT_FALSE(check_infeasibility(problem.view(), wrong));
    wrong[0] = NAN;
    EXPECT_FALSE(check_infeasibility(problem.view(), wrong));
    EXPECT_FALSE(check_infeasibility(problem.view(), std::vector<double>(8, 0.0)));
  }
}

// u = (-r_1 + r_2 - 1, -r_1 + 2 r_2 - 1). r = (0, 1) is feasible. Active sets by hand: {} has u_1 <
// 0, {1} and {1, 2} have r_1 = -1, {2} has r_2 = 1/2 and u_1 < 0.
TEST(Infeasibility, FeasibleProblemWithoutSolutionIsProvedByItsLeaves) {
  OwnedProblem problem = make_lcp(Matrix{{-1, 1}, {-1, 2}}, Vector::Constant(2, -1.0));
  EXPECT_FALSE(find_infeasibility(problem.view()));
  const SolveOutcome outcome = solve_lcp("lcp-enum", problem);
  ASSERT_EQ(outcome.report.status, Status::infeasible) << outcome.report.note;
  std::vector<double> leaves = outcome.report.certificate;
  EXPECT_TRUE(check_exhaustion(problem.view(), leaves));
  leaves.resize(leaves.size() - 4);  // a leaf less no longer covers all sets
  EXPECT_FALSE(check_exhaustion(problem.view(), leaves));
  leaves = outcome.report.certificate;
  leaves[2] = -5;  // a weight of the wrong sign proves nothing
  leaves[3] = -5;
  EXPECT_FALSE(check_exhaustion(problem.view(), leaves));
}

// A ball of mass 1 between two parallel walls that close on it at the speeds a and b.
OwnedProblem ball_between_walls(double a, double b, double mu) {
  Matrix H = Matrix::Zero(6, 6);
  for (int contact = 0; contact < 2; ++contact) {
    const double side = contact == 0 ? 1 : -1;  // normals +x and -x, tangents y and z
    const int col = 3 * contact;
    H(0, col) = side;
    H(1, col + 1) = 1;
    H(5, col + 1) = -side;
    H(2, col + 2) = 1;
    H(4, col + 2) = side;
  }
  OwnedProblem problem;
  problem.W = H.transpose() * H;
  problem.u_free = Vector::Zero(6);
  problem.u_free << -a, 0.3, 0.1, -b, -0.2, 0.4;
  problem.cones = {Cone::coulomb(3, mu), Cone::coulomb(3, mu)};
  problem.offset = {0, 3, 6};
  return problem;
}

TEST(Infeasibility, BallCrushedBetweenWallsIsInfeasibleWithFriction) {
  for (const double mu : {0.0, 0.3, 2.0}) {
    OwnedProblem crushed = ball_between_walls(1, 0.5, mu);
    const auto proof = find_infeasibility(crushed.view());
    ASSERT_TRUE(proof) << mu;
    EXPECT_NEAR(proof->y[0], proof->y[3], 1e-12 * proof->y[0]);
    OwnedProblem passing = ball_between_walls(1, -1.5, mu);
    EXPECT_FALSE(find_infeasibility(passing.view())) << mu;
    EXPECT_EQ(solve_lcp("nsgs", passing, 1e-8).report.status, Status::converged) << mu;
  }
}

// The same with spin about the normals in a disc of three components, and with all three discs.
TEST(Infeasibility, BallCrushedBetweenWallsIsInfeasibleWithSpinAndRolling) {
  for (const int rows : {4, 6}) {
    Matrix H = Matrix::Zero(6, 2 * rows);
    for (int contact = 0; contact < 2; ++contact) {
      const double side = contact == 0 ? 1 : -1;
      const int col = rows * contact;
      H(0, col) = side;
      H(1, col + 1) = 1;
      H(5, col + 1) = -side;
      H(2, col + 2) = 1;
      H(4, col + 2) = side;
      for (int axis = 0; axis < rows - 3; ++axis) H(3 + axis, col + 3 + axis) = side;
    }
    OwnedProblem crushed;
    crushed.W = H.transpose() * H;
    crushed.u_free = Vector::Constant(2 * rows, 0.1);
    crushed.u_free[0] = crushed.u_free[rows] = -1;
    const Cone cone =
        rows == 4 ? Cone::discs({{3, 0.3}}) : Cone::discs({{2, 0.3}, {1, 0.1}, {2, 0.1}});
    crushed.cones = {cone, cone};
    crushed.offset = {0, rows, 2 * rows};
    EXPECT_TRUE(find_infeasibility(crushed.view())) << rows;
    crushed.u_free[rows] = 1.5;
    EXPECT_FALSE(find_infeasibility(crushed.view())) << rows;
  }
}

// u_N = -r_N + (t / mu) d . r_T - 1 >= 0 needs t > 1. The polyhedron around the ball touches it in
// 30 directions d, where a proof is found up to t = 1.
TEST(Infeasibility, PolyhedronAroundABallTouchesItInThirtyDirections) {
  const double phi = (1 + std::sqrt(5.0)) / 2, mu = 0.4;
  const auto is_proved = [&](const Eigen::Vector3d& d, double t) {
    OwnedProblem problem;
    problem.W = Matrix::Zero(4, 4);
    problem.W.row(0) << -1, t / mu * d.transpose();
    problem.u_free = -Vector::Unit(4, 0);
    problem.cones = {Cone::discs({{3, mu}})};
    problem.offset = {0, 4};
    return find_infeasibility(problem.view()).has_value();
  };
  for (int axis = 0; axis < 3; ++axis) {
    for (int signs = 0; signs < 8; ++signs) {
      const Eigen::Vector3d sign(signs & 1 ? 1 : -1, signs & 2 ? 1 : -1, signs & 4 ? 1 : -1);
      Eigen::Vector3d across;  // of length 1
      across[axis] = 0.5 * sign[0];
      across[(axis + 1) % 3] = 0.5 * phi * sign[1];
      across[(axis + 2) % 3] = 0.5 / phi * sign[2];
      const Eigen::Vector3d along = sign[0] * Eigen::Vector3d::Unit(axis);
      for (const Eigen::Vector3d& d : {across, along}) {
        EXPECT_TRUE(is_proved(d, 0.9999)) << d.transpose();
        EXPECT_FALSE(is_proved(d, 1.0001)) << d.transpose();
      }
    }
  }
}

TEST(Infeasibility, SolvableFrictionProblemsNeverGetOne) {
  std::mt19937 random(44);
  const std::vector<Cone> cones{
      Cone::coulomb(3, 0.4),   Cone::nonnegative(),
      Cone::coulomb(2, 0.3),   Cone::free(2),
      Cone::rolling(0.8, 0.2), Cone::coulomb(3, 0.0),
      Cone::discs({{3, 0.5}}), Cone::discs({{2, 0.4}, {1, 0.1}, {2, 0.2}})};
  for (int trial = 0; trial < 50; ++trial) {
    Vector r, u;
    OwnedProblem problem = make_known_problem(random, cones, 4 + trial % 8, r, u);
    EXPECT_FALSE(find_infeasibility(problem.view())) << trial;
  }
}

// With friction, r in K with W r = 0 and u_free . r < 0 excludes nothing: a contact that slides and
// separates has u . r < 0 for an r on the other side of the cone.
TEST(Infeasibility, SelfStressAgainstTheFreeVelocityIsNoProofWithFriction) {
  OwnedProblem problem;
  problem.W = Matrix{{0.25, 0.5}, {0.5, 1}};
  problem.u_free = Vector{{1.0, 4.0}};
  problem.cones = {Cone::coulomb(2, 1.0)};
  problem.offset = {0, 2};
  const Vector stress{{1.0, -0.5}};
  EXPECT_EQ((problem.W * stress).norm(), 0);
  EXPECT_LT(problem.u_free.dot(stress), 0);
  const Vector r = Vector::Zero(2);
  Vector u(2);
  EXPECT_EQ(compute_residual(problem.view(), r.data(), u.data()).worst(), 0);
  EXPECT_FALSE(find_infeasibility(problem.view()));
}

}  // namespace
}  // namespace clack
