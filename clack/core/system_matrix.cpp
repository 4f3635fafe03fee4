#include "clack/core/system_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

SystemMatrix::SystemMatrix(int size, bool sparse) : size_(size), is_sparse_(sparse) {
  if (sparse)
    sparse_.resize(size, size);
  else
    dense_ = Matrix::Zero(size, size);
}

void SystemMatrix::set(const MatrixEntries& entries) {
  sparse_.resize(size_, size_);
  sparse_.setFromTriplets(entries.begin(), entries.end());
}

void SystemMatrix::multiply(const Vector& x, Vector& y) const {
  if (is_sparse_)
    y.noalias() = sparse_ * x;
  else
    y.noalias() = dense_ * x;
}

void SystemMatrix::add_product(double s, const Vector& x, Vector& y) const {
  if (is_sparse_)
    y.noalias() += s * (sparse_ * x);
  else
    y.noalias() += s * (dense_ * x);
}

double SystemMatrix::form(const Vector& x, const Vector& y) const {
  double sum = 0;
  if (is_sparse_) {
    for (int j = 0; j < size_; ++j) sum += x[j] * sparse_.col(j).dot(y);
  } else {
    for (int j = 0; j < size_; ++j) sum += x[j] * dense_.col(j).dot(y);
  }
  return sum;
}

void SystemMatrix::set_sum(const SystemMatrix& P, double b, const SystemMatrix& B, double c,
                           const SystemMatrix& C) {
  // A matrix that does not count need not be finite.
  if (is_sparse_)
    sparse_ = c == 0 ? SparseMatrix(P.sparse_ + b * B.sparse_)
                     : SparseMatrix(P.sparse_ + b * B.sparse_ + c * C.sparse_);
  else if (c == 0)
    dense_ = P.dense_ + b * B.dense_;
  else
    dense_ = P.dense_ + b * B.dense_ + c * C.dense_;
}

void SystemMatrix::scale(double s) {
  if (is_sparse_)
    sparse_ *= s;
  else
    dense_ *= s;
}

double SystemMatrix::largest() const {
  if (!is_sparse_) return size_ > 0 ? dense_.cwiseAbs().maxCoeff() : 0.0;
  double worst = 0;
  for (int k = 0; k < sparse_.nonZeros(); ++k)
    worst = std::max(worst, std::abs(sparse_.valuePtr()[k]));
  return worst;
}

bool SystemMatrix::all_finite() const {
  if (!is_sparse_) return dense_.allFinite();
  return std::all_of(sparse_.valuePtr(), sparse_.valuePtr() + sparse_.nonZeros(),
                     [](double x) { return std::isfinite(x); });
}

}  // namespace clack
