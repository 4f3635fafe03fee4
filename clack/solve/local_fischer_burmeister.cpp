#include "clack/solve/local_fischer_burmeister.hpp"

#include <algorithm>
#include <cmath>

#include "clack/core/types.hpp"
#include "clack/solve/local_newton.hpp"

namespace clack {
namespace {

// D = 2, 3 or 4: the dimension of the cone.
template <int D>
class FischerBurmeister {
 public:
  using V = Eigen::Matrix<double, D, 1>;
  using M = Eigen::Matrix<double, D, D>;

  FischerBurmeister(double mu, const double* W, const double* b) : mu_(mu) {
    W_ = Eigen::Map<const M>(W);
    b_ = Eigen::Map<const V>(b);
    step_ = D / W_.trace();
  }

  V value(const V& r) {
    u_ = W_ * r + b_;
    slip_ = u_.template tail<D - 1>().norm();
    x_ = r;
    x_[0] *= mu_;
    y_ = step_ * u_;
    y_[0] = step_ * (u_[0] / mu_ + slip_);
    V square;
    square[0] = x_.squaredNorm() + y_.squaredNorm();
    for (int k = 1; k < D; ++k) square[k] = 2 * (x_[0] * x_[k] + y_[0] * y_[k]);
    const double length = square.template tail<D - 1>().norm();
    high_ = std::sqrt(square[0] + length);
    low_ = std::sqrt(std::max(square[0] - length, 0.0));
    z_.setZero();
    z_[0] = 0.5 * (high_ + low_);
    if (length > 0) {
      z_.template tail<D - 1>() = 0.5 * (high_ - low_) / length * square.template tail<D - 1>();
    }
    return x_ + y_ - z_;
  }

  // At the point of the last value(); false where z lies on the boundary and L_z has no inverse.
  bool jacobian(M& J) const {
    if (!(low_ > 1e-14 * high_)) return false;
    M dx = M::Identity(), dy = step_ * W_;
    dx(0, 0) = mu_;
    dy.row(0) = step_ / mu_ * W_.row(0);
    if (slip_ > 0) {
      for (int k = 1; k < D; ++k) dy.row(0) += step_ * u_[k] / slip_ * W_.row(k);
    }
    const M inverse = arrow(z_).inverse();
    J = dx - inverse * (arrow(x_) * dx) + dy - inverse * (arrow(y_) * dy);
    return true;
  }

 private:
  static M arrow(const V& a) {
    M L = a[0] * M::Identity();
    for (int k = 1; k < D; ++k) L(0, k) = L(k, 0) = a[k];
    return L;
  }

  double mu_, step_, slip_ = 0, high_ = 0, low_ = 0;
  M W_;
  V b_, u_, x_, y_, z_;
};

template <int D>
void iterate(double mu, const double* W, const double* b, double* start) {
  using Function = FischerBurmeister<D>;
  Function function(mu, W, b);
  Eigen::Map<typename Function::V> r(start);
  r[0] = std::max(r[0], -0.5 * b[0] / W[0]);  // inside the cone: on its axis L_z is regular
  typename Function::V phi = function.value(r), trial_phi, step, trial;
  typename Function::M J;
  for (int k = 0; k < 40; ++k) {
    const double merit = phi.norm();
    if (!(merit > 1e-16 * r.norm()) || !function.jacobian(J)) return;
    step = J.partialPivLu().solve(phi);
    if (!step.allFinite()) return;
    double length = 1;
    for (int halving = 0; halving < 12; ++halving, length *= 0.5) {
      trial = r - length * step;
      trial_phi = function.value(trial);
      if (trial_phi.norm() <= (1 - 1e-4 * length) * merit) break;
    }
    if (!(trial_phi.norm() < merit)) return;
    r = trial;
    phi = trial_phi;
  }
}

}  // namespace

bool solve_local_fb(const Cone& cone, const double* W, const double* b, double* r) {
  const bool one_disc = cone.disc_count() == 1 && cone.mu() > 0;
  if (!one_disc || b[0] >= 0 || !(W[0] > 0)) return false;
  double trial[1 + Cone::kMaxDiscDim] = {};
  std::copy_n(r, cone.dim(), trial);
  if (cone.dim() == 2) {
    iterate<2>(cone.mu(), W, b, trial);
  } else if (cone.dim() == 3) {
    iterate<3>(cone.mu(), W, b, trial);
  } else {
    iterate<4>(cone.mu(), W, b, trial);
  }
  const ClosedContact contact(cone, W, b);
  const ClosedContact::Values scaled = contact.scaled(trial);
  if (!(contact.error(scaled) <= ClosedContact::kAccurate)) return false;
  contact.write(scaled, r);
  return true;
}

}  // namespace clack
