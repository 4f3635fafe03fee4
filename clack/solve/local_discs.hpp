// Contact with several discs, or with one of three components (eq:local_discs).
//
// Newton on the closed contact solves nearly all. Where it fails: for a fixed normal impulse s the
// discs |r_i| <= mu_i s make a convex problem with solution y(s), and the normal velocity
//
//     u_N(s) = W_NN s + W_Ny y(s) + b_N
//
// is continuous, negative at s = 0 and positive for large s: its root is bracketed and a last
// Newton polishes it.
#pragma once

#include "clack/core/cone.hpp"

namespace clack {

// As solve_local: b_N < 0 and W_NN > 0 are assumed. False where no point with an error of 1e-9
// was found; r is then the best that is known.
bool solve_local_discs(const Cone& cone, const double* W, const double* b, double* r);

}  // namespace clack
