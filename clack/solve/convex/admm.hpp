// ADMM on Coulomb's problem itself (eq:admm): De Saxce's shift s = sum_i mu_i |y_i| follows the
// multiplier y at every step, since y_i -> u_i. One factorisation of W + rho I serves all steps
// between two changes of rho. No proof of convergence for large mu; the yardstick decides.
// Reference: Carpentier, Le Lidec, Montaut (2024); Boyd et al. (2011).
#pragma once

#include "clack/solve/convex/admm_engine.hpp"
#include "clack/solve/scaled_problem.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct AdmmOptions : SolverOptions {
  AdmmSettings settings;
  int check_every = 5;  // steps between two evaluations of the yardstick

  static const OptionTable<AdmmOptions>& table();
  void validate() const;
};

class Admm final : public Solver {
 public:
  explicit Admm(const AdmmOptions& options = {});
  std::string_view name() const override { return "admm"; }

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  // b = u_free + s(y) e_N
  void set_constant_term(const Vector& y);

  AdmmOptions options_;
  ScaledProblem scaled_;
  AdmmEngine engine_;
  Vector b_;
};

}  // namespace clack
