// The solution of the problem of one contact (eq:local):
//
//     u = W r + b,    K* contains u + g(u), orthogonal to r in K
//
// exact        enumerative: open, stick, slide. Sliding in space is the root of a scalar equation
//              in the slip multiplier l >= 0, u_T = -l r_T (equivalent to a quartic), which
//              always exists when W_NN > 0. Richer cones: see local_discs.hpp
// ac, fb       semismooth Newton on Alart and Curnier's map or on Fischer and Burmeister's
//              function; where it does not end at 1e-13 the exact solve takes over
// projection   no solution but one step towards it, see local_projection.hpp
#pragma once

#include "clack/core/cone.hpp"

namespace clack {

enum class LocalKind { exact, ac, fb, projection };

// W is dim x dim by columns, b has dim values; r, dim values, is the start on entry. Returns false
// if the block admits no solution by enumeration (for example W_NN <= 0 with b_N < 0); r is then
// left at the best that is known.
bool solve_local(const Cone& cone, const double* W, const double* b, double* r);
bool solve_local(LocalKind kind, const Cone& cone, const double* W, const double* b, double* r);

}  // namespace clack
