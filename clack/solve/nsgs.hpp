// Nonsmooth Gauss-Seidel (eq:nsgs): contact by contact,
//
//     r_i <- solution of  u_i = W_ii r_i + (u_free_i + sum_{j != i} W_ij r_j)  with its law
//
// exactly or by one of the other local solvers. Stops by the yardstick alone and returns the best
// impulse it has seen. Reference: Jourdan, Alart, Jean (1998), Jean (1999).
#pragma once

#include <cstdint>
#include <vector>

#include "clack/solve/first_order/best_iterate.hpp"
#include "clack/solve/first_order/delassus_rows.hpp"
#include "clack/solve/local_solver.hpp"
#include "clack/solve/solver.hpp"

namespace clack {

// The order in which a sweep visits the contacts; symmetric: forward and backward in turn;
// shuffle: a new permutation each sweep, the same for the same seed on every machine.
enum class SweepOrder { forward, backward, symmetric, shuffle };

struct NsgsOptions : SolverOptions {
  int check_every = 4;  // sweeps between two evaluations of the yardstick; the first is checked too
  double relaxation = 1.0;  // r <- (1 - relaxation) r + relaxation r_local; 1 keeps r in K exactly
  SweepOrder order = SweepOrder::symmetric;
  int seed = 1;  // of the shuffle
  LocalKind local = LocalKind::exact;
  // A contact whose impulse has changed by less than freeze_change times the tolerance and the
  // largest impulse for freeze_after sweeps is skipped (0: never). Every thaw_every-th sweep visits
  // all contacts, and the yardstick always sees all of them.
  int freeze_after = 0;
  double freeze_change = 0.1;
  int thaw_every = 10;

  static const OptionTable<NsgsOptions>& table();
  void validate() const;
};

class Nsgs final : public Solver {
 public:
  explicit Nsgs(const NsgsOptions& options = {});
  std::string_view name() const override { return "nsgs"; }

 private:
  void iterate(const ReducedProblem& problem, double* r, double* u, SolveReport& report) override;
  void sweep(const ReducedProblem& problem, double* r, int iteration);
  void sweep_shuffled(const ReducedProblem& problem, double* r, bool all);
  void update_contact(const ReducedProblem& problem, int contact, double* r) const;
  void visit(const ReducedProblem& problem, int contact, double* r, bool all);
  void start_freezing(int contacts);
  // -W_ii^-1 of the well-conditioned 3 x 3 blocks of a sparse W: a sticking contact is then solved
  // by one product. Rows of zeros elsewhere.
  void prepare_stick(const ReducedProblem& problem);
  bool try_stick(const Cone& cone, int contact, const double* b, double* r) const;

  NsgsOptions options_;
  DelassusRows rows_;
  std::vector<double> stick_;  // 9 values a contact by rows; empty where not used
  BestIterate best_;
  std::vector<int> permutation_;
  std::uint64_t random_ = 0;                 // state of the shuffle
  std::vector<int> quiet_;                   // sweeps since each contact last changed
  double largest_ = 0, largest_before_ = 0;  // impulse of a contact, this sweep and the last
};

}  // namespace clack
