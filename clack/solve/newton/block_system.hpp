// Linear systems of second-order methods: the matrix (eq:block_system)
//
//     J = T W + B,      J_ij = T_i W_ij + (i = j) B_i
//
// with T and B block-diagonal by contacts, factorised by LU: dense with partial pivoting
// (Eigen::PartialPivLU) or sparse with a column order found once for all J of one W
// (Eigen::SparseLU, COLAMD). Where W and B are symmetric and T is the identity LDL' takes its
// place (Eigen::LDLT; Eigen::SimplicialLDLT, AMD), which fills far less.
#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <span>
#include <vector>

#include "clack/core/types.hpp"
#include "clack/problem/block_sparse.hpp"

namespace clack {

enum class Factorisation { automatic, dense, sparse };

class BlockSystem {
 public:
  // Keeps a pointer to W. Automatic: dense for few rows or a well-filled W.
  // symmetric: W and every B to come are, and T is the identity.
  void load(const BlockSparse& W, Factorisation choice, bool symmetric = false);

  // The d_i x d_i blocks of T and B stand one after the other by columns, contact i from
  // block_begin(i) on; block_values() in all.
  int block_begin(int contact) const { return block_begin_[static_cast<std::size_t>(contact)]; }
  int block_values() const { return block_begin_.empty() ? 0 : block_begin_.back(); }

  // False where the matrix is singular to working precision. An empty T is the identity.
  bool factorise(std::span<const double> T, std::span<const double> B);
  // x = J^-1 b; false if x is not finite.
  bool solve(const Vector& b, Vector& x) const;
  bool is_dense() const { return dense_; }

 private:
  void load_pattern();
  void assemble_dense(std::span<const double> T, std::span<const double> B);
  void assemble_sparse(std::span<const double> T, std::span<const double> B);
  template <class Method>
  bool factorise_sparse(Method& method);
  template <class Store>
  void assemble(std::span<const double> T, std::span<const double> B, Store&& store) const;

  const BlockSparse* W_ = nullptr;
  bool dense_ = true;
  bool symmetric_ = false;
  bool analysed_ = false;
  std::vector<int> block_begin_;
  std::vector<int> place_;  // of each block of W in the columns of sparse_J_
  Matrix dense_J_;
  SparseMatrix sparse_J_;
  Eigen::PartialPivLU<Matrix> dense_lu_;
  Eigen::LDLT<Matrix> dense_ldlt_;
  Eigen::SimplicialLDLT<SparseMatrix> sparse_ldlt_;
  mutable Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int>> sparse_lu_;
};

}  // namespace clack
