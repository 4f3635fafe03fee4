// A system made of systems, its parts, and of what couples them:
//
//     q = (q_1, q_2, ...),   M = diag(M_1, M_2, ...),   F = (F_1, F_2, ...) + G(q)'f(t, q, q'),
//     q' = G(q) v                                                                     (eq:assembly)
//
// The coupling is a system of formulas without mass on some of the coordinates and their rates:
// potentials of springs, dissipation, forces along given displacements, gaps and constraints between
// parts. Rigid bodies, where there are any, are the first part. Contacts that parts state come
// first, in the order of the parts, then those of the coupling; those of rigid bodies are found by
// their contact sources.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clack/model/system.hpp"

namespace clack {

struct AssemblyPart {
  std::string name;
  std::shared_ptr<const System> system;
};

struct Coupling {
  std::shared_ptr<const System> formulas;  // nq = nv; null: nothing is coupled
  std::vector<int> coordinates;            // of the assembly, one per coordinate of the formulas
};

class Assembly final : public System {
 public:
  // Throws InputError where rigid bodies are not the first part or come twice.
  Assembly(const std::vector<AssemblyPart>& parts, Coupling coupling);

  int nv() const override { return nv_; }
  int nq() const override { return nq_; }
  std::string coordinate_name(int i) const override;
  bool is_sparse() const override { return sparse_; }
  void mass(double t, ConstVectorRef q, MatrixRef M) const override;
  void mass_entries(double t, ConstVectorRef q, MatrixEntries& M) const override;
  void forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const override;
  int drivers() const override;
  void jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                 MatrixRef C) const override;
  void jacobian_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                        MatrixEntries& C) const override;
  Energies energies(double t, ConstVectorRef q, ConstVectorRef v) const override;
  double appearing_energy(double t_start, double t_end, ConstVectorRef q,
                          ConstVectorRef v) const override;
  void gaps(double t, ConstVectorRef q, VectorRef gap) const override;
  void contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const override;
  void contact_rows(double t, ConstVectorRef q, ContactMap& H, VectorRef w) const override;
  void contact_bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) const override;
  void advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const override;
  void difference(ConstVectorRef q_next, ConstVectorRef q, VectorRef dq) const override;
  void coordinate_rates(ConstVectorRef q, ConstVectorRef v, VectorRef rates) const override;
  void pull_back(ConstVectorRef q, ConstVectorRef gradient, VectorRef force) const override;
  void normalise(VectorRef q) const override;
  double prescribe(double t, double h, VectorRef q, VectorRef v) const override;
  void list_prescribed(double t, std::vector<int>& list) const override;
  const RigidBodies* bodies() const override;
  const ArticulatedBodies* articulated() const override;
  bool is_linear() const override { return linear_; }
  bool has_constant_contact_map() const override { return constant_map_; }
  bool has_moving_contacts() const override { return moving_; }

 private:
  struct Part {
    std::shared_ptr<const System> system;
    int q_begin, v_begin, nq, nv;
    int contact_begin, contacts, row_begin, rows;  // of those that the part states

    auto q(ConstVectorRef all) const { return all.segment(q_begin, nq); }
    auto v(ConstVectorRef all) const { return all.segment(v_begin, nv); }
  };
  // The coupling's coordinates and their rates.
  Vector coupled(ConstVectorRef q) const;
  Vector coupled_rates(ConstVectorRef q, ConstVectorRef v) const;
  // What a gradient by the coupling's coordinates is as a generalised force.
  Vector spread(ConstVectorRef q, ConstVectorRef gradient) const;
  template <class Function>
  Vector derivative(ConstVectorRef q, ConstVectorRef v, Function&& of) const;
  void add_coupling_forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const;
  void coupling_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                        MatrixEntries& C) const;
  int coupling_contacts() const { return static_cast<int>(contacts_.size()) - contact_end_; }

  std::vector<Part> parts_;
  Coupling coupling_;
  int nq_ = 0, nv_ = 0;
  int contact_end_ = 0, row_end_ = 0;  // of the parts
  std::vector<int> touched_;           // velocities that the coupling's coordinates depend on
  bool sparse_ = false, linear_ = true, constant_map_ = true, moving_ = false;
};

}  // namespace clack
