#include "clack/assemble/iteration_matrix.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

namespace clack {

// One sparse factor, or the product S^-1 B M^-1 of two.
struct IterationMatrix::Factor {
  Eigen::SparseLU<SparseMatrix> lu;
  std::shared_ptr<const SparseMatrix> blocks;  // an inverse in place of a factor; else null
  std::shared_ptr<const Factor> left, right;   // of a chain; else null
  SparseMatrix between;

  void solve(const Vector& b, Vector& x) const {
    if (blocks) {
      x = *blocks * b;
      return;
    }
    if (!left) {
      x = lu.solve(b);
      return;
    }
    Vector y;
    right->solve(b, y);
    left->solve(between * y, x);
  }
};

IterationMatrix::IterationMatrix(int nv, int rows, bool sparse)
    : sparse_(sparse), lu_(sparse ? 0 : nv), scratch_(nv) {
  resize(rows);
}

void IterationMatrix::resize(int rows) {
  if (!sparse_) X_ = Matrix::Zero(scratch_.size(), rows);
  known_.assign(static_cast<std::size_t>(rows), 0);
  responses_.clear();
  renew();
}

void IterationMatrix::renew() {
  static std::atomic<long> count{0};
  revision_ = ++count;
}

bool IterationMatrix::factorise(const SystemMatrix& M_hat) {
  forget_columns();
  factorised_ = false;
  if (!M_hat.all_finite()) return false;
  return factorised_ = sparse_ ? factorise_sparse(M_hat.sparse()) : factorise_dense(M_hat.dense());
}

bool IterationMatrix::factorise_dense(const Matrix& M_hat) {
  if (M_hat.rows() == 1) {
    inverse_ = 1 / M_hat(0, 0);
    return std::isfinite(inverse_);
  }
  lu_.compute(M_hat);
  const double smallest = lu_.matrixLU().diagonal().cwiseAbs().minCoeff();
  return smallest > 0 && std::isfinite(smallest);
}

bool IterationMatrix::factorise_sparse(const SparseMatrix& M_hat) {
  factor_.reset();
  inverse_blocks_.reset();
  if (invert_blocks(M_hat)) return inverse_blocks_ != nullptr;
  auto factor = std::make_shared<Factor>();
  factor->lu.compute(M_hat);
  if (factor->lu.info() != Eigen::Success) return false;
  factor_ = std::move(factor);
  return true;
}

// Finds what couples. False where blocks are large; where one is singular there is no inverse.
bool IterationMatrix::invert_blocks(const SparseMatrix& A) {
  constexpr int kMostInBlock = 12;
  const int n = static_cast<int>(A.rows());
  std::vector<int> parent(static_cast<std::size_t>(n));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (int j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      if (it.value() == 0) continue;
      const int x = root(static_cast<int>(it.row())), y = root(j);
      if (x != y) parent[std::max(x, y)] = std::min(x, y);
    }
  }
  std::vector<std::vector<int>> blocks(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    std::vector<int>& members = blocks[static_cast<std::size_t>(root(i))];
    members.push_back(i);
    if (static_cast<int>(members.size()) > kMostInBlock) return false;
  }
  MatrixEntries entries;
  for (const std::vector<int>& members : blocks) {
    if (members.empty()) continue;
    const int m = static_cast<int>(members.size());
    Matrix block = Matrix::Zero(m, m);
    for (int j = 0; j < m; ++j) {
      for (SparseMatrix::InnerIterator it(A, members[j]); it; ++it) {
        const auto at = std::lower_bound(members.begin(), members.end(), it.row());
        if (at != members.end() && *at == it.row()) block(at - members.begin(), j) = it.value();
      }
    }
    const Eigen::PartialPivLU<Matrix> lu(block);
    const double smallest = lu.matrixLU().diagonal().cwiseAbs().minCoeff();
    if (!(smallest > 0)) return true;
    const Matrix inverse = lu.inverse();
    for (int j = 0; j < m; ++j) {
      for (int i = 0; i < m; ++i) {
        if (inverse(i, j) != 0) entries.emplace_back(members[i], members[j], inverse(i, j));
      }
    }
  }
  auto inverse = std::make_shared<SparseMatrix>(n, n);
  inverse->setFromTriplets(entries.begin(), entries.end());
  inverse_blocks_ = std::move(inverse);
  return true;
}

void IterationMatrix::set_chain(const IterationMatrix& S, const SystemMatrix& B,
                                const IterationMatrix& M) {
  forget_columns();
  factor_.reset();
  inverse_blocks_.reset();
  factorised_ = S.factorised_ && M.factorised_;
  if (!factorised_) return;
  if (S.inverse_blocks_ && M.inverse_blocks_) {
    const SparseMatrix right = B.sparse() * *M.inverse_blocks_;
    inverse_blocks_ = std::make_shared<SparseMatrix>(*S.inverse_blocks_ * right);
    return;
  }
  auto chain = std::make_shared<Factor>();
  const auto factor_of = [](const IterationMatrix& x) {
    if (x.factor_) return x.factor_;
    auto blocks = std::make_shared<Factor>();
    blocks->blocks = x.inverse_blocks_;
    return std::shared_ptr<const Factor>(blocks);
  };
  chain->left = factor_of(S);
  chain->right = factor_of(M);
  chain->between = B.sparse();
  factor_ = std::move(chain);
}

void IterationMatrix::solve(ConstVectorRef b, VectorRef x) const {
  if (!factorised_) {  // there are no factors to work with, or those of another matrix
    x.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (sparse_) {
    if (inverse_blocks_) {
      scratch_.noalias() = *inverse_blocks_ * b;
    } else {
      factor_->solve(b, scratch_);
    }
    x = scratch_;
    return;
  }
  if (b.size() == 1) {
    x[0] = b[0] * inverse_;
    return;
  }
  // Row by row: for the small systems of this room, faster than the blocked solvers.
  const Matrix& LU = lu_.matrixLU();
  const auto& transpositions = lu_.permutationP().indices();
  const int n = static_cast<int>(b.size());
  double* y = scratch_.data();
  for (int i = 0; i < n; ++i) y[transpositions[i]] = b[i];
  for (int j = 0; j < n; ++j) {
    for (int i = j + 1; i < n; ++i) y[i] -= LU(i, j) * y[j];
  }
  for (int j = n - 1; j >= 0; --j) {
    y[j] /= LU(j, j);
    for (int i = 0; i < j; ++i) y[i] -= LU(i, j) * y[j];
  }
  std::copy_n(y, n, x.data());
}

void IterationMatrix::forget_columns() {
  std::fill(known_.begin(), known_.end(), 0);
  responses_.clear();
  renew();
}

const double* IterationMatrix::solved_column(const ContactMap& H, int row) {
  if (!known_[row]) {
    solve(H.dense().col(row), X_.col(row));
    known_[row] = 1;
  }
  return X_.col(row).data();
}

void IterationMatrix::set_column(int row, ConstVectorRef b) {
  solve(b, X_.col(row));
  known_[row] = 1;
  renew();
}

void IterationMatrix::add_response(const ContactMap& H, int row, double s, VectorRef v) {
  if (!sparse_) {
    v += s * ConstVectorMap(solved_column(H, row), v.size());
    return;
  }
  Vector x(v.size());
  H.column(row, x);
  solve(x, x);
  v += s * x;
}

const Vector& IterationMatrix::response(const ContactMap& H, int row) {
  if (responses_.empty()) responses_.resize(known_.size());
  Vector& values = responses_[static_cast<std::size_t>(row)];
  if (!known_[row]) {
    Vector x(H.nv());
    H.column(row, x);
    solve(x, x);
    values.resize(H.rows());
    for (int i = 0; i < H.rows(); ++i) values[i] = H.dot(i, x);
    known_[row] = 1;
  }
  return values;
}

}  // namespace clack
