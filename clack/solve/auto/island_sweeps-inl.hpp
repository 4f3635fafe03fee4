// First phase of IslandSolver: Gauss-Seidel sweeps with Anderson acceleration (eq:anderson).
#if defined(CLACK_SOLVE_AUTO_ISLAND_SWEEPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_AUTO_ISLAND_SWEEPS_INL
#undef CLACK_SOLVE_AUTO_ISLAND_SWEEPS_INL
#else
#define CLACK_SOLVE_AUTO_ISLAND_SWEEPS_INL
#endif

#include <Eigen/Dense>

#include "clack/solve/auto/island_solver-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

template <int D>
bool IslandSolver<D>::reached(const IslandError& target) {
  error_ = island.error().over(target);
  if (error_ < best_error_) remember_best();  // never a NaN
  return error_ <= 1;
}

template <int D>
void IslandSolver<D>::remember_best() {
  best_error_ = error_;
  best_r_ = island.r_;
}

// r <- G(r) - dG gamma with gamma the least-squares fit of f = G(r) - r by its last changes.
template <int D>
void IslandSolver<D>::anderson_step() {
  using Map = Eigen::Map<Eigen::VectorXd>;
  const int n = static_cast<int>(island.r_.size());
  Map f(residual_.data(), n), g(image_.data(), n);
  if (stored_ >= 0) {
    if (f.norm() > 2 * Map(last_residual_.data(), n).norm()) {
      stored_ = 0;  // the fit has lost touch
    } else {
      d_residual_[slot_].resize(n);
      d_image_[slot_].resize(n);
      Map(d_residual_[slot_].data(), n) = f - Map(last_residual_.data(), n);
      Map(d_image_[slot_].data(), n) = g - Map(last_image_.data(), n);
      slot_ = (slot_ + 1) % kMemory;
      stored_ = std::min(stored_ + 1, kMemory);
    }
  } else {
    stored_ = 0;
  }
  last_residual_ = residual_;
  last_image_ = image_;
  island.r_ = image_;
  if (stored_ == 0) return;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMemory, kMemory> A(stored_, stored_);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMemory, 1> b(stored_);
  for (int i = 0; i < stored_; ++i) {
    for (int j = 0; j <= i; ++j) A(i, j) = A(j, i) = Map(d_residual_[i].data(), n).dot(Map(d_residual_[j].data(), n));
    b[i] = Map(d_residual_[i].data(), n).dot(f);
  }
  A.diagonal().array() += 1e-10 * A.diagonal().mean();
  const auto gamma = A.ldlt().solve(b).eval();
  if (!gamma.allFinite() || gamma.norm() > 1e4) return;
  Map r(island.r_.data(), n);
  for (int i = 0; i < stored_; ++i) r -= gamma[i] * Map(d_image_[i].data(), n);
}

template <int D>
bool IslandSolver<D>::sweep_phase(const IslandError& target, int max_sweeps, bool may_leave,
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

// Forward sweeps from r + beta (r - r_before), beta growing as Nesterov's up to a cap: without the cap it
// stalls once contacts slide. Memory stays linear; for islands that are too large to factorise.
template <int D>
bool IslandSolver<D>::momentum_phase(const IslandError& target, int max_sweeps, const IslandLimits& limits) {
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
    for (std::size_t i = 0; i < saved_.size(); ++i) turn += (image_[i] - island.r_[i]) * (island.r_[i] - saved_[i]);
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
