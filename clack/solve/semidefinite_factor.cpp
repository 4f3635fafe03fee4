#include "clack/solve/semidefinite_factor.hpp"

#include <cmath>

namespace clack {

template <class Diagonal>
bool SemidefiniteFactor::set_scale(Diagonal&& diagonal) {
  for (int i = 0; i < scale_.size(); ++i) {
    const double value = diagonal(i);
    if (!std::isfinite(value) || value < 0) return false;
    scale_[i] = value > 0 ? 1 / std::sqrt(value) : 0;
  }
  return true;
}

bool SemidefiniteFactor::compute(const Matrix& S) {
  dense_ = true;
  const auto n = S.rows();
  scale_.resize(n);
  if (!set_scale([&](int i) { return S(i, i); })) return false;
  S_.resize(n, n);
  S_.noalias() = scale_.asDiagonal() * S * scale_.asDiagonal();
  S_.diagonal().array() += kShift;
  for (int i = 0; i < n; ++i) {
    if (scale_[i] == 0) S_(i, i) = 1;  // a row that nothing moves
  }
  dense_factor_.compute(S_);
  S_.diagonal().array() -= kShift;
  return dense_factor_.info() == Eigen::Success;
}

bool SemidefiniteFactor::compute(const SparseMatrix& S) {
  dense_ = false;
  const bool same = analysed_ && S.rows() == scale_.size() && S.nonZeros() == sparse_S_.nonZeros();
  scale_.resize(S.rows());
  const Vector diagonal = S.diagonal();
  if (!set_scale([&](int i) { return diagonal[i]; })) return false;
  sparse_S_ = S;
  for (int j = 0; j < S.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(sparse_S_, j); it; ++it)
      it.valueRef() *= scale_[it.row()] * scale_[j];
  }
  SparseMatrix shifted = sparse_S_;
  for (int i = 0; i < S.rows(); ++i)
    shifted.coeffRef(i, i) = scale_[i] == 0 ? 1 : shifted.coeff(i, i) + kShift;
  if (!same) sparse_factor_.analyzePattern(shifted);
  analysed_ = true;
  sparse_factor_.factorize(shifted);
  return sparse_factor_.info() == Eigen::Success && sparse_factor_.vectorD().minCoeff() > 0;
}

template <class Values>
void SemidefiniteFactor::multiply(const Values& x, Values& y) const {
  if (dense_)
    y.noalias() = S_ * x;
  else
    y.noalias() = sparse_S_ * x;
}

// Until round-off, or until a step gains nothing: then b is not in the range of S.
template <class Values>
void SemidefiniteFactor::refine(const Values& b, Values& x) const {
  constexpr int kMostSteps = 8;
  constexpr double kRoundOff = 1e-14;
  x = Values::Zero(b.rows(), b.cols());
  Values rest = b, step;
  const double whole = b.norm();
  double size = whole;
  for (int k = 0; k < kMostSteps && size > kRoundOff * whole; ++k) {
    step = rest;
    if (dense_)
      dense_factor_.solveInPlace(step);
    else
      step = sparse_factor_.solve(rest);
    x += step;
    multiply(x, rest);
    rest = b - rest;
    const double left = rest.norm();
    if (!(left < 0.1 * size)) break;
    size = left;
  }
}

void SemidefiniteFactor::solve(ConstVectorRef b, VectorRef x) const {
  b_ = scale_.cwiseProduct(b);
  refine(b_, x_);
  x = scale_.cwiseProduct(x_);
}

// Columns of one size, so that the rest of each one counts.
void SemidefiniteFactor::solve(const Matrix& B, Matrix& X) const {
  Matrix scaled = scale_.asDiagonal() * B;
  Eigen::RowVectorXd norms = scaled.colwise().norm();
  for (int j = 0; j < norms.size(); ++j) {
    if (!(norms[j] > 0)) norms[j] = 1;
  }
  scaled.array().rowwise() /= norms.array();
  refine(scaled, X);
  X.array().rowwise() *= norms.array();
  X = (scale_.asDiagonal() * X).eval();
}

}  // namespace clack
