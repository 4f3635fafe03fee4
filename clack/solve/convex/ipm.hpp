// The interior point method (eq:ipm) on Coulomb's problem itself, with De Saxce's shift in the
// Newton equations. It starts inside the cone; a warm start only serves where it is the solution
// already. The problem is not monotone, so steps can vanish: then it starts again from another size
// of r, and reports `stagnated` after the last.
// Reference: Acary, Armand, Nguyen, Shpakovych (2024).
#pragma once

#include "clack/solve/convex/interior_point.hpp"
#include "clack/solve/scaled_problem.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct IpmOptions : SolverOptions {
  int steps_each_start = 60;  // Newton steps before another start is tried
  int starts = 4;

  static const OptionTable<IpmOptions>& table();
  void validate() const;
};

class Ipm final : public Solver {
 public:
  explicit Ipm(const IpmOptions& options = {});
  std::string_view name() const override { return "ipm"; }

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;

  IpmOptions options_;
  ScaledProblem scaled_;
  InteriorPoint method_;
};

}  // namespace clack
