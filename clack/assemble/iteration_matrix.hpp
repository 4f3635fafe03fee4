// M_hat = M + h theta C + h^2 theta^2 K (eq:iteration_matrix), factorised, and X = M_hat^-1 H.
//
// By its structure: small and dense (LU, columns of X are kept); sparse, made of small blocks that
// do not couple, as those of rigid bodies (its inverse has the same blocks); sparse in any other
// way (LU with fill-reducing order; of X only what contacts see, H'X, is kept).
#pragma once

#include <Eigen/SparseLU>
#include <memory>
#include <vector>

#include "clack/core/contact_map.hpp"
#include "clack/core/system_matrix.hpp"
#include "clack/core/types.hpp"

namespace clack {

class IterationMatrix {
 public:
  IterationMatrix(int nv, int rows, bool sparse = false);

  // Makes room for another number of rows of H; their columns are forgotten.
  void resize(int rows);
  // Factorises M_hat; false if it is singular. Forgets all columns of X.
  bool factorise(const SystemMatrix& M_hat);
  // M_hat^-1 = S^-1 B M^-1, of factors that both are sparse.
  void set_chain(const IterationMatrix& S, const SystemMatrix& B, const IterationMatrix& M);
  // x = M_hat^-1 b, not a number where M_hat was refused; x may alias b.
  void solve(ConstVectorRef b, VectorRef x) const;
  // Says that M_hat has changed and is to be factorised anew before the next use.
  void forget() {
    factorised_ = false;
    forget_columns();
  }
  // Says that H has changed: its solved columns are forgotten.
  void forget_columns();
  // Column `row` of X = M_hat^-1 H, solved on first use. Dense ones only.
  const double* solved_column(const ContactMap& H, int row);
  // Puts M_hat^-1 b in the place of column `row`: the force of that row acts along b. Dense only.
  void set_column(int row, ConstVectorRef b);
  // v += s X_row.
  void add_response(const ContactMap& H, int row, double s, VectorRef v);
  bool is_factorised() const { return factorised_; }
  // Another number after each change of X; no two matrices have the same one.
  long revision() const { return revision_; }

  bool is_sparse() const { return sparse_; }
  // Sparse: the inverse where it is made of small blocks, null elsewhere.
  const SparseMatrix* inverse() const { return inverse_blocks_.get(); }
  // Sparse: column `row` of H'X, all rows, solved on first use.
  const Vector& response(const ContactMap& H, int row);

 private:
  void renew();
  bool factorise_dense(const Matrix& M_hat);
  bool factorise_sparse(const SparseMatrix& M_hat);
  bool invert_blocks(const SparseMatrix& M_hat);

  bool sparse_;
  Eigen::PartialPivLU<Matrix> lu_;
  double inverse_ = 0;  // for nv = 1, where a factorisation would cost more than the step
  Matrix X_;
  mutable Vector scratch_;
  std::vector<char> known_;
  bool factorised_ = false;
  long revision_ = 0;

  // Shared with chains made of it.
  struct Factor;
  std::shared_ptr<const SparseMatrix> inverse_blocks_;
  std::shared_ptr<const Factor> factor_;
  std::vector<Vector> responses_;
};

}  // namespace clack
