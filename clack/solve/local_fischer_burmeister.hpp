// Newton on Fischer and Burmeister's function of one contact with Coulomb friction (eq:local_fb):
//
//     x = (mu r_N, r_T),   y = (u_N / mu + |u_T|, u_T) / lambda,   x + y - (x o x + y o y)^1/2 = 0
//
// with Jordan's product of the second-order cone. With z the square root the Jacobian is
// (I - L_z^-1 L_x) dx + (I - L_z^-1 L_y) dy, L the arrow matrix, and dy contains the derivative
// u_T' / |u_T| of De Saxce's shift. Steps are halved until the function falls.
// References: Fukushima, Luo, Tseng (2002); Daviet, Bertails-Descoubes, Boissieux (2011).
#pragma once

#include "clack/core/cone.hpp"

namespace clack {

// False where the steps do not end at an error of 1e-13, for an open contact and for cones other
// than Coulomb's with mu > 0; r is then as it was.
bool solve_local_fb(const Cone& cone, const double* W, const double* b, double* r);

}  // namespace clack
