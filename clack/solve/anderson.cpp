#include "clack/solve/anderson.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace clack {

// The last change of f and of G(x) enters the memory.
void Anderson::remember(Eigen::Ref<const Eigen::VectorXd> f, Eigen::Ref<const Eigen::VectorXd> g) {
  if (df_.rows() != f.size()) {
    df_.resize(f.size(), memory_);
    dg_.resize(f.size(), memory_);
    products_.resize(memory_, memory_);
  }
  df_.col(slot_) = f - f_;
  dg_.col(slot_) = g - g_;
  stored_ = std::min(stored_ + 1, memory_);
  for (int i = 0; i < stored_; ++i)
    products_(i, slot_) = products_(slot_, i) = df_.col(i).dot(df_.col(slot_));
  slot_ = (slot_ + 1) % memory_;
}

// False where there is nothing to fit, or the fit is no good.
bool Anderson::fit(Eigen::Ref<const Eigen::VectorXd> f) {
  constexpr double kRegular = 1e-10, kLargest = 1e4;
  if (stored_ < 1) return false;
  Eigen::MatrixXd A = products_.topLeftCorner(stored_, stored_);
  A.diagonal().array() += kRegular * A.trace() / stored_;
  gamma_ = df_.leftCols(stored_).transpose() * f;
  const Eigen::LLT<Eigen::MatrixXd> factor(A);
  if (factor.info() != Eigen::Success) return false;
  factor.solveInPlace(gamma_);
  return gamma_.norm() <= kLargest;
}

void Anderson::advance(const double* image, Eigen::Index n, double* x) {
  const Eigen::Map<const Eigen::VectorXd> g(image, n);
  Eigen::Map<Eigen::VectorXd> point(x, n);
  point = g - point;  // f, until the next point takes its place
  const double size = point.norm();
  if (stored_ >= 0 && size <= growth_ * size_) {
    remember(point, g);
  } else {
    stored_ = 0;
    slot_ = 0;
  }
  const bool fitted = fit(point);
  size_ = size;
  f_ = point;
  g_ = g;
  point = g;
  if (fitted) point.noalias() -= dg_.leftCols(stored_) * gamma_;
}

}  // namespace clack
