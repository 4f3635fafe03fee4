#include "clack/assemble/iteration_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clack {

IterationMatrix::IterationMatrix(int nv, int rows)
    : lu_(nv), X_(Matrix::Zero(nv, rows)), scratch_(nv), known_(rows, 0) {}

bool IterationMatrix::factorise(ConstMatrixRef M_hat) {
  forget_columns();
  factorised_ = false;
  if (!M_hat.allFinite()) return false;
  if (M_hat.rows() == 1) {
    inverse_ = 1 / M_hat(0, 0);
    return factorised_ = std::isfinite(inverse_);
  }
  lu_.compute(M_hat);
  const double smallest = lu_.matrixLU().diagonal().cwiseAbs().minCoeff();
  factorised_ = smallest > 0 && std::isfinite(smallest);
  return factorised_;
}

void IterationMatrix::solve(ConstVectorRef b, VectorRef x) const {
  if (!factorised_) {  // there are no factors to work with, or those of another matrix
    x.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (b.size() == 1) {
    x[0] = b[0] * inverse_;
    return;
  }
  // Row by row: for the small systems of this room, faster than the blocked solvers.
  const Matrix& LU = lu_.matrixLU();
  const auto& transpositions = lu_.permutationP().indices();
  const int n = static_cast<int>(b.size());
  double* y = scratch_.data();
  for (int i = 0; i < n; ++i) y[transpositions[i]] = b[i];
  for (int j = 0; j < n; ++j) {
    for (int i = j + 1; i < n; ++i) y[i] -= LU(i, j) * y[j];
  }
  for (int j = n - 1; j >= 0; --j) {
    y[j] /= LU(j, j);
    for (int i = 0; i < j; ++i) y[i] -= LU(i, j) * y[j];
  }
  std::copy_n(y, n, x.data());
}

void IterationMatrix::forget_columns() { std::fill(known_.begin(), known_.end(), 0); }

const double* IterationMatrix::solved_column(const Matrix& H, int row) {
  if (!known_[row]) {
    solve(H.col(row), X_.col(row));
    known_[row] = 1;
  }
  return X_.col(row).data();
}

void IterationMatrix::set_column(int row, ConstVectorRef b) {
  solve(b, X_.col(row));
  known_[row] = 1;
}

}  // namespace clack
