#include "clack/collide/detection.hpp"

namespace clack {

Detection::Detection(const System& system)
    : gap(Vector::Zero(static_cast<int>(system.contacts().size()))),
      H(Matrix::Zero(system.nv(), system.rows())),
      w(Vector::Zero(system.rows())),
      u(Vector::Zero(system.rows())) {
  int row = 0;
  for (const Contact& contact : system.contacts()) {
    row_begin.push_back(row);
    row += contact.dim();
  }
  active.reserve(system.contacts().size());
}

void update_contact_map(const System& system, double t, ConstVectorRef q, Detection& detection) {
  if (detection.gap.size() == 0) return;
  const bool known = system.has_constant_contact_map() && !detection.map_changed;
  if (known && !system.has_moving_contacts()) return;
  system.contact_map(t, q, detection.H, detection.w);
  if (!known) detection.map_changed = true;
}

void update_velocities(ConstVectorRef v, Detection& detection) {
  for (int row = 0; row < detection.u.size(); ++row) {
    detection.u[row] = detection.H.col(row).dot(v) + detection.w[row];
  }
}

void select_active(const System& system, double forecast, double tolerance, Detection& detection) {
  detection.active.clear();
  const std::vector<Contact>& contacts = system.contacts();
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    const double predicted = detection.gap[c] + forecast * detection.u[detection.row_begin[c]];
    const bool closed = contacts[c].bilateral || predicted <= tolerance;
    if (!detection.reach.empty()) detection.forecast[c] = predicted - tolerance;
    const bool reached = !detection.reach.empty() && detection.gap[c] <= detection.reach[c];
    if (closed || reached) detection.active.push_back(c);
  }
}

}  // namespace clack
