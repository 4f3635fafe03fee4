// Semismooth Newton with a line search on a complementarity function (eq:lcp_newton):
//
//     Phi_i(r) = phi(r_i, u_i),  phi(a, b) = a + b - sqrt(a^2 + b^2)   (Fischer and Burmeister)
//                                phi(a, b) = min(a, b)                 (the min map)
//     Phi_i(r) = u_i  on free rows,    u = W r + u_free
//
// Direction from J d = -Phi with J in the generalised Jacobian, from (J'J + lambda I) d = -J'Phi
// where that is singular or no descent; steps are halved until |Phi|^2/2 falls below the largest
// of its last values. The min map is not differentiable in |Phi|^2 and falls back more often, but
// ends in finitely many steps. A stationary point that is no solution is left by starting again:
// once with u + alpha (r - centre) for u and a centre that follows (proximal points, for singular
// monotone W), then from other points. Dense, n of some hundreds.
// Reference: De Luca, Facchinei, Kanzow (1996); Fischer (1992); Pang (1990).
#pragma once

#include <vector>

#include "clack/solve/lcp/lcp_system.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct LcpNewtonOptions : SolverOptions {
  LcpNewtonOptions() { max_iterations = 1000; }  // Newton steps, over all starts
  enum Map { fischer_burmeister, minimum };
  int map = fischer_burmeister;
  int starts = 5;  // the warm start, the same with proximal points, then drawn points
  int memory = 5;  // values of the merit function that the line search compares with; 1 is monotone

  static const OptionTable<LcpNewtonOptions>& table();
  void validate() const;
};

class LcpNewton final : public Solver {
 public:
  explicit LcpNewton(const LcpNewtonOptions& options = {});
  std::string_view name() const override { return "lcp-newton"; }

 private:
  enum class End { solved, centred, stationary, limit };

  // A problem with friction is refused by InputError.
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  // Until |Phi| <= goal (centred), or a stationary point, or a solution.
  End descend(const ReducedProblem& problem, double goal, double* r, double* u,
              SolveReport& report);
  End follow_centres(const ReducedProblem& problem, double* r, double* u, SolveReport& report);
  void start_at(int start, const double* r);
  void evaluate(const Vector& x);
  void differentiate();
  bool newton_direction();
  void regularised_direction();
  bool search_line(double reference);
  double track_best(const ReducedProblem& problem, double* r, double* u);

  LcpNewtonOptions options_;
  LcpSystem system_;
  Vector x_, u_, phi_, gradient_, direction_, trial_, candidate_, candidate_u_;
  Matrix J_;
  Vector centre_;  // u + alpha (r - centre) stands for u
  double alpha_ = 0;
  double lambda_ = 0;  // of the regularised direction
  double best_ = 0;    // residual of the best r so far
};

}  // namespace clack
