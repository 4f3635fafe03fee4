// A system with a damping d M(q) v beside its own forces: M dv = (F - d M v) dt + H dr. Free periodic
// motions of a conservative system come in families; with d as one more unknown, which comes out as
// zero, the equations of one member become regular (eq:embedding).
// Reference: Raff, Remy (2025).
#pragma once

#include <memory>

#include "clack/model/system.hpp"

namespace clack {

class DampedSystem final : public System {
 public:
  DampedSystem(std::shared_ptr<const System> system, double d);

  int nv() const override { return system_->nv(); }
  int nq() const override { return system_->nq(); }
  std::string coordinate_name(int i) const override { return system_->coordinate_name(i); }
  void mass(double t, ConstVectorRef q, MatrixRef M) const override { system_->mass(t, q, M); }
  void forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const override;
  Energies energies(double t, ConstVectorRef q, ConstVectorRef v) const override {
    return system_->energies(t, q, v);
  }
  void gaps(double t, ConstVectorRef q, VectorRef gap) const override { system_->gaps(t, q, gap); }
  void contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const override {
    system_->contact_map(t, q, H, w);
  }
  void contact_bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) const override {
    system_->contact_bias(t, q, v, b);
  }
  bool is_linear() const override { return system_->is_linear(); }
  bool has_constant_contact_map() const override { return system_->has_constant_contact_map(); }
  bool has_moving_contacts() const override { return system_->has_moving_contacts(); }

 private:
  std::shared_ptr<const System> system_;
  double d_;  // [1/s]
};

}  // namespace clack
