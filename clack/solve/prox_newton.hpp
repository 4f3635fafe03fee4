// Semismooth Newton on Alart and Curnier's map inside a proximal point loop (eq:prox_newton).
//
// With u~ = u + alpha (r - centre), one scalar scale a contact and rho = 1 after it:
//
//     Phi_N = r_N - max(0, t),               t = r_N - u~_N
//     Phi_i = r_i - proj_{|.| <= mu_i t}(z), z = r_i - u~_i      for every disc i
//     Phi   = u~                                                  for bilateral rows
//
// Full Newton steps on Phi = 0 with matrix T (W + alpha I) + Q; alpha is the only globalisation and
// covers rank-deficient W. References: Alart, Curnier (1991); Rockafellar (1976).
#pragma once

#include <vector>

#include "clack/core/types.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct ProxNewtonOptions : SolverOptions {
  int inner_steps = 8;       // Newton steps for one proximal centre
  double alpha_min = 1e-12;  // smallest proximal parameter, after scaling
  int start_sweeps = 10;     // Gauss-Seidel sweeps before the first Newton step

  static const OptionTable<ProxNewtonOptions>& table();
  void validate() const;
};

class ProxNewton final : public Solver {
 public:
  explicit ProxNewton(const ProxNewtonOptions& options = {});
  std::string_view name() const override { return "prox-newton"; }

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  void scale(const ReducedProblem& problem, const double* r);
  void unscale(double* r) const;
  double assemble_step(const ReducedProblem& problem, double alpha);
  void assemble_contact(const Cone& cone, int begin, double alpha, const Vector& shifted);
  bool newton_step();
  double map_norm(const ReducedProblem& problem, double alpha) const;
  bool proximal_step(const ReducedProblem& problem, double& alpha, int& steps);

  ProxNewtonOptions options_;
  Matrix W_, J_;  // scaled operator; Newton matrix
  Vector scale_, r_, u_, centre_, u_free_, rhs_, step_, r_saved_;
  Eigen::PartialPivLU<Matrix> lu_;
};

}  // namespace clack
