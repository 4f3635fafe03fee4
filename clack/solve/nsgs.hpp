// Nonsmooth Gauss-Seidel with an exact local solve (eq:nsgs): contact by contact,
//
//     r_i <- solution of  u_i = W_ii r_i + (u_free_i + sum_{j != i} W_ij r_j)  with its law
//
// Forward and backward sweeps alternate. Reference: Jourdan, Alart, Jean (1998), Jean (1999).
#pragma once

#include <vector>

#include "clack/solve/solver.hpp"

namespace clack {

struct NsgsOptions : SolverOptions {
  int check_every = 4;  // sweeps between two evaluations of the yardstick; the first is checked too
  double relaxation = 1.0;  // r <- (1 - relaxation) r + relaxation r_local; 1 keeps r in K exactly

  void validate() const;
};

class Nsgs final : public Solver {
 public:
  explicit Nsgs(const NsgsOptions& options = {});
  std::string_view name() const override { return "nsgs"; }

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  void load_blocks(const ReducedProblem& problem);
  void sweep(const ReducedProblem& problem, double* r, bool forward) const;
  void update_contact(const ReducedProblem& problem, int contact, double* r) const;

  NsgsOptions options_;
  std::vector<double> blocks_;  // W_ii by columns, one after the other
  std::vector<int> block_begin_;
};

}  // namespace clack
