#include "clack/integrate/rattle.hpp"

#include <algorithm>
#include <cmath>

#include "clack/integrate/stages.hpp"

namespace clack {
namespace {

// The contact map of the end of the step, beside that of its start.
struct EndMap final : SchemeData {
  explicit EndMap(const ContactSet& contacts) : detection(contacts) {}
  Detection detection;
};

Detection& end_map(Step& step) { return static_cast<EndMap&>(*step.data).detection; }

// What the slip of a row has beyond H(q)'v: half of the change of H, and the mean of w.
double mean_offset(const Step& step, int row, const Vector& v) {
  const Detection &start = step.detection, &end = static_cast<const EndMap&>(*step.data).detection;
  return 0.5 * (end.H.dot(row, v) - start.H.dot(row, v) + start.w[row] + end.w[row]);
}

}  // namespace

void Rattle::initialise(Step& step) const {
  step.extra.emplace_back(step.system.nv(), step.contacts.rows(), step.M.is_sparse());  // M(q+)
  step.data = std::make_unique<EndMap>(step.contacts);
  step.scratch = {step.end.v, step.r, step.end.v};
}

void Rattle::resize(Step& step) const {
  end_map(step).resize(step.contacts);
  step.scratch[kFirst] = step.r;
}

void Rattle::detect(Step& step) const {
  if (step.phase == kPosition) {
    detect_position(step);
  } else {
    detect_velocity(step);
  }
}

void Rattle::detect_position(Step& step) const {
  detect_at_start(step, step.matrix, step.start.v);
  select_active(step.contacts, 0.0, HUGE_VAL, step.detection);
  step.w_next = step.detection.w;
  step.scratch[kHalf] = step.start.v;
  move(step);
}

void Rattle::detect_velocity(Step& step) const {
  Detection& detection = step.detection;
  update_contact_map(step.contacts, step.end.t, step.end.q, detection);
  step.w_next = detection.w;
  detection.active.clear();
  for (int c = 0; c < detection.gap.size(); ++c) {
    const double loaded = step.scratch[kFirst][detection.row_begin[c]];
    if (step.contacts.list()[c].bilateral || loaded > 0 ||
        step.end.gap[c] <= options().activation_tolerance) {
      detection.active.push_back(c);
    }
  }
}

// q+, and the forces at (t, q, v_h) of stage 1.
void Rattle::move(Step& step) const {
  step.work = step.h * step.scratch[kHalf];
  step.system.advance(step.start.q, step.work, step.end.q);
  step.contacts.gaps(step.end.t, step.end.q, step.end.gap);
  update_contact_map(step.contacts, step.end.t, step.end.q, end_map(step));
  if (step.contacts.has_constant_map()) end_map(step).map_changed = false;
  step.system.forces(step.start.t, step.start.q, step.scratch[kHalf], step.end.forces);
  step.end.forces.set_total();
}

// The tangential rows of stage 1 linear about the iterate (eq:rattle_slip).
void Rattle::set_slip_rows(Step& step) const {
  for (int c : step.detection.active) {
    const int begin = step.detection.row_begin[c];
    for (int row = begin + 1; row < begin + step.contacts.list()[c].dim(); ++row) {
      step.w_next[row] = mean_offset(step, row, step.scratch[kHalf]);
    }
  }
}

// How far these rows are from what the velocity that they led to makes of them, relative to it.
double Rattle::slip_residual(const Step& step) const {
  const Vector& half = step.scratch[kHalf];
  double worst = 0, size = 0;
  for (int c : step.detection.active) {
    const int begin = step.detection.row_begin[c];
    for (int row = begin + 1; row < begin + step.contacts.list()[c].dim(); ++row) {
      worst = std::max(worst, std::abs(mean_offset(step, row, half) - step.w_next[row]));
      size = std::max(size, step.detection.H.abs_dot(row, half) + std::abs(step.detection.w[row]));
    }
  }
  return size > 0 ? worst / size : worst;
}

void Rattle::predict(Step& step) const {
  if (step.phase == kPosition) {
    predict_position(step);
  } else {
    predict_velocity(step);
  }
}

void Rattle::predict_position(Step& step) const {
  const bool linear = step.system.is_linear();
  if (step.newton_iterations == 0) {
    if (!step.contacts.has_constant_map()) step.matrix.forget_columns();
    if (!(linear && step.matrix_for_h == step.h)) {
      evaluate_mass(step.system, step.start.t, step.start.q, step.M);
      evaluate_jacobians(step.system, step.start.t, step.start.q, step.start.v, step.K, step.C);
      step.M_hat.set_sum(step.M, 0.5 * step.h, step.C, 0, step.K);
      step.matrix_failed = !step.matrix.factorise(step.M_hat);
      step.matrix_for_h = linear ? step.h : 0;
    }
  }
  step.work = step.scratch[kHalf] - step.start.v;
  step.M.multiply(step.work, step.momentum_residual);
  step.momentum_residual -= 0.5 * step.h * step.end.forces.total;
  step.matrix.solve(step.momentum_residual, step.v_free);
  step.v_free = step.scratch[kHalf] - step.v_free;
}

void Rattle::predict_velocity(Step& step) const {
  IterationMatrix& matrix = step.extra[0];
  if (!step.contacts.has_constant_map()) matrix.forget_columns();
  if (!(step.system.is_linear() && matrix.is_factorised())) {
    evaluate_mass(step.system, step.end.t, step.end.q, step.M_hat);
    step.matrix_failed = !matrix.factorise(step.M_hat) || step.matrix_failed;
  }
  step.system.forces(step.end.t, step.end.q, step.scratch[kHalf], step.end.forces);
  step.end.forces.set_total();
  step.work = 0.5 * step.h * step.end.forces.total;
  for (int row = 0; row < step.scratch[kFirst].size(); ++row) {
    const double first = step.scratch[kFirst][row];
    if (first != 0) step.detection.H.add_to(row, -first, step.work);
  }
  matrix.solve(step.work, step.v_free);
  step.v_free += step.scratch[kHalf];
}

void Rattle::assemble(Step& step) const {
  if (step.phase == kPosition) {
    set_position_rows(step, step.h, step.scratch[kHalf], nullptr);
    set_slip_rows(step);
    step.problem.build(step.contacts, step.detection, step.matrix, step.v_free, step.w_next,
                       {.restitution = false});
  } else {
    step.problem.build(step.contacts, step.detection, step.extra[0], step.v_free, step.w_next);
  }
}

void Rattle::correct(Step& step) const {
  ++step.newton_iterations;
  if (step.phase == kVelocity) {
    step.end.v = step.v_free;
    step.problem.apply_impulses(step.detection, step.extra[0], step.problem.r.data(), step.end.v);
    return;
  }
  Vector& half = step.scratch[kHalf];
  half = step.v_free;
  step.problem.apply_impulses(step.detection, step.matrix, step.problem.r.data(), half);
  move(step);
  if (one_pass(step)) return;
  step.previous_equation_residual = step.newton_iterations > 1 ? step.equation_residual : HUGE_VAL;
  // Stage 1 is an equation over half a step, all of its force at v_h.
  const double h = step.h;
  step.h = 0.5 * h;
  const double equation =
      equation_residual(step, step.start.v, half, step.end.forces, step.end.forces, 1.0);
  step.h = h;
  step.equation_residual =
      std::max({equation, position_residual(step, h, half, nullptr), slip_residual(step)});
}

bool Rattle::one_pass(const Step& step) const {
  return step.phase == kVelocity || (step.system.is_linear() && step.contacts.has_constant_map());
}

bool Rattle::accepted(const Step& step) const {
  return one_pass(step) || newton_finished(step, options());
}

bool Rattle::next_phase(Step& step) const {
  if (step.phase == kVelocity) return false;
  Vector& first = step.scratch[kFirst];
  first.setZero();
  for (int i = 0; i < step.problem.size(); ++i) first[step.problem.rows()[i]] = step.problem.r[i];
  // What is left of the equation of stage 1, for the audit.
  contact_force(step, step.problem.r.data(), step.work);
  step.momentum_residual = step.scratch[kHalf] - step.start.v;
  step.M.multiply(step.momentum_residual, step.scratch[kRest]);
  step.scratch[kRest] -= 0.5 * step.h * step.end.forces.total + step.work;
  step.phase = kVelocity;
  return true;
}

// The forces of the two halves work on the mean velocity, the whole impulse too.
void Rattle::audit(Step& step) const {
  store_impulses(step);
  step.v_theta = 0.5 * (step.start.v + step.end.v);
  const SystemMatrix& M = step.system.is_linear() ? step.M : step.M_hat;
  const Vector &half = step.scratch[kHalf], &first = step.scratch[kFirst];
  Vector& rest = step.scratch[kRest];
  step.work = step.end.v - half;
  M.add_product(1, step.work, rest);
  rest -= 0.5 * step.h * step.end.forces.total;
  for (int row = 0; row < first.size(); ++row) {
    if (step.r[row] != first[row]) step.detection.H.add_to(row, first[row] - step.r[row], rest);
  }
  open_audit(step);
  step.work = step.h * step.v_theta;
  add_force_work(step, step.work, step.end.forces, 0.5);
  step.system.forces(step.start.t, step.start.q, half, step.end.forces);
  add_force_work(step, step.work, step.end.forces, 0.5);
  add_impulse_work(step, step.v_theta, step.r);
  const double driven =
      0.5 * step.h * (step.end.energies.driving_power + step.start.energies.driving_power);
  close_audit(step, step.v_theta.dot(rest), driven);
  evaluate_forces(step.system, step.end);
}

}  // namespace clack
