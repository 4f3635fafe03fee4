#include "clack/solve/semidefinite_factor.hpp"

#include <gtest/gtest.h>

#include <random>

namespace clack {
namespace {

Matrix random_matrix(int rows, int columns) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(random); });
}

// Rows that are repeated and summed: S has rank 6 of 10.
Matrix redundant_rows() {
  Matrix G(10, 8);
  G.topRows(6) = random_matrix(6, 8);
  G.row(6) = G.row(0);
  G.row(7) = G.row(1) + G.row(2);
  G.row(8) = G.row(3) - 2 * G.row(4);
  G.row(9) = G.row(5);
  return G;
}

void expect_solution(const Matrix& S, const Matrix& G, bool sparse) {
  SemidefiniteFactor factor;
  ASSERT_TRUE(sparse ? factor.compute(SparseMatrix(S.sparseView())) : factor.compute(S));
  const Vector expected = G * Vector::LinSpaced(8, -1, 2);  // in the range
  Vector x(10);
  factor.solve(S * expected, x);
  EXPECT_LT((S * x - S * expected).norm(), 1e-12 * (S * expected).norm());
  // Least in the norm of D: D x has no part in the null space.
  const Matrix null = G.transpose().fullPivLu().kernel();
  const Vector part = null.transpose() * (S.diagonal().asDiagonal() * x);
  EXPECT_LT(part.norm(), 1e-8 * (S.diagonal().asDiagonal() * x).norm());
}

TEST(SemidefiniteFactor, SharesLoadsOfRedundantRowsWithLeastNormThroughRoundOff) {
  const Matrix G = redundant_rows();
  for (const bool sparse : {false, true}) expect_solution(G * G.transpose(), G, sparse);
}

// As of an iteration matrix with gyroscopic terms, M + h C with a skew C.
TEST(SemidefiniteFactor, TakesASmallSkewPart) {
  const Matrix G = redundant_rows();
  Matrix M = Matrix::Identity(8, 8);
  const Matrix C = random_matrix(8, 8);
  M += 5e-3 * (C - C.transpose());
  for (const bool sparse : {false, true})
    expect_solution(G * M.inverse() * G.transpose(), G, sparse);
}

TEST(SemidefiniteFactor, RefusesALargeSkewPart) {
  Matrix S = Matrix::Identity(2, 2);
  S(0, 1) = 1;
  S(1, 0) = -1;
  SemidefiniteFactor factor;
  EXPECT_FALSE(factor.compute(S));
  EXPECT_FALSE(factor.compute(SparseMatrix(S.sparseView())));
}

// Contradicting rows have no solution: what is found is the one for the part that they agree on.
TEST(SemidefiniteFactor, IgnoresWhatRedundantRowsDoNotAgreeOnToRoundOff) {
  const Matrix G = redundant_rows(), S = G * G.transpose();
  SemidefiniteFactor factor;
  ASSERT_TRUE(factor.compute(S));
  const Vector expected = G * Vector::LinSpaced(8, -1, 2);
  Vector b = S * expected, x(10), noisy(10);
  factor.solve(b, x);
  b[6] += 1e-9;
  factor.solve(b, noisy);
  EXPECT_LT((noisy - x).norm(), 1e-7 * x.norm());
}

}  // namespace
}  // namespace clack
