// A problem of a test given to a solver by name.
#pragma once

#include <string_view>

#include "clack/solve/solver.hpp"
#include "tests/solve/random_problem.hpp"

namespace clack {

struct SolveOutcome {
  SolveReport report;
  Vector r, u;
};

inline SolveOutcome solve_problem(std::string_view name, OwnedProblem& problem, double tolerance,
                                  const OptionSet& own = {}, int max_iterations = 200000) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.time_limit = 20;
  SolveOutcome outcome;
  outcome.r = outcome.u = Vector::Zero(problem.W.rows());
  outcome.report =
      make_solver(name, options, own)->solve(problem.view(), outcome.r.data(), outcome.u.data());
  return outcome;
}

}  // namespace clack
