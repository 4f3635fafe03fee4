// The motion while every contact keeps its state (eq:fixed_contacts): multipliers x and
// accelerations
//
//     M a = F + C x,     H_E' a + b_E = 0,     b = dH'/dt v + dw/dt
//
// H_E are the rows of constraints, normals of closed contacts and tangents of sticking ones; C has
// the same columns but for sliding contacts, H_N - mu H_T d with the direction d of the slip. Where
// rows depend on each other, x is the solution nearest to the multipliers given at the start.
// Reference: Pfeiffer, Glocker (1996); Acary, Brogliato (2008), chapter 8.
#pragma once

#include <vector>

#include "clack/assemble/iteration_matrix.hpp"
#include "clack/integrate/step.hpp"

namespace clack {

enum class ContactMode { open, sliding, sticking };

struct ContactState {
  ContactMode mode = ContactMode::open;
  double direction[2] = {0, 0};  // of the slip when it began, a unit vector
  double force_slack = 0;        // how far a multiplier may leave its cone before it counts [N]
  double gap_slack = 0;          // how far an open contact may sink before it counts [m]
  double slip_slack = 0;         // how far a slip may turn round before it counts [m/s]
};

// Whether a contact has friction to speak of.
bool has_friction(const Contact& contact);

class ContactMotion {
 public:
  explicit ContactMotion(ContactSet& contacts);

  // The states of all contacts and the multipliers of all rows from which to start.
  void fix(const std::vector<ContactState>& states, const Vector& multipliers);
  const std::vector<ContactState>& states() const { return states_; }

  // Everything below at (t, q, v); false where it is not finite, M is singular or a
  // sliding contact jams.
  bool evaluate(double t, ConstVectorRef q, ConstVectorRef v);
  const Vector& acceleration() const { return acceleration_; }
  const Vector& multipliers() const { return multipliers_; }  // all rows [N]
  // Velocities of the contacts' rows, H'v + w.
  const Vector& u() const { return detection_.u; }
  const Vector& w() const { return detection_.w; }
  const Forces& forces() const { return forces_; }
  int row_begin(int contact) const { return detection_.row_begin[contact]; }
  // mu of a contact at its slip; while it slides, continued smoothly past a change of sign.
  double friction(int contact) const;

  // How far constraints and closed contacts are from gap = 0 [m] and from u = 0 [m/s].
  double violation(double t, ConstVectorRef q, ConstVectorRef v);
  // Moves q and v the shortest way, measured by M, to where both hold.
  void project(double t, Vector& q, Vector& v);
  // The same for v alone; returns the impulses, all rows [N s].
  Vector project_velocity(double t, const Vector& q, Vector& v);

 private:
  bool update(double t, ConstVectorRef q);
  void set_force_columns();
  bool friction_jams() const;
  void solve_multipliers(ConstVectorRef right, Vector& x);
  void store_multipliers(const Vector& x);
  void slip_direction(int contact, double* d) const;
  void project_position(double t, Vector& q);

  const System& system_;
  ContactSet& contact_set_;
  std::vector<ContactState> states_;
  Detection detection_;
  SystemMatrix M_;
  IterationMatrix matrix_;
  Forces forces_;
  std::vector<int> rows_;      // of H_E
  std::vector<int> contacts_;  // to which each of them belongs
  std::vector<int> normals_;   // which of rows_ are normal rows
  Vector start_;               // multipliers of rows_ nearest to which x is sought
  Matrix X_, A_;               // M^-1 C; H_E' M^-1 C
  Vector free_, column_, bias_, acceleration_, multipliers_, gap_, right_, x_;
};

}  // namespace clack
