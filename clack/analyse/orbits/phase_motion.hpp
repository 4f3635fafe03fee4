// The motion of a system through one contact phase: a stretch in which every contact keeps its
// state (open, sliding, sticking), the event that ends it, and the impacts at that event.
//
//     z = (q, v),   z' = f(t, z)   (eq:fixed_contacts)
//     Phi' = f_z Phi,   Phi(begin) = I                                           (eq:variational)
//     event h(t, z) = 0, one of (eq:event_functions);   reset z+ = R(t, z-)
//     S = R_z + (f+ - R_z f- - R_t) h_z/(h_z f- + h_t)                             (eq:saltation)
//
// f, h and R are those of the event-driven scheme with the states held fixed, so they are smooth.
// In systems of constant M, C, K and H they are affine in z, the variational equation has a
// matrix exponential as its solution and all derivatives are exact; elsewhere they are
// differences of f, h and R (compute_jacobian), never of a numerical motion.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clack/integrate/event_history.hpp"
#include "clack/integrate/ode.hpp"

namespace clack {

struct ContactPhase {
  double begin = 0, end = 0;         // [s]
  Vector z;                          // (q, v) at its start
  std::vector<ContactState> states;  // of all contacts
  Vector multipliers;                // all rows, at its start [N]
  bool has_event = false;            // else it ends where the motion was stopped
  FiredEvent event;
  std::vector<ImpactRecord> impacts;  // at its end, in their order

  // Whether two phases are the same but for their states and times: modes, event, who is hit.
  bool same_kind(const ContactPhase& other) const;
};

// The same sequence of modes and events.
bool same_sequence(const std::vector<ContactPhase>& a, const std::vector<ContactPhase>& b);

class PhaseMotion {
 public:
  // `scale` (2 nv): lengths on which coordinates and velocities vary, for differences.
  PhaseMotion(std::shared_ptr<const System> system, Vector scale, double tolerance);

  int size() const { return 2 * nv_; }
  // Chooses the phase that all functions below are about; it must stay.
  void enter(const ContactPhase& phase);

  // z at `begin` becomes z at `end`; Phi = dz(end)/dz(begin) where it is asked for. Returns why
  // it failed, in words; empty where it did not.
  [[nodiscard]] std::string flow(double begin, double end, Vector& z, Matrix* Phi);
  // The states at `parts` equal distances and both ends, from z at `begin`.
  [[nodiscard]] std::string sample(double begin, double end, int parts, Vector z,
                                   const std::function<void(double t, const Vector& z)>& visit);
  [[nodiscard]] bool rate(double t, const Vector& z, Vector& f);
  // The event function and its derivatives by z and t; false where they have no value.
  [[nodiscard]] bool event(double t, const Vector& z, double& value);
  [[nodiscard]] bool event_gradient(double t, const Vector& z, Vector& by_z, double& by_t);
  // The impacts at the end; the identity where there are none. D = R_z, D_t = R_t.
  [[nodiscard]] bool reset(double t, Vector& z);
  [[nodiscard]] bool reset_gradient(double t, const Vector& z, Matrix& D, Vector& D_t);
  // Normal velocity of the event's contact at (t, z) [m/s].
  double approach(double t, const Vector& z);

  // The tangent space of the constraints and closed contacts of the phase at (t, z): an
  // orthonormal basis (2 nv x dimension) of the changes of z that they allow.
  Matrix tangent_space(double t, const Vector& z);

  const ContactSet& contacts() const { return set_; }
  const System& system() const { return *system_; }

 private:
  OdeRate field_rate();
  bool is_affine_motion() const;
  bool is_affine_reset() const;
  bool is_steady(double t, const Vector& z, Vector& f);
  Matrix steady_step(double time, const Vector& z, const Vector& f);
  bool field_jacobian(double t, const Vector& z, Matrix& A);
  bool impact(const ImpactRecord& record, double t, const Vector& q, Vector& v);
  std::string integrate_with_derivative(double begin, double end, Vector& z, Matrix& Phi);

  std::shared_ptr<const System> system_;
  ContactSet set_;
  ContactMotion motion_;
  int nv_;
  Vector scale_;
  double tolerance_;
  const ContactPhase* phase_ = nullptr;
  bool affine_ = false;
  Matrix A_;  // f_z, where it is constant
  ContactMap H_;
  Vector w_, gap_;
};

// S of the event at the end of `phase`, for z- before it and z+ after it, where `next` goes on.
// Returns why there is none, in words.
[[nodiscard]] std::string compute_saltation(PhaseMotion& motion, const ContactPhase& phase,
                                            const ContactPhase& next, double t,
                                            const Vector& z_before, const Vector& z_after,
                                            Matrix& S);

}  // namespace clack
