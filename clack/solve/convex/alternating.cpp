#include "clack/solve/convex/alternating.hpp"

#include <algorithm>

#include "clack/solve/newton/judged_iterate.hpp"

namespace clack {
namespace {

// r_N of each contact, 0 for bilateral ones.
Vector normal_parts(const ScaledProblem& problem, const Vector& r) {
  Vector normal = Vector::Zero(problem.contacts());
  for (int c = 0; c < problem.contacts(); ++c) {
    if (!problem.cones()[c].is_free()) normal[c] = std::max(0.0, r[problem.offset()[c]]);
  }
  return normal;
}

}  // namespace

Tresca::Tresca(const OuterOptions& options) : OuterSolver(options) {}

void Tresca::iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) {
  JudgedIterate best(problem, options().verdict, r, u);
  if (stop_here(0, best.measure(), report)) return;
  load(problem, core_.needs_symmetry());
  core_.load(core_matrix(), true, scaled_.cones());
  CylinderSet set(scaled_.cones(), scaled_.offset());
  Vector impulse = scaled_.to_scaled(r), theta = normal_parts(scaled_, impulse), clipped, bounds;
  double measure = best.measure();
  for (int iteration = 0;;) {
    set.set(theta, CylinderSet::Frozen::nothing, nullptr);
    const CoreReport core =
        core_.minimise(constant_term(impulse), set, core_limits(measure, iteration), impulse);
    note_core(core);
    iteration += std::max(core.iterations, 1);
    bounds = normal_parts(scaled_, impulse);
    clipped = impulse;  // judged is an impulse inside Coulomb's cone
    set.set(bounds, CylinderSet::Frozen::nothing, nullptr);
    set.project(clipped);
    scaled_.from_scaled(clipped, r);
    measure = best.judge(r, u);
    if (stop_here(iteration, measure, report)) break;
    note_measure(measure);
    theta = next_point(theta, bounds).cwiseMax(0.0);
  }
  best.restore(r);
}

Panagiotopoulos::Panagiotopoulos(const OuterOptions& options) : OuterSolver(options) {}

void Panagiotopoulos::iterate(const ReducedProblem& problem, double* r, double* u,
                              SolveReport& report) {
  JudgedIterate best(problem, options().verdict, r, u);
  if (stop_here(0, best.measure(), report)) return;
  load(problem, core_.needs_symmetry());
  core_.load(core_matrix(), true, scaled_.cones());
  CylinderSet set(scaled_.cones(), scaled_.offset());
  Vector impulse = scaled_.to_scaled(r), theta, fixed, before;
  double measure = best.measure();
  for (int iteration = 0;;) {
    before = fixed = impulse;
    theta = normal_parts(scaled_, impulse);
    set.set(theta, CylinderSet::Frozen::tangential, &fixed);
    const CoreReport normal =
        core_.minimise(constant_term(impulse), set, core_limits(measure, iteration), impulse);
    fixed = impulse;
    theta = normal_parts(scaled_, impulse);
    set.set(theta, CylinderSet::Frozen::normal, &fixed);
    const CoreReport tangential =
        core_.minimise(constant_term(impulse), set, core_limits(measure, iteration), impulse);
    note_core({normal.iterations + tangential.iterations});
    iteration += std::max(normal.iterations + tangential.iterations, 1);
    scaled_.from_scaled(impulse, r);
    measure = best.judge(r, u);
    if (stop_here(iteration, measure, report)) break;
    note_measure(measure);
    impulse = next_point(before, impulse);
  }
  best.restore(r);
}

}  // namespace clack
