#include "clack/collide/detection.hpp"

namespace clack {

Detection::Detection(const ContactSet& contacts)
    : H(contacts.system().nv(), contacts.rows(), contacts.is_sparse()) {
  resize(contacts);
}

void Detection::resize(const ContactSet& contacts) {
  gap = Vector::Zero(contacts.size());
  H.resize(contacts.rows());
  w = Vector::Zero(contacts.rows());
  u = Vector::Zero(contacts.rows());
  row_begin.assign(contacts.row_begin().begin(), contacts.row_begin().end() - 1);
  active.clear();
  active.reserve(row_begin.size());
  map_changed = true;
}

void update_contact_map(ContactSet& contacts, double t, ConstVectorRef q, Detection& detection) {
  if (detection.gap.size() == 0) return;
  const bool known = contacts.has_constant_map() && !detection.map_changed;
  if (known && !contacts.is_moving()) return;
  contacts.map(t, q, detection.H, detection.w);
  if (!known) detection.map_changed = true;
}

void set_recovery(const ContactSet& contacts, const Vector& gap, double h, double limit,
                  Detection& detection) {
  detection.recovery.assign(contacts.list().size(), 0);
  for (std::size_t c = 0; c < contacts.list().size(); ++c) {
    const Contact& contact = contacts.list()[c];
    if (!contact.bilateral && !contact.law.own)
      detection.recovery[c] = recovery_speed(gap[static_cast<int>(c)], h, limit);
  }
}

void update_velocities(ConstVectorRef v, Detection& detection) {
  for (int row = 0; row < detection.u.size(); ++row) {
    detection.u[row] = detection.H.dot(row, v) + detection.w[row];
  }
}

void select_active(const ContactSet& set, double forecast, double tolerance, Detection& detection) {
  detection.active.clear();
  const std::vector<Contact>& contacts = set.list();
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    const double predicted = detection.gap[c] + forecast * detection.u[detection.row_begin[c]];
    const bool closed = contacts[c].bilateral || predicted <= tolerance;
    if (!detection.reach.empty()) detection.forecast[c] = predicted - tolerance;
    const bool reached = !detection.reach.empty() && detection.gap[c] <= detection.reach[c];
    if (closed || reached) detection.active.push_back(c);
  }
}

}  // namespace clack
