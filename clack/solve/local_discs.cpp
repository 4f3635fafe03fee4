#include "clack/solve/local_discs.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "clack/core/types.hpp"
#include "clack/solve/local_newton.hpp"

namespace clack {
namespace {

using Values = ClosedContact::Values;
constexpr int kMost = Cone::kMaxDiscDim;
using DiscMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
using DiscVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Minimises 1/2 y' S y + c' y in a disc |y| <= limit, S the symmetric part of the disc's block.
class DiscMinimiser {
 public:
  void load(const ClosedContact& contact, const Cone::Disc& disc) {
    DiscMatrix S(disc.dim, disc.dim);
    for (int j = 0; j < disc.dim; ++j) {
      for (int i = 0; i < disc.dim; ++i) {
        const int p = disc.begin + i, q = disc.begin + j;
        S(i, j) = 0.5 * (contact.W(p, q) + contact.W(q, p));
      }
    }
    const Eigen::SelfAdjointEigenSolver<DiscMatrix> eigen(S);
    axes_ = eigen.eigenvectors();
    stiffness_ = eigen.eigenvalues().cwiseMax(0.0);
  }

  // y = -(S + l I)^-1 c on the axes of S, l >= 0 by Newton on 1/|y| - 1/limit, monotone from the
  // left.
  DiscVector solve(const DiscVector& c, double limit) const {
    const DiscVector force = axes_.transpose() * c;
    DiscVector y = DiscVector::Zero(c.size());
    if (!(limit > 0) || !(force.norm() > 0)) return y;
    double l = 1e-15 * stiffness_.sum();
    if (!(l > 0)) l = 1e-15 * force.norm() / limit;
    for (int k = 0; k < 60; ++k) {
      y = -force.cwiseQuotient(DiscVector(stiffness_.array() + l));
      const double square = y.squaredNorm(), length = std::sqrt(square);
      if (length <= limit * (1 + 1e-15)) break;
      const double slope = (y.array().square() / (stiffness_.array() + l)).sum();
      l += square / slope * (length - limit) / limit;
    }
    return axes_ * y;
  }

 private:
  DiscMatrix axes_;
  DiscVector stiffness_;
};

// u_N as a function of the normal impulse, and its root.
class NormalRoot {
 public:
  explicit NormalRoot(const ClosedContact& contact) : contact_(contact) {
    for (int i = 0; i < contact.disc_count(); ++i) minimiser_[at(i)].load(contact, contact.disc(i));
  }

  // By bisection; after every halving Newton may end it. Returns the error of r.
  double find(Values& r) const {
    r.fill(0.0);
    double low = 0, high = -contact_.b(0) / contact_.W(0, 0), best = HUGE_VAL;
    for (int k = 0; k < 60 && velocity_at(high, r) < 0; ++k) {
      low = high;
      high *= 4;
    }
    Values trial = r, found = r;
    for (int k = 0; k < 100 && high - low > 1e-15 * high; ++k) {
      const double middle = low > 0 && high > 4 * low ? std::sqrt(low * high) : 0.5 * (low + high);
      (velocity_at(middle, r) < 0 ? low : high) = middle;
      trial = r;
      const double error = contact_.newton(trial, 6);
      if (error < best) {
        best = error;
        found = trial;
      }
      if (best <= ClosedContact::kAccurate) break;
    }
    r = found;
    return best;
  }

 private:
  // y(s) by block descent over the discs, from the discs' present values; returns u_N(s).
  double velocity_at(double s, Values& r) const {
    r[0] = s;
    const int sweeps = contact_.disc_count() > 1 ? 200 : 1;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      double change = 0, size = s;
      for (int i = 0; i < contact_.disc_count(); ++i) update_disc(i, r, change, size);
      if (change <= 1e-14 * size) break;
    }
    double u = contact_.b(0);
    for (int j = 0; j < contact_.dim(); ++j) u += contact_.W(0, j) * r[at(j)];
    return u;
  }

  void update_disc(int i, Values& r, double& change, double& size) const {
    const Cone::Disc disc = contact_.disc(i);
    const int end = disc.begin + disc.dim;
    DiscVector c(disc.dim);
    for (int k = 0; k < disc.dim; ++k) {
      const int row = disc.begin + k;
      c[k] = contact_.b(row);
      for (int j = 0; j < contact_.dim(); ++j) {
        if (j < disc.begin || j >= end) c[k] += contact_.W(row, j) * r[at(j)];
      }
    }
    const DiscVector y = minimiser_[at(i)].solve(c, contact_.radius(i) * r[0]);
    for (int k = 0; k < disc.dim; ++k) {
      double& own = r[at(disc.begin + k)];
      change += std::abs(y[k] - own);
      size += std::abs(y[k]);
      own = y[k];
    }
  }

  const ClosedContact& contact_;
  std::array<DiscMinimiser, Cone::kMaxDiscs> minimiser_;
};

}  // namespace

bool solve_local_discs(const Cone& cone, const double* W, const double* b, double* r) {
  if (solve_local_ac(cone, W, b, r)) return true;
  const ClosedContact contact(cone, W, b);
  Values x;
  const double error = NormalRoot(contact).find(x);
  if (std::isfinite(error)) contact.write(x, r);
  return error <= 1e-9;
}

}  // namespace clack
