#include "clack/solve/local_solver.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "clack/core/types.hpp"
#include "clack/solve/local_discs.hpp"
#include "clack/solve/local_fischer_burmeister.hpp"
#include "clack/solve/local_newton.hpp"
#include "clack/solve/local_projection.hpp"

namespace clack {
namespace {

using Small =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, Cone::kMaxDim, Cone::kMaxDim>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, Cone::kMaxDim, 1>;

bool solve_free(int dim, const double* W, const double* b, double* r) {
  if (dim == 1) {
    if (W[0] == 0) return false;
    r[0] = -b[0] / W[0];
    return true;
  }
  const Small matrix = Eigen::Map<const Small>(W, dim, dim);
  const SmallVector x = matrix.fullPivLu().solve(-Eigen::Map<const SmallVector>(b, dim));
  Eigen::Map<SmallVector>(r, dim) = x;
  return true;
}

// Plane friction: with the normal eliminated, r_T = -c / (s + l); stick is l = 0.
bool solve_plane(double mu, const double* W, const double* b, double* r) {
  const double w_nn = W[0], w_tn = W[1], w_nt = W[2], w_tt = W[3];
  const double s = w_tt - w_tn * w_nt / w_nn;
  const double c = b[1] - w_tn * b[0] / w_nn;
  if (s > 1e-14 * w_tt) {
    const double tangent = -c / s;
    const double normal = -(b[0] + w_nt * tangent) / w_nn;
    if (std::abs(tangent) <= mu * normal) {
      r[0] = normal;
      r[1] = tangent;
      return true;
    }
  }
  const double side = c > 0 ? -mu : mu;
  const double denominator = w_nn + side * w_nt;
  if (!(denominator > 0)) return false;
  r[0] = -b[0] / denominator;
  r[1] = side * r[0];
  return true;
}

// Space friction with the normal eliminated: S = W_TT - W_TN W_NT / W_NN, c = b_T - W_TN b_N /
// W_NN.
class SpaceContact {
 public:
  SpaceContact(double mu, const double* W, const double* b) : mu_(mu), w_nn_(W[0]), b_n_(b[0]) {
    w_nt_[0] = W[3];
    w_nt_[1] = W[6];
    for (int i = 0; i < 2; ++i) {
      const double factor = W[1 + i] / w_nn_;
      c_[i] = b[1 + i] - factor * b_n_;
      for (int j = 0; j < 2; ++j) s_[i][j] = W[3 * (1 + j) + 1 + i] - factor * w_nt_[j];
    }
  }

  bool solve(double* r) {
    if (determinant(0) > 1e-28 * trace() * trace() && excess(0) <= 0) return write(r);
    if (!find_root(start_multiplier(r))) return false;
    return write_sliding(r);
  }

 private:
  double trace() const { return s_[0][0] + s_[1][1]; }
  double determinant(double l) const {
    return (s_[0][0] + l) * (s_[1][1] + l) - s_[0][1] * s_[1][0];
  }

  // Sets r_T(l) = -(S + l I)^-1 c and r_N(l), returns h(l) = |r_T| - mu r_N.
  double excess(double l) {
    const double d = determinant(l);
    if (!(d > 0)) return HUGE_VAL;  // left of the last pole: the root lies to the right
    tangent_[0] = -((s_[1][1] + l) * c_[0] - s_[0][1] * c_[1]) / d;
    tangent_[1] = -((s_[0][0] + l) * c_[1] - s_[1][0] * c_[0]) / d;
    normal_ = -(b_n_ + w_nt_[0] * tangent_[0] + w_nt_[1] * tangent_[1]) / w_nn_;
    length_ = std::sqrt(tangent_[0] * tangent_[0] + tangent_[1] * tangent_[1]);
    return length_ - mu_ * normal_;
  }

  // |u_T| / |r_T| where the start slides; a fair guess elsewhere. With u_N = 0 the tangential
  // velocity is S r_T + c.
  double start_multiplier(const double* r) const {
    const double guess = 0.5 * std::max(trace(), 1e-12 * w_nn_);
    const double length = r[1] * r[1] + r[2] * r[2];
    if (!(length > 0)) return guess;
    const double u[2] = {s_[0][0] * r[1] + s_[0][1] * r[2] + c_[0],
                         s_[1][0] * r[1] + s_[1][1] * r[2] + c_[1]};
    const double l = std::sqrt((u[0] * u[0] + u[1] * u[1]) / length);
    return l > 1e-12 * guess && l < 1e12 * guess ? l : guess;
  }

  // Newton on 1/|r_T| - 1/(mu r_N), nearly linear in l, kept inside a bracket that grows to the
  // right until the excess is negative. A Newton step below 1e-8 leaves an error below 1e-16.
  bool find_root(double l) {
    double low = 0, high = HUGE_VAL;
    for (int iteration = 0; iteration < 400; ++iteration) {
      const double h = excess(l);
      if (h > 0)
        low = l;
      else
        high = l;
      if (std::abs(h) <= 4e-16 * length_) return true;
      if (high < HUGE_VAL && high - low <= 4e-16 * high) return true;
      double next = newton_point(l);
      if (next > low && next < high && std::abs(next - l) <= 1e-8 * l) {
        excess(next);
        return true;
      }
      if (high == HUGE_VAL) {
        if (!(next > low)) next = 8 * low;
        next = std::min(next, 64 * low);
      } else if (!(next > low && next < high)) {
        next = high > 4 * low && low > 0 ? std::sqrt(low * high) : 0.5 * (low + high);
      }
      if (!std::isfinite(next)) return false;
      l = next;
    }
    return true;
  }

  double newton_point(double l) const {
    const double d = determinant(l);
    if (!(d > 0) || !(length_ > 0) || !(mu_ * normal_ > 0)) return -1;
    // d r_T / dl = -(S + l I)^-1 r_T
    const double dt0 = -((s_[1][1] + l) * tangent_[0] - s_[0][1] * tangent_[1]) / d;
    const double dt1 = -((s_[0][0] + l) * tangent_[1] - s_[1][0] * tangent_[0]) / d;
    const double d_length = (tangent_[0] * dt0 + tangent_[1] * dt1) / length_;
    const double d_normal = -(w_nt_[0] * dt0 + w_nt_[1] * dt1) / w_nn_;
    const double limit = mu_ * normal_;
    const double value = 1 / length_ - 1 / limit;
    const double slope = -d_length / (length_ * length_) + mu_ * d_normal / (limit * limit);
    return l - value / slope;
  }

  bool write(double* r) const {
    r[0] = normal_;
    r[1] = tangent_[0];
    r[2] = tangent_[1];
    return true;
  }

  bool write_sliding(double* r) const {
    if (!(normal_ >= 0) || !(length_ >= 0)) return false;
    const double scale = length_ > 0 ? mu_ * normal_ / length_ : 0;
    r[0] = normal_;
    r[1] = scale * tangent_[0];
    r[2] = scale * tangent_[1];
    return true;
  }

  double mu_, w_nn_, b_n_;
  double w_nt_[2], c_[2], s_[2][2];
  double tangent_[2] = {0, 0}, normal_ = 0, length_ = 0;
};

}  // namespace

bool solve_local(const Cone& cone, const double* W, const double* b, double* r) {
  assert(W != nullptr && b != nullptr && r != nullptr);
  if (cone.is_free()) return solve_free(cone.dim(), W, b, r);
  if (b[0] >= 0 || !(W[0] > 0)) {
    std::fill_n(r, cone.dim(), 0.0);
    return b[0] >= 0;
  }
  if (cone.disc_count() == 0) {
    r[0] = -b[0] / W[0];
    return true;
  }
  if (cone.disc_count() > 1) return solve_local_discs(cone, W, b, r);
  if (cone.mu() == 0) {
    r[0] = -b[0] / W[0];
    std::fill_n(r + 1, cone.dim() - 1, 0.0);
    return true;
  }
  if (cone.dim() == 2) return solve_plane(cone.mu(), W, b, r);
  if (cone.dim() == 3) return SpaceContact(cone.mu(), W, b).solve(r);
  return solve_local_discs(cone, W, b, r);
}

bool solve_local(LocalKind kind, const Cone& cone, const double* W, const double* b, double* r) {
  switch (kind) {
    case LocalKind::ac:
      if (solve_local_ac(cone, W, b, r)) return true;
      break;
    case LocalKind::fb:
      if (solve_local_fb(cone, W, b, r)) return true;
      break;
    case LocalKind::projection:
      project_local(cone, W, b, 1.0, r);
      return true;
    case LocalKind::exact:
      break;
  }
  return solve_local(cone, W, b, r);
}

}  // namespace clack
