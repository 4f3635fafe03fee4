// Nonsmooth modes with a contact of finite length: free periodic motions of a linear conservative
// system whose contact acts on a coordinate t without mass, once per period and even in time. About
// the equilibrium, i the coordinates with mass,
//
//     free:     u_t = -k_ti u_i/k_tt,  M u_i'' + K_f u_i = 0,  K_f = K_ii - k_it k_ti/k_tt
//     contact:  u_t = u_c = -g_0/n_t,  M u_i'' + K_ii (u_i - c) = 0,  c = -K_ii^-1 k_it u_c
//
// In the middle of the contact, of length tau, v = 0 and u_i = c + d; then v(T/2) = 0 is linear in d
// and the force that ends with the contact, k_ti u_i + k_tt u_c = 0 at tau/2, one equation for tau
// (eq:contact_mode). No impact law is needed.
#pragma once

#include <string>
#include <vector>

#include "clack/analyse/modes/linear_modes.hpp"

namespace clack {

struct LastingContactMode {
  double period = 0;   // [s]
  double contact = 0;  // tau [s]
  double energy = 0;   // above the equilibrium [J]
  double force = 0;    // largest one [N]
  Vector middle;       // q in the middle of the contact (nv), at rest there
  bool admissible = false;
  std::string inadmissible;  // why not
};

class LastingContactModes {
 public:
  // Throws InputError unless the system is linear, undamped, not driven, free of friction, held by K
  // and has one contact, whose gap depends on one coordinate without mass, the only such one.
  explicit LastingContactModes(const System& system, int contact = 0);

  // All solutions of a period, those that are no modes marked; `grid`: values of tau looked at.
  std::vector<LastingContactMode> modes(double T, int grid = 400) const;
  // q at a time after the middle of the contact.
  State state(const LastingContactMode& mode, double t) const;

 private:
  struct Trial {
    Vector d;       // modal amplitudes of the contact phase
    Vector u, v;    // at the end of the contact
    double excess;  // k_ti u_i/k_tt + u_c there [m]
  };
  Trial trial(double T, double tau) const;
  double tip_when_free(const Vector& u) const { return -k_ti_.dot(u) / k_tt_; }
  void complete(const Trial& at, LastingContactMode& mode) const;
  void motion(const Vector& u0, const Vector& v0, bool contact, double t, Vector& u,
              Vector& v) const;

  int n_ = 0, tip_ = 0;
  std::vector<int> with_mass_;
  Vector rest_, k_ti_, centre_;  // centre_: c
  Matrix M_, K_;
  double k_tt_ = 0, gap0_ = 0, normal_ = 0, tip_at_stop_ = 0;
  Vector omega_free_, omega_contact_;
  Matrix free_, contact_;  // mass-normalised shapes of both phases
};

}  // namespace clack
