#include "clack/integrate/moreau_midpoint.hpp"

#include "clack/integrate/stages.hpp"

namespace clack {

void MoreauMidpoint::detect(Step& step) const {
  Detection& detection = step.detection;
  const double t_mid = step.start.t + 0.5 * step.h;
  step.newton_iterations = 0;
  step.work = 0.5 * step.h * step.start.v;
  step.system.advance(step.start.q, step.work, step.q_theta);
  detection.map_changed = !step.contacts.has_constant_map() || !step.matrix.is_factorised();
  update_contact_map(step.contacts, t_mid, step.q_theta, detection);
  update_velocities(step.start.v, detection);
  step.contacts.gaps(t_mid, step.q_theta, detection.gap);
  select_active(step.contacts, 0.0, options().activation_tolerance, detection);
  step.w_next = detection.w;
}

void MoreauMidpoint::predict(Step& step) const {
  const double t_mid = step.start.t + 0.5 * step.h;
  if (step.detection.map_changed) step.matrix.forget_columns();
  step.detection.map_changed = false;
  if (!(step.system.is_linear() && step.matrix.is_factorised())) {
    evaluate_mass(step.system, t_mid, step.q_theta, step.M);
    step.matrix_failed = !step.matrix.factorise(step.M);
  }
  step.system.forces(t_mid, step.q_theta, step.start.v, step.end.forces);
  step.end.forces.set_total();
  step.work = step.h * step.end.forces.total;
  step.matrix.solve(step.work, step.v_free);
  step.v_free += step.start.v;
}

void MoreauMidpoint::assemble(Step& step) const {
  step.problem.build(step.contacts, step.detection, step.matrix, step.v_free, step.w_next);
}

void MoreauMidpoint::correct(Step& step) const {
  apply_impulses(step);
  step.work = 0.5 * step.h * step.end.v;
  step.system.advance(step.q_theta, step.work, step.end.q);
  ++step.newton_iterations;
}

void MoreauMidpoint::audit(Step& step) const {
  store_impulses(step);
  step.v_theta = 0.5 * (step.end.v + step.start.v);
  audit_energy(step, step.v_theta, step.end.forces, step.end.forces, 1.0);
}

}  // namespace clack
