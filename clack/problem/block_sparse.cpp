#include "clack/problem/block_sparse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "clack/core/error.hpp"

namespace clack {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

SparseMatrix assemble(std::span<const Triplet> triplets, std::span<const int> offset) {
  const int size = offset.empty() ? 0 : std::max(offset.back(), 0);
  for (const Triplet& entry : triplets) {
    if (entry.row() < 0 || entry.row() >= size || entry.col() < 0 || entry.col() >= size) {
      throw InputError(fmt::format("entry ({}, {}) lies outside a matrix of {} rows", entry.row(),
                                   entry.col(), size));
    }
  }
  SparseMatrix W(size, size);
  W.setFromTriplets(triplets.begin(), triplets.end());
  return W;
}

}  // namespace

BlockSparse::BlockSparse(const SparseMatrix& W, std::span<const int> offset) {
  set_partition(offset, W.rows(), W.cols());
  build(W);
}

BlockSparse::BlockSparse(std::span<const Triplet> triplets, std::span<const int> offset)
    : BlockSparse(assemble(triplets, offset), offset) {}

void BlockSparse::set_partition(std::span<const int> offset, Eigen::Index rows, Eigen::Index cols) {
  const bool starts_at_zero = !offset.empty() && offset.front() == 0;
  const auto not_increasing = [](int a, int b) { return a >= b; };
  if (!starts_at_zero || std::ranges::adjacent_find(offset, not_increasing) != offset.end()) {
    throw InputError("the partition of a block matrix must start at 0 and increase");
  }
  if (rows != cols || rows != offset.back()) {
    throw InputError(fmt::format("a {} x {} matrix does not fit a partition of {} rows", rows, cols,
                                 offset.back()));
  }
  offset_.assign(offset.begin(), offset.end());
  block_of_row_.resize(at(offset_.back()));
  uniform_dim_ = block_rows() > 0 ? dim(0) : 1;
  for (int i = 0; i < block_rows(); ++i) {
    std::fill_n(block_of_row_.begin() + offset_[at(i)], dim(i), i);
    if (dim(i) != uniform_dim_) uniform_dim_ = 0;
  }
}

void BlockSparse::build(const SparseMatrix& W) {
  allocate(W);
  fill(W);
}

// Counts the blocks of each row, then places them. Block columns are visited in ascending order,
// so that the columns of each row come out sorted.
void BlockSparse::allocate(const SparseMatrix& W) {
  const int n = block_rows();
  std::vector<int> last(at(n), -1);
  const auto visit = [&](auto&& on_new_block) {
    std::ranges::fill(last, -1);
    const auto touch = [&](int row, int column) {
      if (last[at(row)] == column) return;
      last[at(row)] = column;
      on_new_block(row, column);
    };
    for (int column = 0; column < n; ++column) {
      touch(column, column);
      for (int j = offset_[at(column)]; j < offset_[at(column) + 1]; ++j) {
        for (SparseMatrix::InnerIterator entry(W, j); entry; ++entry) {
          touch(block_of_row_[at(static_cast<int>(entry.row()))], column);
        }
      }
    }
  };

  row_pointer_.assign(at(n) + 1, 0);
  visit([&](int row, int) { ++row_pointer_[at(row) + 1]; });
  for (int i = 0; i < n; ++i) row_pointer_[at(i) + 1] += row_pointer_[at(i)];
  column_.resize(at(row_pointer_.back()));
  diagonal_.resize(at(n));
  std::vector<int> next(row_pointer_.begin(), row_pointer_.end() - 1);
  visit([&](int row, int column) {
    const int k = next[at(row)]++;
    column_[at(k)] = column;
    if (row == column) diagonal_[at(row)] = k;
  });
}

void BlockSparse::fill(const SparseMatrix& W) {
  std::ptrdiff_t total = static_cast<std::ptrdiff_t>(column_.size()) * uniform_dim_ * uniform_dim_;
  if (uniform_dim_ == 0) {
    value_begin_.resize(column_.size());
    for (int i = 0; i < block_rows(); ++i) {
      for (int k = row_pointer_[at(i)]; k < row_pointer_[at(i) + 1]; ++k) {
        value_begin_[at(k)] = total;
        total += static_cast<std::ptrdiff_t>(dim(i)) * dim(column_[at(k)]);
      }
    }
  }
  value_.assign(static_cast<std::size_t>(total), 0.0);
  std::vector<int> current(row_pointer_.begin(), row_pointer_.end() - 1);
  for (int column = 0; column < block_rows(); ++column) {
    for (int j = offset_[at(column)]; j < offset_[at(column) + 1]; ++j) {
      for (SparseMatrix::InnerIterator entry(W, j); entry; ++entry) {
        const int i = static_cast<int>(entry.row());
        const int row = block_of_row_[at(i)];
        int& k = current[at(row)];
        while (column_[at(k)] < column) ++k;
        const int local = (j - offset_[at(column)]) * dim(row) + i - offset_[at(row)];
        value_[static_cast<std::size_t>(value_begin(k) + local)] += entry.value();
      }
    }
  }
}

template <int D>
void BlockSparse::multiply_uniform(int begin, int end, const double* x, double* y) const {
  const double* block =
      value_.data() + static_cast<std::ptrdiff_t>(row_pointer_[at(begin)]) * D * D;
  for (int row = begin; row < end; ++row, y += D) {
    std::array<double, D> sum{};
    const int stop = row_pointer_[at(row) + 1];
    for (int k = row_pointer_[at(row)]; k < stop; ++k, block += D * D) {
      const double* xk = x + static_cast<std::ptrdiff_t>(column_[at(k)]) * D;
      for (int j = 0; j < D; ++j) {
        for (int i = 0; i < D; ++i) sum[at(i)] += block[j * D + i] * xk[j];
      }
    }
    std::copy_n(sum.data(), D, y);
  }
}

void BlockSparse::multiply_variable(int begin, int end, const double* x, double* y) const {
  for (int row = begin; row < end; ++row) {
    const int rows = dim(row);
    std::fill_n(y, rows, 0.0);
    for (int k = row_pointer_[at(row)]; k < row_pointer_[at(row) + 1]; ++k) {
      const double* column = block(k);
      const double* xk = x + offset_[at(column_[at(k)])];
      const int cols = dim(column_[at(k)]);
      for (int j = 0; j < cols; ++j, column += rows) {
        for (int i = 0; i < rows; ++i) y[i] += column[i] * xk[j];
      }
    }
    y += rows;
  }
}

void BlockSparse::multiply_block_rows(int begin, int end, const double* x, double* y) const {
  switch (uniform_dim_) {
    case 1:
      return multiply_uniform<1>(begin, end, x, y);
    case 2:
      return multiply_uniform<2>(begin, end, x, y);
    case 3:
      return multiply_uniform<3>(begin, end, x, y);
    case 4:
      return multiply_uniform<4>(begin, end, x, y);
    case 5:
      return multiply_uniform<5>(begin, end, x, y);
    case 6:
      return multiply_uniform<6>(begin, end, x, y);
    default:
      return multiply_variable(begin, end, x, y);
  }
}

void BlockSparse::multiply(const double* x, double* y) const {
  assert(size() == 0 || (x != nullptr && y != nullptr && x != y));
  if (size() > 0) multiply_block_rows(0, block_rows(), x, y);
}

void BlockSparse::multiply_rows(int begin, int dim, const double* x, double* y) const {
  if (dim <= 0) return;
  assert(begin >= 0 && begin + dim <= size() && x != nullptr && y != nullptr && x != y);
  const int first = block_of_row_[at(begin)];
  const int last = block_of_row_[at(begin + dim - 1)];
  if (offset_[at(first)] == begin && offset_[at(last) + 1] == begin + dim) {
    multiply_block_rows(first, last + 1, x, y);
    return;
  }
  std::vector<double> whole(at(offset_[at(last) + 1] - offset_[at(first)]));
  multiply_block_rows(first, last + 1, x, whole.data());
  std::copy_n(whole.data() + (begin - offset_[at(first)]), dim, y);
}

void BlockSparse::diagonal_block(int begin, int dim, double* block_values) const {
  if (dim <= 0) return;
  assert(begin >= 0 && begin + dim <= size() && block_values != nullptr);
  const int row = block_of_row_[at(begin)];
  if (offset_[at(row)] == begin && this->dim(row) == dim) {
    std::copy_n(block(diagonal_[at(row)]), dim * dim, block_values);
    return;
  }
  for (int j = 0; j < dim; ++j) {
    for (int i = 0; i < dim; ++i) block_values[j * dim + i] = coefficient(begin + i, begin + j);
  }
}

double BlockSparse::coefficient(int i, int j) const {
  assert(i >= 0 && i < size() && j >= 0 && j < size());
  const int row = block_of_row_[at(i)];
  const int column = block_of_row_[at(j)];
  const auto begin = column_.begin() + row_pointer_[at(row)];
  const auto end = column_.begin() + row_pointer_[at(row) + 1];
  const auto found = std::lower_bound(begin, end, column);
  if (found == end || *found != column) return 0.0;
  const int k = static_cast<int>(found - column_.begin());
  return block(k)[(j - offset_[at(column)]) * dim(row) + i - offset_[at(row)]];
}

SparseMatrix BlockSparse::to_sparse() const {
  if (value_.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw InputError("the matrix has more values than a 32-bit index can count");
  }
  std::vector<Triplet> triplets;
  triplets.reserve(value_.size());
  for (int row = 0; row < block_rows(); ++row) {
    for (int k = row_pointer_[at(row)]; k < row_pointer_[at(row) + 1]; ++k) {
      const int column = column_[at(k)];
      const double* value = block(k);
      for (int j = offset_[at(column)]; j < offset_[at(column) + 1]; ++j) {
        for (int i = offset_[at(row)]; i < offset_[at(row) + 1]; ++i) {
          triplets.emplace_back(i, j, *value++);
        }
      }
    }
  }
  SparseMatrix W(size(), size());
  W.setFromTriplets(triplets.begin(), triplets.end());
  return W;
}

void BlockSparse::couple(std::span<const int> offset, Components& contacts) const {
  if (!std::equal(offset.begin(), offset.end(), offset_.begin(), offset_.end())) {
    for (int i = 1; i < contacts.size(); ++i) contacts.join(0, i);
    return;
  }
  for (int i = 0; i < block_rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (int k = row_pointer_[row]; k < row_pointer_[row + 1]; ++k)
      contacts.join(i, column_[static_cast<std::size_t>(k)]);
  }
}

}  // namespace clack
