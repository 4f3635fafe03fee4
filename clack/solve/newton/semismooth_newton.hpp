// Semismooth Newton methods on a nonsmooth equation Phi(r, u~) = 0, one map a contact:
//
//     newton-ac   Alart and Curnier's map, or Jean and Moreau's                      (eq:newton_ac)
//     newton-nm   the natural map with De Saxce's shift                              (eq:newton_nm)
//     newton-fb   Fischer and Burmeister's map in the Jordan algebra of the cone     (eq:newton_fb)
//
// in scaled variables (eq:scaling), with u~ = u + alpha (r - centre). A step solves
//
//     (dPhi/du (W + alpha I) + dPhi/dr) d = -Phi                                  (eq:newton_step)
//
// alpha > 0 makes the matrix regular where W has no full rank. The centre moves to r as soon as
// |Phi| has halved; then alpha falls, faster the fewer steps were needed, so that the end is
// superlinear. Where it does not halve alpha grows. A line search on |Phi|^2 / 2 can be added; full
// steps are often better, since |Phi| must rise before it collapses.
// References: Alart, Curnier (1991); Qi, Sun (1993); Rockafellar (1976).
#pragma once

#include <vector>

#include "clack/solve/newton/block_system.hpp"
#include "clack/solve/newton/contact_maps.hpp"
#include "clack/solve/scaled_problem.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

// automatic: full steps, Goldstein and Price's rule in their place after many steps without
// progress, and so on in turn: either fails where the other does not.
enum class LineSearch { automatic, none, armijo, goldstein_price };

struct SemismoothNewtonOptions : SolverOptions {
  SemismoothNewtonOptions() { max_iterations = 500; }
  LineSearch line_search = LineSearch::automatic;
  Factorisation factorisation = Factorisation::automatic;
  int start_sweeps = 10;     // Gauss-Seidel sweeps before the first Newton step
  int inner_steps = 8;       // Newton steps for one centre
  double alpha_min = 1e-10;  // smallest proximal parameter, after scaling
  double alpha_start = 0.3;  // first alpha = alpha_start |Phi| / max(|u_free|, |r|)

  static const OptionTable<SemismoothNewtonOptions>& table();
  void validate() const;
};

struct NewtonAcOptions : SemismoothNewtonOptions {
  bool jean_moreau = false;  // discs of radius mu r_N instead of mu (r_N - u_N)+

  static const OptionTable<NewtonAcOptions>& table();
};

class SemismoothNewton : public Solver {
 public:
  SemismoothNewton(const SemismoothNewtonOptions& options, ContactMap map);

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  bool sweep_first(const ReducedProblem& problem, double* r, double* u, SolveReport& report) const;
  void load(const ReducedProblem& problem, const double* r);
  // Phi at r_ + length * step_ with the proximal term alpha; its norm.
  double map_norm(double alpha, double length) const;
  void assemble(double alpha);
  bool newton_step(double alpha, double& norm);
  double search_length(double alpha, double norm) const;
  bool proximal_step(double& alpha, int& steps);
  double adapted_alpha(double alpha, int inner, double reduction);
  double first_alpha() const;
  // After many steps without progress: from the best impulse with the other kind of steps.
  void change_manner(const double* best_r, double& alpha);

  SemismoothNewtonOptions options_;
  ContactMap map_;
  ScaledProblem scaled_;
  BlockSystem system_;
  std::vector<double> T_, B_;
  Vector r_, u_, centre_, step_, velocity_step_, rhs_, r_saved_, u_saved_;
  LineSearch search_ = LineSearch::none;  // the rule in use
  int cautious_ = 0;  // centres left for which alpha falls slowly, after a failure
};

class NewtonAc final : public SemismoothNewton {
 public:
  explicit NewtonAc(const NewtonAcOptions& options = {});
  std::string_view name() const override { return "newton-ac"; }
};

class NewtonNm final : public SemismoothNewton {
 public:
  explicit NewtonNm(const SemismoothNewtonOptions& options = {});
  std::string_view name() const override { return "newton-nm"; }
};

class NewtonFb final : public SemismoothNewton {
 public:
  explicit NewtonFb(const SemismoothNewtonOptions& options = {});
  std::string_view name() const override { return "newton-fb"; }
};

}  // namespace clack
