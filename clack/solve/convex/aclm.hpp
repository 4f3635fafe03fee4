// Coulomb's problem as a convex one inside a fixed point on the sliding velocity (eq:aclm):
//
//     r(s) = argmin 1/2 r' W r + r' (u_free + s e_N) over K,     s = F(s) = sum_i mu_i |u_i(r(s))|
//
// with one s >= 0 a contact. outer = fixed-point iterates s <- F(s); outer = newton is the
// multisecant quasi-Newton method of (eq:anderson_outer) on F(s) - s = 0: no derivative of F is
// formed, which would need that of the core's solution. The core is chosen by name; where W is not
// symmetric the cores apgd and bb get its symmetric part and the skew part lags one outer step.
// Reference: Acary, Cadoux, Lemarechal, Malick (2011).
#pragma once

#include <memory>

#include "clack/solve/convex/outer_solver.hpp"

namespace clack {

struct AclmOptions : OuterOptions {
  enum class Outer { fixed_point, newton };
  Outer outer = Outer::newton;
  CoreKind core = CoreKind::spectral;

  static const OptionTable<AclmOptions>& table();
};

class Aclm final : public OuterSolver {
 public:
  explicit Aclm(const AclmOptions& options = {});
  std::string_view name() const override { return "aclm"; }

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;

  std::unique_ptr<ConvexCore> core_;
};

}  // namespace clack
