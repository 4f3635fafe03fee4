// M_hat = M + h theta C + h^2 theta^2 K (eq:iteration_matrix), factorised, and X = M_hat^-1 H.
#pragma once

#include <vector>

#include "clack/core/types.hpp"

namespace clack {

class IterationMatrix {
 public:
  IterationMatrix(int nv, int rows);

  // Factorises M_hat; false if it is singular. Forgets all columns of X.
  bool factorise(ConstMatrixRef M_hat);
  // x = M_hat^-1 b, not a number where M_hat was refused; x may alias b.
  void solve(ConstVectorRef b, VectorRef x) const;
  // Says that M_hat has changed and is to be factorised anew before the next use.
  void forget() {
    factorised_ = false;
    forget_columns();
  }
  // Says that H has changed: its solved columns are forgotten.
  void forget_columns();
  // Column `row` of X = M_hat^-1 H, solved on first use.
  const double* solved_column(const Matrix& H, int row);
  // Puts M_hat^-1 b in the place of column `row`: the force of that row acts along b.
  void set_column(int row, ConstVectorRef b);
  bool is_factorised() const { return factorised_; }

 private:
  Eigen::PartialPivLU<Matrix> lu_;
  double inverse_ = 0;  // for nv = 1, where a factorisation would cost more than the step
  Matrix X_;
  mutable Vector scratch_;
  std::vector<char> known_;
  bool factorised_ = false;
};

}  // namespace clack
