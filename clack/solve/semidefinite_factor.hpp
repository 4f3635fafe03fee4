// Solves S x = b for a symmetric positive semidefinite S, dense or sparse, whatever its rank:
//
//     x_0 = 0,   x_{k+1} = x_k + (S + eps D)^-1 (b - S x_k),   D = diag(S)          (eq:proximal_rows)
//
// For b in the range of S this comes to a solution within round-off in a few steps, and to the one
// that is least in the norm of D: the part of x in the null space stays 0. S may have a skew part
// that is small, as gyroscopic terms of an iteration matrix make it: the factor is that of the
// symmetric part, and the steps contract by the ratio of the two.
#pragma once

#include <Eigen/SparseCholesky>

#include "clack/core/system_matrix.hpp"
#include "clack/core/types.hpp"

namespace clack {

class SemidefiniteFactor {
 public:
  // False where a number is not finite, S is not semidefinite beyond round-off or its skew part is
  // not small.
  bool compute(const Matrix& S);
  bool compute(const SparseMatrix& S);
  int size() const { return static_cast<int>(scale_.size()); }
  void solve(ConstVectorRef b, VectorRef x) const;
  // The same for many columns at once.
  void solve(const Matrix& B, Matrix& X) const;

 private:
  template <class Values>  // a vector or a matrix
  void refine(const Values& b, Values& x) const;
  template <class Values>
  void multiply(const Values& x, Values& y) const;
  template <class Diagonal>
  bool set_scale(Diagonal&& diagonal);

  template <class AnyMatrix>
  bool set_skewness(const AnyMatrix& S);

  static constexpr double kShift = 1e-11;
  bool dense_ = true, analysed_ = false, skew_ = false;
  Vector scale_;  // D^-1/2
  Matrix S_;      // scaled: its diagonal is 1
  Eigen::LLT<Matrix> dense_factor_;
  SparseMatrix sparse_S_;
  Eigen::SimplicialLDLT<SparseMatrix> sparse_factor_;
  mutable Vector b_, x_;
};

}  // namespace clack
