// The best impulses seen by a solver whose measure does not fall at every step.
#pragma once

#include <cmath>

#include "clack/problem/residual.hpp"

namespace clack {

class JudgedIterate {
 public:
  // Starts with r; u (m values) is workspace and receives W r + u_free.
  JudgedIterate(const ReducedProblem& problem, const double* r, double* u) : problem_(problem) {
    judge(r, u);
  }

  // The yardstick of r, which is kept if it is the best so far. NaN where r is not finite.
  double judge(const double* r, double* u) {
    const double measure = compute_residual(problem_, r, u).worst();
    if (measure < measure_) {
      measure_ = measure;
      r_ = ConstVectorMap(r, problem_.size());
    }
    return measure;
  }
  void restore(double* r) const {
    if (r_.size() > 0) VectorMap(r, r_.size()) = r_;
  }
  double measure() const { return measure_; }

 private:
  const ReducedProblem& problem_;
  Vector r_;
  double measure_ = HUGE_VAL;
};

}  // namespace clack
