// What the solvers with a convex problem inside an outer loop share: the scaled problem, the part
// of W that the convex problem cannot hold, and limits handed to the core.
#pragma once

#include "clack/solve/anderson.hpp"
#include "clack/solve/convex/core_problem.hpp"
#include "clack/solve/scaled_problem.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct OuterOptions : SolverOptions {
  int memory = 5;              // differences kept (eq:anderson_outer); 0: no acceleration
  double accuracy = 0.05;      // tolerance of the core relative to the last residual
  int core_iterations = 2000;  // at most, in one call of the core

  static const OptionTable<OuterOptions>& table();
  void validate() const;
};

class OuterSolver : public Solver {
 protected:
  explicit OuterSolver(const OuterOptions& options, bool accelerated = true);

  void load(const ReducedProblem& problem, bool needs_symmetry);
  // W^, or its symmetric part where that was asked for and differs.
  const BlockSparse& core_matrix() const { return split_ ? symmetric_ : scaled_.W(); }
  bool core_matrix_is_symmetric() const { return split_ || scaled_.is_symmetric(); }
  // u_free^ + (W^ - core matrix) r: the skew part lags, and at a fixed point nothing is neglected.
  Vector constant_term(const Vector& r) const;
  // De Saxce's shift, one value a contact.
  Vector shifts(const Vector& u) const;
  CoreLimits core_limits(double last_measure, int iterations_used) const;
  // After a call of the core that did nothing its tolerance was too loose.
  void note_core(const CoreReport& report);
  // Counts residuals that do not fall. After several the outer loop changes its manner:
  // accelerated, plain, with steps of 1/2 and 1/4, and from the start again with more patience.
  void note_measure(double measure);
  // The next point of the outer fixed point s = F(s) from s and F(s).
  Vector next_point(const Vector& s, const Vector& image);

  ScaledProblem scaled_;

 private:
  OuterOptions options_;
  BlockSparse symmetric_;
  bool split_ = false;
  double accuracy_ = 1, lowest_ = 0;
  int stalled_ = 0, manner_ = 0, patience_ = 0;
  Anderson acceleration_;
};

}  // namespace clack
