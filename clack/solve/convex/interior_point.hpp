// A primal-dual interior point method on second-order cones (eq:ipm). Each disc i of a contact
// gives a Lorentz block x = G r = (mu_i r_N, r_i), a frictionless contact the block x = r_N, and
//
//     W r + b + s(z) e_N = G' z,     x = G r,     x o z = 0,     x, z in the product of the blocks
//
// Convex problem: s = 0. Coulomb's problem: s = sum_i mu_i |z_i|, De Saxce's shift, since
// z_i = u_i; it is linearised with the rest. Mehrotra's predictor and corrector, one factorisation
// of W + (block-diagonal) a step; bilateral rows get a small proximal term. Nesterov and Todd's
// scaling far from the solution, where it is robust for any positive semidefinite W; near it the
// plain linearisation of x o z, which keeps the digits where x and z both lie on the boundary
// (sliding): there Nesterov and Todd's error is only the root of the complementarity. Rows of discs
// with mu_i = 0 stay 0.
// References: Nesterov, Todd (1997); Alizadeh, Haeberly, Overton (1998); Mehrotra (1992); Acary,
// Armand, Nguyen, Shpakovych (2024).
#pragma once

#include <vector>

#include "clack/solve/convex/projected_gradient.hpp"
#include "clack/solve/newton/block_system.hpp"
#include "clack/solve/newton/contact_maps.hpp"

namespace clack {

class InteriorPoint {
 public:
  // coulomb: with De Saxce's shift; else the convex problem.
  void load(const BlockSparse& W, std::span<const Cone> cones, bool coulomb);
  // The start r_N = size, z of the same order: strictly inside.
  void start(const Vector& b, double size);
  // One predictor and corrector; false if the matrix is singular or the step vanishes.
  bool step(const Vector& b);

  const Vector& r() const { return r_; }
  double complementarity() const;  // mean of x . z over the blocks

 private:
  // One Lorentz block, or a half line (dim 1).
  struct Block {
    int contact, normal, begin, dim;  // rows of r: normal, and dim - 1 from `begin` on
    int place;                        // in x and z
    double mu;
  };
  // What one block needs in a step: dz = v - theta dx. Scaled by S, v = S^-1 (lambda \ rc) and
  // theta = S^-2; plain, v = x \ rc and theta = L_x^-1 L_z.
  struct Scaling {
    SmallMatrix theta, inverse;  // inverse = S^-1
    SmallVector lambda;          // S^-1 x = S z
  };

  void add_blocks(int contact);
  SmallVector slack(const Block& block, const Vector& r) const;  // G r
  // The derivative of G' z - s(z) e_N by z, dim of the contact x dim.
  SmallMatrix normal_map(const Block& block) const;
  void compute_dual_residual(const Vector& b);
  void compute_scaling();
  void scale_nesterov_todd(const SmallVector& x, const SmallVector& z, Scaling& scaling) const;
  bool factorise();
  // dr_, dz_ for the right sides rc of the linearised complementarity.
  bool solve_step(const std::vector<SmallVector>& rc);
  double step_to_boundary() const;
  std::vector<SmallVector> right_sides(double target, bool corrector) const;

  const BlockSparse* W_ = nullptr;
  std::span<const Cone> cones_;
  bool coulomb_ = false;
  bool plain_ = false;     // the linearisation in use
  int scaled_steps_ = 0;   // steps left for which it must be Nesterov and Todd's
  double first_mean_ = 0;  // complementarity of the start
  std::vector<Block> blocks_;
  std::vector<int> first_block_;  // of each contact
  std::vector<char> fixed_;       // rows that stay 0
  std::vector<Scaling> scaling_;
  BlockSystem system_;
  std::vector<double> T_, B_;
  Vector r_, z_, x_, dr_, dz_, dx_, residual_, rhs_;
};

// Where the solution is not strictly complementary the interior point method stops short of the
// tolerance; spectral projected gradients (eq:spg) finish from there.
class InteriorPointCore final : public ConvexCore {
 public:
  bool needs_symmetry() const override { return false; }
  void load(const BlockSparse& W, bool symmetric, std::span<const Cone> cones) override;
  // An interior point method cannot use a start; r only receives the solution.
  CoreReport solve(const Vector& b, const CoreLimits& limits, Vector& r) override;

 private:
  const BlockSparse* W_ = nullptr;
  std::span<const Cone> cones_;
  InteriorPoint method_;
  SpectralCore polish_;
};

}  // namespace clack
