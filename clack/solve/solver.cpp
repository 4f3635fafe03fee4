#include "clack/solve/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"

namespace clack {
namespace {

constexpr const char* kRunaway =
    "; the impulses ran away without an answer to the free velocity: probably there is no solution";

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace

void SolverOptions::validate() const {
  if (!(tolerance > 0) || !std::isfinite(tolerance)) {
    throw InputError(fmt::format("solver tolerance is {}; it must be finite and > 0", tolerance));
  }
  if (max_iterations < 1) {
    throw InputError(fmt::format("solver max_iterations is {}; it must be >= 1", max_iterations));
  }
  if (!(time_limit > 0)) {
    throw InputError(fmt::format("solver time_limit is {} s; it must be > 0", time_limit));
  }
}

SolveReport Solver::solve(const ReducedProblem& problem, double* r, double* u) {
  SolveReport report;
  const int m = problem.size();
  if (m == 0) {
    report.status = Status::converged;
    report.residual = report.residual_scaled = 0;
    return report;
  }
  start_ = now();
  for (int i = 0; i < m; ++i) {
    if (!std::isfinite(r[i])) r[i] = 0;  // a poisoned warm start is no start
  }
  iterate(problem, r, u, report);
  Residual final = compute_residual(problem, r, u);
  while (!final.holds(options_.tolerance) && refine(problem, final.worst(), r, u, report)) {
    final = compute_residual(problem, r, u);
  }
  report.residual = final.plain;
  report.residual_scaled = final.scaled;
  if (!std::isfinite(final.worst())) {
    report.status = Status::numerical_failure;
  } else if (final.holds(options_.tolerance)) {
    report.status = Status::converged;
  } else if (report.status == Status::converged) {
    report.status = Status::stagnated;
    if (final.worst() <= options_.tolerance) report.note += kRunaway;
  }
  report.seconds = elapsed();
  return report;
}

SolveReport Solver::solve(const ReducedProblem& problem, double* r, double* u, double tolerance) {
  const double usual = std::exchange(options_.tolerance, tolerance);
  SolveReport report = solve(problem, r, u);
  options_.tolerance = usual;
  return report;
}

bool Solver::refine(const ReducedProblem&, double, double*, double*, SolveReport&) { return false; }

double Solver::elapsed() const { return now() - start_; }

bool Solver::stop_here(int iteration, double measure, SolveReport& report) const {
  report.iterations = iteration;
  if (options_.record_history) report.history.push_back({iteration, elapsed(), measure});
  if (measure <= options_.tolerance) {
    report.status = Status::converged;
  } else if (!std::isfinite(measure)) {
    report.status = Status::numerical_failure;
  } else if (iteration >= options_.max_iterations) {
    report.status = Status::iteration_limit;
  } else if (std::isfinite(options_.time_limit) && elapsed() > options_.time_limit) {
    report.status = Status::time_limit;
  } else {
    return false;
  }
  return true;
}

}  // namespace clack
