// A dense simplex tableau with the lexicographic ratio test, shared by complementary pivoting and
// by the search for certificates.
#pragma once

#include <vector>

#include "clack/core/types.hpp"

namespace clack {

// B^-1 [I | A | b] for the basis B of the system  x_I + A x_A = b,  m rows. Variable k < m is the
// k-th of x_I, variable m + k the k-th of x_A. Because the first m columns are B^-1, the rows
// (b, B^-1) of a feasible basis stay lexicographically positive under the ratio test
// (eq:lexicographic) and no basis returns. Reference: Cottle, Pang, Stone (1992), section 4.9.
class Tableau {
 public:
  // The basis starts as x_I. b may be negative; the first pivot is then the caller's choice.
  void load(const Matrix& A, const Vector& b);

  int rows() const { return static_cast<int>(basis_.size()); }
  int variables() const { return static_cast<int>(table_.cols()) - 1; }
  int basic(int row) const { return basis_[static_cast<std::size_t>(row)]; }
  double entry(int row, int variable) const { return table_(row, variable); }
  double value(int row) const { return table_(row, table_.cols() - 1); }
  // x, with zeros for what is not basic.
  Vector solution() const;

  // The row that leaves when `entering` grows, -1 if none: the lexicographic minimum of
  // (b, B^-1)_i / entry(i, entering) over positive entries. `preferred` (a variable, or -1) leaves
  // where it is among those of the least b_i / entry.
  int leaving_row(int entering, int preferred) const;
  // Of (b, B^-1)_i / weight_i, the lexicographically least row.
  int least_row(const Vector& weight) const;
  void pivot(int row, int entering);

 private:
  void refactor();

  Matrix initial_;  // [I | A | b]
  Matrix table_;
  std::vector<int> basis_;
  int pivots_ = 0;
};

}  // namespace clack
