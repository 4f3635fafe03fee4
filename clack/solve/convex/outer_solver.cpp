#include "clack/solve/convex/outer_solver.hpp"

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"

namespace clack {

const OptionTable<OuterOptions>& OuterOptions::table() {
  using Self = OuterOptions;
  static const OptionTable<Self> table = {
      make_option<Self>(
          {"memory",
           {0, 50},
           "-",
           "differences that Anderson's acceleration of the outer loop keeps; 0: none"},
          &Self::memory),
      make_option<Self>({"accuracy", OptionRange::inside(0, 1), "-",
                         "tolerance of the convex problem over the last residual"},
                        &Self::accuracy),
      make_option<Self>(
          {"core_iterations", OptionRange::from(1), "-", "at most, for one convex problem"},
          &Self::core_iterations),
  };
  return table;
}

void OuterOptions::validate() const {
  SolverOptions::validate();
  validate_options("convex solvers", table(), *this);
}

OuterSolver::OuterSolver(const OuterOptions& options, bool accelerated)
    : Solver(options), options_(options), acceleration_(accelerated ? options.memory : 0) {
  options.validate();
}

void OuterSolver::load(const ReducedProblem& problem, bool needs_symmetry) {
  scaled_.load(problem);
  split_ = needs_symmetry && !scaled_.is_symmetric();
  if (split_) symmetric_ = scaled_.make_symmetric_part();
  accuracy_ = options_.accuracy;
  lowest_ = HUGE_VAL;
  stalled_ = manner_ = 0;
  patience_ = 12;
  acceleration_.clear();
}

Vector OuterSolver::constant_term(const Vector& r) const {
  if (!split_) return scaled_.u_free();
  return scaled_.u_free() + multiply(scaled_.W(), r) - multiply(symmetric_, r);
}

Vector OuterSolver::shifts(const Vector& u) const {
  Vector s(scaled_.contacts());
  for (int c = 0; c < scaled_.contacts(); ++c) {
    s[c] = scaled_.cones()[c].shift(u.data() + scaled_.offset()[c]);
  }
  return s;
}

CoreLimits OuterSolver::core_limits(double last_measure, int iterations_used) const {
  CoreLimits limits;
  limits.tolerance = std::clamp(accuracy_ * last_measure, 0.02 * options().tolerance, 1e-3);
  limits.max_iterations =
      std::max(1, std::min(options_.core_iterations, options().max_iterations - iterations_used));
  limits.out_of_time = [this] { return elapsed() > options().time_limit; };
  return limits;
}

void OuterSolver::note_core(const CoreReport& report) {
  if (report.iterations == 0) accuracy_ *= 0.1;
}

void OuterSolver::note_measure(double measure) {
  constexpr int kManners = 4;
  if (measure < 0.9 * lowest_) {
    lowest_ = measure;
    stalled_ = 0;
  } else if (++stalled_ >= patience_) {
    stalled_ = 0;
    manner_ = (manner_ + 1) % kManners;
    if (manner_ == 0) patience_ *= 2;
    acceleration_.clear();
  }
}

Vector OuterSolver::next_point(const Vector& s, const Vector& image) {
  if (manner_ == 0) return acceleration_.next(s, image);
  const double length = manner_ == 1 ? 1.0 : manner_ == 2 ? 0.5 : 0.25;
  return s + length * (image - s);
}

}  // namespace clack
