// Enumeration of the active sets with pruning (eq:branch), a decision procedure for small problems.
//
// A node fixes r_i = 0 for some rows and u_i = 0 for others, and asks for
//
//     r >= 0,   u = W r + u_free >= 0,   with these zeros (and u = 0 on free rows)
//
// by linear programming. Without such a point the whole subtree is empty, and a certificate
// (eq:farkas) says so; with one that is complementary the problem is solved; else the row with the
// largest min(r_i, u_i) is branched on. Any W: degenerate, singular, indefinite. Ends with a
// solution, or with Status::infeasible after a complete tree whose every leaf has been checked: the
// certificate is then (eq:farkas_cone) where the root is infeasible, otherwise the leaves, see
// check_exhaustion. At worst 2^n nodes for n complementary rows: n up to about 20, or fewer nodes
// than max_iterations. Reference: Al-Khayyal (1987); Murty (1988), section 11.4.
#pragma once

#include <span>
#include <vector>

#include "clack/solve/lcp/infeasibility.hpp"
#include "clack/solve/lcp/lcp_system.hpp"
#include "clack/solve/lcp/phase_one.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct LcpEnumOptions : SolverOptions {
  LcpEnumOptions() { max_iterations = 2'000'000; }  // nodes
  int stored_leaves = 4096;  // a proof with more leaves is counted in the note, not stored

  static const OptionTable<LcpEnumOptions>& table();
  void validate() const;
};

class LcpEnum final : public Solver {
 public:
  explicit LcpEnum(const LcpEnumOptions& options = {});
  std::string_view name() const override { return "lcp-enum"; }

 private:
  enum class Search { solved, empty, stopped };

  // A problem with friction is refused by InputError.
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  Search explore(const ReducedProblem& problem, double* r, double* u, SolveReport& report);
  PhaseOne::Outcome solve_node();
  void close_leaf(PhaseOne::Outcome outcome, const InfeasibilityCheck& check);
  int choose_row(double& conflict) const;
  bool accept(const ReducedProblem& problem, double* r, double* u);
  void conclude_empty(SolveReport& report) const;

  LcpEnumOptions options_;
  LcpSystem system_;
  PhaseOne linear_;
  std::vector<Side> sides_;     // of the node, one a row of the system
  Vector r_;                    // of the node, scaled
  std::vector<double> leaves_;  // check_exhaustion's format
  int leaf_count_ = 0;
  int unproved_ = 0;  // leaves without a proof: what is then found is no solution, but none proved
  double best_ = 0;   // residual of the best candidate
};

// Whether `leaves` proves that the problem has no solution: for each leaf m values of 0, 1 or 2
// (Side: open, r_i = 0, u_i = 0) and then m weights y. Every leaf must be infeasible by its
// weights, and together the leaves must cover all active sets.
bool check_exhaustion(const ReducedProblem& problem, std::span<const double> leaves);

}  // namespace clack
