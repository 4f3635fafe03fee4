// M_hat in its three structures: dense, blocks that do not couple, sparse of any other kind.
#include "clack/assemble/iteration_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/assemble/assemble_support.hpp"
#include "tests/values.hpp"

namespace clack::test {
namespace {

struct Case {
  const char* name;
  Matrix M_hat;
  bool blocks;  // expected of the sparse one
};

std::vector<Case> cases() {
  std::mt19937 random(3);
  std::vector<Case> all;
  all.push_back({"one number", Matrix::Constant(1, 1, 2.5), true});
  all.push_back({"rigid bodies", block_mass(random, {6, 6, 1, 3, 6}), true});
  all.push_back({"the largest blocks", block_mass(random, {12, 12}), true});
  all.push_back({"a block too large", block_mass(random, {13, 6}), false});
  all.push_back({"a chain", chain_matrix(30), false});
  return all;
}

IterationMatrix factorised(const Matrix& M_hat, int rows, bool sparse) {
  IterationMatrix result(static_cast<int>(M_hat.rows()), rows, sparse);
  EXPECT_TRUE(result.factorise(as_matrix(M_hat, sparse)));
  EXPECT_TRUE(result.is_factorised());
  return result;
}

// M_hat^-1 H as Eigen has it.
Matrix solved(const Matrix& M_hat, const Matrix& H) { return M_hat.fullPivLu().solve(H); }

TEST(IterationMatrix, SolvesTheSameInEveryStructure) {
  std::mt19937 random(5);
  for (const Case& x : cases()) {
    const int n = static_cast<int>(x.M_hat.rows());
    const IterationMatrix dense = factorised(x.M_hat, 0, false),
                          sparse = factorised(x.M_hat, 0, true);
    EXPECT_FALSE(dense.is_sparse()) << x.name;
    EXPECT_TRUE(sparse.is_sparse()) << x.name;
    EXPECT_EQ(sparse.inverse() != nullptr, x.blocks) << x.name;
    const Vector b = random_matrix(random, n, 1), exact = solved(x.M_hat, b);
    Vector by_dense(n), by_sparse(n), in_place = b;
    dense.solve(b, by_dense);
    sparse.solve(b, by_sparse);
    EXPECT_LT((by_dense - exact).norm(), 1e-12 * exact.norm()) << x.name;
    EXPECT_LT((by_sparse - exact).norm(), 1e-12 * exact.norm()) << x.name;
    sparse.solve(in_place, in_place);
    EXPECT_EQ(in_place, by_sparse) << x.name;
    in_place = b;
    dense.solve(in_place, in_place);
    EXPECT_EQ(in_place, by_dense) << x.name;
  }
}

TEST(IterationMatrix, OfBlocksHasAnInverseWithTheSameBlocks) {
  std::mt19937 random(8);
  const Matrix M_hat = block_mass(random, {6, 3, 6});
  const IterationMatrix matrix = factorised(M_hat, 0, true);
  const Matrix inverse = *matrix.inverse(), exact = M_hat.inverse();
  EXPECT_LT((inverse - exact).norm(), 1e-12 * exact.norm());
  EXPECT_LE(matrix.inverse()->nonZeros(), 36 + 9 + 36);
}

// H' M_hat^-1 H, each structure by its own means.
TEST(IterationMatrix, GivesTheCongruenceOfADenseComputation) {
  std::mt19937 random(7);
  for (const Case& x : cases()) {
    const int n = static_cast<int>(x.M_hat.rows()), rows = 4;
    const Matrix H = random_matrix(random, n, rows), X = solved(x.M_hat, H), W = H.transpose() * X;
    IterationMatrix dense = factorised(x.M_hat, rows, false),
                    sparse = factorised(x.M_hat, rows, true);
    const ContactMap dense_H = as_map(H, false), sparse_H = as_map(H, true);
    for (int j = rows - 1; j >= 0; --j) {  // in any order
      const ConstVectorMap column(dense.solved_column(dense_H, j), n);
      EXPECT_LT((column - X.col(j)).norm(), 1e-12 * X.norm()) << x.name;
      EXPECT_LT((sparse.response(sparse_H, j) - W.col(j)).norm(), 1e-12 * W.norm()) << x.name;
      for (IterationMatrix* matrix : {&dense, &sparse}) {
        Vector v = Vector::Ones(n);
        matrix->add_response(matrix->is_sparse() ? sparse_H : dense_H, j, -2.5, v);
        EXPECT_LT((v - Vector::Ones(n) + 2.5 * X.col(j)).norm(), 1e-11 * X.norm()) << x.name;
      }
    }
    if (!sparse.inverse()) continue;
    const SparseMatrix columns = sparse_H.columns({0, 1, 2, 3});
    const Matrix product = columns.transpose() * (*sparse.inverse() * columns);
    EXPECT_LT((product - W).norm(), 1e-12 * W.norm()) << x.name;
  }
}

// Columns are kept until someone says that H, or M_hat, is another one.
TEST(IterationMatrix, KeepsSolvedColumnsUntilTheyAreForgotten) {
  std::mt19937 random(9);
  const Matrix M_hat = chain_matrix(14), H = random_matrix(random, 14, 2),
               other = random_matrix(random, 14, 2);
  const Matrix X = solved(M_hat, H), X_other = solved(M_hat, other);
  for (const bool sparse : {false, true}) {
    IterationMatrix matrix = factorised(M_hat, 2, sparse);
    const ContactMap first = as_map(H, sparse), second = as_map(other, sparse);
    const auto seen = [&](const ContactMap& map) -> Vector {
      if (sparse) return matrix.response(map, 1);
      return ConstVectorMap(matrix.solved_column(map, 1), 14);
    };
    const Vector before = sparse ? Vector(H.transpose() * X.col(1)) : Vector(X.col(1)),
                 after =
                     sparse ? Vector(other.transpose() * X_other.col(1)) : Vector(X_other.col(1));
    EXPECT_LT((seen(first) - before).norm(), 1e-12 * before.norm());
    EXPECT_LT((seen(second) - before).norm(), 1e-12 * before.norm());
    matrix.forget_columns();
    EXPECT_LT((seen(second) - after).norm(), 1e-12 * after.norm());
    EXPECT_TRUE(matrix.factorise(as_matrix(2 * M_hat, sparse)));
    EXPECT_LT((2 * seen(second) - after).norm(), 1e-12 * after.norm());
    matrix.resize(2);
    EXPECT_LT((2 * seen(first) - before).norm(), 1e-12 * before.norm());
    matrix.forget();
    EXPECT_FALSE(matrix.is_factorised());
    Vector x(14);
    matrix.solve(Vector::Ones(14), x);
    EXPECT_TRUE(x.hasNaN());
  }
}

TEST(IterationMatrix, TakesAnotherDirectionInThePlaceOfAColumn) {
  std::mt19937 random(10);
  const Matrix M_hat = random_mass(random, 5), H = random_matrix(random, 5, 3);
  const Vector b = random_matrix(random, 5, 1);
  IterationMatrix matrix = factorised(M_hat, 3, false);
  matrix.set_column(1, b);
  const Vector exact = solved(M_hat, b), neighbour = solved(M_hat, H.col(2));
  const ContactMap map = as_map(H, false);
  EXPECT_LT((ConstVectorMap(matrix.solved_column(map, 1), 5) - exact).norm(), 1e-12);
  EXPECT_LT((ConstVectorMap(matrix.solved_column(map, 2), 5) - neighbour).norm(), 1e-12);
}

// S^-1 B M^-1, whatever structure the two factors have.
TEST(IterationMatrix, ChainsTwoFactors) {
  std::mt19937 random(11);
  const Matrix blocks = block_mass(random, {6, 6, 6}), chain = chain_matrix(18),
               B = block_mass(random, {6, 6, 6}), H = random_matrix(random, 18, 2);
  const Vector b = random_matrix(random, 18, 1);
  for (const Matrix& S : {blocks, chain}) {
    for (const Matrix& M : {blocks, chain}) {
      IterationMatrix product(18, 2, true);
      product.set_chain(factorised(S, 0, true), as_matrix(B, true), factorised(M, 0, true));
      ASSERT_TRUE(product.is_factorised());
      const auto exact = [&](const Matrix& y) { return solved(S, B * solved(M, y)); };
      Vector x(18);
      product.solve(b, x);
      EXPECT_LT((x - exact(b)).norm(), 1e-11 * exact(b).norm());
      const Matrix W = H.transpose() * exact(H);
      EXPECT_LT((product.response(as_map(H, true), 1) - W.col(1)).norm(), 1e-11 * W.norm());
    }
  }
}

TEST(IterationMatrix, IsRefusedWhereItIsSingularOrNotFinite) {
  Matrix in_block = Matrix::Identity(9, 9);
  in_block.block(3, 3, 2, 2).setOnes();
  Matrix string = Matrix::Zero(20, 20);  // free at both ends: a rigid translation costs nothing
  for (int i = 0; i + 1 < 20; ++i)
    string.block(i, i, 2, 2) += values({1, -1}) * values({1, -1}).transpose();
  Matrix empty_row = chain_matrix(20);
  empty_row.row(7).setZero();
  Matrix infinite = chain_matrix(20);
  infinite(3, 3) = std::numeric_limits<double>::infinity();
  Matrix no_number = Matrix::Identity(6, 6);
  no_number(2, 2) = std::nan("");
  for (const Matrix& bad :
       {Matrix(Matrix::Zero(1, 1)), in_block, string, empty_row, infinite, no_number}) {
    const int n = static_cast<int>(bad.rows());
    for (const bool sparse : {false, true}) {
      IterationMatrix matrix(n, 1, sparse);
      EXPECT_FALSE(matrix.factorise(as_matrix(bad, sparse))) << n << " " << sparse;
      EXPECT_FALSE(matrix.is_factorised());
      Vector x = Vector::Zero(n);
      matrix.solve(Vector::Ones(n), x);
      EXPECT_TRUE(std::isnan(x[0])) << n << " " << sparse;
      // A good one after it is not spoilt.
      EXPECT_TRUE(matrix.factorise(as_matrix(2 * Matrix::Identity(n, n), sparse)));
      matrix.solve(Vector::Ones(n), x);
      EXPECT_EQ(x, Vector::Constant(n, 0.5)) << n << " " << sparse;
    }
  }
}

TEST(IterationMatrix, AChainOfASingularFactorIsSingular) {
  const SystemMatrix one = as_matrix(Matrix::Identity(4, 4), true),
                     zero = as_matrix(Matrix::Zero(4, 4), true);
  IterationMatrix good(4, 0, true), bad(4, 0, true), chain(4, 0, true);
  ASSERT_TRUE(good.factorise(one));
  ASSERT_FALSE(bad.factorise(zero));
  Vector x(4);
  for (const bool first : {false, true}) {
    chain.set_chain(first ? bad : good, one, first ? good : bad);
    EXPECT_FALSE(chain.is_factorised());
    chain.solve(Vector::Ones(4), x);
    EXPECT_TRUE(std::isnan(x[0]));
  }
}

}  // namespace
}  // namespace clack::test
