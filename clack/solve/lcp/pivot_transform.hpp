// From a mixed problem to a pure one, by a principal pivot transform (eq:pivot_transform).
#pragma once

#include <vector>

#include "clack/solve/lcp/lcp_system.hpp"

namespace clack {

// S: all free rows and some complementary ones k, such that P = W_SS is nonsingular; N: the others.
// Solved for r_S,
//
//     r_S = P^-1 (u_S - W_SN r_N - u_free_S),    u_S = 0 on free rows
//     u_N = W_NS r_S + W_NN r_N + u_free_N
//
// is a pure problem in which u_k and r_k have changed places: unknowns (u_k, r_N), with slacks
// (r_k, u_N). Unlike x = x+ - x- it does not depend on how free rows and free unknowns are paired.
// Rows k are added only where the free block is singular, and at random for another starting basis.
// Where no such k makes P nonsingular (a free unknown that acts on nothing, a free row that nothing
// acts on), all free unknowns are split, x = x+ - x-, each part with its own copy of the row:
// unknowns (x+, x-, r), slacks (u_x, -u_x, u).
class PivotTransform {
 public:
  // start 0: as few rows k as possible; others: more of them, drawn at random, the same each time.
  void apply(const LcpSystem& system, int start);

  const Matrix& W() const { return W_; }
  const Vector& u_free() const { return u_free_; }
  int size() const { return static_cast<int>(u_free_.size()); }

  // The scaled r of the system from the unknowns of the pure problem.
  Vector expand(const Vector& unknowns) const;
  // Weights of the system's rows from a certificate of the pure problem.
  Vector expand_weights(const Vector& weights) const;

 private:
  bool choose_pivots(const LcpSystem& system);
  void add_random_pivots(const LcpSystem& system, int start);
  void set_pivots(const std::vector<char>& chosen, const LcpSystem& system);
  void transform(const LcpSystem& system);
  void split_free(const LcpSystem& system);

  bool split_ = false;
  std::vector<int> S_, N_;      // rows of the system
  std::vector<int> exchanged_;  // positions in S of the complementary rows k
  Eigen::PartialPivLU<Matrix> lu_, lu_transposed_;
  Matrix W_SN_, W_NS_;
  Vector u_free_S_;
  std::vector<int> free_;  // rows of the system, when split
  Matrix W_;
  Vector u_free_, row_scale_, col_scale_;
};

}  // namespace clack
