// Bilateral rows are solved exactly, before any method looks at the others: sweeps cannot carry the
// joints of a machine. With the bilateral rows b and the rest c of a problem,
//
//     lambda = -S^+ (u_b + W_bc r),     S = W_bb
//     u = (W_cc - W_cb S^+ W_bc) r + (u_c - W_cb S^+ u_b)                        (eq:elimination)
//
// S may be singular: constraints that depend on each other share their load (SemidefiniteFactor). W
// may have a small skew part.
#pragma once

#include <vector>

#include "clack/problem/reduced_problem.hpp"
#include "clack/solve/semidefinite_factor.hpp"

namespace clack {

class BilateralElimination {
 public:
  // False where there is nothing to eliminate, or W is far from symmetric or what is left too
  // large.
  bool bind(const ReducedProblem& problem);
  bool is_all() const { return rest_rows_.empty(); }
  ReducedProblem rest() const;
  void gather(const double* r, double* rest) const;
  // All impulses, from those of the rest.
  void expand(const double* rest, double* r) const;

 private:
  bool split(const ReducedProblem& problem);
  bool bind_dense(const ReducedProblem& problem);
  bool bind_sparse(const ReducedProblem& problem);
  bool set_rest(const Matrix& W_cc);

  std::vector<int> rows_, rest_rows_, place_;  // place_: of a row among its kind
  std::vector<char> is_free_;
  std::vector<Cone> cones_;
  std::vector<int> offset_;
  SemidefiniteFactor factor_;
  bool is_symmetric_ = true;
  Matrix W_bb_, W_bc_, W_cb_, X_, W_rest_;
  Vector u_b_, u_c_, x_b_, u_rest_;  // x_b = S^+ u_b
  DenseDelassus operator_;
};

}  // namespace clack
