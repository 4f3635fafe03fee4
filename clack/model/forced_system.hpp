// A system under a force of the caller's own, Q(t, q, v), beside its forces: M dv = (F + Q) dt + H
// dr.
#pragma once

#include <memory>

#include "clack/model/system.hpp"

namespace clack {

class AppliedForce {
 public:
  virtual ~AppliedForce() = default;
  // Writes Q (nv) [N or N m].
  virtual void compute(double t, ConstVectorRef q, ConstVectorRef v, VectorRef Q) const = 0;
};

// The work of Q is booked as that of external forces. Its derivatives are taken by differences, so
// that Newton's method converges for steps of any length: 2 nv + 1 evaluations of Q a pass.
class ForcedSystem final : public System {
 public:
  ForcedSystem(std::shared_ptr<const System> system, std::shared_ptr<const AppliedForce> force);

  int nv() const override { return system_->nv(); }
  int nq() const override { return system_->nq(); }
  std::string coordinate_name(int i) const override { return system_->coordinate_name(i); }
  void mass(double t, ConstVectorRef q, MatrixRef M) const override { system_->mass(t, q, M); }
  void forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const override;
  void jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                 MatrixRef C) const override;
  Energies energies(double t, ConstVectorRef q, ConstVectorRef v) const override {
    return system_->energies(t, q, v);
  }
  double appearing_energy(double t_start, double t_end, ConstVectorRef q,
                          ConstVectorRef v) const override {
    return system_->appearing_energy(t_start, t_end, q, v);
  }
  void gaps(double t, ConstVectorRef q, VectorRef gap) const override { system_->gaps(t, q, gap); }
  void contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const override {
    system_->contact_map(t, q, H, w);
  }
  void contact_bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) const override {
    system_->contact_bias(t, q, v, b);
  }
  void add_contact_stiffness(double t, ConstVectorRef q, ConstVectorRef r,
                             MatrixRef K) const override {
    system_->add_contact_stiffness(t, q, r, K);
  }
  void advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const override {
    system_->advance(q, dq, q_next);
  }
  void difference(ConstVectorRef q_next, ConstVectorRef q, VectorRef dq) const override {
    system_->difference(q_next, q, dq);
  }
  void coordinate_rates(ConstVectorRef q, ConstVectorRef v, VectorRef rates) const override {
    system_->coordinate_rates(q, v, rates);
  }
  void pull_back(ConstVectorRef q, ConstVectorRef gradient, VectorRef force) const override {
    system_->pull_back(q, gradient, force);
  }
  void normalise(VectorRef q) const override { system_->normalise(q); }
  double prescribe(double t, double h, VectorRef q, VectorRef v) const override {
    return system_->prescribe(t, h, q, v);
  }
  void list_prescribed(double t, std::vector<int>& list) const override {
    system_->list_prescribed(t, list);
  }
  const RigidBodies* bodies() const override { return system_->bodies(); }
  const ArticulatedBodies* articulated() const override { return system_->articulated(); }
  bool has_constant_contact_map() const override { return system_->has_constant_contact_map(); }
  bool has_moving_contacts() const override { return system_->has_moving_contacts(); }

 private:
  std::shared_ptr<const System> system_;
  std::shared_ptr<const AppliedForce> force_;
};

}  // namespace clack
