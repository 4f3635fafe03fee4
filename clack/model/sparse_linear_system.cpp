#include "clack/model/sparse_linear_system.hpp"

#include <fmt/format.h>

#include <utility>

#include "clack/core/error.hpp"
#include "clack/core/formula/scratch.hpp"

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
  contacts_ = data_.contacts;
  rows_ = rows();
  complete();
  const Eigen::Index n = nv(), contacts = static_cast<Eigen::Index>(contacts_.size());
  require_size(data_.M, n, n, "M");
  require_size(data_.C, n, n, "C");
  require_size(data_.K, n, n, "K");
  require_size(data_.G, n, contacts, "G");
  require_size(data_.T, n, rows_ - contacts, "T");
  if (data_.f.size() != n || data_.g0.size() != contacts) {
    throw InputError(fmt::format("f has {} values and g0 {}; they must have {} and {}",
                                 data_.f.size(), data_.g0.size(), n, contacts));
  }
  w_ = Vector::Zero(rows_);
  if (data_.time.tape && data_.time.constant) add_constant_functions();
}

void SparseLinearSystem::complete() {
  const Eigen::Index n = nv(), contacts = static_cast<Eigen::Index>(contacts_.size());
  if (data_.C.size() == 0) data_.C.resize(n, n);
  if (data_.K.size() == 0) data_.K.resize(n, n);
  if (data_.f.size() == 0) data_.f = Vector::Zero(n);
  if (data_.T.size() == 0) data_.T.resize(n, rows_ - contacts);
  if (contacts == 0) data_.G.resize(n, 0);
  if (!data_.time.tape) data_.time = {};
}

void SparseLinearSystem::add_constant_functions() {
  const double* values = time_values(0.0);
  for (const int i : data_.loaded) data_.f[i] += *values++;
  int row = 0;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    data_.g0[static_cast<Eigen::Index>(c)] += *values++;
    for (int k = 0; k < contacts_[c].dim(); ++k) w_[row++] = *values++;
  }
  data_.loaded.clear();
  data_.time = data_.rates = {};
}

const double* SparseLinearSystem::time_values(double t) const {
  if (!data_.time.tape) return nullptr;
  const formula::Tape& tape = *data_.time.tape;
  double* values = formula::scratch(time_outputs() + tape.register_count());
  tape.prepare(values + time_outputs());
  tape.evaluate(&t, values, values + time_outputs());
  return values;
}

std::string SparseLinearSystem::coordinate_name(int i) const {
  return data_.names.empty() ? System::coordinate_name(i)
                             : data_.names[static_cast<std::size_t>(i)];
}

void SparseLinearSystem::mass(double, ConstVectorRef, MatrixRef M) const { M = Matrix(data_.M); }

void SparseLinearSystem::mass_entries(double, ConstVectorRef, MatrixEntries& M) const {
  add_entries(data_.M, M);
}

void SparseLinearSystem::forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  out.inertial.setZero();
  out.potential.noalias() = -(data_.K * q);
  out.damping.noalias() = -(data_.C * v);
  out.external = data_.f;
  const double* values = time_values(t);
  if (!values) return;
  for (const int i : data_.loaded) out.external[i] += *values++;
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

void SparseLinearSystem::gaps(double t, ConstVectorRef q, VectorRef gap) const {
  gap = data_.g0;
  gap += data_.G.transpose() * q;
  const double* values = time_values(t);
  if (!values) return;
  values += data_.loaded.size();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    gap[static_cast<Eigen::Index>(c)] += *values;
    values += 1 + contacts_[c].dim();
  }
}

void SparseLinearSystem::contact_bias(double t, ConstVectorRef q, ConstVectorRef v,
                                      VectorRef b) const {
  if (!data_.time.moving_contacts || !data_.rates.tape) return System::contact_bias(t, q, v, b);
  const formula::Tape& tape = *data_.rates.tape;
  double* registers = formula::scratch(tape.register_count());
  tape.prepare(registers);
  tape.evaluate(&t, b.data(), registers);
}

void SparseLinearSystem::contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const {
  ContactMap rows(nv(), this->rows(), true);
  rows.clear();
  contact_rows(t, q, rows, w);
  for (int row = 0; row < H.cols(); ++row) rows.column(row, H.col(row));
}

void SparseLinearSystem::contact_rows(double t, ConstVectorRef, ContactMap& H, VectorRef w) const {
  const auto add = [&](const SparseMatrix& A, int column) {
    for (SparseMatrix::InnerIterator it(A, column); it; ++it)
      H.add(static_cast<int>(it.row()), it.value());
    H.end_row();
  };
  w = w_;
  int tangent = 0;
  for (int c = 0; c < static_cast<int>(contacts_.size()); ++c) {
    add(data_.G, c);
    for (int k = 1; k < contacts_[static_cast<std::size_t>(c)].dim(); ++k) add(data_.T, tangent++);
  }
  const double* values = time_values(t);
  if (!values) return;
  values += data_.loaded.size();
  int row = 0;
  for (const Contact& contact : contacts_) {
    ++values;  // g0 itself
    for (int k = 0; k < contact.dim(); ++k) w[row++] += *values++;
  }
}

}  // namespace clack
