#include "clack/model/linear_system.hpp"

#include <utility>

#include "clack/core/formula/scratch.hpp"

namespace clack {

LinearSystem::LinearSystem(LinearSystemData data) : data_(std::move(data)) {
  const int n = nv();
  int rows = 0;
  for (const LinearContact& contact : data_.contacts) {
    contacts_.push_back(contact.contact);
    rows += contact.contact.dim();
  }
  G_.resize(static_cast<int>(data_.contacts.size()), n);
  H_.resize(n, rows);
  int row = 0;
  for (int c = 0; c < static_cast<int>(data_.contacts.size()); ++c) {
    G_.row(c) = data_.contacts[c].normal.transpose();
    H_.col(row++) = data_.contacts[c].normal;
    for (const Vector& tangent : data_.contacts[c].tangents) H_.col(row++) = tangent;
  }
  has_damping_ = !data_.C.isZero(0);
  has_stiffness_ = !data_.K.isZero(0);
  if (data_.time.constant) {
    const double* values = time_values(0.0);
    constant_values_.assign(values, values + n + contacts_.size() + rows);
  }
}

const double* LinearSystem::time_values(double t) const {
  if (!constant_values_.empty()) return constant_values_.data();
  const formula::Tape& tape = *data_.time.tape;
  const int outputs = nv() + static_cast<int>(contacts_.size() + H_.cols());
  double* values = formula::scratch(outputs + tape.register_count());
  tape.prepare(values + outputs);
  tape.evaluate(&t, values, values + outputs);
  return values;
}

std::string LinearSystem::coordinate_name(int i) const {
  return data_.names.empty() ? System::coordinate_name(i)
                             : data_.names[static_cast<std::size_t>(i)];
}

void LinearSystem::mass(double, ConstVectorRef, MatrixRef M) const { M = data_.M; }

void LinearSystem::forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  out.inertial.setZero();
  if (has_stiffness_) {
    out.potential.noalias() = -(data_.K * q);
  } else {
    out.potential.setZero();
  }
  if (has_damping_) {
    out.damping.noalias() = -(data_.C * v);
  } else {
    out.damping.setZero();
  }
  out.external = ConstVectorMap(time_values(t), nv());
}

void LinearSystem::jacobians(double, ConstVectorRef, ConstVectorRef, MatrixRef K,
                             MatrixRef C) const {
  K = data_.K;
  C = data_.C;
}

Energies LinearSystem::energies(double, ConstVectorRef q, ConstVectorRef v) const {
  Energies result;
  for (int j = 0; j < nv(); ++j) {
    result.kinetic += 0.5 * v[j] * data_.M.col(j).dot(v);
    if (has_stiffness_) result.potential += 0.5 * q[j] * data_.K.col(j).dot(q);
  }
  return result;
}

void LinearSystem::gaps(double t, ConstVectorRef q, VectorRef gap) const {
  const double* values = time_values(t) + nv();
  gap.noalias() = G_ * q;
  for (int c = 0; c < gap.size(); ++c) {
    gap[c] += *values;
    values += 1 + contacts_[c].dim();
  }
}

void LinearSystem::contact_bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) const {
  if (!data_.time.moving_contacts || !data_.rates.tape) return System::contact_bias(t, q, v, b);
  const formula::Tape& tape = *data_.rates.tape;
  double* registers = formula::scratch(tape.register_count());
  tape.prepare(registers);
  tape.evaluate(&t, b.data(), registers);
}

void LinearSystem::contact_map(double t, ConstVectorRef, MatrixRef H, VectorRef w) const {
  H = H_;
  const double* values = time_values(t) + nv();
  int row = 0;
  for (const Contact& contact : contacts_) {
    ++values;  // g0 itself
    for (int k = 0; k < contact.dim(); ++k) w[row++] = *values++;
  }
}

}  // namespace clack
