// A linear complementarity problem, mixed or not, as dense data (eq:mlcp):
//
//     u = W r + u_free,    u_i >= 0, r_i >= 0, u_i r_i = 0   or   u_i = 0, r_i free
//
// Rows and columns are scaled separately by positive powers of two: the signs of u and r are all
// that complementarity sees, so the scaled problem has the same solutions and nothing is rounded.
#pragma once

#include <string_view>
#include <vector>

#include "clack/core/types.hpp"
#include "clack/problem/reduced_problem.hpp"

namespace clack {

class LcpSystem {
 public:
  // Takes cones R+, R^n and friction cones whose coefficients are all zero (tangential
  // impulses vanish; their rows are left out). Throws InputError for friction.
  void load(std::string_view solver, const ReducedProblem& problem);

  int size() const { return static_cast<int>(row_.size()); }
  const Matrix& W() const { return W_; }            // scaled, size x size
  const Vector& u_free() const { return u_free_; }  // scaled, largest entry in [1, 2), or all zero
  bool is_free(int i) const { return free_[static_cast<std::size_t>(i)] != 0; }
  int row(int i) const { return row_[static_cast<std::size_t>(i)]; }  // in the problem

  // Between the scaled unknowns (size values) and the problem's impulses (m values).
  Vector scaled(const double* r) const;
  void unscale(const Vector& scaled_r, double* r) const;
  // Weights y of the scaled rows as weights of the problem's rows (m values, 0 where left out).
  std::vector<double> unscale_weights(const Vector& y) const;

 private:
  int problem_size_ = 0;
  Matrix W_;
  Vector u_free_, row_scale_, col_scale_;
  double size_scale_ = 1;
  std::vector<int> row_;
  std::vector<char> free_;
};

// Scales rows and columns of W by powers of two towards largest entries of 1, and u_free with the
// rows: W <- R W C, u_free <- R u_free.
void equilibrate(Matrix& W, Vector& u_free, Vector& row_scale, Vector& col_scale);

// Active-set refinement: the rows with r_i > u_i (after scaling) and the free ones are solved as
// equations, in the sense of least squares where they are singular. Keeps the better of r before
// and after by the yardstick, which it returns; u receives W r + u_free. An r beyond 1e9 times the
// scale of u_free and W comes from a basis that is singular but for round-off, and because the
// yardstick divides by |r| it would pass there: it is replaced by 0.
double polish(const LcpSystem& system, const ReducedProblem& problem, double* r, double* u);

}  // namespace clack
