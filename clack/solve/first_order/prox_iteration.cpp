#include "clack/solve/first_order/prox_iteration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/local_projection.hpp"

namespace clack {

const OptionTable<ProxOptions>& ProxOptions::table() {
  using Self = ProxOptions;
  static const OptionTable<Self> table = {
      make_option<Self>({"omega", OptionRange::inside(0, 2), "-", "relaxation"}, &Self::omega),
      make_option<Self>({"check_every", OptionRange::from(1), "-",
                         "iterations between two evaluations of the residual"},
                        &Self::check_every),
      make_option<Self>({"reduction",
                         {.low = 0, .high = 1, .low_open = true},
                         "-",
                         "of omega on divergence; 1 keeps it"},
                        &Self::reduction),
      make_option<Self>({"patience", OptionRange::from(1), "-",
                         "evaluations without a better impulse before omega is reduced"},
                        &Self::patience),
  };
  return table;
}

void ProxOptions::validate() const {
  SolverOptions::validate();
  validate_options("prox iteration", table(), *this);
}

void ProxControl::start(const ProxOptions& options, int m) {
  best_.clear(m);
  omega_ = options.omega;
  reduction_ = options.reduction;
  patience_ = options.patience;
  waiting_ = 0;
}

bool ProxControl::judge(double residual, double* r, int m) {
  constexpr double kGrowth = 1e3;  // above it the iteration diverges; less can be a passing phase
  constexpr double kSmallest = 1e-3;
  if (best_.offer(residual, r, m)) {
    waiting_ = 0;
    return false;
  }
  const bool diverges = !(residual <= kGrowth * best_.residual());
  if (!diverges && ++waiting_ < patience_) return false;
  waiting_ = 0;
  best_.restore(r);
  omega_ = std::max(kSmallest, omega_ * reduction_);
  return true;
}

ProxJacobi::ProxJacobi(const ProxOptions& options) : Solver(options), options_(options) {
  options.validate();
}

// rho of all rows: 1 / lambda_p, divided by Lambda at the end. Parts that cannot move keep rho = 0.
void ProxJacobi::set_steps(const ReducedProblem& problem) {
  std::array<double, Cone::kMaxDim * Cone::kMaxDim> block;
  rho_.setZero(problem.size());
  for (int c = 0; c < problem.contacts(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    const Cone& cone = problem.cones[i];
    const int begin = problem.offset[i], dim = cone.dim();
    problem.W->diagonal_block(begin, dim, block.data());
    const auto set = [&](int first, int count, double lambda) {
      if (lambda > 0) rho_.segment(begin + first, count).setConstant(1 / lambda);
    };
    if (cone.is_free()) {
      set(0, dim, largest_eigenvalue(block.data(), dim));
      continue;
    }
    set(0, 1, block[0]);
    for (int d = 0; d < cone.disc_count(); ++d) {
      const Cone::Disc disc = cone.disc(d);
      set(disc.begin, disc.dim, disc_eigenvalue(disc, block.data(), dim));
    }
  }
  rho_ /= largest_scaled_eigenvalue(problem);
}

// Power iteration on D W D from a fixed start that no symmetry of the problem makes orthogonal.
double ProxJacobi::largest_scaled_eigenvalue(const ReducedProblem& problem) {
  constexpr int kProducts = 30;
  const int m = problem.size();
  y_.resize(m);
  x_.resize(m);
  for (int i = 0; i < m; ++i) x_[i] = 1 + std::fmod(0.6180339887498949 * (i + 1), 1.0);
  double value = 1;
  for (int k = 0; k < kProducts; ++k) {
    x_.array() *= rho_.array().sqrt();
    problem.W->multiply(x_.data(), y_.data());
    x_ = y_.array() * rho_.array().sqrt();
    const double norm = x_.norm();
    if (!(norm > 0)) return value;
    if (k > 0) value = norm;
    x_ /= norm;
  }
  return std::max(1.0, 1.02 * value);
}

void ProxJacobi::step(const ReducedProblem& problem, const double* u, double* r) const {
  const double omega = control_.omega();
  for (int i = 0; i < problem.size(); ++i) r[i] -= omega * rho_[i] * u[i];
  for (int c = 0; c < problem.contacts(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    const Cone& cone = problem.cones[i];
    if (cone.is_free()) continue;
    double* own = r + problem.offset[i];
    own[0] = std::max(0.0, own[0]);
    project_discs(cone, own);
  }
}

void ProxJacobi::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  set_steps(problem);
  control_.start(options_, problem.size());
  const ConstVectorMap u_free = problem.free_velocity();
  problem.W->multiply(r, u);
  VectorMap(u, problem.size()) += u_free;
  for (int iteration = 1;; ++iteration) {
    step(problem, u, r);
    if (!check_due(iteration, options_.check_every, options().max_iterations)) {
      problem.W->multiply(r, u);
      VectorMap(u, problem.size()) += u_free;
      continue;
    }
    const double residual = measure(r, u);
    const bool back = control_.judge(residual, r, problem.size());
    if (stop_here(iteration, std::isfinite(residual) ? residual : control_.best_residual(), report))
      break;
    if (!back) continue;
    problem.W->multiply(r, u);
    VectorMap(u, problem.size()) += u_free;
  }
  control_.finish(r);
}

ProxSor::ProxSor(const ProxOptions& options) : Solver(options), options_(options) {
  options.validate();
}

void ProxSor::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  rows_.bind(problem);
  control_.start(options_, problem.size());
  std::array<double, Cone::kMaxDim> b;
  const int n = problem.contacts();
  for (int iteration = 1;; ++iteration) {
    for (int k = 0; k < n; ++k) {
      const int contact = iteration % 2 == 1 ? k : n - 1 - k;
      const auto i = static_cast<std::size_t>(contact);
      rows_.off_diagonal(contact, r, b.data());
      project_local(problem.cones[i], rows_.block(contact), b.data(), control_.omega(),
                    r + problem.offset[i]);
    }
    if (!check_due(iteration, options_.check_every, options().max_iterations)) continue;
    const double residual = measure(r, u);
    control_.judge(residual, r, problem.size());
    if (stop_here(iteration, std::isfinite(residual) ? residual : control_.best_residual(), report))
      break;
  }
  control_.finish(r);
}

}  // namespace clack
