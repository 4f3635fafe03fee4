// The yardstick: how far an impulse r is from solving a one-step problem. Computed from the
// problem and r alone, the same for every solver.
#pragma once

#include <cmath>
#include <vector>

#include "clack/core/components.hpp"
#include "clack/problem/reduced_problem.hpp"

namespace clack {

// Which measures decide. The published residual depends on the units of a problem: it counts where
// problem files are compared with other programs, never in a run.
enum class Verdict { unit_free, all };

struct Residual {
  // |r - proj_K(r - u - g(u))| / max(|u_free|, |r|, |u|): the published one          (eq:residual)
  double plain = 0;
  // The same map with one step rho_i = 1/lambda_max(W_ii) per contact, divided by
  // max(|r|, |D^-1 u_free|), D the block diagonal of W: free of units.        (eq:residual_scaled)
  double scaled = 0;
  // The largest error in velocity of a contact, relative to the largest free velocity of its own
  // island: free of units, and nothing outside the island can hide it.         (eq:velocity_error)
  double velocity = 0;
  int contact = -1;  // where that is, if it is known

  double unit_free() const { return larger(scaled, velocity); }
  double worst() const { return larger(plain, unit_free()); }
  double of(Verdict verdict) const { return verdict == Verdict::all ? worst() : unit_free(); }
  bool holds(double tolerance, Verdict verdict) const { return of(verdict) <= tolerance; }

 private:
  static double larger(double a, double b) { return a > b || std::isnan(a) ? a : b; }
};

// The squares that the yardstick adds up over all contacts, and what they make together.
struct ResidualSums {
  double natural = 0;         // natural map with step 1
  double natural_scaled = 0;  // with step rho_i
  double free_velocity = 0;   // |u_free|^2
  double free_scaled = 0;     // |D^-1 u_free|^2
  double r = 0;               // |r|^2
  double u = 0;               // |u|^2
  double velocity = 0;        // the largest (e_i / s_i)^2, no sum
};
[[nodiscard]] Residual make_residual(const ResidualSums& sums);

// What turns the rows of a contact into velocities [m/s].
struct VelocityMetric {
  double lambda = 0;  // mean eigenvalue of W_ii [1/kg]
  // Of the rows that have other units than the normal (rolling, drilling): sqrt of the mean of
  // W_ii over the others, over that of theirs [m]; 1 without such rows.
  double length = 1;

  VelocityMetric() = default;
  VelocityMetric(const Cone& cone, const double* block);   // W_ii by columns
  double square(const Cone& cone, const double* u) const;  // of a velocity
  // e_i^2; where lambda is 0 no impulse changes the velocity.
  double error_square(const Cone& cone, const double* r, const double* u) const;
};

// The yardstick of one problem: what does not depend on r is computed once. Bound again and again
// it allocates only where a problem is larger than all before.
//
//     e_i = |lambda_i r_i - proj_K(lambda_i r_i - u_i - g(u_i))| [m/s],  lambda_i = tr(W_ii) / dim
//     velocity = max_i (e_i - round_off_I) / s_I,   s_I = max |u_free,j| over the island I of i
//                                                                             (eq:velocity_error)
class Yardstick {
 public:
  void bind(const ReducedProblem& problem);  // the problem must stay
  // Writes u = W r + u_free (m values).
  [[nodiscard]] Residual measure(const double* r, double* u);
  // The same at u that is known already.
  [[nodiscard]] Residual measure_at(const double* r, const double* u);

 private:
  struct Contact {
    double rho;  // 1 / lambda_max, 1 between bodies that cannot move
    VelocityMetric metric;
    int island;  // place of its scales
  };
  struct Island {
    double free = 0;   // s_I [m/s]
    double floor = 0;  // round-off of u, known at each r [m/s]
  };
  void bind_contact(int contact);
  void bind_islands();
  void find_floors(const double* r);
  double velocity_error(int contact, const double* r, const double* u) const;

  ReducedProblem problem_;
  std::vector<Contact> contacts_;
  std::vector<Island> islands_;  // by representative
  Components components_;
  ResidualSums constants_;
};

// The free velocity that an error is compared with: that of the island, but not below what the
// fastest contact of the problem leaves of accuracy.
inline double velocity_scale(double of_island, double of_problem) {
  constexpr double kSlowest = 1e-9;
  const double least = kSlowest * of_problem;
  return of_island > least ? of_island : least;
}

// What round-off may leave of u where the largest lambda_i |r_i| of an island is `load`. It decides
// at tolerances below its cap only: an impulse that runs away excuses nothing.
inline double round_off_velocity(double load, double free) {
  constexpr double kRoundOff = 16 * 2.2e-16, kCap = 1e-9;
  const double error = kRoundOff * load, most = kCap * free;
  return error < most ? error : most;
}

// Writes u = W r + u_free (m values) and returns all measures.
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
