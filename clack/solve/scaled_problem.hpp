// A reduced problem with one scalar a contact factored out (eq:scaling):
//
//     D_i = (tr W_ii / dim_i)^-1/2,    W^ = D W D,   u_free^ = D u_free,   r = D r^,   u = D^-1 u^
//
// A scalar keeps every cone and De Saxce's shift, so the scaled problem has the same law, and the
// diagonal blocks of W^ have mean eigenvalue 1. A contact whose block has no positive trace keeps
// D_i = 1.
#pragma once

#include <span>

#include "clack/problem/block_sparse.hpp"
#include "clack/problem/reduced_problem.hpp"

namespace clack {

class ScaledProblem {
 public:
  // Copies W and u_free, scaled; cones and offsets are views that must outlive this.
  void load(const ReducedProblem& problem);

  int size() const { return W_.size(); }
  int contacts() const { return static_cast<int>(cones_.size()); }
  const BlockSparse& W() const { return W_; }
  const Vector& u_free() const { return u_free_; }
  std::span<const Cone> cones() const { return cones_; }
  std::span<const int> offset() const { return offset_; }
  const Vector& scale() const { return scale_; }  // m values, D_i for each row of contact i

  Vector to_scaled(const double* r) const;                    // r^ = D^-1 r
  void from_scaled(const Vector& r_scaled, double* r) const;  // r = D r^
  // u^ = W^ r^ + u_free^
  void velocity(const Vector& r_scaled, Vector& u_scaled) const;

  // |W^ - W^'| / |W^| in Frobenius' norm.
  double asymmetry() const { return asymmetry_; }
  bool is_symmetric() const { return asymmetry_ <= 1e-14; }  // to rounding
  // (W^ + W^') / 2.
  BlockSparse make_symmetric_part() const;

 private:
  void set_scale(const SparseMatrix& W);

  BlockSparse W_;
  Vector u_free_, scale_;
  std::span<const Cone> cones_;
  std::span<const int> offset_;
  double asymmetry_ = 0;
};

}  // namespace clack
