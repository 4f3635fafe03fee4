#include "clack/integrate/moreau_jean.hpp"

#include <cmath>

#include "clack/integrate/stages.hpp"

namespace clack {

void MoreauJean::detect(Step& step) const {
  Detection& detection = step.detection;
  detection.map_changed = !step.system.has_constant_contact_map() || !step.matrix.is_factorised();
  update_contact_map(step.system, step.start.t, step.start.q, detection);
  update_velocities(step.start.v, detection);
  detection.gap = step.start.gap;
  select_active(step.system, options().gamma * step.h, options().activation_tolerance, detection);
  if (step.system.has_moving_contacts() && !detection.active.empty()) {
    // The frame of the end of the step, u- keeps that of its start.
    update_contact_map(step.system, step.end.t, step.start.q, detection);
  }
  step.w_next = detection.w;
  start_iteration(step);
}

void MoreauJean::start_iteration(Step& step) const {
  step.newton_iterations = 0;
  step.end.v = step.start.v;
  step.work = step.h * step.start.v;
  step.system.advance(step.start.q, step.work, step.end.q);
  evaluate_forces(step.system, step.end);
}

void MoreauJean::update_mass(Step& step) const {
  const double theta = options().theta;
  step.v_theta = theta * step.end.v + (1 - theta) * step.start.v;
  step.work = step.h * theta * step.v_theta;
  step.system.advance(step.start.q, step.work, step.q_theta);
  step.system.mass(step.start.t + theta * step.h, step.q_theta, step.M);
}

void MoreauJean::update_matrix(Step& step) const {
  if (step.detection.map_changed) step.matrix.forget_columns();
  step.detection.map_changed = false;
  const bool linear = step.system.is_linear();
  if (linear && step.matrix_for_h == step.h) return;
  const double ht = step.h * options().theta;
  if (!linear || step.matrix_for_h == 0) update_mass(step);
  step.system.jacobians(step.end.t, step.end.q, step.end.v, step.K, step.C);
  step.M_hat = step.M + ht * step.C + (ht * ht) * step.K;
  step.matrix_failed = !step.matrix.factorise(step.M_hat);
  step.matrix_for_h = linear ? step.h : 0;
}

void MoreauJean::predict(Step& step) const {
  // The matrix of the first pass serves on while each pass gains a digit.
  const bool slow = step.equation_residual > 0.1 * step.previous_equation_residual;
  if (step.newton_iterations == 0 || (slow && step.newton_iterations > 1)) update_matrix(step);
  const double theta = options().theta;
  step.work = step.end.v - step.start.v;
  step.momentum_residual.noalias() = step.M * step.work;
  step.momentum_residual -= step.h * (theta * step.end.forces.total + (1 - theta) * step.start.forces.total);
  step.matrix.solve(step.momentum_residual, step.v_free);
  step.v_free = step.end.v - step.v_free;
}

void MoreauJean::assemble(Step& step) const {
  step.problem.build(step.system, step.detection, step.matrix, step.v_free, step.w_next, true);
}

void MoreauJean::correct(Step& step) const {
  const double theta = options().theta;
  apply_impulses(step);
  step.v_theta = theta * step.end.v + (1 - theta) * step.start.v;
  step.work = step.h * step.v_theta;
  step.system.advance(step.start.q, step.work, step.end.q);
  evaluate_forces(step.system, step.end);
  ++step.newton_iterations;
  if (step.system.is_linear()) return;
  update_mass(step);
  step.previous_equation_residual = step.newton_iterations > 1 ? step.equation_residual : HUGE_VAL;
  step.equation_residual = equation_residual(step, step.start.forces, step.end.forces, theta);
}

bool MoreauJean::accepted(const Step& step) const {
  return step.system.is_linear() || newton_finished(step, options());
}

void MoreauJean::audit(Step& step) const {
  store_impulses(step);
  audit_energy(step, step.v_theta, step.start.forces, step.end.forces, options().theta);
}

}  // namespace clack
