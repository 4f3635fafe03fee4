// The rows of W contact by contact, as sweeps need them. Where W is a BlockSparse cut like the
// problem, or dense, its storage is read directly: no virtual call and no copy a row.
#pragma once

#include <array>
#include <vector>

#include "clack/problem/block_sparse.hpp"
#include "clack/problem/reduced_problem.hpp"

namespace clack {

class DelassusRows {
 public:
  // The problem and its W must stay alive and unchanged while this object is used.
  void bind(const ReducedProblem& problem);

  // The dimension of all blocks where W is read as a BlockSparse, else 0.
  int uniform_dim() const { return uniform_; }

  // W_ii, dim x dim by columns.
  const double* block(int contact) const {
    return uniform_ > 0 ? sparse_->block(sparse_->diagonal_index(contact))
                        : copied_.data() + begin_[static_cast<std::size_t>(contact)];
  }

  // b = u_free_i + sum_{j != i} W_ij r_j, dim values.
  void off_diagonal(int contact, const double* r, double* b) const {
    switch (uniform_) {
      case 1:
        return sparse_row<1>(contact, r, b);
      case 2:
        return sparse_row<2>(contact, r, b);
      case 3:
        return wide_ ? sparse_row_wide(contact, r, b) : sparse_row<3>(contact, r, b);
      case 4:
        return sparse_row<4>(contact, r, b);
      case 5:
        return sparse_row<5>(contact, r, b);
      case 6:
        return sparse_row<6>(contact, r, b);
      default:
        return dense_ ? dense_row(contact, r, b) : general_row(contact, r, b);
    }
  }

 private:
  void bind_sparse(const BlockSparse& W);
  void copy_blocks();
  // The 3 x 3 kernel with a column in one register: same operations, same order, same result.
  void sparse_row_wide(int contact, const double* r, double* b) const;
  void dense_row(int contact, const double* r, double* b) const;
  void general_row(int contact, const double* r, double* b) const;

  // Small blocks have one sum a column, so that the additions do not wait for each other.
  template <int D>
  static constexpr int kSums = D <= 3 ? D : 1;

  template <int D>
  static const double* add_blocks(const double* block, const int* column, const int* end,
                                  const double* r, std::array<double, D * kSums<D>>& sum) {
    for (; column != end; ++column, block += D * D) {
      const double* rj = r + static_cast<std::ptrdiff_t>(*column) * D;
      for (int j = 0; j < D; ++j) {
        for (int i = 0; i < D; ++i) sum[j % kSums<D> * D + i] += block[j * D + i] * rj[j];
      }
    }
    return block;
  }

  template <int D>
  void sparse_row(int contact, const double* r, double* b) const {
    const int first = row_pointer_[contact], diagonal = sparse_->diagonal_index(contact);
    const double* block = sparse_->values().data() + static_cast<std::ptrdiff_t>(first) * D * D;
    std::array<double, D * kSums<D>> sum{};
    block = add_blocks<D>(block, columns_ + first, columns_ + diagonal, r, sum);
    add_blocks<D>(block + D * D, columns_ + diagonal + 1, columns_ + row_pointer_[contact + 1], r,
                  sum);
    const double* u_free = problem_.u_free + static_cast<std::ptrdiff_t>(contact) * D;
    for (int i = 0; i < D; ++i) {
      b[i] = u_free[i];
      for (int j = 0; j < kSums<D>; ++j) b[i] += sum[j * D + i];
    }
  }

  ReducedProblem problem_;
  int uniform_ = 0;    // dimension of all blocks where W is a BlockSparse of one dimension, else 0
  bool wide_ = false;  // the processor has 256-bit registers
  const BlockSparse* sparse_ = nullptr;
  const int* columns_ = nullptr;
  const int* row_pointer_ = nullptr;
  const double* dense_ = nullptr;  // W by columns
  std::vector<double> copied_;     // W_ii by columns, one after the other, where W has no block
  std::vector<int> begin_;         // of each W_ii in copied_
};

}  // namespace clack
