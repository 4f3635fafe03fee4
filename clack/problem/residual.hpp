// The yardstick: how far an impulse r is from solving a one-step problem. Computed from the
// problem and r alone, the same for every solver.
#pragma once

#include "clack/problem/reduced_problem.hpp"

namespace clack {

struct Residual {
  // |r - proj_K(r - u - g(u))| / max(|u_free|, |r|, |u|)                             (eq:residual)
  double plain = 0;
  // The same map with one step rho_i = 1/lambda_max(W_ii) a contact, divided by
  // max(|r|, |D^-1 u_free|), D the block diagonal of W: free of units.        (eq:residual_scaled)
  double scaled = 0;

  double worst() const { return plain > scaled ? plain : scaled; }
};

// Writes u = W r + u_free (m values) and returns both measures.
[[nodiscard]] Residual compute_residual(const ReducedProblem& problem, const double* r, double* u);

// The natural map of one contact with step rho: distance |r - proj_K(r - rho (u + g(u)))|.
double natural_map_norm(const Cone& cone, const double* r, const double* u, double rho);

// Largest eigenvalue of the symmetric part of a dim x dim block, by columns.
double largest_eigenvalue(const double* block, int dim);

}  // namespace clack
