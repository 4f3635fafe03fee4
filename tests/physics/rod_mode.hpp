// The exact first nonsmooth mode of a rod that hits a wall with its tip, EA = c = L = g0 = 1,
// period 3.5, energy 2, contact force 2: square waves that a delay carries around.
#pragma once

#include <cmath>

#include "clack/core/types.hpp"

namespace clack::test {

constexpr double kModePeriod = 3.5;

// The wave that arrives at the tip; contact over [0, 0.5).
inline double arriving_wave(double t) {
  t -= kModePeriod * std::floor(t / kModePeriod);
  return t < 0.5 ? -1.0 : t < 2 ? 1.0 : -1.0;
}

// Displacement and velocity at time t of the points x = i/n, i = 1..n.
inline void set_mode_state(int n, double t, Vector& u, Vector& v) {
  const int fine = 1000;  // cells of the strain between two nodes
  const double dx = 1.0 / (static_cast<double>(n) * fine);
  u.resize(n);
  v.resize(n);
  double displacement = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < fine; ++k) {
      const double x = (static_cast<double>(i) * fine + k + 0.5) * dx;
      displacement += dx * (arriving_wave(t + 1 + x) + arriving_wave(t + 1 - x));
    }
    const double x = (i + 1.0) / n;
    u[i] = displacement;
    v[i] = arriving_wave(t + 1 + x) - arriving_wave(t + 1 - x);
  }
}

}  // namespace clack::test
