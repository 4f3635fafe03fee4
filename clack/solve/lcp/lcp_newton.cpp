#include "clack/solve/lcp/lcp_newton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/core/split_mix.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/lcp/infeasibility.hpp"

namespace clack {

const OptionTable<LcpNewtonOptions>& LcpNewtonOptions::table() {
  using Self = LcpNewtonOptions;
  static const OptionTable<Self> table = {
      make_choice<Self>({.name = "map", .unit = "-", .meaning = "the complementarity function"},
                        {"fischer-burmeister", "min"}, &Self::map),
      make_option<Self>({"starts", OptionRange::from(1), "-",
                         "the warm start, the same with proximal points, then drawn points"},
                        &Self::starts),
      make_option<Self>({"memory", OptionRange::from(1), "-",
                         "values of the merit function that the line search compares with; 1 is "
                         "monotone"},
                        &Self::memory),
  };
  return table;
}

void LcpNewtonOptions::validate() const {
  SolverOptions::validate();
  validate_options("lcp-newton", table(), *this);
}

LcpNewton::LcpNewton(const LcpNewtonOptions& options) : Solver(options), options_(options) {
  options.validate();
}

void LcpNewton::start_at(int start, const double* r) {
  const int n = system_.size();
  x_ = system_.scaled(r);
  if (start < 2) return;
  SplitMix random(static_cast<std::uint64_t>(start));
  const double size = start % 2 == 0 ? 1.0 : 10.0;
  for (int i = 0; i < n; ++i) x_[i] = random.uniform(system_.is_free(i) ? -size : 0.0, size);
}

void LcpNewton::evaluate(const Vector& x) {
  u_ = system_.W() * x + system_.u_free();
  if (alpha_ > 0) u_ += alpha_ * (x - centre_);
  phi_.resize(x.size());
  for (int i = 0; i < x.size(); ++i) {
    if (system_.is_free(i))
      phi_[i] = u_[i];
    else if (options_.map == LcpNewtonOptions::minimum)
      phi_[i] = std::min(x[i], u_[i]);
    // a + b - |(a, b)| without cancellation where both are positive
    else if (x[i] > 0 && u_[i] > 0)
      phi_[i] = 2 * x[i] * u_[i] / (x[i] + u_[i] + std::hypot(x[i], u_[i]));
    else
      phi_[i] = x[i] + u_[i] - std::hypot(x[i], u_[i]);
  }
}

// J = diag(a) + diag(b) W with (a_i, b_i) the derivative of phi, and J' Phi.
void LcpNewton::differentiate() {
  const int n = system_.size();
  J_ = system_.W();
  J_.diagonal().array() += alpha_;
  for (int i = 0; i < n; ++i) {
    double a = 0, b = 1;
    if (!system_.is_free(i)) {
      const double length = std::hypot(x_[i], u_[i]);
      if (options_.map == LcpNewtonOptions::minimum) {
        a = x_[i] < u_[i] ? 1 : 0;
        b = 1 - a;
      } else if (length > 1e-14) {
        a = 1 - x_[i] / length;
        b = 1 - u_[i] / length;
      } else {  // an element of the generalised derivative at the kink
        a = b = 1 - std::sqrt(0.5);
      }
    }
    J_.row(i) *= b;
    J_(i, i) += a;
  }
  gradient_ = J_.transpose() * phi_;
}

bool LcpNewton::newton_direction() {
  direction_ = J_.partialPivLu().solve(-phi_);
  if (!direction_.allFinite()) return false;
  const double length = direction_.norm();
  return gradient_.dot(direction_) <= -1e-9 * std::pow(length, 2.1);
}

void LcpNewton::regularised_direction() {
  Matrix normal = J_.transpose() * J_;
  normal.diagonal().array() += lambda_ * std::max(1e-12, std::min(1.0, phi_.norm()));
  direction_ = -normal.ldlt().solve(gradient_);
}

// On success x_ has moved and u_, phi_ belong to it.
bool LcpNewton::search_line(double reference) {
  const double slope = gradient_.dot(direction_);
  if (!direction_.allFinite() || !(slope < 0)) return false;
  for (double step = 1; step > 1e-10; step *= 0.5) {
    trial_ = x_ + step * direction_;
    evaluate(trial_);
    if (!(0.5 * phi_.squaredNorm() <= reference + 1e-4 * step * slope)) continue;
    x_ = trial_;
    return true;
  }
  evaluate(x_);
  return false;
}

// The yardstick of the current point, refined near a solution; r keeps the best.
double LcpNewton::track_best(const ReducedProblem& problem, double* r, double* u) {
  const int n = system_.size();
  Vector inside = x_;
  for (int i = 0; i < n; ++i) {
    if (!system_.is_free(i)) inside[i] = std::max(inside[i], 0.0);
  }
  candidate_.resize(problem.size());
  candidate_u_.resize(problem.size());
  system_.unscale(inside, candidate_.data());
  const bool near = phi_.norm() <= 1e-3;
  const double residual = near ? polish(system_, problem, candidate_.data(), candidate_u_.data())
                               : measure(candidate_.data(), candidate_u_.data());
  if (residual < best_) {
    best_ = residual;
    VectorMap(r, problem.size()) = candidate_;
    VectorMap(u, problem.size()) = candidate_u_;
  }
  return residual;
}

LcpNewton::End LcpNewton::descend(const ReducedProblem& problem, double goal, double* r, double* u,
                                  SolveReport& report) {
  std::vector<double> merits;
  lambda_ = 1e-2;
  evaluate(x_);
  for (;;) {
    if (stop_here(report.iterations + 1, track_best(problem, r, u), report)) {
      return report.status == Status::converged ? End::solved : End::limit;
    }
    if (phi_.norm() <= goal) return End::centred;
    merits.push_back(0.5 * phi_.squaredNorm());
    const auto recent = std::min<std::ptrdiff_t>(options_.memory, std::ssize(merits));
    const double reference = *std::max_element(merits.end() - recent, merits.end());
    differentiate();
    if (newton_direction() && search_line(reference)) {
      lambda_ = std::max(1e-4, 0.5 * lambda_);
      continue;
    }
    const double scale = std::max(1.0, J_.cwiseAbs().maxCoeff());
    if (gradient_.norm() <= 1e-12 * scale * std::max(phi_.norm(), 1e-12)) return End::stationary;
    regularised_direction();
    if (!search_line(reference)) return End::stationary;
    lambda_ = std::min(1.0, 2 * lambda_);
    const auto count = std::ssize(merits);
    if (count > 40 && merits[count - 1] > 0.99 * merits[count - 40]) return End::stationary;
  }
}

// Proximal points: W + alpha I is regular where W is not, and the centre follows.
LcpNewton::End LcpNewton::follow_centres(const ReducedProblem& problem, double* r, double* u,
                                         SolveReport& report) {
  constexpr int kCentres = 40;
  alpha_ = 0.1;
  End end = End::stationary;
  for (int k = 0; k < kCentres; ++k) {
    centre_ = x_;
    evaluate(x_);
    end = descend(problem, 0.1 * phi_.norm(), r, u, report);
    if (end == End::solved || end == End::limit) break;
    alpha_ = end == End::centred ? std::max(1e-9, 0.3 * alpha_) : std::min(1.0, 10 * alpha_);
  }
  alpha_ = 0;
  return end == End::centred ? End::stationary : end;
}

void LcpNewton::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  system_.load(name(), problem);
  const Vector warm = ConstVectorMap(r, problem.size());
  best_ = measure(r, u);
  if (stop_here(0, best_, report)) return;
  for (int start = 0; start < options_.starts; ++start) {
    start_at(start, warm.data());
    const End end =
        start == 1 ? follow_centres(problem, r, u, report) : descend(problem, 0.0, r, u, report);
    if (end != End::stationary) return;
    if (start > 0) continue;
    if (const auto proof = find_infeasibility(problem)) {
      report_infeasible(*proof, "Newton's method stopped at a stationary point", report);
      return;
    }
  }
  report.status = Status::stagnated;
  report.note = fmt::format(
      "Newton's method met stationary points of |Phi|^2 that solve nothing from all {} starts; "
      "some "
      "r >= 0 has W r + u_free >= 0, so there may be a solution (lemke, lcp-enum)",
      options_.starts);
}

}  // namespace clack
