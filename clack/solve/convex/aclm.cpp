#include "clack/solve/convex/aclm.hpp"

#include "clack/solve/newton/judged_iterate.hpp"

namespace clack {

Aclm::Aclm(const AclmOptions& options)
    : OuterSolver(options, options.outer == AclmOptions::Outer::newton),
      core_(make_core(options.core)) {}

void Aclm::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  JudgedIterate best(problem, options().verdict, r, u);
  if (stop_here(0, best.measure(), report)) return;
  load(problem, core_->needs_symmetry());
  core_->load(core_matrix(), core_matrix_is_symmetric(), scaled_.cones());
  Vector impulse = scaled_.to_scaled(r), velocity;
  scaled_.velocity(impulse, velocity);
  Vector s = shifts(velocity);
  double measure = best.measure();
  for (int iteration = 0;;) {
    Vector b = constant_term(impulse);
    for (int c = 0; c < scaled_.contacts(); ++c) b[scaled_.offset()[c]] += s[c];
    const CoreReport core = core_->solve(b, core_limits(measure, iteration), impulse);
    note_core(core);
    iteration += std::max(core.iterations, 1);
    scaled_.from_scaled(impulse, r);
    measure = best.judge(r, u);
    if (stop_here(iteration, measure, report)) break;
    note_measure(measure);
    scaled_.velocity(impulse, velocity);
    s = next_point(s, shifts(velocity)).cwiseMax(0.0);
  }
  best.restore(r);
}

}  // namespace clack
