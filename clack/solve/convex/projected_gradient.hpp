// First-order convex cores: they need products with W and projections only, on any convex set.
#pragma once

#include "clack/solve/convex/core_problem.hpp"

namespace clack {

// Accelerated projected gradient (eq:apgd): r+ = proj(y - g(y) / L), y+ = r+ + beta (r+ - r), with
// backtracking on L, momentum restarted when it opposes the step, and L relaxed slowly.
// References: Nesterov (1983); O'Donoghue, Candes (2015); Mazhar et al. (2015).
class ApgdCore final : public ConvexCore {
 public:
  bool needs_symmetry() const override { return true; }
  void load(const BlockSparse& W, bool symmetric, std::span<const Cone> cones) override;
  CoreReport solve(const Vector& b, const CoreLimits& limits, Vector& r) override;
  // The same over another set than K.
  CoreReport minimise(const Vector& b, const ConvexSet& set, const CoreLimits& limits, Vector& r);

 private:
  const BlockSparse* W_ = nullptr;
  std::span<const Cone> cones_;
  double L_ = 1;        // estimate of the largest eigenvalue of W
  double L_bound_ = 1;  // largest sum of absolute values of a row: no eigenvalue is beyond it
};

// Spectral projected gradient (eq:spg): d = proj(r - lambda g) - r with Barzilai and Borwein's
// lambda, both formulas in turn, and the non-monotone rule of Grippo, Lampariello and Lucidi
// solved exactly along d, since W d is known. The best iterate is kept.
// References: Birgin, Martinez, Raydan (2000); Barzilai, Borwein (1988).
class SpectralCore final : public ConvexCore {
 public:
  bool needs_symmetry() const override { return true; }
  void load(const BlockSparse& W, bool symmetric, std::span<const Cone> cones) override;
  CoreReport solve(const Vector& b, const CoreLimits& limits, Vector& r) override;
  // The same over another set than K.
  CoreReport minimise(const Vector& b, const ConvexSet& set, const CoreLimits& limits, Vector& r);

 private:
  const BlockSparse* W_ = nullptr;
  std::span<const Cone> cones_;
};

}  // namespace clack
