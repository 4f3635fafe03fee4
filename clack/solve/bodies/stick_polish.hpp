// The last digits of a problem whose contacts all stick or are open: there the law is linear, and
// proximal steps on it end at round-off where sweeps need thousands (eq:stick_polish):
//
//     (W_SS + epsilon P^-1) dr = -u_S,    S: the contacts that stick, P_i = 1 / tr W_ii
//
// solved in the space of the bodies by one sparse factorisation of 1 + B P B' / epsilon with
// B = M^-1/2 H_S. What sticks stays inside its cone or the step is not taken: nothing is assumed
// about the solution that the yardstick does not check.
#pragma once

#include "clack/problem/body_problem.hpp"

namespace clack {

// Improves r, `problem.size()` values, and returns true; leaves it as it is and returns false where
// a contact slides, a cone is left or the residual does not fall.
bool polish_sticking(const BodyProblem& problem, double* r);

}  // namespace clack
