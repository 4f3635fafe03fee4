// Cones of admissible local impulses, as values.
//
// A cone K is either the whole space R^n (a bilateral constraint, dual {0}) or
//
//     K = { r : r_N >= 0, |r_i| <= mu_i r_N for every disc i }                       (eq:cone)
//
// with r = (r_N, r_1, r_2, ...) and each r_i a vector of one to three components: no disc gives R+
// (a frictionless contact), one disc of dimension 1 or 2 Coulomb's second-order cone in 2D or 3D,
// one of dimension 3 Coulomb and Contensou's sliding with spin; further discs add drilling and
// rolling friction. Solvers are written against this class only.
//
// The law of contact and friction is the complementarity of De Saxce's modified velocity,
//
//     K* contains  u + g(u)  orthogonal to  r in K,   g(u) = (sum_i mu_i |u_i|, 0)   (eq:law)
#pragma once

#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace clack {

class Cone {
 public:
  static constexpr int kMaxDim = 6;
  static constexpr int kMaxDiscs = 3;
  static constexpr int kMaxDiscDim = 3;

  // |x_i| <= radius * x_N for the `dim` components that start at `begin`.
  struct Disc {
    std::int8_t begin;
    std::int8_t dim;
    double radius;

    // |x_i| of a vector x of the whole cone.
    double norm(const double* x) const {
      const double* y = x + begin;
      if (dim == 1) return std::abs(y[0]);
      const double plane = y[0] * y[0] + y[1] * y[1];
      return std::sqrt(dim == 2 ? plane : plane + y[2] * y[2]);
    }
  };
  // What makes a disc: its rows follow those of the disc before it.
  struct DiscShape {
    int dim;
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
  // Any discs, at most 6 rows with the normal. For example {{3, mu}} is Coulomb and Contensou's
  // (N, T1, T2, S), {{2, mu}, {1, mu_s}, {2, mu_r}} friction with drilling and rolling.
  static Cone discs(std::span<const DiscShape> shapes);
  static Cone discs(std::initializer_list<DiscShape> shapes) {
    return discs(std::span<const DiscShape>(shapes.begin(), shapes.size()));
  }

  int dim() const { return dim_; }
  bool is_free() const { return free_; }
  int disc_count() const { return disc_count_; }
  Disc disc(int i) const {
    assert(i >= 0 && i < disc_count_);
    return {begins_[i], dims_[i], radii_[i]};
  }
  // The coefficient of the first disc, 0 without one.
  double mu() const { return radii_[0]; }
  // The rows measured in the units of the normal: with the first disc, all of a bilateral block.
  int rows_like_normal() const { return disc_count_ > 1 ? begins_[1] : dim_; }

  bool operator==(const Cone&) const = default;

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
  void add_disc(int dim, double radius);
  double project_normal(double normal, const double* disc_norms) const;

  std::int8_t dim_;
  std::int8_t disc_count_ = 0;
  bool free_;
  // Apart, so that a cone takes no more than 40 bytes: sweeps read one a contact.
  std::array<std::int8_t, kMaxDiscs> begins_{};
  std::array<std::int8_t, kMaxDiscs> dims_{};
  std::array<double, kMaxDiscs> radii_{};
};

}  // namespace clack
