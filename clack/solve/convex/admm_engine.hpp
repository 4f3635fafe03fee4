// The alternating direction method of multipliers for -(W r + b) in N_C(r) (eq:admm):
//
//     (W + rho I) x = y - b + rho z
//     x^ = omega x + (1 - omega) z,    v = x^ - y / rho,    z+ = proj_C(v),    y+ = rho (z+ - v)
//
// z in C and y in the polar of the normal cone hold at each step; z -> r, y -> W r + b. One
// factorisation serves all steps with the same rho, which follows the ratio of the primal residual
// |x - z| and the dual residual rho |z+ - z|, at intervals that grow so that rho settles. W need
// not be symmetric, only monotone. omega = 1.6 pays for convex problems, not where b follows y.
// Reference: Boyd et al. (2011).
#pragma once

#include <vector>

#include "clack/solve/convex/core_problem.hpp"
#include "clack/solve/newton/block_system.hpp"

namespace clack {

struct AdmmSettings {
  double rho = 0.1;         // first penalty, after scaling
  double relaxation = 1.0;  // omega, in (0, 2)
  int adapt_every = 20;     // steps before the first look at rho; then growing; 0: never
};

class AdmmEngine {
 public:
  void load(const BlockSparse& W, bool symmetric, const AdmmSettings& settings);
  // z = proj(r), y the projection of W r + b on the dual of C.
  void start(const ConvexSet& set, const Vector& b, const Vector& r);
  // False where the factorisation fails or a value is not finite.
  bool step(const ConvexSet& set, const Vector& b);

  const Vector& z() const { return z_; }
  const Vector& y() const { return y_; }

 private:
  bool factorise();
  bool adapt();

  AdmmSettings settings_;
  const BlockSparse* W_ = nullptr;
  BlockSystem system_;
  double rho_ = 0;
  bool factorised_ = false;
  int steps_ = 0, next_adaptation_ = 0;
  std::vector<double> B_;
  Vector x_, y_, z_, z_old_, v_;
};

class AdmmCore final : public ConvexCore {
 public:
  bool needs_symmetry() const override { return false; }
  void load(const BlockSparse& W, bool symmetric, std::span<const Cone> cones) override;
  CoreReport solve(const Vector& b, const CoreLimits& limits, Vector& r) override;

 private:
  const BlockSparse* W_ = nullptr;
  std::span<const Cone> cones_;
  AdmmEngine engine_;
};

}  // namespace clack
