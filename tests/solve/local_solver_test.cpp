#include "clack/solve/local_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/solve/local_error.hpp"
#include "tests/solve/random_problem.hpp"

namespace clack {
namespace {

void expect_exact(const std::vector<Cone>& cones, double tolerance, unsigned seed) {
  std::mt19937 random(seed);
  for (const Cone& cone : cones) {
    for (int trial = 0; trial < 20000; ++trial) {
      const OwnedProblem problem = make_problem(random, {cone}, cone.dim() + trial % 3);
      Vector r = Vector::Zero(cone.dim());
      ASSERT_TRUE(solve_local(cone, problem.W.data(), problem.u_free.data(), r.data()));
      ASSERT_LE(local_error(cone, problem.W, problem.u_free, r), tolerance)
          << "mu " << cone.mu() << " W\n"
          << problem.W << "\nb " << problem.u_free.transpose();
    }
  }
}

TEST(LocalSolver, PlaneContactIsExact) {
  expect_exact({Cone::coulomb(2, 0.1), Cone::coulomb(2, 0.7), Cone::coulomb(2, 5.0)}, 1e-11, 11);
}

TEST(LocalSolver, SpaceContactIsExact) {
  expect_exact({Cone::coulomb(3, 0.05), Cone::coulomb(3, 0.5), Cone::coulomb(3, 3.0)}, 1e-10, 12);
}

TEST(LocalSolver, FrictionlessAndBilateralRowsAreExact) {
  expect_exact({Cone::nonnegative(), Cone::coulomb(3, 0.0), Cone::free(1)}, 1e-12, 13);
}

TEST(LocalSolver, SingularTangentialBlockStillHasASolution) {
  const Cone cone = Cone::coulomb(3, 0.5);
  Matrix W = Matrix::Zero(3, 3);
  W(0, 0) = 1;  // the tangents cannot move
  const Vector b = Vector::Constant(3, -1.0);
  Vector r = Vector::Zero(3);
  ASSERT_TRUE(solve_local(cone, W.data(), b.data(), r.data()));
  EXPECT_LE(local_error(cone, W, b, r), 1e-12);
}

TEST(LocalSolver, PainlevesParadoxBlockHasASolution) {
  // mu W_NT larger than W_NN: the classical sliding formula divides by a negative number.
  const Cone cone = Cone::coulomb(2, 5.0 / 3);
  Matrix W(2, 2);
  W << 1.9, -1.5, -1.5, 2.0;
  Vector b(2);
  b << -0.01, 30.0;
  Vector r = Vector::Zero(2);
  ASSERT_TRUE(solve_local(cone, W.data(), b.data(), r.data()));
  EXPECT_LE(local_error(cone, W, b, r), 1e-12);
  EXPECT_GT(r[0], 0);
}

// Unequal steps for the two tangents with a projection on the Euclidean disc converge to a slip
// direction that is 31 degrees wrong in this problem; the local solve must give the right one.
TEST(LocalSolver, SlipIsOppositeToFrictionWhereTheTangentsAreUnequal) {
  const Cone cone = Cone::coulomb(3, 0.3);
  Matrix W = Matrix::Zero(3, 3);
  W.diagonal() << 1, 1, 4;
  Vector b(3);
  b << -1, 2, 2;
  Vector r = Vector::Zero(3);
  ASSERT_TRUE(solve_local(cone, W.data(), b.data(), r.data()));
  const Vector u = W * r + b;
  const double sine = (u[1] * r[2] - u[2] * r[1]) / (u.tail(2).norm() * r.tail(2).norm());
  EXPECT_NEAR(sine, 0.0, 1e-13);
  EXPECT_LT(u.tail(2).dot(r.tail(2)), 0);
  EXPECT_NEAR(r.tail(2).norm(), 0.3 * r[0], 1e-15);

  // The trap itself, so that the test shows what it guards against.
  Vector trapped = Vector::Zero(3);
  for (int k = 0; k < 10000; ++k) {
    const Vector velocity = W * trapped + b;
    trapped[0] = std::max(0.0, trapped[0] - velocity[0] / W(0, 0));
    Eigen::Vector2d z(trapped[1] - velocity[1] / W(1, 1), trapped[2] - velocity[2] / W(2, 2));
    if (z.norm() > 0.3 * trapped[0]) z *= 0.3 * trapped[0] / z.norm();
    trapped.tail(2) = z;
  }
  const Vector wrong = W * trapped + b;
  const double angle = std::acos(-wrong.tail(2).dot(trapped.tail(2)) /
                                 (wrong.tail(2).norm() * trapped.tail(2).norm()));
  EXPECT_NEAR(angle * 180 / M_PI, 31.0, 0.5);
  OwnedProblem problem;
  problem.W = W;
  problem.u_free = b;
  problem.cones = {cone};
  problem.offset = {0, 3};
  Vector velocity(3);
  EXPECT_GT(compute_residual(problem.view(), trapped.data(), velocity.data()).plain, 1e-2);
  EXPECT_LT(compute_residual(problem.view(), r.data(), velocity.data()).worst(), 1e-14);
}

}  // namespace
}  // namespace clack
