// The proximal point iterations of contact dynamics (eq:prox_jacobi, eq:prox_sor): the law written
// as r = proj(r - rho u) for the normal and for each disc, iterated.
//
// jacobi     all contacts from the same u = W r + u_free, then one product with W
// prox-sor   contact by contact with the newest impulses (eq:prox_parts)
//
// Steps: part p (normal or disc, one scalar each) has rho_p = omega / lambda_p for prox-sor and
// omega / (lambda_p Lambda) for jacobi, lambda_p = lambda_max(W_pp), Lambda = lambda_max(D W D)
// with D_p = lambda_p^-1/2, found by power iteration. Both converge for 0 < omega < 2 where W is
// symmetric and the radii of the discs are fixed (no friction, Tresca); with Coulomb's friction
// this holds for mu small enough. Where the residual grows or stands still omega is reduced and
// the iteration goes back to its best impulse.
// References: Moreau (1994); Foerg, Pfeiffer, Ulbrich (2005); Studer (2009).
#pragma once

#include "clack/core/types.hpp"
#include "clack/solve/first_order/best_iterate.hpp"
#include "clack/solve/first_order/delassus_rows.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct ProxOptions : SolverOptions {
  ProxOptions() { max_iterations = 100000; }
  double omega = 1.0;      // relaxation, in (0, 2)
  int check_every = 10;    // iterations between two evaluations of the yardstick
  double reduction = 0.7;  // of omega on divergence; 1 keeps it
  int patience = 50;       // evaluations without a better impulse before omega is reduced

  static const OptionTable<ProxOptions>& table();
  void validate() const;
};

// Watches the residual; says when to go back and with which omega to go on.
class ProxControl {
 public:
  void start(const ProxOptions& options, int m);  // m rows
  double omega() const { return omega_; }
  // True where r has been replaced by the best impulse because the iteration diverges or stands.
  bool judge(double residual, double* r, int m);
  double best_residual() const { return best_.residual(); }
  void finish(double* r) const { best_.restore(r); }

 private:
  BestIterate best_;
  double omega_ = 1, reduction_ = 1;
  int patience_ = 0, waiting_ = 0;
};

class ProxJacobi final : public Solver {
 public:
  explicit ProxJacobi(const ProxOptions& options = {});
  std::string_view name() const override { return "jacobi"; }

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  void set_steps(const ReducedProblem& problem);
  double largest_scaled_eigenvalue(const ReducedProblem& problem);
  void step(const ReducedProblem& problem, const double* u, double* r) const;

  ProxOptions options_;
  ProxControl control_;
  Vector rho_;  // step of each row at omega = 1, equal for the rows of a part
  Vector x_, y_;
};

class ProxSor final : public Solver {
 public:
  explicit ProxSor(const ProxOptions& options = {});
  std::string_view name() const override { return "prox-sor"; }

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;

  ProxOptions options_;
  ProxControl control_;
  DelassusRows rows_;
};

}  // namespace clack
