// The yardstick: how far an impulse r is from solving a one-step problem. Computed from the
// problem and r alone, the same for every solver.
#pragma once

#include <cmath>

#include "clack/problem/reduced_problem.hpp"

namespace clack {

struct Residual {
  // |r - proj_K(r - u - g(u))| / max(|u_free|, |r|, |u|)                             (eq:residual)
  double plain = 0;
  // The same map with one step rho_i = 1/lambda_max(W_ii) a contact, divided by
  // max(|r|, |D^-1 u_free|), D the block diagonal of W: free of units.        (eq:residual_scaled)
  double scaled = 0;

  // The scaled map over |D^-1 u_free| alone. Where an impulse runs away along the null space of W
  // both measures fall, for they are divided by |r|, but this one does not: above 0.1 the motion
  // without contact is not answered at all.
  double over_free = 0;

  double worst() const { return plain > scaled ? plain : scaled; }
  bool holds(double tolerance) const { return worst() <= tolerance && over_free <= 0.1; }
};

// Writes u = W r + u_free (m values) and returns both measures.
[[nodiscard]] Residual compute_residual(const ReducedProblem& problem, const double* r, double* u);

// The natural map of one contact with step rho, squared: |r - proj_K(r - rho (u + g(u)))|^2.
inline double natural_map_square(const Cone& cone, const double* r, const double* u, double rho);
inline double natural_map_norm(const Cone& cone, const double* r, const double* u, double rho) {
  return std::sqrt(natural_map_square(cone, r, u, rho));
}

// Largest eigenvalue of the symmetric part of a dim x dim block, by columns.
double largest_eigenvalue(const double* block, int dim);

// |D_i^-1 b|^2 of a dim x dim block, |b / lambda|^2 where the block is nearly singular.
double scaled_free_square(const double* block, int dim, const double* b, double lambda);

// The squares that the yardstick adds up over all contacts, and what they make together.
struct ResidualSums {
  double natural = 0;         // natural map with step 1
  double natural_scaled = 0;  // with step rho_i
  double free_velocity = 0;   // |u_free|^2
  double free_scaled = 0;     // |D^-1 u_free|^2
  double r = 0;               // |r|^2
  double u = 0;               // |u|^2
};
[[nodiscard]] Residual make_residual(const ResidualSums& sums);

namespace detail {

double natural_map_square_of_any(const Cone& cone, const double* r, const double* u, double rho);

// Of {|x_T| <= mu x_N}, x_T with one to three components.
template <int Tangents>
double natural_map_square_of_disc(double mu, const double* r, const double* u, double rho) {
  double slip = 0, length = 0, x[Tangents];
  for (int k = 0; k < Tangents; ++k) {
    x[k] = r[1 + k] - rho * u[1 + k];
    slip += u[1 + k] * u[1 + k];
    length += x[k] * x[k];
  }
  slip = Tangents == 1 ? std::abs(u[1]) : std::sqrt(slip);
  length = Tangents == 1 ? std::abs(x[0]) : std::sqrt(length);
  const double normal = r[0] - rho * (u[0] + mu * slip);
  double p = normal, scale = 1;
  if (length > mu * normal || normal < 0) {  // the second for mu = 0 without slip
    p = (normal + mu * length) / (1 + mu * mu);
    if (!(p > 0)) p = 0;
    scale = length > 0 ? mu * p / length : 0;
  }
  double sum = (p - r[0]) * (p - r[0]);
  for (int k = 0; k < Tangents; ++k) sum += (scale * x[k] - r[1 + k]) * (scale * x[k] - r[1 + k]);
  return sum;
}

}  // namespace detail

inline double natural_map_square(const Cone& cone, const double* r, const double* u, double rho) {
  if (cone.disc_count() == 1) {
    if (cone.dim() == 3) return detail::natural_map_square_of_disc<2>(cone.mu(), r, u, rho);
    if (cone.dim() == 2) return detail::natural_map_square_of_disc<1>(cone.mu(), r, u, rho);
    return detail::natural_map_square_of_disc<3>(cone.mu(), r, u, rho);
  }
  return detail::natural_map_square_of_any(cone, r, u, rho);
}

}  // namespace clack
