// A square matrix of a system (M, K, C or M_hat, nv x nv), stored by its structure: dense for small
// systems, sparse for those that say so. Operations that a step needs; the dense ones allocate
// nothing.
#pragma once

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <vector>

#include "clack/core/types.hpp"

namespace clack {

using SparseMatrix = Eigen::SparseMatrix<double>;  // compressed columns
using MatrixEntries = std::vector<Eigen::Triplet<double>>;

class SystemMatrix {
 public:
  explicit SystemMatrix(int size = 0, bool sparse = false);

  int size() const { return size_; }
  bool is_sparse() const { return is_sparse_; }
  Matrix& dense() { return dense_; }
  const Matrix& dense() const { return dense_; }
  const SparseMatrix& sparse() const { return sparse_; }
  // Entries at the same place add up. Sparse ones only.
  void set(const MatrixEntries& entries);
  void set(SparseMatrix matrix) { sparse_ = std::move(matrix); }

  // y = A x.
  void multiply(const Vector& x, Vector& y) const;
  // y += s A x.
  void add_product(double s, const Vector& x, Vector& y) const;
  // x'A y.
  double form(const Vector& x, const Vector& y) const;
  // A = P + b B + c C.
  void set_sum(const SystemMatrix& P, double b, const SystemMatrix& B, double c,
               const SystemMatrix& C);
  void scale(double s);
  // The largest sum over a row of |A_ij| x(j), x >= 0.
  template <class Values>
  double largest_row(Values&& x) const;
  double largest() const;  // |A_ij|
  bool all_finite() const;
  Matrix to_dense() const { return is_sparse_ ? Matrix(sparse_) : dense_; }

 private:
  int size_;
  bool is_sparse_;
  Matrix dense_;
  SparseMatrix sparse_;
};

template <class Values>
double SystemMatrix::largest_row(Values&& x) const {
  if (is_sparse_) {
    Vector sums = Vector::Zero(size_);
    for (int j = 0; j < size_; ++j) {
      for (SparseMatrix::InnerIterator it(sparse_, j); it; ++it)
        sums[it.row()] += std::abs(it.value()) * x(j);
    }
    return size_ > 0 ? sums.maxCoeff() : 0.0;
  }
  double worst = 0;
  for (int i = 0; i < size_; ++i) {
    double row = 0;
    for (int j = 0; j < size_; ++j) row += std::abs(dense_(i, j)) * x(j);
    worst = std::max(worst, row);
  }
  return worst;
}

}  // namespace clack
