#include "clack/integrate/statics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/integrate/stages.hpp"

namespace clack {

void Statics::check(const System& system) const {
  for (const Contact& contact : system.contacts()) {
    if (contact.tangents == 0) continue;
    throw InputError(fmt::format(
        "scheme 'statics' knows no friction, but contact '{}' has tangential rows; remove them",
        contact.name));
  }
}

void Statics::update_equilibrium(Step& step) const {
  Detection& detection = step.detection;
  evaluate_forces(step.system, step.end);
  step.system.gaps(step.end.t, step.end.q, detection.gap);
  detection.map_changed = true;
  update_contact_map(step.system, step.end.t, step.end.q, detection);
  // Every candidate takes part: which ones carry load is for the complementarity to say.
  select_active(step.system, 0.0, HUGE_VAL, detection);
  for (std::size_t c = 0; c < detection.row_begin.size(); ++c) {
    step.w_next[detection.row_begin[c]] = detection.gap[c];
  }
}

void Statics::detect(Step& step) const {
  step.newton_iterations = 0;
  step.end.q = step.start.q;
  step.end.v.setZero();
  update_equilibrium(step);
}

void Statics::predict(Step& step) const {
  step.system.jacobians(step.end.t, step.end.q, step.end.v, step.K, step.C);
  step.matrix_failed = !step.matrix.factorise(step.K);
  step.matrix.solve(step.end.forces.total, step.v_free);
}

void Statics::assemble(Step& step) const {
  step.problem.build(step.system, step.detection, step.matrix, step.v_free, step.w_next,
                     {.restitution = false});
}

void Statics::correct(Step& step) const {
  apply_impulses(step);  // end.v holds the displacement of this pass for a moment
  step.v_theta = step.end.v;
  step.end.v.setZero();
  step.q_theta = step.end.q;
  step.system.advance(step.q_theta, step.v_theta, step.end.q);
  ++step.newton_iterations;
  update_equilibrium(step);
  step.work = step.end.forces.total;
  double scale = std::max({step.end.forces.potential.cwiseAbs().maxCoeff(),
                           step.end.forces.external.cwiseAbs().maxCoeff(), 1e-300});
  for (int i = 0; i < step.problem.size(); ++i) {
    step.work += step.problem.r[i] * step.detection.H.col(step.problem.rows()[i]);
  }
  step.previous_equation_residual = step.newton_iterations > 1 ? step.equation_residual : HUGE_VAL;
  step.equation_residual = step.work.cwiseAbs().maxCoeff() / scale;
}

bool Statics::accepted(const Step& step) const {
  return step.system.is_linear() || newton_finished(step, options());
}

void Statics::audit(Step& step) const {
  store_impulses(step);
  for (int row = 0; row < step.u_end.size(); ++row) step.u_end[row] = 0;
  step.energy = {};
  step.end.energies = step.system.energies(step.end.t, step.end.q, step.end.v);
  step.energy.potential = step.end.energies.potential;
}

}  // namespace clack
