#include "clack/integrate/two_step.hpp"

#include <algorithm>
#include <cmath>

#include "clack/integrate/stages.hpp"

namespace clack {

void TwoStep::initialise(Step& step) const {
  Vector x = step.end.v;
  start_rate(step, x);
  step.memory.add("rate", x);
  step.memory.add("previous_gap", gaps_before(step, step.end, x));
  step.scratch = {Vector::Zero(step.contacts.size()), x};
}

// One step before a state that the rate x has led to.
Vector TwoStep::gaps_before(Step& step, const StatePoint& state, const Vector& x) const {
  Vector gap(step.contacts.size()), q(state.q);
  step.system.advance(state.q, -step.h * x, q);
  step.contacts.gaps(state.t - step.h, q, gap);
  return gap;
}

void TwoStep::change_contacts(Step& step) const {
  const ContactChange& change = step.contacts.change();
  Vector& gap = step.memory[kPreviousGap];
  change.carry_contacts(gap);
  const Vector fresh = gaps_before(step, step.start, step.memory[kRate]);
  for (int c = 0; c < gap.size(); ++c) {
    if (change.source[static_cast<std::size_t>(c)] < 0) gap[c] = fresh[c];
  }
}

void TwoStep::resize(Step& step) const {
  step.scratch[kShift] = Vector::Zero(step.contacts.size());
}

void TwoStep::detect(Step& step) const {
  Detection& detection = step.detection;
  const SchemeMemory& memory = step.memory;
  detect_at_start(step, step.matrix, memory[kRate]);
  if (step.contacts.is_moving()) {
    update_contact_map(step.contacts, step.end.t, step.start.q, detection);
  }
  select_active(step.contacts, 0.0, HUGE_VAL, detection);
  step.w_next = detection.w;
  for (int c = 0; c < detection.gap.size(); ++c) {
    const Contact& contact = step.contacts.list()[c];
    const double e = contact.bilateral ? 0.0 : contact.law.e_n;
    step.scratch[kShift][c] = e * memory[kPreviousGap][c];
  }
  step.scratch[kIterate] = memory[kRate];
  update_position(step);
}

void TwoStep::update_position(Step& step) const {
  step.work = step.h * step.scratch[kIterate];
  step.system.advance(step.start.q, step.work, step.end.q);
  set_velocity(step);
  evaluate_forces(step.system, step.end);
  step.contacts.gaps(step.end.t, step.end.q, step.end.gap);
}

void TwoStep::predict(Step& step) const {
  if (step.detection.map_changed) step.matrix.forget_columns();
  step.detection.map_changed = false;
  const bool linear = step.system.is_linear();
  if (step.newton_iterations == 0 && !(linear && step.matrix_for_h == step.h)) {
    const double h = step.h;
    evaluate_mass(step.system, step.start.t, step.start.q, step.M);
    if (theta_ > 0) {
      evaluate_jacobians(step.system, step.end.t, step.end.q, step.end.v, step.K, step.C);
      step.M_hat.set_sum(step.M, 0.5 * h * theta_, step.C, h * h * theta_, step.K);
    } else {
      step.M_hat = step.M;
    }
    step.matrix_failed = !step.matrix.factorise(step.M_hat);
    step.matrix_for_h = linear ? h : 0;
  }
  step.work = step.scratch[kIterate] - step.memory[kRate];
  step.M.multiply(step.work, step.momentum_residual);
  step.momentum_residual -=
      step.h * (theta_ * step.end.forces.total + (1 - theta_) * step.start.forces.total);
  step.matrix.solve(step.momentum_residual, step.v_free);
  step.v_free = step.scratch[kIterate] - step.v_free;
}

void TwoStep::assemble(Step& step) const {
  set_position_rows(step, step.h, step.scratch[kIterate], &step.scratch[kShift]);
  step.problem.build(step.contacts, step.detection, step.matrix, step.v_free, step.w_next,
                     {.restitution = false});
}

bool TwoStep::one_pass(const Step& step) const {
  return step.system.is_linear() && step.contacts.has_constant_map();
}

void TwoStep::correct(Step& step) const {
  Vector& x = step.scratch[kIterate];
  x = step.v_free;
  step.problem.apply_impulses(step.detection, step.matrix, step.problem.r.data(), x);
  update_position(step);
  ++step.newton_iterations;
  if (one_pass(step)) return;
  step.previous_equation_residual = step.newton_iterations > 1 ? step.equation_residual : HUGE_VAL;
  step.equation_residual = std::max(
      equation_residual(step, step.memory[kRate], x, step.start.forces, step.end.forces, theta_),
      position_residual(step, step.h, x, &step.scratch[kShift]));
}

bool TwoStep::accepted(const Step& step) const {
  return one_pass(step) || newton_finished(step, options());
}

// Tested with the mean of x and x-, whose work is the change of the kinetic energy of x.
void TwoStep::audit(Step& step) const {
  Vector& x = step.scratch[kIterate];
  Vector& previous = step.memory[kRate];
  step.v_theta = 0.5 * (x + previous);
  (void)equation_residual(step, previous, x, step.start.forces, step.end.forces, theta_);
  const double error = step.v_theta.dot(step.work);  // the residual of the equation
  finish_velocity(step);
  store_impulses(step);
  open_audit(step);
  step.work = step.h * step.v_theta;
  add_force_work(step, step.work, step.end.forces, theta_);
  add_force_work(step, step.work, step.start.forces, 1 - theta_);
  add_impulse_work(step, step.v_theta, step.r);
  const double driven =
      0.5 * step.h * (step.end.energies.driving_power + step.start.energies.driving_power);
  close_audit(step, error, driven);
  step.M.multiply(x, step.momentum_residual);
  step.energy.algorithmic = 0.5 * x.dot(step.momentum_residual) - step.energy.kinetic;
  previous = x;
  step.memory[kPreviousGap] = step.start.gap;
}

void SchatzmanPaoli::start_rate(Step& step, Vector& x) const { x = step.end.v; }

void SchatzmanPaoli::set_velocity(Step& step) const {
  step.end.v = 0.5 * (step.scratch[kIterate] + step.memory[kRate]);
}

void CentralDifferences::start_rate(Step& step, Vector& x) const {
  evaluate_mass(step.system, step.end.t, step.end.q, step.M);
  step.matrix_failed = !step.matrix.factorise(step.M);
  step.matrix.solve(step.end.forces.total, x);
  x = step.end.v - 0.5 * step.h * x;
  step.matrix.forget();  // it is that of the steps
}

void CentralDifferences::set_velocity(Step& step) const { step.end.v = step.scratch[kIterate]; }

void CentralDifferences::finish_velocity(Step& step) const {
  // The matrix is the mass of the start of the step; where the mass varies, that of the end.
  if (!step.system.is_linear()) {
    evaluate_mass(step.system, step.end.t, step.end.q, step.M_hat);
    step.matrix_failed = !step.matrix.factorise(step.M_hat) || step.matrix_failed;
  }
  step.matrix.solve(step.end.forces.total, step.work);
  step.end.v += 0.5 * step.h * step.work;
  evaluate_forces(step.system, step.end);
}

}  // namespace clack
