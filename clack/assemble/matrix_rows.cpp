#include "clack/assemble/matrix_rows.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

// A W A' + C and A (u_free + W shift) + offset.
void MatrixRows::build(std::span<const StatedContact> stated, bool impacts) {
  collect_blocks(stated);
  set_free_velocities(stated, impacts);
  u_free_.resize(block_rows_.size());
  if (rows_.sparse_W)
    build_sparse();
  else
    build_dense();
}

void MatrixRows::collect_blocks(std::span<const StatedContact> stated) {
  block_rows_.clear();
  blocks_.clear();
  cones_.clear();
  offset_.clear();
  owners.clear();
  begin.clear();
  y.clear();
  shift_.assign(static_cast<std::size_t>(rows_.size()), 0.0);
  for (std::size_t i = 0; i < stated.size(); ++i) {
    const StatedContact& c = stated[i];
    for (int k = 0; k < c.situation.rows(); ++k)
      shift_[static_cast<std::size_t>(rows_.begin[i] + k)] = c.shift(static_cast<std::size_t>(k));
    begin.push_back(y.size());
    for (int b = 0; b < c.statement.count; ++b) {
      const LawBlock& block = c.statement.blocks[b];
      offset_.push_back(static_cast<int>(block_rows_.size()));
      blocks_.push_back(&block);
      cones_.push_back(block.cone());
      owners.push_back({c.contact, c.law});
      for (int k = 0; k < block.dim; ++k) {
        block_rows_.push_back(
            {static_cast<int>(i), &block.map[k], block.offset[k], block.compliance[k]});
      }
    }
    y.insert(y.end(), c.y.begin(), c.y.end());
  }
  offset_.push_back(static_cast<int>(block_rows_.size()));
  x.assign(y.size(), 0.0);
}

// On the velocities of the start bodies keep them but for impulses: a contact at rest has no
// impulse then, and is not set in motion by the restitution of its own weight.
void MatrixRows::set_free_velocities(std::span<const StatedContact> stated, bool impacts) {
  rows_free_.assign(rows_.u_free, rows_.u_free + rows_.size());
  if (!impacts) return;
  for (std::size_t i = 0; i < stated.size(); ++i) {
    const ContactSituation& situation = stated[i].situation;
    std::copy_n(situation.u_start.begin(), situation.rows(), rows_free_.begin() + rows_.begin[i]);
  }
}

// Impulses of earlier stages that stop all velocities leave round-off of them, which no impulse
// need answer: where W is singular none can.
static void drop_round_off(const ConstMatrixMap& W, const ConstVectorMap& shift,
                           const ConstVectorMap& free, std::vector<double>& sum) {
  constexpr double kRoundOff = 128 * 2.2e-16;
  if (shift.isZero(0)) return;
  const double terms =
      (free.cwiseAbs() + W.cwiseAbs() * shift.cwiseAbs()).lpNorm<Eigen::Infinity>();
  const auto lost = [&](double x) { return std::abs(x) <= kRoundOff * terms; };
  if (std::all_of(sum.begin(), sum.end(), lost)) std::fill(sum.begin(), sum.end(), 0.0);
}

void MatrixRows::build_sparse() {
  const int m = rows_.size(), n = static_cast<int>(block_rows_.size());
  const ConstVectorMap shift(shift_.data(), m);
  shifted_ = rows_free_;
  Eigen::Map<Vector>(shifted_.data(), m) += *rows_.sparse_W * shift;
  MatrixEntries map, compliance;
  for (int i = 0; i < n; ++i) {
    const BlockRow& row = block_rows_[static_cast<std::size_t>(i)];
    u_free_[static_cast<std::size_t>(i)] = row.offset;
    for (int k = 0; k < rows_.begin[row.contact + 1] - rows_.begin[row.contact]; ++k) {
      const double a = (*row.map)[static_cast<std::size_t>(k)];
      if (a == 0) continue;
      const int at = rows_.begin[row.contact] + k;
      map.emplace_back(i, at, a);
      u_free_[static_cast<std::size_t>(i)] += a * shifted_[static_cast<std::size_t>(at)];
    }
    compliance.emplace_back(i, i, row.compliance);
  }
  SparseMatrix A(n, m), C(n, n);
  A.setFromTriplets(map.begin(), map.end());
  C.setFromTriplets(compliance.begin(), compliance.end());
  const SparseMatrix half = *rows_.sparse_W * SparseMatrix(A.transpose());
  SparseMatrix W = A * half;
  W += C;
  scale_standing_rows([&](int i) -> double& { return W.coeffRef(i, i); });
  block_operator_ = BlockSparse(W, offset_);
}

void MatrixRows::build_dense() {
  const int m = rows_.size(), n = static_cast<int>(block_rows_.size());
  const ConstMatrixMap W(rows_.W, m, m);
  const ConstVectorMap shift(shift_.data(), m);
  shifted_ = rows_free_;
  Eigen::Map<Vector>(shifted_.data(), m).noalias() += W * shift;
  drop_round_off(W, shift, ConstVectorMap(rows_free_.data(), m), shifted_);
  half_.assign(static_cast<std::size_t>(m) * static_cast<std::size_t>(n), 0.0);  // W A', by columns
  W_.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  const auto dim = [&](int contact) { return rows_.begin[contact + 1] - rows_.begin[contact]; };
  for (int j = 0; j < n; ++j) {
    const BlockRow& row = block_rows_[j];
    Eigen::Map<Vector> column(half_.data() + static_cast<std::size_t>(j) * m, m);
    for (int k = 0; k < dim(row.contact); ++k) {
      if ((*row.map)[k] != 0) column += (*row.map)[k] * W.col(rows_.begin[row.contact] + k);
    }
  }
  for (int i = 0; i < n; ++i) {
    const BlockRow& row = block_rows_[i];
    u_free_[i] = row.offset;
    for (int j = 0; j < n; ++j)
      W_[i + static_cast<std::size_t>(j) * n] = i == j ? row.compliance : 0.0;
    for (int k = 0; k < dim(row.contact); ++k) {
      const double a = (*row.map)[k];
      if (a == 0) continue;
      const int at = rows_.begin[row.contact] + k;
      u_free_[i] += a * shifted_[at];
      for (int j = 0; j < n; ++j)
        W_[i + static_cast<std::size_t>(j) * n] += a * half_[at + static_cast<std::size_t>(j) * m];
    }
  }
  scale_standing_rows([&](int i) -> double& { return W_[i + static_cast<std::size_t>(i) * n]; });
  operator_ = DenseDelassus(W_.data(), n);
}

template <class Diagonal>
void MatrixRows::scale_standing_rows(Diagonal&& diagonal) {
  for (std::size_t b = 0; b < cones_.size(); ++b) {
    double others = 0;
    for (int i = offset_[b] + 1; i < offset_[b + 1]; ++i) others = std::max(others, diagonal(i));
    const double scale = standing_scale(*blocks_[b], others);
    if (scale == 1) continue;
    diagonal(offset_[b]) *= scale;
    u_free_[static_cast<std::size_t>(offset_[b])] *= scale;
  }
}

ReducedProblem MatrixRows::view() const {
  const Delassus* W = rows_.sparse_W ? static_cast<const Delassus*>(&block_operator_) : &operator_;
  return {W, u_free_.data(), cones_, offset_};
}

void MatrixRows::set_velocities(std::span<StatedContact> stated) {
  const int m = rows_.size();
  for (std::size_t i = 0; i < stated.size(); ++i)
    std::copy_n(stated[i].situation.r.begin(), stated[i].situation.rows(),
                rows_.r + rows_.begin[i]);
  const ConstVectorMap r(rows_.r, m);
  if (rows_.sparse_W)
    Eigen::Map<Vector>(rows_.u, m) = *rows_.sparse_W * r;
  else
    Eigen::Map<Vector>(rows_.u, m).noalias() = ConstMatrixMap(rows_.W, m, m) * r;
  for (int i = 0; i < m; ++i) rows_.u[i] += rows_free_[static_cast<std::size_t>(i)];
  for (std::size_t i = 0; i < stated.size(); ++i)
    std::copy_n(rows_.u + rows_.begin[i], stated[i].situation.rows(),
                stated[i].situation.u.begin());
}

}  // namespace clack
