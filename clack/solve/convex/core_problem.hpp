// Convex cores: solvers of the quadratic problem that remains when the non-convex part of the
// friction law is held fixed (eq:socqp),
//
//     minimise  1/2 r' W r + b' r   over r in C
//
// with W symmetric positive semidefinite, singular or not. Where W is not symmetric the
// variational inequality -(W r + b) in N_C(r) is meant; cores that need symmetry say so.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>

#include "clack/core/types.hpp"
#include "clack/problem/block_sparse.hpp"
#include "clack/solve/convex/convex_set.hpp"

namespace clack {

struct CoreLimits {
  double tolerance = 1e-10;  // for |r - proj_C(r - W r - b)| / max(|r|, |b|)
  int max_iterations = 1000;
  std::function<bool()> out_of_time = [] { return false; };
};

struct [[nodiscard]] CoreReport {
  int iterations = 0;
  double measure = 0;  // what `tolerance` bounds
};

class ConvexCore {
 public:
  virtual ~ConvexCore() = default;
  virtual bool needs_symmetry() const = 0;
  // A new matrix, symmetric or not, and C = K, the product of its cones; both must outlive the
  // solves. Does what depends on W alone.
  virtual void load(const BlockSparse& W, bool symmetric, std::span<const Cone> cones) = 0;
  // From r, as far as the method can use a start, to the best r seen.
  virtual CoreReport solve(const Vector& b, const CoreLimits& limits, Vector& r) = 0;
};

// The names of the cores, in the order of the option `core`.
enum class CoreKind { apgd, spectral, admm, interior_point };
std::unique_ptr<ConvexCore> make_core(CoreKind kind);

// The best iterate by the natural measure.
struct BestCore {
  Vector r;
  double measure = HUGE_VAL;

  void offer(const Vector& candidate, double value) {
    if (!(value < measure)) return;
    measure = value;
    r = candidate;
  }
};

inline bool is_done(const CoreLimits& limits, int iteration, double measure) {
  return measure <= limits.tolerance || iteration >= limits.max_iterations || limits.out_of_time();
}

// |r - proj_C(r - gradient)| / max(|r|, |b|).
inline double natural_measure(const ConvexSet& set, const Vector& r, const Vector& gradient,
                              const Vector& b) {
  Vector p = r - gradient;
  set.project(p);
  const double scale = std::max({r.norm(), b.norm(), 1e-290});
  return (r - p).norm() / scale;
}

inline Vector multiply(const BlockSparse& W, const Vector& x) {
  Vector y(x.size());
  W.multiply(x.data(), y.data());
  return y;
}

}  // namespace clack
