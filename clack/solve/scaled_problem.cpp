#include "clack/solve/scaled_problem.hpp"

#include <cassert>
#include <cmath>
#include <vector>

namespace clack {
namespace {

// Column by column, for operators that store no matrix.
SparseMatrix sample_columns(const Delassus& W) {
  const int m = W.size();
  std::vector<Triplet> triplets;
  Vector unit = Vector::Zero(m), column(m);
  for (int j = 0; j < m; ++j) {
    unit[j] = 1;
    W.multiply(unit.data(), column.data());
    unit[j] = 0;
    for (int i = 0; i < m; ++i) {
      if (column[i] != 0) triplets.emplace_back(i, j, column[i]);
    }
  }
  SparseMatrix sparse(m, m);
  sparse.setFromTriplets(triplets.begin(), triplets.end());
  return sparse;
}

SparseMatrix copy_operator(const Delassus& W) {
  if (const auto* blocks = dynamic_cast<const BlockSparse*>(&W)) return blocks->to_sparse();
  return sample_columns(W);
}

}  // namespace

void ScaledProblem::set_scale(const SparseMatrix& W) {
  const Vector diagonal = W.diagonal();
  scale_.resize(W.rows());
  for (int c = 0; c < contacts(); ++c) {
    const int begin = offset_[c], dim = cones_[c].dim();
    const double mean = diagonal.segment(begin, dim).mean();
    scale_.segment(begin, dim).setConstant(mean > 0 ? 1 / std::sqrt(mean) : 1.0);
  }
}

void ScaledProblem::load(const ReducedProblem& problem) {
  assert(problem.is_consistent());
  cones_ = problem.cones;
  offset_ = problem.offset;
  SparseMatrix W = copy_operator(*problem.W);
  set_scale(W);
  W = scale_.asDiagonal() * W * scale_.asDiagonal();
  const SparseMatrix transposed = W.transpose();
  const double norm = W.norm();
  asymmetry_ = norm > 0 ? (W - transposed).norm() / norm : 0.0;
  W_ = BlockSparse(W, offset_);
  u_free_ = scale_.cwiseProduct(problem.free_velocity());
}

Vector ScaledProblem::to_scaled(const double* r) const {
  return ConstVectorMap(r, size()).cwiseQuotient(scale_);
}

void ScaledProblem::from_scaled(const Vector& r_scaled, double* r) const {
  assert(r_scaled.size() == size());
  VectorMap(r, size()) = scale_.cwiseProduct(r_scaled);
}

void ScaledProblem::velocity(const Vector& r_scaled, Vector& u_scaled) const {
  assert(r_scaled.size() == size());
  u_scaled.resize(size());
  W_.multiply(r_scaled.data(), u_scaled.data());
  u_scaled += u_free_;
}

BlockSparse ScaledProblem::make_symmetric_part() const {
  const SparseMatrix W = W_.to_sparse();
  const SparseMatrix transposed = W.transpose();
  const SparseMatrix symmetric = 0.5 * (W + transposed);
  return BlockSparse(symmetric, offset_);
}

}  // namespace clack
