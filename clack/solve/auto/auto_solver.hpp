// `auto`: the solver to trust without thinking.
//
// Splits the problem into islands, scales each contact, sweeps with acceleration, goes over to a
// proximal Newton method with a sparse direct factorisation where sweeps are slow, restarts from
// other points where that fails, and says in the report what it did.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "clack/problem/block_sparse.hpp"
#include "clack/problem/problem_data.hpp"
#include "clack/solve/auto/island_worker.hpp"
#include "clack/solve/first_order/delassus_rows.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct AutoOptions : SolverOptions {
  double max_flops = 2e10;  // of one factorisation of an island; larger islands are only swept
  int max_sweeps = 20000;   // for those

  static const OptionTable<AutoOptions>& table();
  void validate() const;
};

class AutoSolver final : public Solver {
 public:
  explicit AutoSolver(const AutoOptions& options = {});
  std::string_view name() const override { return "auto"; }

 private:
  struct Effort {
    int by_newton = 0, by_interior = 0, by_fischer = 0, restarted = 0, too_large = 0, failed = 0;
    int sweeps = 0, newton_steps = 0, largest = 0;
  };

  // One sweep over all contacts; where that is not enough, refine goes through the islands.
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  bool refine(const ReducedProblem& problem, const Residual& residual, double* r, double* u,
              SolveReport& report) override;
  void sweep(const ReducedProblem& problem, double* r);
  void prepare_islands(const ReducedProblem& problem, const BlockSparse& W, const double* r,
                       const double* u);
  const BlockSparse& block_sparse(const ReducedProblem& problem);
  void split(const BlockSparse& W);
  IslandWorker& worker_for(int island);
  void solve_island(const ReducedProblem& problem, const BlockSparse& W, int island, double* r,
                    const IslandTarget& target, SolveReport& report);
  void last_resorts(const ReducedProblem& problem, const BlockSparse& W, int island, double* r,
                    const IslandTarget& target, const IslandLimits& limits, SolveReport& report);
  void add_effort(const IslandEffort& done);
  ProblemData extract(const ReducedProblem& problem, const BlockSparse& W, int island) const;
  bool prove_infeasible(const ReducedProblem& problem, const ProblemData& part, int island,
                        SolveReport& report) const;
  void fischer_burmeister(const ReducedProblem& problem, const BlockSparse& W,
                          const ProblemData& part, int island, double* r,
                          const IslandTarget& target);
  void pass(const ReducedProblem& problem, const BlockSparse& W, double* r, SolveReport& report);
  std::string describe() const;
  bool pivot_instead(const ReducedProblem& problem, double* r, double* u, SolveReport& report);
  std::span<const int> members(int island) const;

  AutoOptions options_;
  BlockSparse converted_;  // of an operator that is not block-sparse
  std::vector<int> island_begin_, island_members_;
  std::vector<int> island_dim_;      // largest cone of each island
  std::vector<IslandError> errors_;  // latest of each island
  std::vector<double> island_free_;  // largest free velocity of each [m/s]
  std::vector<int> local_, queue_;
  DelassusRows rows_;
  Effort effort_;
  int attempt_ = 0;        // passes through the islands
  bool warm_ = false;      // r was given
  bool pivoted_ = false;   // the last resort was tried
  double tighten_ = 1;     // of the share of each island
  IslandError reference_;  // squares of the norms that the errors are divided by
  std::array<std::unique_ptr<IslandWorker>, Cone::kMaxDim + 1> workers_;  // by the rows of a cone
};

}  // namespace clack
