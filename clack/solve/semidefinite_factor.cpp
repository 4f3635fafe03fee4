#include "clack/solve/semidefinite_factor.hpp"

#include <cmath>

namespace clack {
namespace {

// Where b is in the range of S to round-off only, each step leaves that over eps in the null space.
// The cube of eps (S + eps)^-1 is 1 there and next to nothing elsewhere; twice, for round-off of
// its own.
template <class Factor, class Values>
void remove_null_part(const Factor& factor, double shift, Values& x, Values& part) {
  for (int pass = 0; pass < 2; ++pass) {
    part = x;
    for (int power = 0; power < 3; ++power) part = Values(factor.solve(shift * part));
    x -= part;
  }
}

}  // namespace

template <class Diagonal>
bool SemidefiniteFactor::set_scale(Diagonal&& diagonal) {
  for (int i = 0; i < scale_.size(); ++i) {
    const double value = diagonal(i);
    if (!std::isfinite(value) || value < 0) return false;
    scale_[i] = value > 0 ? 1 / std::sqrt(value) : 0;
  }
  return true;
}

// Of S scaled to a unit diagonal.
template <class AnyMatrix>
bool SemidefiniteFactor::set_skewness(const AnyMatrix& S) {
  constexpr double kSymmetric = 1e-9, kLargest = 0.2;
  const double skew = S.size() == 0 ? 0.0 : 0.5 * AnyMatrix(S - AnyMatrix(S.transpose())).norm();
  skew_ = skew > kSymmetric;
  return skew <= kLargest;
}

bool SemidefiniteFactor::compute(const Matrix& S) {
  dense_ = true;
  const auto n = S.rows();
  scale_.resize(n);
  if (!set_scale([&](int i) { return S(i, i); })) return false;
  S_.resize(n, n);
  S_.noalias() = scale_.asDiagonal() * S * scale_.asDiagonal();
  if (!set_skewness(S_)) return false;
  Matrix shifted = 0.5 * (S_ + S_.transpose());
  shifted.diagonal().array() += kShift;
  for (int i = 0; i < n; ++i) {
    if (scale_[i] == 0) shifted(i, i) = 1;  // a row that nothing moves
  }
  dense_factor_.compute(shifted);
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
  if (!set_skewness(sparse_S_)) return false;
  SparseMatrix shifted = sparse_S_;
  if (skew_) shifted = 0.5 * (sparse_S_ + SparseMatrix(sparse_S_.transpose()));
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
  constexpr double kRoundOff = 1e-14, kSingular = 1e3 * kShift;
  const int most_steps = skew_ ? 40 : 8;
  const double least_gain = skew_ ? 0.5 : 0.1;
  x = Values::Zero(b.rows(), b.cols());
  if (b.size() == 0) return;
  Values rest = b, step;
  const double whole = b.norm();
  double size = whole;
  for (int k = 0; k < most_steps && size > kRoundOff * whole; ++k) {
    step = rest;
    if (dense_)
      dense_factor_.solveInPlace(step);
    else
      step = sparse_factor_.solve(rest);
    x += step;
    multiply(x, rest);
    rest = b - rest;
    const double left = rest.norm();
    if (!(left < least_gain * size)) break;
    size = left;
  }
  if (dense_) {
    const double pivot = dense_factor_.matrixLLT().diagonal().minCoeff();
    if (pivot * pivot < kSingular) remove_null_part(dense_factor_, kShift, x, step);
  } else if (sparse_factor_.vectorD().minCoeff() < kSingular) {
    remove_null_part(sparse_factor_, kShift, x, step);
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
