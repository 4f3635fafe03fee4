#include "clack/problem/delassus.hpp"

#include <algorithm>
#include <cassert>

namespace clack {

void DenseDelassus::multiply(const double* x, double* y) const { multiply_rows(0, size_, x, y); }

void DenseDelassus::multiply_rows(int begin, int dim, const double* x, double* y) const {
  assert(begin >= 0 && dim >= 0 && begin + dim <= size_);
  assert(size_ == 0 || (x != nullptr && y != nullptr && x != y));
  std::fill_n(y, dim, 0.0);
  const double* column = data_ + begin;
  for (int j = 0; j < size_; ++j, column += size_) {
    const double xj = x[j];
    for (int i = 0; i < dim; ++i) y[i] += column[i] * xj;
  }
}

void DenseDelassus::diagonal_block(int begin, int dim, double* block) const {
  assert(begin >= 0 && dim >= 0 && begin + dim <= size_ && block != nullptr);
  const double* column = data_ + static_cast<std::ptrdiff_t>(begin) * size_ + begin;
  for (int j = 0; j < dim; ++j)
    std::copy_n(column + static_cast<std::ptrdiff_t>(j) * size_, dim, block + j * dim);
}

void DenseDelassus::couple(std::span<const int> offset, Components& contacts) const {
  assert(static_cast<int>(offset.size()) == contacts.size() + 1 && offset.back() == size_);
  const ConstMatrixMap W = matrix();
  for (int j = 1; j < contacts.size(); ++j) {
    const int column = offset[j], columns = offset[j + 1] - column;
    for (int i = 0; i < j; ++i) {
      if (contacts.find(i) == contacts.find(j)) continue;
      const int row = offset[i], rows = offset[i + 1] - row;
      const bool coupled = (W.block(row, column, rows, columns).array() != 0).any() ||
                           (W.block(column, row, columns, rows).array() != 0).any();
      if (coupled) contacts.join(i, j);
    }
  }
}

}  // namespace clack
