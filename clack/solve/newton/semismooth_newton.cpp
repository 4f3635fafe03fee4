#include "clack/solve/newton/semismooth_newton.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/newton/judged_iterate.hpp"
#include "clack/solve/nsgs.hpp"

namespace clack {

const OptionTable<SemismoothNewtonOptions>& SemismoothNewtonOptions::table() {
  using Self = SemismoothNewtonOptions;
  static const OptionTable<Self> table = {
      make_choice<Self>(
          {.name = "line_search",
           .unit = "-",
           .meaning = "automatic: full steps, Goldstein and Price's rule in their place "
                      "after many steps without progress, and so on in turn"},
          {"automatic", "none", "armijo", "goldstein-price"}, &Self::line_search),
      make_choice<Self>(
          {.name = "factorisation", .unit = "-", .meaning = "how Newton's matrix is factorised"},
          {"automatic", "dense", "sparse"}, &Self::factorisation),
      make_option<Self>({"start_sweeps", OptionRange::from(0), "-",
                         "Gauss-Seidel sweeps before the first Newton step"},
                        &Self::start_sweeps),
      make_option<Self>({"inner_steps", OptionRange::from(1), "-", "Newton steps for one centre"},
                        &Self::inner_steps),
      make_option<Self>(
          {"alpha_min", OptionRange::above(0), "-", "smallest proximal parameter, after scaling"},
          &Self::alpha_min),
      make_option<Self>({"alpha_start", OptionRange::above(0), "-",
                         "first alpha = alpha_start |Phi| / max(|u_free|, |r|)"},
                        &Self::alpha_start),
  };
  return table;
}

void SemismoothNewtonOptions::validate() const {
  SolverOptions::validate();
  validate_options("newton", table(), *this);
}

const OptionTable<NewtonAcOptions>& NewtonAcOptions::table() {
  using Self = NewtonAcOptions;
  static const OptionTable<Self> table = extend_options<Self>(
      SemismoothNewtonOptions::table(),
      {make_choice<Self>(
          {.name = "variant", .unit = "-", .meaning = "discs of radius mu (r_N - u_N)+, or mu r_N"},
          {"alart-curnier", "jean-moreau"}, &Self::jean_moreau)});
  return table;
}

SemismoothNewton::SemismoothNewton(const SemismoothNewtonOptions& options, ContactMap map)
    : Solver(options), options_(options), map_(map) {
  options.validate();
}

NewtonAc::NewtonAc(const NewtonAcOptions& options)
    : SemismoothNewton(options, options.jean_moreau ? jean_moreau : alart_curnier) {}
NewtonNm::NewtonNm(const SemismoothNewtonOptions& options)
    : SemismoothNewton(options, natural_map) {}
NewtonFb::NewtonFb(const SemismoothNewtonOptions& options)
    : SemismoothNewton(options, fischer_burmeister) {}

void SemismoothNewton::load(const ReducedProblem& problem, const double* r) {
  scaled_.load(problem);
  system_.load(scaled_.W(), options_.factorisation);
  T_.resize(system_.block_values());
  B_.resize(system_.block_values());
  r_ = scaled_.to_scaled(r);
  scaled_.velocity(r_, u_);
  centre_ = r_;
  step_.setZero(r_.size());
  velocity_step_.setZero(r_.size());
  rhs_.resize(r_.size());
  cautious_ = 0;
  const bool automatic = options_.line_search == LineSearch::automatic;
  search_ = automatic ? LineSearch::none : options_.line_search;
}

double SemismoothNewton::map_norm(double alpha, double length) const {
  std::array<double, Cone::kMaxDim> r, u;
  MapValue value;
  double sum = 0;
  for (int c = 0; c < scaled_.contacts(); ++c) {
    const int begin = scaled_.offset()[c], dim = scaled_.cones()[c].dim();
    for (int k = 0; k < dim; ++k) {
      const int i = begin + k;
      r[k] = r_[i] + length * step_[i];
      u[k] = u_[i] + length * velocity_step_[i] + alpha * (r[k] - centre_[i]);
    }
    map_(scaled_.cones()[c], r.data(), u.data(), value);
    sum += value.phi.squaredNorm();
  }
  return std::sqrt(sum);
}

// T = dPhi/du, B = alpha T + dPhi/dr, right side -Phi.
void SemismoothNewton::assemble(double alpha) {
  std::array<double, Cone::kMaxDim> u;
  MapValue value;
  for (int c = 0; c < scaled_.contacts(); ++c) {
    const int begin = scaled_.offset()[c], dim = scaled_.cones()[c].dim();
    for (int k = 0; k < dim; ++k) {
      u[k] = u_[begin + k] + alpha * (r_[begin + k] - centre_[begin + k]);
    }
    map_(scaled_.cones()[c], r_.data() + begin, u.data(), value);
    Eigen::Map<SmallMatrix>(T_.data() + system_.block_begin(c), dim, dim) = value.du;
    Eigen::Map<SmallMatrix>(B_.data() + system_.block_begin(c), dim, dim) =
        alpha * value.du + value.dr;
    rhs_.segment(begin, dim) = -value.phi;
  }
}

// With J d = -Phi the merit m = |Phi|^2 / 2 has the slope -2 m at 0.
double SemismoothNewton::search_length(double alpha, double norm) const {
  constexpr double kSufficient = 0.1, kShortest = 1.0 / 4096;
  const double merit = norm * norm;
  const bool two_sided = search_ == LineSearch::goldstein_price;
  double low = 0, high = HUGE_VAL, length = 1;
  for (int trial = 0; trial < 16 && length >= kShortest; ++trial) {
    const double now = map_norm(alpha, length);
    if (!(now * now <= (1 - 2 * kSufficient * length) * merit)) {
      high = length;  // too long
    } else if (two_sided && length < 1 &&
               now * now < (1 - 2 * (1 - kSufficient) * length) * merit) {
      low = length;  // too short
    } else {
      return length;
    }
    length = std::isfinite(high) ? 0.5 * (low + high) : std::min(1.0, 2 * length);
  }
  return low;
}

bool SemismoothNewton::newton_step(double alpha, double& norm) {
  assemble(alpha);
  const double before = rhs_.norm();
  if (!system_.factorise(T_, B_) || !system_.solve(rhs_, step_)) {
    step_.setZero();
    return false;
  }
  scaled_.W().multiply(step_.data(), velocity_step_.data());
  double length = 1;
  if (search_ != LineSearch::none) length = search_length(alpha, before);
  r_ += length * step_;
  scaled_.velocity(r_, u_);
  step_.setZero();
  velocity_step_.setZero();
  norm = map_norm(alpha, 0);
  return length > 0 && std::isfinite(norm);
}

double SemismoothNewton::adapted_alpha(double alpha, int inner, double reduction) {
  double factor = inner == 1 ? std::min(0.1, reduction) : inner <= 3 ? 0.3 : inner <= 5 ? 0.6 : 1.0;
  if (cautious_ > 0) {
    --cautious_;
    factor = inner == 1 ? std::max(0.3, factor) : 1.0;
  }
  return std::max(options_.alpha_min, alpha * factor);
}

// One centre: Newton steps until the map halves. Adapts alpha; false after failure.
bool SemismoothNewton::proximal_step(double& alpha, int& steps) {
  centre_ = r_saved_ = r_;
  u_saved_ = u_;
  const double first = map_norm(0, 0);
  double now = first;
  int k = 0;
  while (k < options_.inner_steps && elapsed() < options().time_limit) {
    ++k;
    if (!newton_step(alpha, now)) break;
    if (now <= 0.5 * first || (k >= 3 && now > 100 * first)) break;
  }
  steps += std::max(k, 1);
  if (now <= 0.5 * first) {
    alpha = adapted_alpha(alpha, k, now / first);
    return true;
  }
  alpha = std::min(1e6, 4 * alpha);
  cautious_ = 3;
  if (!(map_norm(0, 0) < first)) {
    r_ = r_saved_;
    u_ = u_saved_;
  }
  return false;
}

bool SemismoothNewton::sweep_first(const ReducedProblem& problem, double* r, double* u,
                                   SolveReport& report) const {
  double measure = compute_residual(problem, r, u).of(options().verdict);
  if (measure > options().tolerance && options_.start_sweeps > 0) {
    NsgsOptions sweeps;
    sweeps.tolerance = options().tolerance;
    sweeps.verdict = options().verdict;
    sweeps.time_limit = options().time_limit;
    sweeps.max_iterations = options_.start_sweeps;
    const SolveReport start = Nsgs(sweeps).solve(problem, r, u);
    measure = start.measured().of(options().verdict);
  }
  return stop_here(0, measure, report);
}

double SemismoothNewton::first_alpha() const {
  const double size = std::max({scaled_.u_free().norm(), r_.norm(), 1e-300});
  return std::clamp(options_.alpha_start * map_norm(0, 0) / size, 1e-7, 100.0);
}

void SemismoothNewton::change_manner(const double* best_r, double& alpha) {
  r_ = scaled_.to_scaled(best_r);
  scaled_.velocity(r_, u_);
  centre_ = r_;
  alpha = first_alpha();
  if (options_.line_search != LineSearch::automatic) return;
  search_ = search_ == LineSearch::none ? LineSearch::goldstein_price : LineSearch::none;
}

void SemismoothNewton::iterate(const ReducedProblem& problem, double* r, double* u,
                               SolveReport& report) {
  constexpr int kPatience = 100;  // Newton steps
  if (sweep_first(problem, r, u, report)) return;
  load(problem, r);
  JudgedIterate best(problem, options().verdict, r, u);
  double alpha = first_alpha(), lowest = best.measure();
  for (int steps = 0, last_progress = 0;;) {
    proximal_step(alpha, steps);
    scaled_.from_scaled(r_, r);
    const double measure = best.judge(r, u);
    if (stop_here(steps, measure, report)) break;
    if (measure < 0.5 * lowest) {
      lowest = measure;
      last_progress = steps;
    } else if (steps - last_progress > kPatience) {
      last_progress = steps;
      best.restore(r);
      change_manner(r, alpha);
    }
  }
  best.restore(r);
}

}  // namespace clack
