#include "clack/integrate/theta_scheme.hpp"

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"
#include "clack/integrate/stages.hpp"

namespace clack {

std::string ThetaScheme::law_fault() const {
  if (level_ == ContactLevel::position) return Scheme::law_fault();
  if (weights_.position > 0) return {};
  return "its positions do not depend on the velocities of the end of the step";
}

void ThetaScheme::detect(Step& step) const {
  detect_at_start(step, step.matrix, step.start.v);
  const bool all = level_ == ContactLevel::position;  // which carry load is for the law to say
  select_active(step.contacts, options().gamma * step.h,
                all ? HUGE_VAL : options().activation_tolerance, step.detection);
  start_iteration(step);
}

void ThetaScheme::start_iteration(Step& step) const {
  Detection& detection = step.detection;
  if (step.contacts.is_moving() && !detection.active.empty()) {
    // The frame of the end of the step, u- keeps that of its start.
    update_contact_map(step.contacts, step.end.t, step.start.q, detection);
  }
  step.w_next = detection.w;
  step.end.v = step.start.v;
  update_position(step);
}

void ThetaScheme::update_position(Step& step) const {
  const double b = weights_.position;
  step.v_theta = b * step.end.v + (1 - b) * step.start.v;
  step.work = step.h * step.v_theta;
  step.system.advance(step.start.q, step.work, step.end.q);
  evaluate_forces(step.system, step.end);
  if (level_ == ContactLevel::position) step.contacts.gaps(step.end.t, step.end.q, step.end.gap);
}

void ThetaScheme::update_mass(Step& step) const {
  const double m = weights_.mass;
  step.work = step.h * m * step.v_theta;
  step.system.advance(step.start.q, step.work, step.q_theta);
  evaluate_mass(step.system, step.start.t + m * step.h, step.q_theta, step.M);
}

void ThetaScheme::update_matrix(Step& step) const {
  if (step.detection.map_changed) step.matrix.forget_columns();
  step.detection.map_changed = false;
  const bool linear = step.system.is_linear();
  if (linear && step.matrix_for_h == step.h) return;
  const double ha = step.h * weights_.force, hb = step.h * weights_.position;
  if (!linear || step.matrix_for_h == 0) update_mass(step);
  if (ha > 0) {
    evaluate_jacobians(step.system, step.end.t, step.end.q, step.end.v, step.K, step.C);
    step.M_hat.set_sum(step.M, ha, step.C, ha * hb, step.K);
  } else {
    step.M_hat = step.M;
  }
  step.matrix_failed = !step.matrix.factorise(step.M_hat);
  step.matrix_for_h = linear ? step.h : 0;
}

void ThetaScheme::predict(Step& step) const {
  // The matrix of the first pass serves on while each pass gains a digit.
  const bool slow = step.equation_residual > 0.1 * step.previous_equation_residual;
  if (step.newton_iterations == 0 || (slow && step.newton_iterations > 1)) update_matrix(step);
  const double a = weights_.force;
  step.work = step.end.v - step.start.v;
  step.M.multiply(step.work, step.momentum_residual);
  step.momentum_residual -=
      step.h * (a * step.end.forces.total + (1 - a) * step.start.forces.total);
  step.matrix.solve(step.momentum_residual, step.v_free);
  step.v_free = step.end.v - step.v_free;
}

void ThetaScheme::assemble(Step& step) const {
  const bool position = level_ == ContactLevel::position;
  if (position) set_position_rows(step, step.h * weights_.position, step.end.v, nullptr);
  step.problem.build(step.contacts, step.detection, step.matrix, step.v_free, step.w_next,
                     {.restitution = !position});
}

void ThetaScheme::correct(Step& step) const {
  apply_impulses(step);
  update_position(step);
  ++step.newton_iterations;
  if (one_pass(step)) return;
  update_mass(step);
  step.previous_equation_residual = step.newton_iterations > 1 ? step.equation_residual : HUGE_VAL;
  step.equation_residual =
      equation_residual(step, step.start.forces, step.end.forces, weights_.force);
  if (level_ == ContactLevel::velocity) return;
  step.equation_residual =
      std::max(step.equation_residual,
               position_residual(step, step.h * weights_.position, step.end.v, nullptr));
}

bool ThetaScheme::one_pass(const Step& step) const {
  return step.system.is_linear() &&
         (level_ == ContactLevel::velocity || step.contacts.has_constant_map());
}

bool ThetaScheme::accepted(const Step& step) const {
  return one_pass(step) || newton_finished(step, options());
}

void ThetaScheme::audit(Step& step) const {
  store_impulses(step);
  audit_energy(step, step.v_theta, step.start.forces, step.end.forces, weights_.force);
}

void ThetaXi::check(const ContactSet& contacts) const {
  if (!(options().theta > 0)) {
    throw InputError(
        "scheme 'theta-xi' needs theta > 0: contact acts on the position of the end of the step");
  }
  refuse_restitution(contacts, name());
}

}  // namespace clack
