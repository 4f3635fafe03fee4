// Linear modes of a system about a state: small free motions with closed contacts as constraints,
//
//     N'K N x = omega^2 N'M N x,   H_E' N = 0,   shapes N x with x'N'M N x = 1     (eq:linear_modes)
//
// K = -dF/dq less the curvature of closed contacts under their forces, H_E the rows of constraints
// and of contacts that count as closed. With damping, gyroscopic or circulatory forces the
// eigenvalues s of M s^2 + C s + K tell what omega alone does not. Dense matrices; of systems with
// sparse ones the lowest modes, by Lanczos' method about zero (Spectra), constraints as multipliers.
#pragma once

#include <complex>
#include <vector>

#include "clack/model/system.hpp"

namespace clack {

enum class ModeContacts {
  open,   // all contacts open; constraints hold
  closed  // contacts with gap <= tolerance are closed, with their tangents where mu > 0
};

struct LinearModeOptions {
  ModeContacts contacts = ModeContacts::open;
  double tolerance = 1e-9;  // a gap this small counts as closed [m]
  int count = 0;            // lowest modes only; 0: all, of sparse systems kFewSparse
  static constexpr int kFewSparse = 12;

  void validate() const;
};

struct LinearModes {
  Vector omega_squared;  // ascending [rad^2/s^2]; negative: unstable
  Vector omega;          // its root, not a number where it is negative [rad/s]
  Matrix shapes;         // nv x modes, mass-normalised
  std::vector<std::complex<double>> eigenvalues;  // s, largest real part first [1/s]
  std::vector<int> closed;                        // contacts that were taken as constraints
  bool converged = true;                          // all that were asked for were found
  bool symmetric = true;  // else K is not symmetric, and only `eigenvalues` are right
};

// Throws InputError where the state does not fit or M and K are not finite.
LinearModes compute_linear_modes(const System& system, const State& state,
                                 const LinearModeOptions& options = {});

}  // namespace clack
