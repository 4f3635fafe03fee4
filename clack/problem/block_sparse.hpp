// The Delassus operator as a block-compressed sparse matrix whose partition follows the cones.
#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <span>
#include <vector>

#include "clack/core/system_matrix.hpp"
#include "clack/problem/delassus.hpp"

namespace clack {

using Triplet = Eigen::Triplet<double>;

// W, m x m, cut into blocks by one partition of rows and columns: block row i has the
// d_i = offset[i + 1] - offset[i] rows of cone i. Stored by block rows, columns ascending, each
// d_i x d_j block by columns, all values in one array. The diagonal block of every row is stored
// even where W has none, so that a sweep finds it without a search.
class BlockSparse final : public Delassus {
 public:
  BlockSparse() = default;
  // offset: 0 = first row of each block, ..., m; increasing. Entries that W stores make blocks,
  // even if they are zero; duplicate triplets add up. Throws InputError where sizes do not fit.
  BlockSparse(const SparseMatrix& W, std::span<const int> offset);
  BlockSparse(std::span<const Triplet> triplets, std::span<const int> offset);

  int size() const override { return offset_.back(); }
  void multiply(const double* x, double* y) const override;
  void multiply_rows(int begin, int dim, const double* x, double* y) const override;
  void diagonal_block(int begin, int dim, double* block) const override;
  // Contacts must be blocks; where they are not, all count as coupled.
  void couple(std::span<const int> offset, Components& contacts) const override;

  int block_rows() const { return static_cast<int>(offset_.size()) - 1; }
  int block_count() const { return static_cast<int>(column_.size()); }
  // The dimension of all blocks, 0 where it varies.
  int uniform_dim() const { return uniform_dim_; }
  std::span<const int> offset() const { return offset_; }
  // The blocks of row i are [row_pointer[i], row_pointer[i + 1]).
  std::span<const int> row_pointer() const { return row_pointer_; }
  std::span<const int> columns() const { return column_; }
  std::span<const double> values() const { return value_; }
  // Block k, by columns: d_i x d_j values.
  const double* block(int k) const { return value_.data() + value_begin(k); }
  int diagonal_index(int row) const { return diagonal_[static_cast<std::size_t>(row)]; }

  // W_ij, 0 where no block is stored.
  double coefficient(int i, int j) const;
  // Every stored value, also the zeros, so that a BlockSparse made of it has the same blocks.
  SparseMatrix to_sparse() const;

 private:
  int dim(int row) const {
    const auto i = static_cast<std::size_t>(row);
    return offset_[i + 1] - offset_[i];
  }
  std::ptrdiff_t value_begin(int k) const {
    return uniform_dim_ > 0 ? static_cast<std::ptrdiff_t>(k) * uniform_dim_ * uniform_dim_
                            : value_begin_[static_cast<std::size_t>(k)];
  }
  void set_partition(std::span<const int> offset, Eigen::Index rows, Eigen::Index cols);
  void build(const SparseMatrix& W);
  void allocate(const SparseMatrix& W);
  void fill(const SparseMatrix& W);
  template <int D>
  void multiply_uniform(int begin, int end, const double* x, double* y) const;
  void multiply_variable(int begin, int end, const double* x, double* y) const;
  // Block rows [begin, end) of W x, written from y[0] on.
  void multiply_block_rows(int begin, int end, const double* x, double* y) const;

  std::vector<int> offset_{0};
  std::vector<int> block_of_row_;  // m
  std::vector<int> row_pointer_{0};
  std::vector<int> column_;
  std::vector<int> diagonal_;                // where the diagonal block of each row is
  std::vector<std::ptrdiff_t> value_begin_;  // of each block; empty if all have one dimension
  std::vector<double> value_;
  int uniform_dim_ = 1;
};

}  // namespace clack
