// A second opinion on a solution, for tests: it states the law of contact and friction in words
// of forces and velocities, and shares no formula with the projections and the residual.
#pragma once

#include "clack/problem/problem_data.hpp"

namespace clack {

// The worst violation over all contacts of each condition, free of units; 0 at an exact solution.
// Impulses are divided by the largest one, velocities by the largest of u and u_free, powers by
// the product of both. The discs after a cone's first, which have other units, by their own largest.
// All are infinite where r or u has a value that is not finite.
struct Certificate {
  double dynamics = 0;    // u = W r + u_free (global: M v = H r + f and u = H' v + w)
  double impulse = 0;     // r_N >= 0 and |r_i| <= mu_i r_N for each disc i
  double velocity = 0;    // u + g(u) in K*:  u_N + g_N(u) >= sum_i mu_i |u_i|;  free: u = 0
  double orthogonal = 0;  // |r . (u + g(u))|
  double sliding = 0;     // ||u_i| r_i + mu_i r_N u_i|: friction opposes sliding, at full strength
  // De Saxce's bipotential over the whole problem, b(-u, r) + u . r = sum r . u + mu_i r_N |u_i|,
  // divided by the larger of sum |r| |u| and the power scale. Signed: never negative where the
  // conditions on impulse and velocity hold.
  double bipotential = 0;

  // The largest, |bipotential| included.
  double worst() const;
};

// r and u of m values, as a solver returned them.
[[nodiscard]] Certificate compute_certificate(const ReducedProblem& problem, const double* r,
                                              const double* u);
// For a problem in global form; v of nv values.
[[nodiscard]] Certificate compute_certificate(const ProblemData& global, const double* r,
                                              const double* v);

}  // namespace clack
