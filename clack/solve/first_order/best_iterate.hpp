// The best impulse seen by the yardstick, and when the yardstick is asked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace clack {

class BestIterate {
 public:
  // Memory for m values is taken here, so that a later offer allocates nothing.
  void clear(int m) {
    r_.reserve(static_cast<std::size_t>(m));
    residual_ = std::numeric_limits<double>::infinity();
    known_ = false;
  }
  double residual() const { return residual_; }

  // Keeps r (m values) if it is better than what is kept; true if so. A NaN never is.
  bool offer(double residual, const double* r, int m) {
    if (!(residual < residual_)) return false;
    residual_ = residual;
    known_ = true;
    r_.assign(r, r + m);
    return true;
  }
  void restore(double* r) const {
    if (known_) std::copy(r_.begin(), r_.end(), r);
  }

 private:
  std::vector<double> r_;
  double residual_ = std::numeric_limits<double>::infinity();
  bool known_ = false;
};

// The first two iterations, each `every`-th and the last one.
inline bool check_due(int iteration, int every, int last) {
  return iteration <= 2 || iteration % every == 0 || iteration >= last;
}

}  // namespace clack
