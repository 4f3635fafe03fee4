// Two classical fixed points between the normal and the tangential law, on cylinders instead of
// cones (eq:cylinder). Both need mu not too large or a fast enough acceleration to converge.
#pragma once

#include "clack/solve/convex/outer_solver.hpp"
#include "clack/solve/convex/projected_gradient.hpp"

namespace clack {

// Tresca's problem with the friction bounds of the last normal impulses (eq:tresca):
//
//     r(theta) = argmin 1/2 r' W r + r' u_free,  r_N >= 0, |r_i| <= mu_i theta
//     theta <- r_N(theta)
//
// Reference: Haslinger (1983).
class Tresca final : public OuterSolver {
 public:
  explicit Tresca(const OuterOptions& options = {});
  std::string_view name() const override { return "tresca"; }

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;

  SpectralCore core_;
};

// In turn the normal problem with r_T fixed, r_N >= 0, and the tangential problem with r_N fixed,
// |r_i| <= mu_i r_N (eq:panagiotopoulos); bilateral rows belong to both. Anderson's acceleration
// acts on r_T. Reference: Panagiotopoulos (1975).
class Panagiotopoulos final : public OuterSolver {
 public:
  explicit Panagiotopoulos(const OuterOptions& options = {});
  std::string_view name() const override { return "panagiotopoulos"; }

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;

  SpectralCore core_;
};

}  // namespace clack
