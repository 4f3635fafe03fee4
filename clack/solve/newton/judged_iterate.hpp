// The best impulses seen by a solver whose measure does not fall at every step.
#pragma once

#include <cmath>

#include "clack/problem/residual.hpp"

namespace clack {

class JudgedIterate {
 public:
  // Starts with r; u (m values) is workspace and receives W r + u_free.
  JudgedIterate(const ReducedProblem& problem, Verdict verdict, const double* r, double* u)
      : size_(problem.size()), verdict_(verdict) {
    yardstick_.bind(problem);
    judge(r, u);
  }

  // The yardstick of r, which is kept if it is the best so far. NaN where r is not finite.
  double judge(const double* r, double* u) {
    const double measure = yardstick_.measure(r, u).of(verdict_);
    if (measure < measure_) {
      measure_ = measure;
      r_ = ConstVectorMap(r, size_);
    }
    return measure;
  }
  void restore(double* r) const {
    if (r_.size() > 0) VectorMap(r, r_.size()) = r_;
  }
  double measure() const { return measure_; }

 private:
  Yardstick yardstick_;
  int size_;
  Verdict verdict_;
  Vector r_;
  double measure_ = HUGE_VAL;
};

}  // namespace clack
