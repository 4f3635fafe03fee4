// M dv + (C v + K q) dt = f(t) dt + H dr,   gap = G q + g0(t)                           (eq:linear)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clack/core/formula/tape.hpp"
#include "clack/model/system.hpp"

namespace clack {

struct LinearContact {
  Contact contact;
  Vector normal;                 // row of G: gap = normal . q + g0(t)
  std::vector<Vector> tangents;  // tangential rows: u_T = tangent . v + drive(t)
};

// Functions of time alone, evaluated together: values of `outputs` at t.
struct TimeFunctions {
  std::shared_ptr<const formula::Tape> tape;  // input t
  bool constant = true;                       // none depends on time
  bool moving_contacts = false;               // one of a contact's does
};

struct LinearSystemData {
  Matrix M, C, K;                  // nv x nv
  std::vector<std::string> names;  // of the coordinates, for messages; may be left out
  // Outputs: f (nv), then for each contact g0, dg0/dt, drive of each tangent; input t.
  TimeFunctions time;
  // dw/dt of every row; input t. May be left out: then it is taken by differences.
  TimeFunctions rates;
  std::vector<LinearContact> contacts;
};

class LinearSystem final : public System {
 public:
  explicit LinearSystem(LinearSystemData data);

  int nv() const override { return static_cast<int>(data_.M.rows()); }
  std::string coordinate_name(int i) const override;
  void mass(double t, ConstVectorRef q, MatrixRef M) const override;
  void forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const override;
  void jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                 MatrixRef C) const override;
  Energies energies(double t, ConstVectorRef q, ConstVectorRef v) const override;
  void gaps(double t, ConstVectorRef q, VectorRef gap) const override;
  void contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const override;
  void contact_bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) const override;
  bool is_linear() const override { return true; }
  bool has_constant_contact_map() const override { return true; }
  bool has_moving_contacts() const override { return data_.time.moving_contacts; }
  const LinearSystemData& data() const { return data_; }

 private:
  // Values of all time functions at t, valid until the next evaluation on this thread.
  const double* time_values(double t) const;

  LinearSystemData data_;
  Matrix G_;  // contacts x nv
  Matrix H_;  // nv x rows
  bool has_damping_, has_stiffness_;
  std::vector<double> constant_values_;  // all time functions, when none depends on time
};

}  // namespace clack
