// Complementary pivoting after Lemke (eq:lemke), with lexicographic ratio tests:
//
//     u = W r + u_free + d z0,    u, r, z0 >= 0,    u_i r_i = 0
//
// starts from u_free + d z0 >= 0 with z0 large, and drives z0 out of the basis by always bringing
// in the complement of what left. n rows; every basis of the path is visited once, so it ends: with
// a solution, or on a ray. For copositive-plus W (all positive semidefinite ones) a ray is a proof
// that no r >= 0 has W r + u_free >= 0; otherwise a path from another basis and with another d may
// still succeed. Free rows are eliminated first (eq:pivot_transform). The warm start is used only
// where it solves the problem as it is. Dense: n of a few hundred. Reference: Lemke (1965); Cottle,
// Pang, Stone (1992), sections 4.4 and 4.9.
#pragma once

#include "clack/solve/lcp/pivot_transform.hpp"
#include "clack/solve/lcp/tableau.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct LemkeOptions : SolverOptions {
  int paths = 10;  // tried: from u = u_free with d = (1, ..., 1), then from drawn bases and d

  static const OptionTable<LemkeOptions>& table();
  void validate() const;
};

class Lemke final : public Solver {
 public:
  explicit Lemke(const LemkeOptions& options = {});
  std::string_view name() const override { return "lemke"; }

 private:
  enum class End { solution, ray, limit };

  // A problem with friction is refused by InputError.
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  End follow_path(int path, SolveReport& report);
  void start_path(int path);
  bool accept(const ReducedProblem& problem, double* r, double* u, SolveReport& report);
  bool certify(const ReducedProblem& problem, bool ray, SolveReport& report) const;
  void give_up(int rays, SolveReport& report) const;

  LemkeOptions options_;
  LcpSystem system_;
  PivotTransform pure_;
  Tableau tableau_;
  int entering_ = 0;  // of the step that is due, or of the ray
};

}  // namespace clack
