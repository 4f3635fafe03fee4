#include "clack/integrate/projection.hpp"

#include <algorithm>
#include <cmath>

#include "clack/integrate/stages.hpp"

namespace clack {

void MoreauProjection::initialise(Step& step) const {
  // The mass matrix of the projection.
  step.extra.emplace_back(step.system.nv(), step.contacts.rows(), step.M.is_sparse());
}

void MoreauProjection::detect(Step& step) const {
  if (step.phase == kVelocity) return ThetaScheme::detect(step);
  update_projection(step);
  Detection& detection = step.detection;
  detection.active.clear();
  const std::vector<Contact>& contacts = step.contacts.list();
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    if (contacts[c].bilateral || projects(step, c)) detection.active.push_back(c);
  }
}

// H, M and gaps of the end of the step.
void MoreauProjection::update_projection(Step& step) const {
  IterationMatrix& matrix = step.extra[0];
  Detection& detection = step.detection;
  if (!step.contacts.has_constant_map()) {
    detection.map_changed = true;
    update_contact_map(step.contacts, step.end.t, step.end.q, detection);
  }
  if (!(step.system.is_linear() && matrix.is_factorised())) {
    evaluate_mass(step.system, step.end.t, step.end.q, step.M_hat);
    step.matrix_failed = !matrix.factorise(step.M_hat) || step.matrix_failed;
  } else if (!step.contacts.has_constant_map()) {
    matrix.forget_columns();
  }
  for (std::size_t c = 0; c < detection.row_begin.size(); ++c) {
    step.w_next[detection.row_begin[c]] = step.end.gap[static_cast<int>(c)];
  }
}

void MoreauProjection::predict(Step& step) const {
  if (step.phase == kVelocity) return ThetaScheme::predict(step);
  if (step.newton_iterations > 0) update_projection(step);
  step.v_free.setZero();
}

void MoreauProjection::assemble(Step& step) const {
  if (step.phase == kVelocity) return ThetaScheme::assemble(step);
  step.problem.build(step.contacts, step.detection, step.extra[0], step.v_free, step.w_next,
                     {.restitution = false, .friction = false}, step.held);
}

void MoreauProjection::correct(Step& step) const {
  if (step.phase == kVelocity) return ThetaScheme::correct(step);
  step.work.setZero();
  step.problem.apply_impulses(step.detection, step.extra[0], step.problem.r.data(), step.work);
  step.q_theta = step.end.q;
  step.system.advance(step.q_theta, step.work, step.end.q);
  step.contacts.gaps(step.end.t, step.end.q, step.end.gap);
  ++step.newton_iterations;
  double worst = 0;  // [m]
  for (int i = 0; i < step.problem.contacts(); ++i) {
    const int c = step.detection.active[i];
    const bool equality = step.problem.view().cones[i].is_free();
    const double gap = step.end.gap[c];
    worst = std::max(worst, equality ? std::abs(gap) : std::max(0.0, -gap));
  }
  const double length = 1 + step.end.q.cwiseAbs().maxCoeff();
  step.previous_equation_residual = step.newton_iterations > 1 ? step.equation_residual : HUGE_VAL;
  step.equation_residual = worst <= 1e-15 * length ? 0.0 : worst / length;
}

bool MoreauProjection::accepted(const Step& step) const {
  if (step.phase == kVelocity) return ThetaScheme::accepted(step);
  return newton_finished(step, options());
}

void MoreauProjection::keep_velocity_phase(Step& step) const {
  ThetaScheme::audit(step);
  step.contacts.gaps(step.end.t, step.end.q, step.end.gap);
}

bool MoreauProjection::needs_projection(Step& step) const {
  const double round_off = 1e-15 * (1 + step.end.q.cwiseAbs().maxCoeff());
  const std::vector<Contact>& contacts = step.contacts.list();
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    const bool equality = contacts[c].bilateral || (!step.held.empty() && step.held[c]);
    if (equality && !(std::abs(step.end.gap[c]) <= round_off)) return true;
    if (!equality && projects(step, c) && step.end.gap[c] < 0) return true;
  }
  return false;
}

// The works are those of the velocity phase; what the projection does to the energies is the
// scheme's.
void MoreauProjection::audit(Step& step) const {
  if (step.phase == kVelocity) return;
  evaluate_forces(step.system, step.end);
  EnergyAudit& energy = step.energy;
  const double before = energy.kinetic + energy.potential;
  step.end.energies = step.system.energies(step.end.t, step.end.q, step.end.v);
  energy.kinetic = step.end.energies.kinetic;
  energy.potential = step.end.energies.potential;
  energy.numerical += energy.kinetic + energy.potential - before;
  // Those that took part in either phase and mattered, for whoever reads the step.
  step.detection.active.clear();
  const std::vector<Contact>& contacts = step.contacts.list();
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    if (contacts[c].bilateral || step.r[step.detection.row_begin[c]] > 0 ||
        step.end.gap[c] <= options().activation_tolerance) {
      step.detection.active.push_back(c);
    }
  }
}

bool MoreauDirectProjection::next_phase(Step& step) const {
  if (step.phase == kProjection) return false;
  keep_velocity_phase(step);
  if (!needs_projection(step)) return false;
  step.phase = kProjection;
  return true;
}

bool MoreauCombinedProjection::projects(const Step& step, int contact) const {
  return step.marked[contact] != 0;
}

void MoreauCombinedProjection::detect(Step& step) const {
  if (step.phase == kProjection) return MoreauProjection::detect(step);
  detect_at_start(step, step.matrix, step.start.v);
  step.detection.active.clear();
  const std::vector<Contact>& contacts = step.contacts.list();
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    if (contacts[c].bilateral || projects(step, c)) {
      step.detection.active.push_back(c);
    }
  }
  start_iteration(step);
}

// Marks the contacts that the step leaves closed; whether there were any unmarked ones.
bool MoreauCombinedProjection::mark_closed(Step& step) const {
  bool found = false;
  for (int c = 0; c < step.end.gap.size(); ++c) {
    char& marked = step.marked[c];
    if (marked || step.contacts.list()[c].bilateral) continue;
    if (step.end.gap[c] > 0) continue;
    marked = 1;
    found = true;
  }
  return found;
}

bool MoreauCombinedProjection::next_phase(Step& step) const {
  if (step.phase == kVelocity) {
    keep_velocity_phase(step);
    for (std::size_t c = 0; c < step.held.size(); ++c) {
      step.held[c] = step.r[step.detection.row_begin[c]] > 0;
    }
    if (needs_projection(step)) {
      step.phase = kProjection;
      return true;
    }
  }
  if (!mark_closed(step)) return false;
  step.phase = kVelocity;
  return true;
}

void MoreauCombinedProjection::audit(Step& step) const {
  MoreauProjection::audit(step);
  std::fill(step.marked.begin(), step.marked.end(), 0);
  std::fill(step.held.begin(), step.held.end(), 0);
}

}  // namespace clack
