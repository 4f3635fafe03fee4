#include "clack/solve/newton/block_system.hpp"

#include <algorithm>

namespace clack {
namespace {

constexpr int kDenseRows = 90;       // below it the symbolic work of a sparse factor does not pay
constexpr double kDenseFill = 0.35;  // share of stored values above which a sparse factor fills up

using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

}  // namespace

void BlockSystem::load(const BlockSparse& W, Factorisation choice, bool symmetric) {
  W_ = &W;
  symmetric_ = symmetric;
  block_begin_.assign(1, 0);
  for (int i = 0; i < W.block_rows(); ++i) {
    const int dim = W.offset()[i + 1] - W.offset()[i];
    block_begin_.push_back(block_begin_.back() + dim * dim);
  }
  const double m = W.size();
  const double fill = static_cast<double>(W.values().size()) / (m * m);
  dense_ = choice == Factorisation::dense ||
           (choice == Factorisation::automatic && (m <= kDenseRows || fill > kDenseFill));
  if (!dense_) load_pattern();
}

// All columns of a block column have the same rows, so one number a block places its values.
void BlockSystem::load_pattern() {
  sparse_J_ = W_->to_sparse();
  sparse_J_.makeCompressed();
  place_.resize(W_->columns().size());
  std::vector<int> filled(W_->block_rows(), 0);
  for (int i = 0; i < W_->block_rows(); ++i) {
    for (int k = W_->row_pointer()[i]; k < W_->row_pointer()[i + 1]; ++k) {
      int& rows = filled[W_->columns()[k]];
      place_[k] = rows;
      rows += W_->offset()[i + 1] - W_->offset()[i];
    }
  }
  analysed_ = false;
}

template <class Store>
void BlockSystem::assemble(std::span<const double> T, std::span<const double> B,
                           Store&& store) const {
  for (int i = 0; i < W_->block_rows(); ++i) {
    const int rows = W_->offset()[i + 1] - W_->offset()[i];
    const Eigen::Map<const Block> added(B.data() + block_begin(i), rows, rows);
    for (int k = W_->row_pointer()[i]; k < W_->row_pointer()[i + 1]; ++k) {
      const int j = W_->columns()[k];
      const int cols = W_->offset()[j + 1] - W_->offset()[j];
      const Eigen::Map<const Block> w(W_->block(k), rows, cols);
      Block value = w;
      if (!T.empty()) {
        value.noalias() = Eigen::Map<const Block>(T.data() + block_begin(i), rows, rows) * w;
      }
      if (i == j) value += added;
      store(i, j, k, value);
    }
  }
}

void BlockSystem::assemble_dense(std::span<const double> T, std::span<const double> B) {
  dense_J_.setZero(W_->size(), W_->size());
  assemble(T, B, [&](int i, int j, int, const Block& value) {
    dense_J_.block(W_->offset()[i], W_->offset()[j], value.rows(), value.cols()) = value;
  });
}

void BlockSystem::assemble_sparse(std::span<const double> T, std::span<const double> B) {
  double* values = sparse_J_.valuePtr();
  const int* column_begin = sparse_J_.outerIndexPtr();
  assemble(T, B, [&](int, int j, int k, const Block& value) {
    for (int c = 0; c < value.cols(); ++c) {
      double* target = values + column_begin[W_->offset()[j] + c] + place_[k];
      for (int row = 0; row < value.rows(); ++row) target[row] = value(row, c);
    }
  });
}

template <class Method>
bool BlockSystem::factorise_sparse(Method& method) {
  if (!analysed_) {
    method.analyzePattern(sparse_J_);
    analysed_ = true;
  }
  method.factorize(sparse_J_);
  return method.info() == Eigen::Success;
}

bool BlockSystem::factorise(std::span<const double> T, std::span<const double> B) {
  if (!dense_) {
    assemble_sparse(T, B);
    return symmetric_ ? factorise_sparse(sparse_ldlt_) : factorise_sparse(sparse_lu_);
  }
  assemble_dense(T, B);
  if (symmetric_) {
    dense_ldlt_.compute(dense_J_);
    return dense_ldlt_.info() == Eigen::Success;
  }
  dense_lu_.compute(dense_J_);
  return dense_lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0;
}

bool BlockSystem::solve(const Vector& b, Vector& x) const {
  if (dense_) {
    x = symmetric_ ? Vector(dense_ldlt_.solve(b)) : Vector(dense_lu_.solve(b));
  } else {
    x = symmetric_ ? Vector(sparse_ldlt_.solve(b)) : Vector(sparse_lu_.solve(b));
  }
  return x.allFinite();
}

}  // namespace clack
