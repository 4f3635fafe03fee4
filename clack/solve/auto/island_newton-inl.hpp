// Second phase of IslandSolver: proximal point with full semismooth Newton steps (eq:prox_newton).
#if defined(CLACK_SOLVE_AUTO_ISLAND_NEWTON_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_AUTO_ISLAND_NEWTON_INL
#undef CLACK_SOLVE_AUTO_ISLAND_NEWTON_INL
#else
#define CLACK_SOLVE_AUTO_ISLAND_NEWTON_INL
#endif

#include "clack/solve/auto/island_interior-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

// Norm of Alart and Curnier's map at u~ = u + alpha (r - centre), step rho.
template <int D>
double IslandSolver<D>::map_norm(double alpha, double rho) const {
  double sum = 0;
  for (int a = 0; a < island.count(); ++a) {
    const Cone& cone = island.cones_[a];
    const double* r = island.r_.data() + a * D;
    double u[D];
    for (int k = 0; k < D; ++k)
      u[k] = rho * (island.u_[a * D + k] + alpha * (r[k] - centre_[a * D + k]));
    for (int k = cone.is_free() ? 0 : cone.dim(); k < D; ++k) sum += u[k] * u[k];
    if (cone.is_free()) continue;
    const double t = std::max(0.0, r[0] - u[0]);
    sum += (r[0] - t) * (r[0] - t);
    for (int d = 0; d < cone.disc_count(); ++d) {
      const Cone::Disc disc = cone.disc(d);
      double square = 0;
      for (int k = disc.begin; k < disc.begin + disc.dim; ++k)
        square += (r[k] - u[k]) * (r[k] - u[k]);
      const double length = std::sqrt(square), limit = disc.radius * t;
      const double factor = length > limit ? limit / length : 1.0;
      for (int k = disc.begin; k < disc.begin + disc.dim; ++k) {
        const double phi = r[k] - factor * (r[k] - u[k]);
        sum += phi * phi;
      }
    }
  }
  return std::sqrt(sum);
}

template <int D>
void IslandSolver<D>::linearise_contact(int a, double alpha, double rho) {
  constexpr int kTangents = std::clamp(D - 1, 2, Cone::kMaxDiscDim);  // most rows of one disc
  const Cone& cone = island.cones_[a];
  const double* r = island.r_.data() + a * D;
  double* T = T_.data() + a * D * D;
  double* S = S_.data() + a * D * D;
  double* rhs = rhs_.data() + a * D;
  std::fill_n(T, D * D, 0.0);
  std::fill_n(S, D * D, 0.0);
  double u[D];
  for (int k = 0; k < D; ++k) u[k] = island.u_[a * D + k] + alpha * (r[k] - centre_[a * D + k]);
  auto stick_row = [&](int k) {
    T[k * D + k] = 1;
    S[k * D + k] = alpha;
    rhs[k] = -u[k];
  };
  active_[a] = kSticking;
  for (int k = cone.is_free() ? 0 : cone.dim(); k < D; ++k) stick_row(k);
  if (cone.is_free()) return;
  const double t = r[0] - rho * u[0];
  if (t <= 0) {
    active_[a] = kOpen;
    for (int k = 0; k < D; ++k) dr_[a * D + k] = -r[k];
    return;
  }
  stick_row(0);
  for (int d = 0; d < cone.disc_count(); ++d) {
    const Cone::Disc disc = cone.disc(d);
    double z[kTangents] = {}, n[kTangents], square = 0;
    for (int k = 0; k < disc.dim; ++k) z[k] = r[disc.begin + k] - rho * u[disc.begin + k];
    for (int k = 0; k < kTangents; ++k) square += z[k] * z[k];
    const double length = std::sqrt(square), limit = disc.radius * t;
    if (length <= limit) {
      for (int k = 0; k < disc.dim; ++k) stick_row(disc.begin + k);
      continue;
    }
    active_[a] = kSliding;
    for (int k = 0; k < kTangents; ++k) n[k] = z[k] / length;
    const double g = disc.dim > 1 ? limit / length : 0.0;
    for (int k = 0; k < disc.dim; ++k) {
      const int row = disc.begin + k;
      T[row * D] = rho * disc.radius * n[k];
      S[row * D] = alpha * T[row * D] - disc.radius * n[k];
      for (int l = 0; l < disc.dim; ++l) {
        const double P = g * ((k == l ? 1.0 : 0.0) - n[k] * n[l]);
        T[row * D + disc.begin + l] = rho * P;
        S[row * D + disc.begin + l] = alpha * rho * P + (k == l ? 1.0 : 0.0) - P;
      }
      rhs[row] = -(r[row] - limit * n[k]);
    }
  }
}

template <int D>
void IslandSolver<D>::linearise(double alpha, double rho) {
  const int n = island.count();
  T_.resize(n * D * D);
  S_.resize(n * D * D);
  rhs_.resize(n * D);
  dr_.resize(n * D);
  active_.resize(n);
  bool any_open = false;
  for (int a = 0; a < n; ++a) {
    linearise_contact(a, alpha, rho);
    any_open = any_open || !active_[a];
  }
  if (!any_open) return;
  // The steps of open contacts are known: their effect goes to the right side of the others.
  const BlockRows<D>& W = island.W_;
  for (int a = 0; a < n; ++a) {
    if (!active_[a]) continue;
    double sum[BlockRows<D>::kStride] = {};
    for (int k = W.begin[a]; k < W.begin[a + 1]; ++k) {
      const int j = W.column[k];
      if (active_[j]) continue;
      const double* b = W.block(k);
      for (int c = 0; c < D; ++c) {
        for (int r = 0; r < BlockRows<D>::kStride; ++r)
          sum[r] += b[c * BlockRows<D>::kStride + r] * dr_[j * D + c];
      }
    }
    for (int r = 0; r < D; ++r) {
      for (int l = 0; l < D; ++l) rhs_[a * D + r] -= T_[(a * D + r) * D + l] * sum[l];
    }
  }
}

template <int D>
bool IslandSolver<D>::newton_step(double alpha, double rho) {
  linearise(alpha, rho);
  if (!solve_newton_system()) return false;
  double size = 0;
  for (std::size_t i = 0; i < dr_.size(); ++i) size += dr_[i] * dr_[i];
  if (!std::isfinite(size)) return false;
  for (std::size_t i = 0; i < dr_.size(); ++i) island.r_[i] += dr_[i];
  island.update_u();
  ++effort_.newton_steps;
  return true;
}

// The proximal parameter after a success in k steps which brought the map from `first` to `now`.
//
// Where the states of the contacts cannot answer u_free, if only by its round-off, r drifts along
// the null space of W by |Phi| / alpha per step until a contact slides or opens, while Phi itself
// does not fall: there, and only there, alpha may become smaller than kSmallestAlpha.
template <int D>
double IslandSolver<D>::smaller_alpha(double alpha, int k, double first, double now,
                                      const Settings& settings, int since_failure) const {
  constexpr double kSmallestInDrift = 1e-13;
  double factor = k == 1 ? std::min(0.1, now / first) : k <= 3 ? 0.3 : k <= 5 ? 0.6 : 1.0;
  if (since_failure < 3) factor = k == 1 ? std::max(0.3, factor) : 1.0;
  if (alpha * factor > kSmallestAlpha) return alpha * factor;
  const bool drifts = map_norm(0.0, settings.rho) > 0.5 * first;
  return drifts ? std::max(kSmallestInDrift, alpha * std::max(0.1, factor)) : kSmallestAlpha;
}

// One proximal centre: full Newton steps until the map halves. Adapts alpha; false after failure.
template <int D>
bool IslandSolver<D>::proximal_step(double& alpha, const Settings& settings, int since_failure) {
  centre_ = island.r_;
  saved_ = island.r_;
  const double first = map_norm(0.0, settings.rho);
  double now = first;
  int k = 0;
  while (k < settings.inner_steps) {
    if (!newton_step(alpha, settings.rho)) break;
    ++k;
    now = map_norm(alpha, settings.rho);
    if (now <= 0.5 * first || (k >= 3 && now > 100 * first)) break;
  }
  if (k > 0 && now <= 0.5 * first) {
    alpha = smaller_alpha(alpha, k, first, now, settings, since_failure);
    return true;
  }
  alpha = std::min(1e6, 4 * alpha);
  if (!(map_norm(0.0, settings.rho) < first)) {
    island.r_ = saved_;
    island.update_u();
  }
  return false;
}

template <int D>
bool IslandSolver<D>::newton_phase(const IslandTarget& target, const Settings& settings,
                                   const IslandLimits& limits) {
  double q = 0, r = 0;
  for (double x : island.q_) q += x * x;
  for (double x : island.r_) r += x * x;
  centre_ = island.r_;
  const double size = std::sqrt(std::max({q, r, 1e-300}));
  double alpha =
      std::clamp(settings.alpha_factor * map_norm(0.0, settings.rho) / size, kSmallestAlpha, 100.0);
  int since_failure = 100;
  const int last = effort_.newton_steps + settings.max_steps;
  for (int passes = 0; effort_.newton_steps < last && passes < settings.max_steps; ++passes) {
    since_failure = proximal_step(alpha, settings, since_failure) ? since_failure + 1 : 0;
    if (reached(target)) return true;
    if (limits.expired()) return false;
  }
  return false;
}

// The work of one factorisation. The contacts are put in the order of elimination, so that fronts
// read memory from front to end.
template <int D>
double IslandSolver<D>::plan_factorisation() {
  system_ = System::fronts;
  if (island.count() * D > 36 && skeleton_.plan(island.W_)) {
    system_ = System::skeleton;
    return skeleton_.flops();
  }
  const std::vector<int>& order = fronts_.plan(island.W_).order;
  island.permute(order);
  fronts_.bind(island.W_);
  Island<D>::permute_vector(order, best_r_);
  return fronts_.flops();
}

template <int D>
bool IslandSolver<D>::solve_newton_system() {
  auto solve_by = [this](auto& system) {
    return system.solve(T_.data(), S_.data(), active_, rhs_.data(), dr_.data());
  };
  if (system_ == System::skeleton) return solve_by(skeleton_);
  if (system_ == System::wide_skeleton) return solve_by(wide_skeleton_);
  return solve_by(fronts_);
}

template <int D>
void IslandSolver<D>::begin() {
  effort_ = {};
  best_error_ = HUGE_VAL;
  best_r_ = island.r_;
}

template <int D>
IslandEffort IslandSolver<D>::finish() {
  if (!(error_ <= best_error_)) {
    island.r_ = best_r_;
    island.update_u();
    error_ = best_error_;
  }
  effort_.error = error_;
  return effort_;
}

// Newton's method; where its way turns out to be long, interior points and Newton's method from
// there. Inside no contact is open, so that a wide skeleton pays, which Newton's method does
// without: it leaves open contacts out and needs all digits at the end.
template <int D>
void IslandSolver<D>::newton_and_interior(const IslandTarget& target, const IslandLimits& limits) {
  constexpr int kFewest = 20, kPatience = 100;  // contacts, Newton steps
  Settings settings;
  const bool interior = island.count() > kFewest && has_interior();
  if (interior) settings.max_steps = kPatience;
  if (newton_phase(target, settings, limits) || !interior || limits.expired()) return;
  effort_.interior = true;
  const System planned = system_;
  if (planned == System::fronts && wide_skeleton_.plan(island.W_)) system_ = System::wide_skeleton;
  const bool solved = interior_phase(target, limits);
  system_ = planned;
  if (!solved && !limits.expired()) newton_phase(target, {}, limits);
}

template <int D>
IslandEffort IslandSolver<D>::solve(const IslandTarget& target, const IslandLimits& limits) {
  begin();
  const bool newton_pays = island.count() > 1;
  const bool sweeps_first = !(limits.warm && island.count() > 20);
  if (!reached(target) && !(sweeps_first && sweep_phase(target, 200, newton_pays, limits)) &&
      !limits.expired()) {
    effort_.too_large = plan_factorisation() > limits.max_flops;
    if (effort_.too_large) {
      momentum_phase(target, limits.max_sweeps, limits);
    } else {
      newton_and_interior(target, limits);
    }
  }
  return finish();
}

template <int D>
IslandEffort IslandSolver<D>::restart(const IslandTarget& target, const IslandLimits& limits) {
  begin();
  island.update_u();
  if (!reached(target) && plan_factorisation() <= limits.max_flops) ladder(target, limits);
  return finish();
}

// Other starts and other parameters.
template <int D>
void IslandSolver<D>::ladder(const IslandTarget& target, const IslandLimits& limits) {
  struct Rung {
    bool from_zero;
    int sweeps;
    Settings settings;
  };
  const Rung rungs[] = {
      {false, 30, {1.0, 1.0, 12, 300}},   {true, 100, {1.0, 1.0, 8, 300}},
      {false, 100, {0.5, 30.0, 8, 400}},  {true, 300, {0.5, 1.0, 8, 400}},
      {false, 1000, {1.0, 1.0, 12, 800}},
  };
  for (const Rung& rung : rungs) {
    if (limits.expired()) return;
    ++effort_.restarts;
    if (rung.from_zero) {
      std::fill(island.r_.begin(), island.r_.end(), 0.0);
    } else {
      island.r_ = best_r_;
    }
    island.update_u();
    if (sweep_phase(target, rung.sweeps, false, limits)) return;
    if (newton_phase(target, rung.settings, limits)) return;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
