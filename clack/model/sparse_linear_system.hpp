// A linear system with sparse matrices, for many unknowns:
//
//     M dv + (C v + K q) dt = f dt + H dr,   gap = G'q + g0,   u_T = T'v                (eq:linear)
//
// G has one column per contact, T one per tangential row, in the order of the contacts.
#pragma once

#include <vector>

#include "clack/model/system.hpp"

namespace clack {

struct SparseLinearData {
  SparseMatrix M, C, K;           // nv x nv; C and K may be empty
  Vector f;                       // nv, constant load [N]; may be empty
  SparseMatrix G;                 // nv x contacts
  SparseMatrix T;                 // nv x tangential rows; may be empty
  Vector g0;                      // one per contact [m]
  std::vector<Contact> contacts;  // names, tangents, laws
};

class SparseLinearSystem final : public System {
 public:
  // Throws InputError where sizes do not fit.
  explicit SparseLinearSystem(SparseLinearData data);

  int nv() const override { return static_cast<int>(data_.M.rows()); }
  bool is_sparse() const override { return true; }
  void mass(double t, ConstVectorRef q, MatrixRef M) const override;
  void mass_entries(double t, ConstVectorRef q, MatrixEntries& M) const override;
  void forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const override;
  void jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                 MatrixRef C) const override;
  void jacobian_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                        MatrixEntries& C) const override;
  Energies energies(double t, ConstVectorRef q, ConstVectorRef v) const override;
  void gaps(double t, ConstVectorRef q, VectorRef gap) const override;
  void contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const override;
  void contact_rows(double t, ConstVectorRef q, ContactMap& H, VectorRef w) const override;
  bool is_linear() const override { return true; }
  bool has_constant_contact_map() const override { return true; }
  bool has_moving_contacts() const override { return false; }

 private:
  SparseLinearData data_;
};

}  // namespace clack
