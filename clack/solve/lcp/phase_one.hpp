// Is a system of linear inequalities feasible? A point, or a certificate that there is none.
#pragma once

#include <vector>

#include "clack/core/types.hpp"
#include "clack/solve/lcp/tableau.hpp"

namespace clack {

// x >= 0 with s = A x + b, s_i >= 0 or (where equal[i]) s_i = 0. Either x is found or y with
//
//     y_i >= 0 (any sign where equal[i]),    A' y <= 0,    b' y < 0                    (eq:farkas)
//
// which excludes every x, since y' s = (A' y)' x + b' y. Phase one of the simplex method on a
// scaled copy: Dantzig's entering rule, lexicographic leaving rule. Up to round-off: verify y.
class PhaseOne {
 public:
  enum class Outcome { feasible, infeasible, undecided };  // undecided: the pivots ran out

  Outcome solve(const Matrix& A, const Vector& b, const std::vector<char>& equal);
  const Vector& x() const { return x_; }
  const Vector& y() const { return y_; }

 private:
  void load(const std::vector<char>& equal);
  int choose_entering() const;
  Outcome conclude();
  bool is_artificial(int variable) const {
    return variable < tableau_.rows() && artificial_[static_cast<std::size_t>(variable)] != 0;
  }

  Matrix A_;
  Vector b_, row_scale_, col_scale_, sign_, x_, y_;
  std::vector<char> artificial_;  // rows whose first basic variable must vanish
  std::vector<int> slack_row_;    // row of each slack that has a column of its own
  Tableau tableau_;
};

}  // namespace clack
