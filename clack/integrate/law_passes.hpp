// The passes over the laws of contacts within one solve (eq:law_passes).
//
// A law that depends on the solution states its blocks for the last one, the problem is solved, and
// the law is asked again, until the impulses solve the problem as the law states it now: the same
// yardstick, so that no law is ever solved for data of the pass before.
#pragma once

#include "clack/problem/residual.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

// `Problem` has stages(), iterate(), state(stage, pass), solve(), residual(), end_stage().
template <class Problem>
SolveReport solve_with_laws(Problem& problem, double tolerance, int first_pass) {
  constexpr int kMaxPasses = 200;
  SolveReport report, verdict;
  int iterations = 0;
  double seconds = 0;
  for (int stage = 0; stage < problem.stages(); ++stage) {
    for (int pass = 0;; ++pass) {
      problem.state(stage, first_pass + pass);
      if (pass > 0) {
        const Residual residual = problem.residual();
        report.residual = residual.plain;
        report.residual_scaled = residual.scaled;
        if (residual.holds(tolerance)) break;
        if (pass == kMaxPasses) {
          report.status = Status::iteration_limit;
          report.note = "the laws of the contacts did not settle";
          break;
        }
      }
      report = problem.solve();
      iterations += report.iterations;
      seconds += report.seconds;
      if (!problem.iterate()) break;
    }
    problem.end_stage();
    // A stage that failed is not made good by the next one.
    if (stage == 0 || verdict.status == Status::converged) verdict = report;
  }
  verdict.iterations = iterations;
  verdict.seconds = seconds;
  return verdict;
}

}  // namespace clack
