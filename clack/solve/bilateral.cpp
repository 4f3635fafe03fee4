#include "clack/solve/bilateral.hpp"

#include <algorithm>
#include <cmath>

#include "clack/problem/block_sparse.hpp"

namespace clack {
namespace {

constexpr int kDenseRows = 120;       // in all, up to which W is taken as dense
constexpr int kRestRows = 600;        // that may be left of a sparse problem
constexpr double kLargestPart = 4e6;  // numbers of S^+ W_bc
constexpr double kSymmetric = 1e-9;

}  // namespace

bool BilateralElimination::bind(const ReducedProblem& problem) {
  if (std::none_of(problem.cones.begin(), problem.cones.end(),
                   [](const Cone& cone) { return cone.is_free(); }))
    return false;
  if (!split(problem)) return false;
  if (problem.size() <= kDenseRows) return bind_dense(problem);
  return bind_sparse(problem);
}

bool BilateralElimination::split(const ReducedProblem& problem) {
  const auto n = static_cast<std::size_t>(problem.size());
  rows_.clear();
  rest_rows_.clear();
  place_.resize(n);
  is_free_.resize(n);
  cones_.clear();
  offset_.assign(1, 0);
  for (std::size_t c = 0; c < problem.cones.size(); ++c) {
    const bool free = problem.cones[c].is_free();
    std::vector<int>& list = free ? rows_ : rest_rows_;
    for (int i = problem.offset[c]; i < problem.offset[c + 1]; ++i) {
      place_[static_cast<std::size_t>(i)] = static_cast<int>(list.size());
      is_free_[static_cast<std::size_t>(i)] = free;
      list.push_back(i);
    }
    if (free) continue;
    cones_.push_back(problem.cones[c]);
    offset_.push_back(static_cast<int>(rest_rows_.size()));
  }
  const auto nb = static_cast<double>(rows_.size()), nc = static_cast<double>(rest_rows_.size());
  if (problem.size() > kDenseRows && (nc > kRestRows || nb * nc > kLargestPart)) return false;
  const auto pick = [&](const std::vector<int>& list, Vector& values) {
    values.resize(static_cast<int>(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i)
      values[static_cast<int>(i)] = problem.u_free[list[i]];
  };
  pick(rows_, u_b_);
  pick(rest_rows_, u_c_);
  return true;
}

bool BilateralElimination::bind_dense(const ReducedProblem& problem) {
  const int n = problem.size();
  Matrix W(n, n);
  if (const auto* dense = dynamic_cast<const DenseDelassus*>(problem.W)) {
    W = dense->matrix();
  } else {
    Vector unit = Vector::Zero(n);
    for (int j = 0; j < n; ++j) {
      unit[j] = 1;
      problem.W->multiply(unit.data(), W.col(j).data());
      unit[j] = 0;
    }
  }
  W_bb_ = W(rows_, rows_);
  if (!factor_.compute(W_bb_)) return false;
  W_bc_ = W(rows_, rest_rows_);
  W_cb_ = W(rest_rows_, rows_);
  is_symmetric_ = (W - W.transpose()).cwiseAbs().maxCoeff() <= kSymmetric * W.cwiseAbs().maxCoeff();
  return set_rest(W(rest_rows_, rest_rows_));
}

bool BilateralElimination::bind_sparse(const ReducedProblem& problem) {
  const auto* blocks = dynamic_cast<const BlockSparse*>(problem.W);
  if (!blocks) return false;
  const SparseMatrix W = blocks->to_sparse();
  const int nb = static_cast<int>(rows_.size()), nc = static_cast<int>(rest_rows_.size());
  MatrixEntries entries;
  entries.reserve(static_cast<std::size_t>(W.nonZeros()));
  W_bc_ = Matrix::Zero(nb, nc);
  W_cb_ = Matrix::Zero(nc, nb);
  Matrix W_cc = Matrix::Zero(nc, nc);
  for (int j = 0; j < W.outerSize(); ++j) {
    const bool free_j = is_free_[static_cast<std::size_t>(j)];
    const int at_j = place_[static_cast<std::size_t>(j)];
    for (SparseMatrix::InnerIterator it(W, j); it; ++it) {
      const auto i = static_cast<std::size_t>(it.row());
      if (is_free_[i] && free_j)
        entries.emplace_back(place_[i], at_j, it.value());
      else if (is_free_[i])
        W_bc_(place_[i], at_j) = it.value();
      else if (free_j)
        W_cb_(place_[i], at_j) = it.value();
      else
        W_cc(place_[i], at_j) = it.value();
    }
  }
  const double scale = std::max(W_bc_.size() > 0 ? W_bc_.cwiseAbs().maxCoeff() : 0.0,
                                W_cc.size() > 0 ? W_cc.cwiseAbs().maxCoeff() : 0.0);
  is_symmetric_ =
      nc == 0 || (W_cb_ - W_bc_.transpose()).cwiseAbs().maxCoeff() <= kSymmetric * scale;
  SparseMatrix S(nb, nb);
  S.setFromTriplets(entries.begin(), entries.end());
  return factor_.compute(S) && set_rest(W_cc);
}

// Of the Schur complement of a symmetric W the symmetric part: the other one is round-off.
bool BilateralElimination::set_rest(const Matrix& W_cc) {
  factor_.solve(W_bc_, X_);
  x_b_.resize(u_b_.size());
  factor_.solve(u_b_, x_b_);
  u_rest_ = u_c_ - W_cb_ * x_b_;
  W_rest_ = W_cc;
  W_rest_.noalias() -= W_cb_ * X_;
  if (is_symmetric_) W_rest_ = (0.5 * (W_rest_ + W_rest_.transpose())).eval();
  operator_ = DenseDelassus(W_rest_.data(), static_cast<int>(W_rest_.rows()));
  return W_rest_.allFinite() && x_b_.allFinite();
}

ReducedProblem BilateralElimination::rest() const {
  return {&operator_, u_rest_.data(), cones_, offset_};
}

void BilateralElimination::gather(const double* r, double* rest) const {
  for (std::size_t i = 0; i < rest_rows_.size(); ++i) rest[i] = r[rest_rows_[i]];
}

void BilateralElimination::expand(const double* rest, double* r) const {
  const ConstVectorMap own(rest, static_cast<int>(rest_rows_.size()));
  const Vector lambda = -(x_b_ + X_ * own);
  for (std::size_t i = 0; i < rest_rows_.size(); ++i) r[rest_rows_[i]] = rest[i];
  for (std::size_t i = 0; i < rows_.size(); ++i) r[rows_[i]] = lambda[static_cast<int>(i)];
}

}  // namespace clack
