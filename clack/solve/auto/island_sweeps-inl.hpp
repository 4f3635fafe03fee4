// First phase of IslandSolver: Gauss-Seidel sweeps with Anderson acceleration (eq:anderson).
#if defined(CLACK_SOLVE_AUTO_ISLAND_SWEEPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_AUTO_ISLAND_SWEEPS_INL
#undef CLACK_SOLVE_AUTO_ISLAND_SWEEPS_INL
#else
#define CLACK_SOLVE_AUTO_ISLAND_SWEEPS_INL
#endif

#include <cmath>
#include <vector>

#include "clack/solve/auto/island_solver-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

template <int D>
bool IslandSolver<D>::reached(const IslandTarget& target) {
  error_ = target.excess(island.error());
  if (error_ < best_error_) remember_best();  // never a NaN
  return error_ <= 1;
}

template <int D>
void IslandSolver<D>::remember_best() {
  best_error_ = error_;
  best_r_ = island.r_;
}

// Solves the symmetric A x = b, size n, in place by Cholesky; false where A is not positive
// definite.
template <int N>
bool solve_small(double (&A)[N][N], double (&b)[N], int n) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) A[j][j] -= A[j][k] * A[j][k];
    if (!(A[j][j] > 0)) return false;
    A[j][j] = 1 / std::sqrt(A[j][j]);
    for (int i = j + 1; i < n; ++i) {
      for (int k = 0; k < j; ++k) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] *= A[j][j];
    }
    for (int k = 0; k < j; ++k) b[j] -= A[j][k] * b[k];
    b[j] *= A[j][j];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) b[i] -= A[k][i] * b[k];
    b[i] *= A[i][i];
  }
  return true;
}

// The last change of f = G(r) - r and of G(r) enters the memory; forgets all where f has grown.
template <int D>
void IslandSolver<D>::remember_change() {
  const std::size_t n = image_.size();
  if (stored_ >= 0 && dot(residual_, residual_) <= 4 * dot(last_residual_, last_residual_)) {
    std::vector<double>&df = d_residual_[slot_], &dg = d_image_[slot_];
    df.resize(n);
    dg.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      df[i] = residual_[i] - last_residual_[i];
      dg[i] = image_[i] - last_image_[i];
    }
    slot_ = (slot_ + 1) % kMemory;
    stored_ = std::min(stored_ + 1, kMemory);
  } else {
    stored_ = 0;
  }
}

// r <- G(r) - dG gamma with gamma the least-squares fit of f = G(r) - r by its last changes.
template <int D>
void IslandSolver<D>::anderson_step() {
  remember_change();
  double A[kMemory][kMemory], gamma[kMemory], trace = 0, size = 0;
  for (int i = 0; i < stored_; ++i) {
    for (int j = 0; j <= i; ++j) A[i][j] = dot(d_residual_[i], d_residual_[j]);
    gamma[i] = dot(d_residual_[i], residual_);
    trace += A[i][i];
  }
  for (int i = 0; i < stored_; ++i) A[i][i] += 1e-10 * trace / stored_;
  const bool fitted = stored_ > 0 && solve_small(A, gamma, stored_);
  for (int i = 0; i < stored_; ++i) size += gamma[i] * gamma[i];
  std::copy(image_.begin(), image_.end(), island.r_.begin());
  if (fitted && size <= 1e8) {
    for (int i = 0; i < stored_; ++i) {
      for (std::size_t k = 0; k < image_.size(); ++k) island.r_[k] -= gamma[i] * d_image_[i][k];
    }
  }
  std::swap(last_residual_, residual_);
  std::swap(last_image_, image_);
}

template <int D>
bool IslandSolver<D>::sweep_phase(const IslandTarget& target, int max_sweeps, bool may_leave,
                                  const IslandLimits& limits) {
  island.sweep(true);
  ++effort_.sweeps;
  island.update_u();
  if (reached(target)) return true;
  stored_ = -1;
  slot_ = 0;
  double first_error = error_;
  int checks = 0;
  for (int sweeps = 1; sweeps < max_sweeps; sweeps += 2) {
    centre_ = island.r_;
    island.sweep(false);
    island.sweep(true);
    effort_.sweeps += 2;
    const bool check = sweeps <= 3 || (sweeps - 1) % 6 == 0 || sweeps + 2 >= max_sweeps;
    if (check) {
      island.update_u();
      if (reached(target)) return true;
      if (limits.expired()) return false;
      // Leaves when the rest, at the rate seen so far, would take too long.
      const bool patient = limits.warm || (++checks > 2 && sweeps >= 7);
      if (patient && may_leave) {
        const double rate = std::log(first_error / error_) / sweeps;
        if (!(rate * 25 > std::log(error_))) return false;
      }
    }
    image_ = island.r_;
    residual_.resize(image_.size());
    for (std::size_t i = 0; i < image_.size(); ++i) residual_[i] = image_[i] - centre_[i];
    anderson_step();
  }
  island.r_ = best_r_;
  island.update_u();
  return reached(target);
}

// Forward sweeps from r + beta (r - r_before), beta growing as Nesterov's up to a cap: without the
// cap it stalls once contacts slide. Memory stays linear; for islands that are too large to
// factorise.
template <int D>
bool IslandSolver<D>::momentum_phase(const IslandTarget& target, int max_sweeps,
                                     const IslandLimits& limits) {
  constexpr double kCap = 0.9;
  constexpr int kCheck = 20;
  centre_ = island.r_;  // r of the sweep before
  double t = 1;
  for (int sweeps = 1; sweeps <= max_sweeps; ++sweeps) {
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * t * t));
    const double beta = std::min(kCap, (t - 1) / next);
    saved_ = island.r_;
    for (std::size_t i = 0; i < saved_.size(); ++i) island.r_[i] += beta * (saved_[i] - centre_[i]);
    image_ = island.r_;
    island.sweep(true);
    ++effort_.sweeps;
    double turn = 0;  // the step goes back: forget the speed
    for (std::size_t i = 0; i < saved_.size(); ++i)
      turn += (image_[i] - island.r_[i]) * (island.r_[i] - saved_[i]);
    t = turn > 0 ? 1 : next;
    std::swap(centre_, saved_);
    if (sweeps % kCheck != 0) continue;
    island.update_u();
    if (reached(target)) return true;
    if (limits.expired()) break;
  }
  return false;
}

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
