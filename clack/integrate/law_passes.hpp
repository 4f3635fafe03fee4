// The passes over the laws of contacts within one solve (eq:law_passes).
//
// A law that depends on the solution states its blocks for the last one, the problem is solved, and
// the law is asked again, until the impulses solve the problem as the law states it now: the same
// yardstick, so that no law is ever solved for data of the pass before.
//
// A pass takes a relaxed step to the solution (eq:pass_share): the full one unless the passes
// oscillate. The relaxation does not matter to the yardstick: it is the law at the
// impulses that were reached, whole or not, which they must obey.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "clack/assemble/contact_laws.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

// How much of its way a pass goes.
class PassShare {
 public:
  // `from` and `to`: velocities at the contacts before and after the whole way.
  double next(std::span<const double> from, std::span<const double> to);

 private:
  int passes_ = 0;
  double share_ = 1;
  std::vector<double> way_;  // of the pass before
  double square_ = 0;
};

// y after this fraction of the step from `start`.
inline void shorten(const std::vector<double>& start, double share, std::vector<double>& y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = start[i] + share * (y[i] - start[i]);
}

// What a solve within the passes is held to. Where they do not settle soon it gets finer from pass
// to pass: its error must not pass for a change of the laws, whose lines may be a hundred times
// steeper or flatter than they are stated. Not below round-off.
inline double pass_tolerance(double tolerance, int pass) {
  constexpr int kSoon = 8;
  constexpr double kFinest = 1e-2, kRoundOff = 1e-13;
  const double finer = std::max(kFinest, std::ldexp(1.0, std::min(kSoon - pass, 0)));
  return std::min(tolerance, std::max(finer * tolerance, kRoundOff));
}

// Which laws are not obeyed, and by how many contacts: those with more than the mean of the
// residual whose law depends on the solution. y and x as compute_residual has left them; one owner
// for each cone.
std::string describe_unsettled(const ReducedProblem& problem, const double* y, const double* x,
                               const std::vector<BlockOwner>& owners);

// Laws on rows as solve_with_laws sees them; `solve_rows(tolerance)` solves the problem of the rows.
template <class SolveRows>
struct LawProblem {
  ContactLaws& laws;
  LawRows& rows;
  SolveRows solve_rows;
  std::vector<double> start = {};  // multipliers before the solve

  int stages() const { return laws.stages(); }
  bool iterate() const { return laws.iterate(); }
  void state(int stage, int pass) { laws.state(rows, stage, pass); }
  SolveReport solve(double tolerance) {
    if (iterate()) start = rows.y;
    SolveReport report = solve_rows(tolerance);
    laws.take_solution(rows);
    return report;
  }
  void go(double share) {
    shorten(start, share, rows.y);
    laws.take_solution(rows);
  }
  void velocities(std::vector<double>& values) { laws.velocities(values); }
  Residual residual() { return rows.residual(); }
  std::string unsettled() {
    return describe_unsettled(rows.view(), rows.y.data(), rows.x.data(), rows.owners);
  }
  void end_stage() { laws.end_stage(); }
};
template <class SolveRows>
LawProblem(ContactLaws&, LawRows&, SolveRows) -> LawProblem<SolveRows>;

// `Problem` has stages(), iterate(), state(stage, pass), solve(tolerance), go(share), residual(),
// unsettled(), end_stage(), and velocities(values): those that its laws depend on. solve() goes all
// the way to the solution from where state() found the impulses, go(share) to this share of it.
template <class Problem>
SolveReport solve_with_laws(Problem& problem, double tolerance, int first_pass) {
  constexpr int kMaxPasses = 200;
  SolveReport report, verdict;
  int iterations = 0;
  double seconds = 0;
  std::vector<double> before, after;
  for (int stage = 0; stage < problem.stages(); ++stage) {
    PassShare length;
    for (int pass = 0;; ++pass) {
      problem.state(stage, first_pass + pass);
      if (pass > 0) {
        const Residual residual = problem.residual();
        report.set(residual);
        if (residual.holds(tolerance, Verdict::unit_free)) {
          report.status = Status::converged;  // though the last solve may have missed its own aim
          break;
        }
        if (pass == kMaxPasses) {
          report.status = Status::iteration_limit;
          report.note = "the laws of the contacts did not settle: " + problem.unsettled();
          break;
        }
        problem.velocities(before);
      }
      report = problem.solve(pass_tolerance(tolerance, pass));
      iterations += report.iterations;
      seconds += report.seconds;
      if (!problem.iterate()) break;
      if (pass == 0) continue;  // from a guess that belongs to no velocities
      problem.velocities(after);
      const double share = length.next(before, after);
      if (share < 1) problem.go(share);
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
