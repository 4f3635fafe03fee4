// Cones of admissible local impulses, as values.
//
// A cone K is either the whole space R^n (a bilateral constraint, dual {0}) or
//
//     K = { r : r_N >= 0, |r_i| <= mu_i r_N for every disc i }                       (eq:cone)
//
// with r = (r_N, r_1, r_2, ...) and each r_i a vector of one or two components: no disc gives R+
// (a frictionless contact), one disc of dimension 1 or 2 gives Coulomb's second-order cone in 2D
// or 3D, a second disc gives rolling friction. Solvers are written against this class only.
//
// The law of contact and friction is the complementarity of De Saxce's modified velocity,
//
//     K* contains  u + g(u)  orthogonal to  r in K,   g(u) = (sum_i mu_i |u_i|, 0)   (eq:law)
#pragma once

#include <array>
#include <cstdint>

namespace clack {

class Cone {
 public:
  static constexpr int kMaxDim = 6;
  static constexpr int kMaxDiscs = 2;

  // |x_i| <= radius * x_N for the `dim` components that start at `begin`.
  struct Disc {
    std::int8_t begin;
    std::int8_t dim;
    double radius;
  };

  // R^dim: a bilateral constraint.
  static Cone free(int dim = 1);
  // R+: a frictionless contact.
  static Cone nonnegative();
  // Coulomb's cone; dim = 2 (plane) or 3 (space), mu >= 0.
  static Cone coulomb(int dim, double mu);
  // Coulomb and rolling friction in space: (N, T1, T2, R1, R2); mu_r [m].
  static Cone rolling(double mu, double mu_r);

  int dim() const { return dim_; }
  bool is_free() const { return free_; }
  int disc_count() const { return disc_count_; }
  const Disc& disc(int i) const { return discs_[i]; }
  // The coefficient of the first disc, 0 without one.
  double mu() const { return disc_count_ > 0 ? discs_[0].radius : 0.0; }

  // p = the Euclidean projection of x on K (p may alias x).
  void project(const double* x, double* p) const;
  // g_N(u) = sum_i mu_i |u_i|, De Saxce's shift of the normal velocity.
  double shift(const double* u) const;
  // Distance of x to K, 0 inside.
  double distance(const double* x) const;
  // Distance of y to the dual cone K*, 0 inside.
  double dual_distance(const double* y) const;

 private:
  Cone(bool free, int dim) : dim_(static_cast<std::int8_t>(dim)), free_(free) {}
  void add_disc(int begin, int dim, double radius);
  double project_normal(double normal, const double* disc_norms) const;

  std::int8_t dim_;
  std::int8_t disc_count_ = 0;
  bool free_;
  std::array<Disc, kMaxDiscs> discs_{};
};

}  // namespace clack
