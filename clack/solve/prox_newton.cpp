#include "clack/solve/prox_newton.hpp"

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/families.hpp"
#include "clack/solve/nsgs.hpp"

namespace clack {

const OptionTable<ProxNewtonOptions>& ProxNewtonOptions::table() {
  using Self = ProxNewtonOptions;
  static const OptionTable<Self> table = {
      make_option<Self>(
          {"inner_steps", OptionRange::from(1), "-", "Newton steps for one proximal centre"},
          &Self::inner_steps),
      make_option<Self>(
          {"alpha_min", OptionRange::above(0), "-", "smallest proximal parameter, after scaling"},
          &Self::alpha_min),
      make_option<Self>({"start_sweeps", OptionRange::from(0), "-",
                         "Gauss-Seidel sweeps before the first Newton step"},
                        &Self::start_sweeps),
  };
  return table;
}

void ProxNewtonOptions::validate() const {
  SolverOptions::validate();
  validate_options("prox-newton", table(), *this);
}

ProxNewton::ProxNewton(const ProxNewtonOptions& options) : Solver(options), options_(options) {
  options.validate();
}

// One scalar D_i = (tr W_ii / dim)^-1/2 a contact keeps the friction cones: W^ = D W D, r = D r^.
void ProxNewton::scale(const ReducedProblem& problem, const double* r) {
  const int m = problem.size();
  W_.resize(m, m);
  scale_.resize(m);
  Vector unit = Vector::Zero(m);
  for (int j = 0; j < m; ++j) {
    unit[j] = 1;
    problem.W->multiply(unit.data(), W_.col(j).data());
    unit[j] = 0;
  }
  for (int c = 0; c < problem.contacts(); ++c) {
    const int begin = problem.offset[c], dim = problem.cones[c].dim();
    const double mean = W_.diagonal().segment(begin, dim).mean();
    scale_.segment(begin, dim).setConstant(mean > 0 ? 1 / std::sqrt(mean) : 1.0);
  }
  W_ = scale_.asDiagonal() * W_ * scale_.asDiagonal();
  u_free_ = scale_.cwiseProduct(problem.free_velocity());
  r_ = ConstVectorMap(r, m).cwiseQuotient(scale_);
  u_ = W_ * r_ + u_free_;
}

void ProxNewton::unscale(double* r) const { VectorMap(r, r_.size()) = scale_.cwiseProduct(r_); }

double ProxNewton::map_norm(const ReducedProblem& problem, double alpha) const {
  double sum = 0;
  for (int c = 0; c < problem.contacts(); ++c) {
    const Cone& cone = problem.cones[c];
    const int begin = problem.offset[c], dim = cone.dim();
    auto shifted = [&](int k) {
      return u_[begin + k] + alpha * (r_[begin + k] - centre_[begin + k]);
    };
    if (cone.is_free()) {
      for (int k = 0; k < dim; ++k) sum += shifted(k) * shifted(k);
      continue;
    }
    const double t = std::max(0.0, r_[begin] - shifted(0));
    sum += (r_[begin] - t) * (r_[begin] - t);
    for (int d = 0; d < cone.disc_count(); ++d) {
      const Cone::Disc disc = cone.disc(d);
      double length = 0;
      for (int k = disc.begin; k < disc.begin + disc.dim; ++k) {
        const double z = r_[begin + k] - shifted(k);
        length += z * z;
      }
      length = std::sqrt(length);
      const double factor = length > disc.radius * t ? disc.radius * t / length : 1.0;
      for (int k = disc.begin; k < disc.begin + disc.dim; ++k) {
        const double phi = r_[begin + k] - factor * (r_[begin + k] - shifted(k));
        sum += phi * phi;
      }
    }
  }
  return std::sqrt(sum);
}

// Rows of J = T (W + alpha I) + Q and of the right side -Phi for one contact.
void ProxNewton::assemble_contact(const Cone& cone, int begin, double alpha,
                                  const Vector& shifted) {
  auto stick_row = [&](int row) {
    J_.row(row) = W_.row(row);
    J_(row, row) += alpha;
    rhs_[row] = -shifted[row];
  };
  auto open_row = [&](int row) {
    J_.row(row).setZero();
    J_(row, row) = 1;
    rhs_[row] = -r_[row];
  };
  const double t = cone.is_free() ? 1.0 : r_[begin] - shifted[begin];
  if (t <= 0) {
    for (int k = 0; k < cone.dim(); ++k) open_row(begin + k);
    return;
  }
  if (cone.is_free()) {
    for (int k = 0; k < cone.dim(); ++k) stick_row(begin + k);
    return;
  }
  stick_row(begin);
  for (int d = 0; d < cone.disc_count(); ++d) {
    const Cone::Disc disc = cone.disc(d);
    const int first = begin + disc.begin;
    double z[Cone::kMaxDiscDim] = {}, n[Cone::kMaxDiscDim];
    for (int k = 0; k < disc.dim; ++k) z[k] = r_[first + k] - shifted[first + k];
    const double length = std::sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    if (length <= disc.radius * t) {
      for (int k = 0; k < disc.dim; ++k) stick_row(first + k);
      continue;
    }
    for (int k = 0; k < disc.dim; ++k) n[k] = z[k] / length;
    const double g = disc.dim > 1 ? disc.radius * t / length : 0.0;
    for (int k = 0; k < disc.dim; ++k) {
      // Phi_k = r_k - mu t n_k; dPhi = dr - mu n (dr_N - du_N) - P (dr - du), P = g (I - n n')
      J_.row(first + k) = disc.radius * n[k] * W_.row(begin);
      J_(first + k, begin) += disc.radius * n[k] * (alpha - 1);
      J_(first + k, first + k) += 1;
      for (int l = 0; l < disc.dim; ++l) {
        const double P = g * ((k == l ? 1.0 : 0.0) - n[k] * n[l]);
        J_.row(first + k) += P * W_.row(first + l);
        J_(first + k, first + l) += P * (alpha - 1);
      }
      rhs_[first + k] = -(r_[first + k] - disc.radius * t * n[k]);
    }
  }
}

double ProxNewton::assemble_step(const ReducedProblem& problem, double alpha) {
  const int m = problem.size();
  J_.resize(m, m);
  rhs_.resize(m);
  step_ = u_ + alpha * (r_ - centre_);
  for (int c = 0; c < problem.contacts(); ++c) {
    assemble_contact(problem.cones[c], problem.offset[c], alpha, step_);
  }
  return rhs_.norm();
}

bool ProxNewton::newton_step() {
  lu_.compute(J_);
  step_ = lu_.solve(rhs_);
  if (!step_.allFinite()) return false;
  r_ += step_;
  u_.noalias() = W_ * r_;
  u_ += u_free_;
  return true;
}

// One proximal centre: full Newton steps until the map halves. Adapts alpha; false after failure.
bool ProxNewton::proximal_step(const ReducedProblem& problem, double& alpha, int& steps) {
  centre_ = r_;
  r_saved_ = r_;
  const double first = map_norm(problem, 0.0);
  double now = first;
  int k = 0;
  while (k < options_.inner_steps) {
    assemble_step(problem, alpha);
    if (!newton_step()) break;
    ++k;
    now = map_norm(problem, alpha);
    if (now <= 0.5 * first || (k >= 3 && now > 100 * first)) break;
  }
  steps += std::max(k, 1);
  if (k > 0 && now <= 0.5 * first) {
    const double factor = k == 1 ? std::min(0.1, now / first) : k <= 3 ? 0.3 : k <= 5 ? 0.6 : 1.0;
    alpha = std::max(options_.alpha_min, alpha * factor);
    return true;
  }
  alpha = std::min(1e6, 4 * alpha);
  if (!(map_norm(problem, 0.0) < first)) {
    r_ = r_saved_;
    u_ = W_ * r_ + u_free_;
  }
  return false;
}

void ProxNewton::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  if (options_.start_sweeps > 0) {
    NsgsOptions sweeps;
    sweeps.tolerance = options().tolerance;
    sweeps.max_iterations = options_.start_sweeps;
    sweeps.verdict = options().verdict;
    const SolveReport start = Nsgs(sweeps).solve(problem, r, u);
    if (stop_here(0, start.measured().of(options().verdict), report)) return;
  }
  scale(problem, r);
  centre_ = r_;
  Vector best = ConstVectorMap(r, problem.size());
  double best_residual = HUGE_VAL;
  double alpha = std::clamp(
      0.3 * map_norm(problem, 0.0) / std::max({u_free_.norm(), r_.norm(), 1e-300}), 1e-7, 100.0);
  for (int steps = 0;;) {
    proximal_step(problem, alpha, steps);
    unscale(r);
    const double residual = measure(r, u);
    if (residual < best_residual) {
      best_residual = residual;
      best = ConstVectorMap(r, problem.size());
    }
    if (stop_here(steps, residual, report)) break;
  }
  VectorMap(r, problem.size()) = best;
}

namespace {

constexpr SolverEntry kEntries[] = {
    make_entry<ProxNewton, ProxNewtonOptions>(
        "prox-newton", "semismooth Newton on Alart-Curnier's map inside a proximal point loop",
        "Alart, Curnier (1991); Rockafellar (1976)"),
};

}  // namespace

std::span<const SolverEntry> newton_family() { return kEntries; }

}  // namespace clack
