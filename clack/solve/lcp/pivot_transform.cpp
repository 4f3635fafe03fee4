#include "clack/solve/lcp/pivot_transform.hpp"

#include <algorithm>
#include <cmath>

#include "clack/core/split_mix.hpp"

namespace clack {
namespace {

constexpr double kSingular = 1e-10;  // pivots below this, relative to the largest, count as zero

std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

bool is_nonsingular(const Matrix& P) {
  if (P.size() == 0) return true;
  Eigen::FullPivLU<Matrix> lu(P);
  lu.setThreshold(kSingular);
  return lu.isInvertible();
}

}  // namespace

void PivotTransform::set_pivots(const std::vector<char>& chosen, const LcpSystem& system) {
  S_.clear();
  N_.clear();
  exchanged_.clear();
  for (int i = 0; i < system.size(); ++i) {
    if (chosen[at(i)] != 0 && !system.is_free(i)) exchanged_.push_back(static_cast<int>(S_.size()));
    (chosen[at(i)] != 0 ? S_ : N_).push_back(i);
  }
}

// Adds the complementary row that couples best to both null spaces of P until P is nonsingular.
bool PivotTransform::choose_pivots(const LcpSystem& system) {
  std::vector<char> chosen(at(system.size()), 0);
  for (int i = 0; i < system.size(); ++i) chosen[at(i)] = system.is_free(i) ? 1 : 0;
  for (;;) {
    set_pivots(chosen, system);
    const Matrix P = system.W()(S_, S_);
    if (is_nonsingular(P)) return true;
    if (N_.empty()) return false;
    Eigen::FullPivLU<Matrix> lu(P), lu_transposed(P.transpose());
    lu.setThreshold(kSingular);
    lu_transposed.setThreshold(kSingular);
    const Matrix kernel = lu.kernel(), left_kernel = lu_transposed.kernel();
    const Matrix reach_rows = system.W()(S_, N_).transpose() * left_kernel;
    const Matrix reach_columns = system.W()(N_, S_) * kernel;
    Eigen::Index best = 0;
    const Vector score = reach_rows.rowwise().norm().cwiseMin(reach_columns.rowwise().norm());
    if (!(score.maxCoeff(&best) > kSingular)) return false;
    chosen[at(N_[at(best)])] = 1;
  }
}

void PivotTransform::add_random_pivots(const LcpSystem& system, int start) {
  SplitMix random(static_cast<std::uint64_t>(start));
  std::vector<char> least(at(system.size()), 0);
  for (const int i : S_) least[at(i)] = 1;
  for (double share = 0.5; share > 0.01; share *= 0.5) {
    std::vector<char> chosen = least;
    for (char& flag : chosen) {
      if (random.uniform() < share) flag = 1;
    }
    set_pivots(chosen, system);
    if (is_nonsingular(system.W()(S_, S_))) return;
  }
  set_pivots(least, system);
}

void PivotTransform::transform(const LcpSystem& system) {
  const auto kept = static_cast<Eigen::Index>(exchanged_.size()), others = std::ssize(N_);
  const Eigen::Index pivots = std::ssize(S_);
  W_SN_ = system.W()(S_, N_);
  W_NS_ = system.W()(N_, S_);
  u_free_S_ = system.u_free()(S_);
  Matrix columns = Matrix::Zero(pivots, kept + others);  // r_S of the unknowns (u_k, r_N)
  Vector constant = Vector::Zero(pivots);
  if (pivots > 0) {
    lu_.compute(system.W()(S_, S_));
    lu_transposed_.compute(system.W()(S_, S_).transpose());
    for (Eigen::Index k = 0; k < kept; ++k) columns(exchanged_[at(k)], k) = 1;
    columns.rightCols(others) = -W_SN_;
    columns = lu_.solve(columns).eval();
    constant = -lu_.solve(u_free_S_);
  }
  W_.resize(kept + others, kept + others);
  u_free_.resize(kept + others);
  W_.topRows(kept) = columns(exchanged_, Eigen::all);
  W_.bottomRows(others) = W_NS_ * columns;
  W_.bottomRightCorner(others, others) += system.W()(N_, N_);
  u_free_.head(kept) = constant(exchanged_);
  u_free_.tail(others) = system.u_free()(N_) + W_NS_ * constant;
}

void PivotTransform::split_free(const LcpSystem& system) {
  const Eigen::Index n = system.size();
  free_.clear();
  for (int i = 0; i < n; ++i) {
    if (system.is_free(i)) free_.push_back(i);
  }
  const Eigen::Index twice = std::ssize(free_);
  W_.resize(n + twice, n + twice);  // (r with x+ in its places, x-)
  u_free_.resize(n + twice);
  W_.topLeftCorner(n, n) = system.W();
  W_.topRightCorner(n, twice) = -system.W()(Eigen::all, free_);
  W_.bottomLeftCorner(twice, n) = -system.W()(free_, Eigen::all);
  W_.bottomRightCorner(twice, twice) = system.W()(free_, free_);
  u_free_.head(n) = system.u_free();
  u_free_.tail(twice) = -system.u_free()(free_);
}

void PivotTransform::apply(const LcpSystem& system, int start) {
  split_ = !choose_pivots(system);
  if (split_) {
    split_free(system);
  } else {
    if (start > 0) add_random_pivots(system, start);
    transform(system);
  }
  equilibrate(W_, u_free_, row_scale_, col_scale_);
}

Vector PivotTransform::expand(const Vector& unknowns) const {
  const Vector x = unknowns.cwiseProduct(col_scale_);
  if (split_) {
    Vector r = x.head(x.size() - std::ssize(free_));
    r(free_) -= x.tail(std::ssize(free_));
    return r;
  }
  const auto kept = static_cast<Eigen::Index>(exchanged_.size());
  const Vector r_N = x.tail(x.size() - kept);
  Vector r(std::ssize(S_) + std::ssize(N_));
  r(N_) = r_N;
  if (S_.empty()) return r;
  Vector right = -u_free_S_ - W_SN_ * r_N;
  for (Eigen::Index k = 0; k < kept; ++k) right[exchanged_[at(k)]] += x[k];
  const Vector r_S = lu_.solve(right);
  r(S_) = r_S;
  return r;
}

Vector PivotTransform::expand_weights(const Vector& weights) const {
  const Vector w = weights.cwiseProduct(row_scale_);
  if (split_) {
    Vector y = w.head(w.size() - std::ssize(free_));
    y(free_) -= w.tail(std::ssize(free_));
    return y;
  }
  const auto kept = static_cast<Eigen::Index>(exchanged_.size());
  const Vector y_N = w.tail(w.size() - kept);
  Vector y(std::ssize(S_) + std::ssize(N_));
  y(N_) = y_N;
  if (S_.empty()) return y;
  Vector right = -(W_NS_.transpose() * y_N);
  for (Eigen::Index k = 0; k < kept; ++k) right[exchanged_[at(k)]] -= w[k];
  const Vector y_S = lu_transposed_.solve(right);
  y(S_) = y_S;
  return y;
}

}  // namespace clack
