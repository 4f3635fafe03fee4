// The exact solution of the problem of one contact (eq:local):
//
//     u = W r + b,    K* contains u + g(u), orthogonal to r in K
//
// Enumerative: open, stick, slide. Sliding in space is the root of a scalar equation in the slip
// multiplier l >= 0, u_T = -l r_T (equivalent to a quartic), which always exists when W_NN > 0.
#pragma once

#include "clack/core/cone.hpp"

namespace clack {

// W is dim x dim by columns, b and r have dim values. Returns false if the block admits no solution
// by enumeration (for example W_NN <= 0 with b_N < 0); r is then left at the best that is known.
bool solve_local(const Cone& cone, const double* W, const double* b, double* r);

}  // namespace clack
