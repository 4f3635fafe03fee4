#include "clack/integrate/statics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "clack/core/error.hpp"
#include "clack/integrate/stages.hpp"

namespace clack {

void Statics::check(const ContactSet& contacts) const {
  for (const Contact& contact : contacts.kinds()) {
    if (contact.tangents == 0) continue;
    throw InputError(fmt::format(
        "scheme 'statics' knows no friction, but contact '{}' has tangential rows; remove them",
        contact.name));
  }
}

void Statics::update_equilibrium(Step& step) const {
  Detection& detection = step.detection;
  evaluate_forces(step.system, step.end);
  step.contacts.gaps(step.end.t, step.end.q, detection.gap);
  detection.map_changed = true;
  update_contact_map(step.contacts, step.end.t, step.end.q, detection);
  // Every candidate takes part: which ones carry load is for the complementarity to say.
  select_active(step.contacts, 0.0, HUGE_VAL, detection);
  for (std::size_t c = 0; c < detection.row_begin.size(); ++c) {
    step.w_next[detection.row_begin[c]] = detection.gap[c];
  }
}

namespace {

// Error of the linear gaps, relative to the displacement, up to which a pass is kept: on a circle,
// a displacement of 4/3 of its radius.
constexpr double kLargestBend = 0.5;
constexpr double kRoundOff = 8 * std::numeric_limits<double>::epsilon();

double length_of(const Vector& q) { return 1 + (q.size() > 0 ? q.cwiseAbs().maxCoeff() : 0.0); }

// Stiffness of constraints over the largest other one: what is unstable but for them is then stable,
// and no shift slows the passes down.
constexpr double kStiffer = 100;

// Stiffness that lets the forces move the system by its own size [N/m]: where there is no other.
double weak_stiffness(double force, const Vector& q) {
  return force > 0 ? force / length_of(q) : 1.0;
}

// What nothing acts on, as the motions of a body across its plane, stays where it is; stiffness taken
// by differences is not quite zero there.
void hold_idle(double stiffness, Matrix& K) {
  constexpr double kIdle = 1e-6;
  for (int i = 0; i < K.rows(); ++i) {
    const double own = std::max(K.row(i).cwiseAbs().maxCoeff(), K.col(i).cwiseAbs().maxCoeff());
    if (own <= kIdle * stiffness) K(i, i) += stiffness;
  }
}

double largest_force(const Forces& forces) {
  return std::max(forces.potential.cwiseAbs().maxCoeff(), forces.external.cwiseAbs().maxCoeff());
}

}  // namespace

void Statics::initialise(Step& step) const {
  step.scratch = {Vector::Zero(step.contacts.rows()), Vector::Zero(2)};
}

void Statics::change_contacts(Step& step) const {
  step.contacts.change().carry_rows(step.scratch[kForces]);
}

void Statics::detect(Step& step) const {
  step.newton_iterations = 0;
  step.end.q = step.start.q;
  step.end.v.setZero();
  update_equilibrium(step);
  step.scratch[kFigures][kScale] = largest_force(step.end.forces);
  step.scratch[kFigures][kShift] = 0;
  step.scratch[kForces] = step.warm[0];
  if (step.warm[0].isZero(0) && !step.contacts.has_constant_map()) estimate_forces(step);
}

// The forces of constraints and closed contacts that balance the others best, where no earlier
// equilibrium tells them: without them a chain of links has no stiffness at all.
void Statics::estimate_forces(Step& step) const {
  std::vector<int> rows;
  const std::vector<Contact>& contacts = step.contacts.list();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double gap = step.detection.gap[static_cast<int>(c)];
    const bool closed = contacts[c].bilateral || gap <= options().activation_tolerance;
    if (closed) rows.push_back(static_cast<int>(c));  // one row per contact
  }
  if (rows.empty()) return;
  const Matrix H = step.detection.H.dense()(Eigen::all, rows);
  const Vector r = H.completeOrthogonalDecomposition().solve(-step.end.forces.total);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double force = r[static_cast<int>(i)];
    const bool bilateral = contacts[static_cast<std::size_t>(rows[i])].bilateral;
    step.scratch[kForces][rows[i]] = bilateral ? force : std::max(0.0, force);
  }
}

// Since H'dq + gap = 0 for constraints, s H (H'dq + gap) may be added to the equations: the
// solution is the same, and the matrix is regular where constraints hold what K does not
// (eq:statics_constraints). Leaves -s H gap in step.work.
void Statics::stiffen_constraints(Step& step) const {
  step.work.setZero();
  const Detection& detection = step.detection;
  const std::vector<Contact>& contacts = step.contacts.list();
  double slope = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!contacts[c].bilateral) continue;
    slope = std::max(slope, detection.H.dense().col(detection.row_begin[c]).squaredNorm());
  }
  if (!(slope > 0)) return;
  const double stiffness =
      std::max(step.K.largest(), weak_stiffness(step.scratch[kFigures][kScale], step.end.q));
  const double s = kStiffer * stiffness / slope;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!contacts[c].bilateral) continue;
    const auto normal = detection.H.dense().col(detection.row_begin[c]);
    step.M_hat.dense().noalias() += s * normal * normal.transpose();
    step.work -= s * detection.gap[static_cast<int>(c)] * normal;
  }
}

// Where gaps are curved, the matrix may be singular or indefinite far from equilibrium; a multiple
// of the identity then makes the pass a step downhill. It is gone where the equilibrium is stable.
bool Statics::factorise(Step& step) const {
  if (step.contacts.has_constant_map()) return step.matrix.factorise(step.M_hat);
  constexpr int kMostShifts = 60;
  Matrix& M_hat = step.M_hat.dense();
  const auto positive = [&] {
    const Matrix symmetric = 0.5 * (M_hat + M_hat.transpose());
    const Vector pivots = Eigen::LDLT<Matrix>(symmetric).vectorD();
    return pivots.minCoeff() > 1e-15 * pivots.maxCoeff();
  };
  double shift = weak_stiffness(step.scratch[kFigures][kScale], step.end.q);
  hold_idle(shift, M_hat);
  M_hat.diagonal().array() += step.scratch[kFigures][kShift];
  for (int i = 0; i < kMostShifts && M_hat.allFinite() && !positive(); ++i) {
    M_hat.diagonal().array() += shift;
    shift *= 3;
  }
  return step.matrix.factorise(step.M_hat);
}

void Statics::predict(Step& step) const {
  evaluate_jacobians(step.system, step.end.t, step.end.q, step.end.v, step.K, step.C);
  step.contacts.add_stiffness(step.end.t, step.end.q, step.scratch[kForces], step.K.dense());
  step.M_hat = step.K;
  stiffen_constraints(step);
  step.matrix_failed = !factorise(step);
  step.work += step.end.forces.total;
  step.matrix.solve(step.work, step.v_free);
}

void Statics::assemble(Step& step) const {
  step.problem.build(step.contacts, step.detection, step.matrix, step.v_free, step.w_next,
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
  const double length = length_of(step.end.q), error = one_pass(step) ? 0.0 : gap_error(step);
  if (!(error <= std::max(kLargestBend * step.v_theta.norm(), 1e-8 * length))) {
    return repeat_shorter(step);
  }
  double& shift = step.scratch[kFigures][kShift];
  shift = shift > weak_stiffness(step.scratch[kFigures][kScale], step.end.q) ? shift / 4 : 0.0;
  step.scratch[kForces].setZero();
  for (int i = 0; i < step.problem.size(); ++i) {
    step.scratch[kForces][step.problem.rows()[i]] = step.problem.r[i];
  }
  step.previous_equation_residual = step.newton_iterations > 1 ? step.equation_residual : HUGE_VAL;
  step.equation_residual =
      std::max(force_residual(step), error <= kRoundOff * length ? 0.0 : error / length);
}

// The pass has left the range in which its linear gaps hold: back, and again with more stiffness.
void Statics::repeat_shorter(Step& step) const {
  step.end.q = step.q_theta;
  update_equilibrium(step);
  double& shift = step.scratch[kFigures][kShift];
  shift = std::max(4 * shift, weak_stiffness(step.scratch[kFigures][kScale], step.end.q));
  step.equation_residual = 1;
}

// |F + H r| over the largest force of the passes so far: at a free equilibrium all forces vanish
// with the residual. 0 within what the round-off of the coordinates makes of it.
double Statics::force_residual(Step& step) const {
  double& scale = step.scratch[kFigures][kScale];
  scale = std::max(scale, largest_force(step.end.forces));
  step.work = step.end.forces.total;
  for (int row = 0; row < step.scratch[kForces].size(); ++row) {
    const double force = step.scratch[kForces][row];
    if (force == 0) continue;
    step.detection.H.add_to(row, force, step.work);
    scale = std::max(scale, std::abs(force) * step.detection.H.largest(row));
  }
  const double worst = step.work.cwiseAbs().maxCoeff();
  const double stiffness = step.K.dense().cwiseAbs().rowwise().sum().maxCoeff();
  if (worst <= kRoundOff * (stiffness * length_of(step.end.q) + scale)) return 0;
  return scale > 0 ? worst / scale : worst;
}

// How far gaps are from what the linear rows said, as a displacement [m].
double Statics::gap_error(const Step& step) const {
  double worst = 0;
  for (int i = 0; i < step.problem.size(); ++i) {  // one row per contact
    const int c = step.detection.active[static_cast<std::size_t>(i)];
    const double slope = step.detection.H.norm(step.problem.rows()[i]);
    const double gap = step.detection.gap[c];
    if (gap == HUGE_VAL) continue;  // out of reach
    const double error = std::abs(gap - step.problem.u[i]) / (slope > 0 ? slope : 1.0);
    if (std::isnan(error)) return error;
    worst = std::max(worst, error);
  }
  return worst;
}

bool Statics::one_pass(const Step& step) const {
  return step.system.is_linear() && step.contacts.has_constant_map();
}

bool Statics::accepted(const Step& step) const {
  return one_pass(step) || newton_finished(step, options());
}

void Statics::audit(Step& step) const {
  store_impulses(step);
  for (int row = 0; row < step.u_end.size(); ++row) step.u_end[row] = 0;
  step.energy = {};
  step.end.energies = step.system.energies(step.end.t, step.end.q, step.end.v);
  step.energy.potential = step.end.energies.potential;
}

}  // namespace clack
