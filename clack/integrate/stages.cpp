#include "clack/integrate/stages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clack {

void evaluate_forces(const System& system, StatePoint& point) {
  system.forces(point.t, point.q, point.v, point.forces);
  point.forces.set_total();
}

void detect_at_start(Step& step, const IterationMatrix& matrix, const Vector& v) {
  Detection& detection = step.detection;
  detection.map_changed = !step.contacts.has_constant_map() || !matrix.is_factorised();
  update_contact_map(step.contacts, step.start.t, step.start.q, detection);
  update_velocities(v, detection);
  detection.gap = step.start.gap;
}

void apply_impulses(Step& step) {
  step.end.v = step.v_free;
  step.problem.apply_impulses(step.detection, step.matrix, step.problem.r.data(), step.end.v);
}

void store_impulses(Step& step) {
  step.r.setZero();
  const std::vector<int>& rows = step.problem.rows();
  for (int i = 0; i < step.problem.size(); ++i) {
    const int row = rows[i];
    step.r[row] = step.problem.r[i];
    step.u_end[row] = step.detection.H.dot(row, step.end.v) + step.detection.w[row];
  }
}

void contact_force(const Step& step, const double* s, Vector& out) {
  out.setZero();
  for (int i = 0; i < step.problem.size(); ++i) {
    if (s[i] != 0) step.detection.H.add_to(step.problem.rows()[i], s[i], out);
  }
}

namespace {

// (gap + shift)/scale of a contact at the end of the step.
double position_rate(const Step& step, int c, double scale, const Vector* shift) {
  return (step.end.gap[c] + (shift ? (*shift)[c] : 0.0)) / scale;
}

}  // namespace

void set_position_rows(Step& step, double scale, const Vector& x, const Vector* shift) {
  for (int c : step.detection.active) {
    const int row = step.detection.row_begin[c];
    step.w_next[row] = position_rate(step, c, scale, shift) - step.detection.H.dot(row, x);
  }
}

double position_residual(const Step& step, double scale, const Vector& x, const Vector* shift) {
  double worst = 0, size = 0;
  const double length = 1 + (step.end.q.size() > 0 ? step.end.q.cwiseAbs().maxCoeff() : 0.0);
  for (int c : step.detection.active) {
    const int row = step.detection.row_begin[c];
    const double linear = step.detection.H.dot(row, x) + step.w_next[row];
    worst = std::max(worst, std::abs(position_rate(step, c, scale, shift) - linear));
    size = std::max(size, step.detection.H.abs_dot(row, x) + std::abs(step.detection.w[row]));
  }
  // The gap itself is rounded: no iteration can do better.
  if (worst <= 16 * std::numeric_limits<double>::epsilon() * length / scale) return 0;
  return size > 0 ? worst / size : worst;
}

namespace {

// Round-off of M (v_end - v_start), which no iteration can remove: it is relative to the
// velocities, not to their difference, and all that is left where the forces vanish.
double inertia_round_off(const Step& step, const Vector& v_start, const Vector& v_end) {
  const double worst =
      step.M.largest_row([&](int j) { return std::abs(v_end[j]) + std::abs(v_start[j]); });
  return 2 * std::numeric_limits<double>::epsilon() * worst;
}

// The size of the terms that cancel in a sum of forces: what round-off is relative to.
double largest_part(const Forces& forces) {
  return std::max({forces.potential.cwiseAbs().maxCoeff(), forces.inertial.cwiseAbs().maxCoeff(),
                   forces.damping.cwiseAbs().maxCoeff(), forces.external.cwiseAbs().maxCoeff()});
}

}  // namespace

double equation_residual(Step& step, const Forces& start, const Forces& end, double weight) {
  return equation_residual(step, step.start.v, step.end.v, start, end, weight);
}

double equation_residual(Step& step, const Vector& v_start, const Vector& v_end,
                         const Forces& start, const Forces& end, double weight) {
  Vector& residual = step.momentum_residual;
  step.work = v_end - v_start;
  step.M.multiply(step.work, residual);
  double scale =
      residual.cwiseAbs().maxCoeff() + step.h * (largest_part(end) + largest_part(start));
  residual -= step.h * (weight * end.total + (1 - weight) * start.total);
  step.work = residual;
  for (int i = 0; i < step.problem.size(); ++i) {
    if (step.problem.r[i] == 0) continue;
    step.detection.H.add_to(step.problem.rows()[i], -step.problem.r[i], step.work);
  }
  const double largest = step.work.cwiseAbs().maxCoeff();
  const double worst = largest <= inertia_round_off(step, v_start, v_end) ? 0.0 : largest;
  return scale > 0 ? worst / scale : worst;
}

namespace {

// Work of the contacts: normal, tangential, of bonds, and what their own motion feeds in.
void audit_contacts(Step& step, const Vector& v_test, const Vector& impulses) {
  EnergyAudit& energy = step.energy;
  const ContactLaws& laws = step.problem.laws;
  for (int c : step.detection.active) {
    const Contact& contact = step.contacts.list()[c];
    const int begin = step.detection.row_begin[c], place = laws.place(c);
    for (int k = 0; k < contact.dim(); ++k) {
      const double r = impulses[begin + k];
      if (r == 0) continue;
      const double rate = step.detection.H.dot(begin + k, v_test);  // without w
      if (contact.booking == Booking::drive) {
        energy.work_external += rate * r;
        if (contact.driver >= 0) step.drive_work[contact.driver] += rate * r;
        continue;
      }
      const double w = step.detection.w[begin + k];
      energy.work_contact -= w * r;
      const double work = (rate + w) * r;
      if (contact.bilateral) {
        energy.work_contact += work;
      } else if (contact.booking == Booking::friction) {
        energy.work_friction += work;
      } else {
        const double bond = place < 0 ? 0.0 : (rate + w) * laws.stated()[place].bond[k];
        energy.work_bond += bond;
        (k == 0 ? energy.work_impact : energy.work_friction) += work - bond;
        if (k > 0 || step.detection.recovery.empty()) continue;
        const double recovered = r * step.detection.recovery[static_cast<std::size_t>(c)];
        energy.work_impact -= recovered;  // the overlap goes back as a contact that moves
        energy.work_contact += recovered;
      }
    }
  }
}

}  // namespace

// Of motors, in `external` too; `displacement` of the velocities.
void add_motor_work(Step& step, const Vector& displacement, const Matrix& drives, double weight) {
  if (drives.cols() > 0) step.drive_work.noalias() += weight * (drives.transpose() * displacement);
}

// Bodies that come within the step bring their energy, those that go take it along.
void add_appearing(Step& step) {
  if (step.contacts.is_dynamic())
    step.fed += step.system.appearing_energy(step.start.t, step.end.t, step.end.q, step.end.v);
}

void audit_energy(Step& step, const Vector& v_test, const Forces& start, const Forces& end,
                  double weight) {
  EnergyAudit& energy = step.energy;
  energy = {};
  const double h = step.h;
  auto power = [&](const Vector& a, const Vector& b) {
    return h * (weight * v_test.dot(b) + (1 - weight) * v_test.dot(a));
  };
  step.end.energies = step.system.energies(step.end.t, step.end.q, step.end.v);
  energy.kinetic = step.end.energies.kinetic;
  energy.potential = step.end.energies.potential;
  // Explicit time enters the energies at the two ends, whatever point the forces were taken at.
  const double end_share = &start == &end ? 0.5 : weight;
  const double driven = h * (end_share * step.end.energies.driving_power +
                             (1 - end_share) * step.start.energies.driving_power);
  add_appearing(step);
  energy.work_external = power(start.external, end.external) + driven + step.fed;
  energy.work_damping = power(start.damping, end.damping);
  add_motor_work(step, v_test, start.drives, h * (1 - weight));
  add_motor_work(step, v_test, end.drives, h * weight);
  audit_contacts(step, v_test, step.r);

  step.work = step.end.v - step.start.v;
  const double kinetic_change = energy.kinetic - step.start.energies.kinetic;
  const double potential_change = energy.potential - step.start.energies.potential;
  const double inertia_work = step.M.form(step.work, v_test) - power(start.inertial, end.inertial);
  energy.numerical = (kinetic_change - inertia_work) +
                     (potential_change + power(start.potential, end.potential)) - driven - step.fed;
  energy.error = kinetic_change + potential_change - energy.work_external - energy.work_damping -
                 energy.work_contact - energy.work_impact - energy.work_friction -
                 energy.work_bond - energy.numerical;
}

void open_audit(Step& step) {
  step.energy = {};
  step.end.energies = step.system.energies(step.end.t, step.end.q, step.end.v);
  step.energy.kinetic = step.end.energies.kinetic;
  step.energy.potential = step.end.energies.potential;
  add_appearing(step);
  step.energy.work_external = step.fed;
}

void add_force_work(Step& step, const Vector& displacement, const Forces& forces, double weight) {
  step.energy.work_external += weight * displacement.dot(forces.external);
  step.energy.work_damping += weight * displacement.dot(forces.damping);
  add_motor_work(step, displacement, forces.drives, weight);
}

void add_impulse_work(Step& step, const Vector& v_test, const Vector& r) {
  audit_contacts(step, v_test, r);
}

void close_audit(Step& step, double equation_error, double driven_work) {
  EnergyAudit& energy = step.energy;
  energy.work_external += driven_work;
  energy.error = equation_error;
  energy.numerical = energy.kinetic + energy.potential - step.start.energies.kinetic -
                     step.start.energies.potential - energy.work_external - energy.work_damping -
                     energy.work_contact - energy.work_impact - energy.work_friction -
                     energy.work_bond - energy.error;
}

}  // namespace clack
