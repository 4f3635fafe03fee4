// A linear system with sparse matrices, for many unknowns:
//
//     M dv + (C v + K q) dt = f(t) dt + H dr,   gap = G'q + g0(t),   u_T = T'v + w_T(t)    (eq:linear)
//
// G has one column per contact, T one per further row (tangential, turning), in the order of the
// contacts.
#pragma once

#include <string>
#include <vector>

#include "clack/model/linear_system.hpp"
#include "clack/model/system.hpp"

namespace clack {

struct SparseLinearData {
  SparseMatrix M, C, K;            // nv x nv; C and K may be empty
  std::vector<std::string> names;  // of the coordinates, for messages; may be left out
  Vector f;                        // nv, constant load [N]; may be empty
  SparseMatrix G;                  // nv x contacts
  SparseMatrix T;                  // nv x tangential rows; may be empty
  Vector g0;                       // one per contact [m]
  std::vector<Contact> contacts;   // names, tangents, laws

  // What is added to f, g0 and w_T; may be left out. Outputs: the load on each coordinate of
  // `loaded`, then for each contact g0, dg0/dt, drive of each tangential row; input t.
  std::vector<int> loaded;
  TimeFunctions time;
  // dw/dt of every row of H; input t. May be left out: then it is taken by differences.
  TimeFunctions rates;
};

class SparseLinearSystem final : public System {
 public:
  // Throws InputError where sizes do not fit.
  explicit SparseLinearSystem(SparseLinearData data);

  int nv() const override { return static_cast<int>(data_.M.rows()); }
  std::string coordinate_name(int i) const override;
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
  void contact_bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) const override;
  bool is_linear() const override { return true; }
  bool has_constant_contact_map() const override { return true; }
  bool has_moving_contacts() const override { return data_.time.moving_contacts; }

 private:
  void complete();                // what was left out
  void add_constant_functions();  // where none depends on time
  int time_outputs() const {
    return static_cast<int>(data_.loaded.size() + contacts_.size()) + rows_;
  }
  // Values of the time functions at t, valid until the next evaluation on this thread; null where
  // there are none.
  const double* time_values(double t) const;

  SparseLinearData data_;
  Vector w_;      // constant part, by rows of H
  int rows_ = 0;  // of H
};

}  // namespace clack
