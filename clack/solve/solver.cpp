#include "clack/solve/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <utility>

#include "clack/core/error.hpp"
#include "clack/problem/residual.hpp"

namespace clack {
namespace {

constexpr const char* kRunaway =
    "; the impulses ran away and the velocities do not follow: probably there is no solution";

// Impulses that grow bring the measures down that are divided by them, but not that of velocities.
bool has_run_away(const Residual& residual, double tolerance) {
  return residual.scaled <= tolerance && residual.velocity > std::max(1e-2, 1e3 * tolerance);
}

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace

const OptionTable<SolverOptions>& SolverOptions::table() {
  using Self = SolverOptions;
  static const OptionTable<Self> table = {
      make_option<Self>(
          {"tolerance", OptionRange::above(0), "-",
           "for the measures that decide: `residual_scaled` and `velocity_error`, of a "
           "problem file also `residual`"},
          &Self::tolerance),
      make_option<Self>({"max_iterations", OptionRange::from(1), "-", "sweeps or Newton steps"},
                        &Self::max_iterations),
      make_option<Self>({.name = "time_limit",
                         .range = OptionRange::above(0),
                         .unit = "s",
                         .meaning = "wall clock, for one solve",
                         .otherwise = "none",
                         .may_be_infinite = true},
                        &Self::time_limit),
  };
  return table;
}

void SolverOptions::validate() const { validate_options("solver", table(), *this); }

SolveReport Solver::solve(const ReducedProblem& problem, double* r, double* u) {
  assert(problem.is_consistent());
  assert(problem.size() == 0 || (r != nullptr && u != nullptr && r != u));
  SolveReport report;
  const int m = problem.size();
  if (problem.free_velocity().isZero(0)) {  // nothing moves freely: no impulse is a solution
    std::fill_n(r, m, 0.0);
    std::fill_n(u, m, 0.0);
    report.status = Status::converged;
    report.set({});
    return report;
  }
  start_ = now();
  for (int i = 0; i < m; ++i) {
    if (!std::isfinite(r[i])) r[i] = 0;  // a poisoned warm start is no start
  }
  // Of equations alone no other method finds more: those that contradict each other, as redundant
  // constraints do in the middle of an iteration on positions, have no solution.
  if (bilateral_.bind(problem) &&
      (solve_without_bilateral(problem, r, u, report) || bilateral_.is_all())) {
    report.seconds = elapsed();
    return report;
  }
  report = solve_all_rows(problem, r, u);
  report.seconds = elapsed();
  return report;
}

// The rest is held to a tolerance that is made finer where the verdict on all rows asks for it. False
// where it does not reach that.
bool Solver::solve_without_bilateral(const ReducedProblem& problem, double* r, double* u,
                                     SolveReport& report) {
  constexpr int kMostTries = 3;
  const double usual = options_.tolerance;
  rest_r_.resize(r == nullptr ? 0 : static_cast<std::size_t>(problem.size()));
  rest_u_.resize(rest_r_.size());
  bilateral_.gather(r, rest_r_.data());
  Residual final;
  int iterations = 0;
  for (int k = 0; k < kMostTries; ++k) {
    if (!bilateral_.is_all())
      report = solve_all_rows(bilateral_.rest(), rest_r_.data(), rest_u_.data());
    iterations += report.iterations;
    bilateral_.expand(rest_r_.data(), r);
    yardstick_.bind(problem);
    final = yardstick_.measure(r, u);
    if (final.holds(usual, options_.verdict) || report.status != Status::converged) break;
    options_.tolerance *= std::clamp(0.3 * usual / final.of(options_.verdict), 1e-3, 0.5);
  }
  options_.tolerance = usual;
  report.iterations = iterations;
  const bool solved = final.holds(usual, options_.verdict);
  if (solved) report.status = Status::converged;
  judge_solve(final, options_, report);
  return solved;
}

SolveReport Solver::solve_all_rows(const ReducedProblem& problem, double* r, double* u) {
  SolveReport report;
  yardstick_.bind(problem);
  iterate(problem, r, u, report);
  Residual final = yardstick_.measure(r, u);
  while (!final.holds(options_.tolerance, options_.verdict) &&
         refine(problem, final, r, u, report)) {
    final = yardstick_.measure(r, u);
  }
  judge_solve(final, options_, report);
  return report;
}

// A proof that there is no solution stands whatever the measures say.
void judge_solve(const Residual& final, const SolverOptions& options, SolveReport& report) {
  report.set(final);
  if (report.status == Status::infeasible) return;
  const double error = final.of(options.verdict);
  if (std::isnan(error)) {
    report.status = Status::numerical_failure;
  } else if (error <= options.tolerance) {
    report.status = Status::converged;
  } else {
    const bool open = report.status == Status::converged || report.status == Status::not_run;
    if (open) report.status = Status::stagnated;
    if (has_run_away(final, options.tolerance)) report.note += kRunaway;
  }
}

SolveReport Solver::solve(const ReducedProblem& problem, double* r, double* u, double tolerance) {
  const double usual = std::exchange(options_.tolerance, tolerance);
  SolveReport report = solve(problem, r, u);
  options_.tolerance = usual;
  return report;
}

bool Solver::refine(const ReducedProblem&, const Residual&, double*, double*, SolveReport&) {
  return false;
}

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
