// The scaled operator of one island: square blocks of one size D, by rows, columns ascending.
#pragma once

#include <vector>

namespace clack {

// W^_ij = D_i W_ij D_j with one scalar a contact. Cones of fewer rows are padded: the extra rows
// carry the identity on the diagonal and a zero right side, so their impulses stay zero.
template <int D>
struct BlockRows {
  static constexpr int kStride = D == 3 ? 4 : D;  // a column of a block, padded for vector loads
  static constexpr int kBlock = kStride * D;

  int rows() const { return static_cast<int>(begin.size()) - 1; }
  const double* block(int k) const { return value.data() + static_cast<std::ptrdiff_t>(k) * kBlock; }
  double* block(int k) { return value.data() + static_cast<std::ptrdiff_t>(k) * kBlock; }

  std::vector<int> begin, column;  // the pattern is symmetric
  std::vector<int> transposed;     // index of block (j, i) for block (i, j)
  std::vector<int> diagonal;       // index of the block (i, i)
  std::vector<double> value;

  // y (kStride values) += rows of contact i of W^ x, x with D values a contact.
  void add_row_product(int i, const double* x, double* y) const {
    double sum[kStride] = {};
    for (int k = begin[i]; k < begin[i + 1]; ++k) {
      const double* b = block(k);
      const double* xj = x + static_cast<std::ptrdiff_t>(column[k]) * D;
      for (int c = 0; c < D; ++c) {
        for (int r = 0; r < kStride; ++r) sum[r] += b[c * kStride + r] * xj[c];
      }
    }
    for (int r = 0; r < D; ++r) y[r] += sum[r];
  }
};

}  // namespace clack
