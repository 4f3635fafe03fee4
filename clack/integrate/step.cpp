#include "clack/integrate/step.hpp"

#include <cmath>

namespace clack {

StatePoint::StatePoint(int nq, int nv, int contacts)
    : q(Vector::Zero(nq)), v(Vector::Zero(nv)), gap(Vector::Zero(contacts)), forces(nv) {}

Step::Step(const System& s)
    : system(s),
      start(s.nq(), s.nv(), static_cast<int>(s.contacts().size())),
      end(start),
      detection(s),
      w_next(Vector::Zero(s.rows())),
      M(Matrix::Zero(s.nv(), s.nv())),
      K(M),
      C(M),
      M_hat(M),
      matrix(s.nv(), s.rows()),
      q_theta(Vector::Zero(s.nq())),
      v_theta(Vector::Zero(s.nv())),
      v_free(v_theta),
      momentum_residual(v_theta),
      work(v_theta),
      problem(s),
      marked(s.contacts().size(), 0),
      held(s.contacts().size(), 0),
      r(Vector::Zero(s.rows())),
      u_end(r) {}

ContactStatus contact_status(const Step& step, int c) {
  const Contact& contact = step.system.contacts()[c];
  if (contact.bilateral) return ContactStatus::bilateral;
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
