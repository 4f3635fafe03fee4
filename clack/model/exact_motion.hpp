// The motion of a system where it is known in closed form.
#pragma once

#include <functional>
#include <vector>

#include "clack/core/types.hpp"

namespace clack {

struct ExactMotion {
  // Writes what is known of q and v at t, v from the right; leaves the rest alone. Empty: nothing.
  std::function<void(double t, VectorRef q, VectorRef v)> at;
  std::vector<char> knows_q, knows_v;  // per coordinate, per velocity

  explicit operator bool() const { return static_cast<bool>(at); }
};

// q'' = -omega^2 q from q(0) = start at rest, with a stop: q >= stop, q'+ = -e_n q'- there.
// Flight n is A_n cos(omega (t - tau_n)); its amplitude, A_n^2 = stop^2 + e_n^2n (start^2 -
// stop^2), and the apex tau_n follow from one impact to the next, so that no single formula holds.
struct ImpactingOscillator {
  double omega = 1;  // [rad/s], > 0
  double start = 1;  // [m], > stop and > 0
  double stop = 0;   // [m], > -start where it is to be hit
  double e_n = 1;    // [-], in [0, 1]

  struct Point {
    double q, v;
  };
  Point at(double t) const;
};

}  // namespace clack
