// One projected step on the problem of one contact (eq:prox_parts), part by part:
//
//     r_N <- max(0, r_N - omega u_N / W_NN)
//     r_i <- proj_{|.| <= mu_i r_N}(r_i - omega u_i / lambda_max(W_ii))   for every disc i
//
// with u = W r + b kept current. The step of a disc is one scalar: unequal steps for its
// components would converge to a wrong slip direction. Parts have steps of their own because their
// units differ (drilling, rolling), which leaves the fixed points alone.
#pragma once

#include "clack/core/cone.hpp"

namespace clack {

// Largest eigenvalue of the symmetric part of the disc's own block of W (dim x dim by columns).
double disc_eigenvalue(const Cone::Disc& disc, const double* W, int dim);

// r_i <- the nearest point of |.| <= mu_i r_N for every disc i; r_N is left alone, so that a
// contact that has just been solved keeps its normal impulse. Assumes r_N >= 0, no free cone.
void project_discs(const Cone& cone, double* r);

// One step from r. omega in (0, 2); parts with a vanishing block keep their value.
void project_local(const Cone& cone, const double* W, const double* b, double omega, double* r);

}  // namespace clack
