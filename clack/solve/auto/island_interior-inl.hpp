// Interior points as a start for IslandSolver's Newton phase (eq:interior_contact).
//
// A contact with friction is a pair of points of the second-order cone,
//
//     x = (mu r_N, r_T),   y = (u_N / mu + |u_T|, u_T),   x o y = 0,
//
// one without friction the pair r_N, u_N. With x and y inside their cones and independent of each
// other, Newton's method on u = W r + q = U(y), x o y = sigma m e, m the mean of x'y over all
// contacts, leads along m -> 0 to a solution, in some 20 to 45 steps where the path does not end.
#if defined(CLACK_SOLVE_AUTO_ISLAND_INTERIOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_AUTO_ISLAND_INTERIOR_INL
#undef CLACK_SOLVE_AUTO_ISLAND_INTERIOR_INL
#else
#define CLACK_SOLVE_AUTO_ISLAND_INTERIOR_INL
#endif

#include <Eigen/LU>

#include "clack/solve/auto/island_sweeps-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

// The longest step t <= most for which x + t d stays in the cone |x_T| <= x_N of n rows; x is
// inside.
inline double step_to_cone(const double* x, const double* d, int n, double most) {
  double a = d[0] * d[0], b = x[0] * d[0], c = x[0] * x[0];  // of a t^2 + 2 b t + c
  for (int k = 1; k < n; ++k) {
    a -= d[k] * d[k];
    b -= x[k] * d[k];
    c -= x[k] * x[k];
  }
  if (d[0] < 0) most = std::min(most, -x[0] / d[0]);
  const double discriminant = b * b - a * c;
  if (!(c > 0)) return 0;
  if (discriminant < 0) return most;
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  for (const double t : {q / a, c / q}) {
    if (t > 0) most = std::min(most, t);  // not where it is infinite or no number
  }
  return most;
}

// Whether all contacts are cones of one disc, normals without friction, or bilateral.
template <int D>
bool IslandSolver<D>::has_interior() const {
  if constexpr (D > 3) return false;
  return std::all_of(island.cones_.begin(), island.cones_.end(), [](const Cone& cone) {
    if (cone.is_free() || cone.dim() == 1) return true;
    return cone.disc_count() == 1 && cone.dim() == D && cone.mu() > 0;
  });
}

template <int D>
typename IslandSolver<D>::Block IslandSolver<D>::arrow(const double* x, int dim) {
  Block A = Block::Identity() * x[0];
  for (int k = 1; k < std::min(dim, D); ++k) A(0, k) = A(k, 0) = x[k];
  return A;
}

// Points on the axes of all cones, ten times as far out as the free velocities are large.
template <int D>
void IslandSolver<D>::start_interior() {
  constexpr double kDistance = 10;
  const std::size_t n = island.count();
  x_.assign(n * D, 0.0);
  y_.assign(n * D, 0.0);
  dx_.assign(n * D, 0.0);
  dy_.assign(n * D, 0.0);
  inverse_arrow_.resize(n);
  slope_.resize(n);
  T_.assign(n * D * D, 0.0);
  S_.assign(n * D * D, 0.0);
  rhs_.assign(n * D, 0.0);
  dr_.assign(n * D, 0.0);
  active_.assign(n, kSticking);
  std::fill(island.r_.begin(), island.r_.end(), 0.0);
  const double start = kDistance * std::sqrt(dot(island.q_, island.q_) / n);
  for (std::size_t a = 0; a < n; ++a) {
    for (int k = 0; k < D; ++k) T_[(a * D + k) * D + k] = 1;
    if (island.cones_[a].is_free()) continue;
    const double mu = friction(a);
    island.r_[a * D] = start;
    x_[a * D] = mu * start;
    y_[a * D] = start / mu;
  }
}

// mu of the pair x, y: 1 where there is no friction.
template <int D>
double IslandSolver<D>::friction(int a) const {
  const Cone& cone = island.cones_[a];
  return cone.disc_count() == 1 ? cone.mu() : 1.0;
}

// The mean of x'y over all contacts.
template <int D>
double IslandSolver<D>::mean_product() const {
  const auto pairs = std::count_if(island.cones_.begin(), island.cones_.end(),
                                   [](const Cone& cone) { return !cone.is_free(); });
  return dot(x_, y_) / std::max<double>(1, pairs);
}

// The rows of one contact of (W + S) dr = rhs. With U' the slope of U and D = diag(mu, 1, 1)
//
//     S = U' Arw(x)^-1 Arw(y) D,   rhs = U(y) - u + U' Arw(x)^-1 (product e - x o y)
//                                                                        (eq:interior_newton)
template <int D>
void IslandSolver<D>::linearise_interior(int a, double product) {
  const Cone& cone = island.cones_[a];
  const int dim = cone.is_free() ? 0 : cone.dim();
  Eigen::Map<const Local> u(island.u_.data() + a * D), y(y_.data() + a * D);
  Eigen::Map<Block> S(S_.data() + a * D * D);
  Eigen::Map<Local> rhs(rhs_.data() + a * D);
  rhs = -u;
  S = kSmallestAlpha * Block::Identity();
  if (dim == 0) return;
  const double mu = friction(a);
  const double slip = y.segment(1, dim - 1).norm();
  Block& slope = slope_[a] = Block::Identity();
  slope(0, 0) = mu;
  for (int k = 1; k < dim; ++k) slope(0, k) = slip > 0 ? -mu * y[k] / slip : 0.0;
  rhs.head(dim) += y.head(dim);
  rhs[0] += mu * (y[0] - slip) - y[0];
  const Block Y = arrow(y.data(), dim);
  inverse_arrow_[a] = arrow(x_.data() + a * D, dim).inverse();
  Local wanted = -(Y * Eigen::Map<const Local>(x_.data() + a * D));
  wanted[0] += product;
  Eigen::Map<Local> z(dy_.data() + a * D);  // dy at dx = 0, for now
  z = inverse_arrow_[a] * wanted;
  rhs.head(dim) += (slope * z).head(dim);
  Block A = slope * inverse_arrow_[a] * Y;
  A.col(0) *= mu;
  S.topLeftCorner(dim, dim) += A.topLeftCorner(dim, dim);
}

// One step towards x o y = product e, 0.95 of the way to the boundary at most; its length, or -1
// where the equations have no solution.
template <int D>
double IslandSolver<D>::interior_step(double product) {
  const int n = island.count();
  for (int a = 0; a < n; ++a) linearise_interior(a, product);
  if (!solve_newton_system() || !std::isfinite(dot(dr_, dr_))) return -1;
  double length = 1 / 0.95;
  for (int a = 0; a < n; ++a) {
    const Cone& cone = island.cones_[a];
    if (cone.is_free()) continue;
    double *dx = dx_.data() + a * D, *dy = dy_.data() + a * D;
    std::copy_n(dr_.data() + a * D, cone.dim(), dx);
    dx[0] *= friction(a);
    Eigen::Map<Local>(dy) -=
        inverse_arrow_[a] * (arrow(y_.data() + a * D, cone.dim()) * Eigen::Map<Local>(dx));
    length = step_to_cone(x_.data() + a * D, dx, cone.dim(), length);
    length = step_to_cone(y_.data() + a * D, dy, cone.dim(), length);
  }
  length *= 0.95;
  for (int i = 0; i < n * D; ++i) {
    x_[i] += length * dx_[i];
    y_[i] += length * dy_[i];
    island.r_[i] += length * dr_[i];
  }
  island.update_u();
  ++effort_.newton_steps;
  return length;
}

// From a start of its own until the products are small or the path ends, which it may, since the
// problem is not convex. True when the target is reached; else r is a start for Newton's method:
// the end of the path, or the best point so far where the path ended before.
template <int D>
bool IslandSolver<D>::interior_phase(const IslandTarget& target, const IslandLimits& limits) {
  constexpr int kMaxSteps = 60, kMaxShort = 8;
  constexpr double kSmallest = 1e-10;  // of the products at the start
  start_interior();
  island.update_u();
  const double end = kSmallest * mean_product();
  double length = 0.5;
  int short_steps = 0;
  for (int step = 0; step < kMaxSteps && short_steps <= kMaxShort; ++step) {
    const double mean = mean_product();
    if (!(mean > end)) return false;
    double sigma = std::clamp((1 - length) * (1 - length), 0.1, 0.9);
    if (short_steps > 0) sigma = std::max(sigma, 0.3);
    length = interior_step(sigma * mean);
    if (!(length > 0)) break;
    short_steps = length < 0.1 ? short_steps + 1 : 0;
    if (reached(target)) return true;
    if (limits.expired()) return false;
  }
  island.r_ = best_r_;
  island.update_u();
  return false;
}

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
