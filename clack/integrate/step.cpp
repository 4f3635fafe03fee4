#include "clack/integrate/step.hpp"

#include <cmath>

namespace clack {

StatePoint::StatePoint(int nq, int nv, int contacts)
    : q(Vector::Zero(nq)), v(Vector::Zero(nv)), gap(Vector::Zero(contacts)), forces(nv) {}

Step::Step(const System& s, bool sparse, bool with_contacts)
    : system(s),
      contacts(s, sparse, with_contacts),
      start(s.nq(), s.nv(), contacts.size()),
      end(start),
      detection(contacts),
      w_next(Vector::Zero(contacts.rows())),
      M(s.nv(), sparse),
      K(M),
      C(M),
      M_hat(M),
      matrix(s.nv(), contacts.rows(), sparse),
      q_theta(Vector::Zero(s.nq())),
      v_theta(Vector::Zero(s.nv())),
      v_free(v_theta),
      momentum_residual(v_theta),
      work(v_theta),
      problem(contacts),
      marked(contacts.list().size(), 0),
      held(contacts.list().size(), 0),
      r(Vector::Zero(contacts.rows())),
      u_end(r),
      drive_work(Vector::Zero(s.drivers())) {}

void Step::change_contacts() {
  const ContactChange& change = contacts.change();
  start.gap = end.gap = Vector::Zero(contacts.size());
  detection.resize(contacts);
  w_next = r = u_end = Vector::Zero(contacts.rows());
  matrix.resize(contacts.rows());
  for (IterationMatrix& other : extra) other.resize(contacts.rows());
  problem.resize(contacts);
  for (Vector& values : warm) change.carry_rows(values);
  marked.assign(contacts.list().size(), 0);
  held.assign(contacts.list().size(), 0);
}

ContactStatus contact_status(const Step& step, int c) {
  const Contact& contact = step.contacts.list()[c];
  if (contact.bilateral || contact.booking == Booking::drive) return ContactStatus::bilateral;
  if (contact.booking == Booking::friction) {
    const double rate = step.u_end[step.detection.row_begin[c]];
    return std::abs(rate) > 1e-12 ? ContactStatus::sliding : ContactStatus::sticking;
  }
  const double* r = step.r.data() + step.detection.row_begin[c];
  if (!(r[0] > 0)) return ContactStatus::separating;
  if (contact.tangents == 0) return ContactStatus::sticking;
  // Compared through the law's velocity: sliding is where it differs from zero beyond round-off.
  const double* u = step.u_end.data() + step.detection.row_begin[c];
  const double* u_start = step.detection.u.data() + step.detection.row_begin[c];
  double slip = 0, scale = std::abs(u_start[0]) + std::abs(u[0]);
  for (int k = 1; k <= contact.tangents; ++k) {
    const double law_velocity = u[k] + contact.law.e_t * u_start[k];
    slip += law_velocity * law_velocity;
    scale += std::abs(u_start[k]) + std::abs(u[k]);
  }
  return std::sqrt(slip) > 1e-9 * scale + 1e-14 ? ContactStatus::sliding : ContactStatus::sticking;
}

}  // namespace clack
