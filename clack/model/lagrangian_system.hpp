// A system given by formulas: T(t,q,v), V(t,q), a dissipation function D(t,q,v), generalised forces
// Q(t,q,v), gaps g(t,q) and tangential velocities. Lagrange's equations are derived exactly:
//
//     p = dT/dv,  M = dp/dv,  F = -dV/dq + (dT/dq - dp/dq v - dp/dt) - dD/dv + Q      (eq:lagrange)
//     H_N = dg/dq, w_N = dg/dt;   H_T, w_T from tangential velocities affine in v
#pragma once

#include <string>
#include <vector>

#include "clack/core/formula/graph.hpp"
#include "clack/core/formula/tape.hpp"
#include "clack/model/system.hpp"

namespace clack {

struct LagrangianContact {
  Contact contact;
  formula::Expr gap;                    // g(t,q) [m]
  std::vector<formula::Expr> tangents;  // u_T(t,q,v), affine in v [m/s]
};

// Everything the user wrote, as expressions in one graph.
struct LagrangianData {
  formula::Graph graph;
  formula::Expr t;
  std::vector<formula::Expr> q, v;  // variables
  formula::Expr kinetic, potential, dissipation;
  std::vector<formula::Expr> forces;  // Q, one per coordinate
  std::vector<LagrangianContact> contacts;
};

class LagrangianSystem final : public System {
 public:
  // Throws InputError if T is not quadratic in v, V depends on v, or a gap depends on v.
  explicit LagrangianSystem(LagrangianData data);

  int nv() const override { return nv_; }
  std::string coordinate_name(int i) const override { return names_[static_cast<std::size_t>(i)]; }
  void mass(double t, ConstVectorRef q, MatrixRef M) const override;
  void forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const override;
  void jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                 MatrixRef C) const override;
  Energies energies(double t, ConstVectorRef q, ConstVectorRef v) const override;
  void gaps(double t, ConstVectorRef q, VectorRef gap) const override;
  void contact_map(double t, ConstVectorRef q, MatrixRef H, VectorRef w) const override;
  void contact_bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) const override;
  void add_contact_stiffness(double t, ConstVectorRef q, ConstVectorRef r,
                             MatrixRef K) const override;
  bool is_linear() const override { return linear_; }
  bool has_constant_contact_map() const override { return constant_map_; }
  bool has_moving_contacts() const override { return moving_; }

  // Instructions of all tapes together, a measure of the size of the derived model.
  int instruction_count() const;

 private:
  using Expr = formula::Expr;

  void check(const LagrangianData& data);
  void derive_dynamics(LagrangianData& data, std::vector<Expr>& force_total);
  void derive_jacobians(LagrangianData& data, const std::vector<Expr>& force_total);
  void derive_contacts(LagrangianData& data);
  void derive_bias(LagrangianData& data);
  formula::Tape make_tape(const LagrangianData& data, const std::vector<Expr>& outputs) const;
  // Evaluates a tape at (t, q, v); the values stay valid until the next evaluation on this thread.
  const double* evaluate(const formula::Tape& tape, int outputs, double t, ConstVectorRef q,
                         const double* v) const;

  int nv_;
  std::vector<std::string> names_;  // of the coordinates
  bool linear_ = false, constant_map_ = false, moving_ = true;
  formula::Tape mass_, forces_, jacobians_, energies_, gaps_, map_, bias_;
  Matrix constant_mass_, constant_K_, constant_C_, constant_H_;  // empty where not constant
};

}  // namespace clack
