#include "clack/problem/block_sparse.hpp"

#include <algorithm>

#include "clack/core/error.hpp"
#include "problem_support.hpp"

namespace clack::test {
namespace {

std::vector<int> random_partition(Random& random, int blocks, int dim) {
  std::vector<int> offset{0};
  for (int i = 0; i < blocks; ++i) {
    offset.push_back(offset.back() + (dim > 0 ? dim : 1 + static_cast<int>(random() % 6)));
  }
  return offset;
}

// About a third of the entries, never on the diagonal of the first row.
Matrix random_sparse(Random& random, int size) {
  return Matrix::NullaryExpr(size, size, [&](Eigen::Index i, Eigen::Index j) {
    return i + j > 0 && uniform(random) > 0.3 ? uniform(random) : 0.0;
  });
}

// dim 0: varying.
void check_products(int dim, unsigned seed) {
  Random random(seed);
  const std::vector<int> offset =
      random_partition(random, 1 + static_cast<int>(random() % 12), dim);
  const int m = offset.back();
  const Matrix dense = random_sparse(random, m);
  const BlockSparse W(dense.sparseView(), offset);
  ASSERT_EQ(W.size(), m);
  const Vector x = random_vector(random, m);
  const Vector expected = dense * x;
  Vector y = Vector::Constant(m, NAN);
  W.multiply(x.data(), y.data());
  EXPECT_LE((y - expected).norm(), 1e-13 * m);
  for (int begin = 0; begin < m; ++begin) {
    for (int rows = 1; rows <= std::min(7, m - begin); ++rows) {
      Vector part = Vector::Constant(rows, NAN);
      W.multiply_rows(begin, rows, x.data(), part.data());
      ASSERT_LE((part - expected.segment(begin, rows)).norm(), 1e-13 * m);
      Matrix block = Matrix::Constant(rows, rows, NAN);
      W.diagonal_block(begin, rows, block.data());
      ASSERT_EQ(block, dense.block(begin, begin, rows, rows));
    }
  }
}

TEST(BlockSparse, ProductsEqualTheDenseOnesOnVaryingPartitions) {
  for (unsigned seed = 0; seed < 40; ++seed) check_products(0, seed);
}

TEST(BlockSparse, ProductsEqualTheDenseOnesOnUniformPartitions) {
  for (const int dim : {1, 2, 3, 4, 5, 6}) {
    for (unsigned seed = 0; seed < 10; ++seed) check_products(dim, seed);
  }
}

TEST(BlockSparse, ColumnsAreSortedAndEveryDiagonalBlockIsThere) {
  Random random(3);
  const std::vector<int> offset = random_partition(random, 30, 0);
  Matrix dense = Matrix::Zero(offset.back(), offset.back());
  for (int k = 0; k < 60; ++k) dense(random() % dense.rows(), random() % dense.cols()) = 1;
  const BlockSparse W(dense.sparseView(), offset);
  for (int i = 0; i < W.block_rows(); ++i) {
    const auto begin = W.columns().begin() + W.row_pointer()[i];
    const auto end = W.columns().begin() + W.row_pointer()[i + 1];
    EXPECT_TRUE(std::is_sorted(begin, end));
    EXPECT_EQ(std::adjacent_find(begin, end), end);
    EXPECT_EQ(W.columns()[W.diagonal_index(i)], i);
  }
  EXPECT_EQ(Matrix(W.to_sparse()), dense);
}

TEST(BlockSparse, TripletsAddUp) {
  const std::vector<Triplet> triplets{{0, 1, 2.0}, {0, 1, 3.0}, {2, 2, 1.0}};
  const std::vector<int> offset{0, 1, 3};
  const BlockSparse W(triplets, offset);
  EXPECT_EQ(W.uniform_dim(), 0);
  EXPECT_EQ(W.block_count(), 3);
  EXPECT_EQ(W.coefficient(0, 1), 5.0);
  EXPECT_EQ(W.coefficient(1, 0), 0.0);
  EXPECT_EQ(W.coefficient(2, 2), 1.0);
}

TEST(BlockSparse, RebuiltFromItsOwnEntriesHasTheSameBlocks) {
  const std::vector<int> offset{0, 2, 4, 6};
  const std::vector<Triplet> triplets{{0, 5, 0.0}, {3, 3, 1.0}};
  const BlockSparse W(triplets, offset);
  EXPECT_EQ(W.block_count(), 4);
  const BlockSparse again(W.to_sparse(), offset);
  EXPECT_TRUE(std::ranges::equal(W.columns(), again.columns()));
  EXPECT_TRUE(std::ranges::equal(W.values(), again.values()));
}

TEST(BlockSparse, EmptyMatrixHasNoRows) {
  const std::vector<int> offset{0};
  const BlockSparse W(SparseMatrix(0, 0), offset);
  EXPECT_EQ(W.size(), 0);
  W.multiply(nullptr, nullptr);
  EXPECT_EQ(BlockSparse().size(), 0);
}

TEST(BlockSparse, BadPartitionIsAnInputError) {
  const SparseMatrix W(3, 3);
  using Offsets = std::vector<int>;
  for (const Offsets& offset : {Offsets{}, {0, 2}, {0, 4}, {1, 3}, {0, 2, 2, 3}, {0, 2, 1, 3}}) {
    EXPECT_THROW(BlockSparse(W, offset), InputError);
  }
  const std::vector<Triplet> outside{{3, 0, 1.0}};
  EXPECT_THROW(BlockSparse(outside, Offsets{0, 3}), InputError);
  EXPECT_THROW(BlockSparse(SparseMatrix(3, 4), Offsets{0, 3}), InputError);
}

}  // namespace
}  // namespace clack::test
