#include "clack/solve/lcp/lcp_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"

namespace clack {
namespace {

double power_of_two_near(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, exponent);
}

void require_no_friction(std::string_view solver, const Cone& cone, int contact) {
  for (int d = 0; d < cone.disc_count(); ++d) {
    if (cone.disc(d).radius == 0) continue;
    throw InputError(fmt::format(
        "{} solves linear complementarity problems (cones R+ and R^n); contact {} has friction {}; "
        "use nsgs or prox-newton",
        solver, contact, cone.disc(d).radius));
  }
}

}  // namespace

void equilibrate(Matrix& W, Vector& u_free, Vector& row_scale, Vector& col_scale) {
  constexpr int kSweeps = 4;  // Ruiz's iteration converges fast; the last digit does not matter
  row_scale.setOnes(W.rows());
  col_scale.setOnes(W.cols());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (Eigen::Index i = 0; i < W.rows(); ++i) {
      const double largest = W.row(i).cwiseAbs().maxCoeff();
      if (!(largest > 0)) continue;
      const double scale = 1 / power_of_two_near(std::sqrt(largest));
      W.row(i) *= scale;
      u_free[i] *= scale;
      row_scale[i] *= scale;
    }
    for (Eigen::Index j = 0; j < W.cols(); ++j) {
      const double largest = W.col(j).cwiseAbs().maxCoeff();
      if (!(largest > 0)) continue;
      const double scale = 1 / power_of_two_near(std::sqrt(largest));
      W.col(j) *= scale;
      col_scale[j] *= scale;
    }
  }
}

void LcpSystem::load(std::string_view solver, const ReducedProblem& problem) {
  problem_size_ = problem.size();
  row_.clear();
  free_.clear();
  for (int c = 0; c < problem.contacts(); ++c) {
    const Cone& cone = problem.cones[c];
    require_no_friction(solver, cone, c);
    const int rows = cone.is_free() ? cone.dim() : 1;
    for (int k = 0; k < rows; ++k) {
      row_.push_back(problem.offset[c] + k);
      free_.push_back(cone.is_free() ? 1 : 0);
    }
  }
  const int n = size();
  W_.resize(n, n);
  u_free_.resize(n);
  Vector unit = Vector::Zero(problem_size_), column(problem_size_);
  for (int j = 0; j < n; ++j) {
    unit[row(j)] = 1;
    problem.W->multiply(unit.data(), column.data());
    unit[row(j)] = 0;
    W_.col(j) = column(row_);
    u_free_[j] = problem.u_free[row(j)];
  }
  equilibrate(W_, u_free_, row_scale_, col_scale_);
  const double largest = n > 0 ? u_free_.cwiseAbs().maxCoeff() : 0;
  size_scale_ = largest > 0 && std::isfinite(largest) ? 2 / power_of_two_near(largest) : 1;
  u_free_ *= size_scale_;
}

Vector LcpSystem::scaled(const double* r) const {
  Vector x(size());
  for (int i = 0; i < size(); ++i) x[i] = r[row(i)] / col_scale_[i] * size_scale_;
  return x;
}

void LcpSystem::unscale(const Vector& scaled_r, double* r) const {
  std::fill_n(r, problem_size_, 0.0);
  for (int i = 0; i < size(); ++i) r[row(i)] = scaled_r[i] * col_scale_[i] / size_scale_;
}

std::vector<double> LcpSystem::unscale_weights(const Vector& y) const {
  std::vector<double> weights(static_cast<std::size_t>(problem_size_), 0.0);
  for (int i = 0; i < size(); ++i) {
    weights[static_cast<std::size_t>(row(i))] = y[i] * row_scale_[i];
  }
  return weights;
}

double polish(const LcpSystem& system, const ReducedProblem& problem, double* r, double* u) {
  constexpr double kLargest = 1e9;
  const int n = system.size();
  Vector x = system.scaled(r);
  if (!(x.cwiseAbs().maxCoeff() <= kLargest)) {
    x.setZero();
    VectorMap(r, problem.size()).setZero();
  }
  double best = compute_residual(problem, r, u).worst();
  for (int i = 0; i < n; ++i) {
    if (!system.is_free(i)) x[i] = std::max(x[i], 0.0);
  }
  const Vector velocity = system.W() * x + system.u_free();
  std::vector<int> active;
  for (int i = 0; i < n; ++i) {
    if (system.is_free(i) || x[i] > velocity[i])
      active.push_back(i);
    else
      x[i] = 0;
  }
  Vector candidate(problem.size()), candidate_u(problem.size());
  Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
  if (!active.empty()) factor.compute(system.W()(active, active));  // Eigen takes no 0 x 0 matrix
  for (int step = 0; step < 3 && best > 0; ++step) {
    const Vector now = system.W() * x + system.u_free();
    if (!active.empty()) x(active) -= factor.solve(now(active));
    for (int i = 0; i < n; ++i) {
      if (!system.is_free(i)) x[i] = std::max(x[i], 0.0);
    }
    system.unscale(x, candidate.data());
    const double residual = compute_residual(problem, candidate.data(), candidate_u.data()).worst();
    if (!(residual < best) || !(x.cwiseAbs().maxCoeff() <= kLargest)) continue;
    best = residual;
    VectorMap(r, problem.size()) = candidate;
    VectorMap(u, problem.size()) = candidate_u;
  }
  return best;
}

}  // namespace clack
