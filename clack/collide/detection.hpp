// Contact candidates of a configuration: gaps, local frames as rows of H, and which take part.
#pragma once

#include <vector>

#include "clack/collide/contact_set.hpp"
#include "clack/core/types.hpp"

namespace clack {

struct Detection {
  explicit Detection(const ContactSet& contacts);
  // Makes room for another list of contacts; what it holds is to be evaluated anew.
  void resize(const ContactSet& contacts);

  Vector gap;                  // one per contact [m]
  ContactMap H;                // nv x rows, all candidates
  Vector w;                    // rows
  Vector u;                    // rows, H'v + w at the start of the step [m/s]
  std::vector<int> row_begin;  // first row of each contact
  std::vector<int> active;     // contacts that take part in the step
  std::vector<double> reach;   // up to which gap a contact's own law acts [m]; empty: none has one
  std::vector<double> forecast;  // gap + forecast u_N - tolerance, where `reach` is not empty [m]
  std::vector<double>
      recovery;             // speed with which a contact's overlap goes back [m/s]; empty: none
  bool map_changed = true;  // H differs from the last evaluation
};

// The speed with which an overlap is taken back, at most `limit`; 0 where there is none
// (eq:recovery) [m/s].
inline double recovery_speed(double gap, double h, double limit) {
  return gap < 0 && limit > 0 ? std::min(-gap / h, limit) : 0.0;
}
// That of all contacts; none for constraints and laws of their own.
void set_recovery(const ContactSet& contacts, const Vector& gap, double h, double limit,
                  Detection& detection);

// H and w at (t, q). H is evaluated once where it is constant.
void update_contact_map(ContactSet& contacts, double t, ConstVectorRef q, Detection& detection);

// u = H'v + w for all candidates.
void update_velocities(ConstVectorRef v, Detection& detection);

// Bilateral constraints, and contacts with gap + forecast * u_N <= tolerance        (eq:activation)
// forecast [s], tolerance [m]; those are closed. Others are active within the reach of their laws.
void select_active(const ContactSet& contacts, double forecast, double tolerance,
                   Detection& detection);

}  // namespace clack
