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
#include "clack/solve/auto/island_worker.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

struct AutoOptions : SolverOptions {
  double max_flops = 2e10;  // of one factorisation of an island; larger islands are only swept
  int max_sweeps = 20000;   // for those

  void validate() const;
};

class AutoSolver final : public Solver {
 public:
  explicit AutoSolver(const AutoOptions& options = {});
  std::string_view name() const override { return "auto"; }

 private:
  struct Effort;

  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  const BlockSparse& block_sparse(const ReducedProblem& problem);
  void split(const BlockSparse& W);
  IslandError reference(const ReducedProblem& problem, const BlockSparse& W) const;
  IslandWorker& worker_for(int island);
  void first_sweep(const ReducedProblem& problem, const BlockSparse& W, int island, double* r);
  void solve_island(const ReducedProblem& problem, const BlockSparse& W, int island, double* r,
                    const IslandError& target, Effort& effort);
  void pass(const ReducedProblem& problem, const BlockSparse& W, double* r, double tighten, Effort& effort);
  void pivot_instead(const ReducedProblem& problem, double* r, double* u, SolveReport& report);
  std::span<const int> members(int island) const;

  AutoOptions options_;
  BlockSparse converted_;             // of an operator that is not block-sparse
  std::vector<int> island_begin_, island_members_;
  std::vector<int> island_dim_;       // largest cone of each island
  std::vector<IslandError> errors_;   // latest of each island
  std::vector<int> local_, queue_;
  IslandError reference_;             // squares of the norms that the errors are divided by
  std::array<std::unique_ptr<IslandWorker>, Cone::kMaxDim + 1> workers_;  // by the rows of a cone
};

}  // namespace clack
