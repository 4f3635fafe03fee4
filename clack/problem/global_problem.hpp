// From the global form to the reduced one, and back.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "clack/problem/problem_data.hpp"

namespace clack {

// M^-1 as a sum over the connected components of M's graph: a system of rigid bodies has one small
// dense block a body, a mesh one large sparse block. Small components are factorised densely
// (Cholesky where the block is symmetric positive definite, else LU), large ones sparsely.
// Throws InputError where M is not square or singular.
class MassInverse {
 public:
  explicit MassInverse(const SparseMatrix& M);
  ~MassInverse();
  MassInverse(MassInverse&&) noexcept;
  MassInverse& operator=(MassInverse&&) noexcept;

  int components() const { return static_cast<int>(parts_.size()); }
  // M^-1 b, b of nv values.
  Vector solve(const Vector& b) const;
  // H' M^-1 H, without the exact zeros. H is nv x m.
  SparseMatrix congruence(const SparseMatrix& H) const;

 private:
  struct Part;
  int size_ = 0;
  std::vector<std::unique_ptr<Part>> parts_;
};

// W = H' M^-1 H and u_free = H' M^-1 f + w, with the same cones and names.
ProblemData reduce(const ProblemData& global);

// v = M^-1 (H r + f), nv values; r of m values.
Vector recover_velocity(const ProblemData& global, const double* r);

// The yardstick of the global form, u = H' v + w:
//
//   dynamics = |H r + f - M v| / max(|f|, |M v|, |H r|)
//   contact  = |r - proj_K(r - u - g(u))| / max(|u|, |r|)
//
// where nothing is divided by a maximum below 1.5e-8. Quoted is the sum.
struct GlobalResidual {
  double dynamics = 0;
  double contact = 0;

  double total() const { return dynamics + contact; }
};

// r of m values, v of nv.
[[nodiscard]] GlobalResidual compute_global_residual(const ProblemData& problem, const double* r,
                                                     const double* v);

}  // namespace clack
