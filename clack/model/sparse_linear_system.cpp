#include "clack/model/sparse_linear_system.hpp"

#include <fmt/format.h>

#include <utility>

#include "clack/core/error.hpp"

namespace clack {
namespace {

void add_entries(const SparseMatrix& A, MatrixEntries& entries) {
  for (int j = 0; j < A.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(A, j); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), j, it.value());
  }
}

void require_size(const SparseMatrix& A, Eigen::Index rows, Eigen::Index cols, const char* name) {
  if (A.rows() == rows && A.cols() == cols) return;
  throw InputError(
      fmt::format("{} is {} x {}; it must be {} x {}", name, A.rows(), A.cols(), rows, cols));
}

}  // namespace

SparseLinearSystem::SparseLinearSystem(SparseLinearData data) : data_(std::move(data)) {
  const Eigen::Index n = data_.M.rows();
  Eigen::Index tangents = 0;
  for (const Contact& contact : data_.contacts) tangents += contact.dim() - 1;
  const auto contacts = static_cast<Eigen::Index>(data_.contacts.size());
  if (data_.C.size() == 0) data_.C.resize(n, n);
  if (data_.K.size() == 0) data_.K.resize(n, n);
  if (data_.f.size() == 0) data_.f = Vector::Zero(n);
  if (data_.T.size() == 0) data_.T.resize(n, tangents);
  if (contacts == 0) data_.G.resize(n, 0);
  require_size(data_.M, n, n, "M");
  require_size(data_.C, n, n, "C");
  require_size(data_.K, n, n, "K");
  require_size(data_.G, n, contacts, "G");
  require_size(data_.T, n, tangents, "T");
  if (data_.f.size() != n || data_.g0.size() != contacts) {
    throw InputError(fmt::format("f has {} values and g0 {}; they must have {} and {}",
                                 data_.f.size(), data_.g0.size(), n, contacts));
  }
  contacts_ = data_.contacts;
}

void SparseLinearSystem::mass(double, ConstVectorRef, MatrixRef M) const { M = Matrix(data_.M); }

void SparseLinearSystem::mass_entries(double, ConstVectorRef, MatrixEntries& M) const {
  add_entries(data_.M, M);
}

void SparseLinearSystem::forces(double, ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  out.inertial.setZero();
  out.potential.noalias() = -(data_.K * q);
  out.damping.noalias() = -(data_.C * v);
  out.external = data_.f;
}

void SparseLinearSystem::jacobians(double, ConstVectorRef, ConstVectorRef, MatrixRef K,
                                   MatrixRef C) const {
  K = Matrix(data_.K);
  C = Matrix(data_.C);
}

void SparseLinearSystem::jacobian_entries(double, ConstVectorRef, ConstVectorRef, MatrixEntries& K,
                                          MatrixEntries& C) const {
  add_entries(data_.K, K);
  add_entries(data_.C, C);
}

Energies SparseLinearSystem::energies(double, ConstVectorRef q, ConstVectorRef v) const {
  const Vector Mv = data_.M * v, Kq = data_.K * q;
  return {0.5 * v.dot(Mv), 0.5 * q.dot(Kq), 0};
}

void SparseLinearSystem::gaps(double, ConstVectorRef q, VectorRef gap) const {
  gap = data_.g0;
  gap += data_.G.transpose() * q;
}

void SparseLinearSystem::contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const {
  ContactMap rows(nv(), this->rows(), true);
  rows.clear();
  contact_rows(t, q, rows, w);
  for (int row = 0; row < H.cols(); ++row) rows.column(row, H.col(row));
}

void SparseLinearSystem::contact_rows(double, ConstVectorRef, ContactMap& H, VectorRef w) const {
  const auto add = [&](const SparseMatrix& A, int column) {
    for (SparseMatrix::InnerIterator it(A, column); it; ++it)
      H.add(static_cast<int>(it.row()), it.value());
    H.end_row();
  };
  w.setZero();
  int tangent = 0;
  for (int c = 0; c < static_cast<int>(contacts_.size()); ++c) {
    add(data_.G, c);
    for (int k = 1; k < contacts_[static_cast<std::size_t>(c)].dim(); ++k) add(data_.T, tangent++);
  }
}

}  // namespace clack
