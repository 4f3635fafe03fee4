// Moreau and Jean's scheme with theta (eq:moreau_jean):
//
//     M(q_theta)(v+ - v) = h (theta F+ + (1 - theta) F) + H(q) r
//     q+ = q + h (theta v+ + (1 - theta) v)
//     law on u+ + E u- for contacts with gap + gamma h u_N <= 0
//
// implicit in the forces by Newton's method with exact Jacobians; one linear solve where the system
// is linear. Dissipates for 1/2 <= theta <= 1/(1 + e) (eq:dissipation).
// Reference: Jean, Moreau (1987); Moreau (1988); Jean (1999).
#pragma once

#include "clack/integrate/scheme.hpp"

namespace clack {

class MoreauJean final : public Scheme {
 public:
  using Scheme::Scheme;
  std::string_view name() const override { return "moreau-jean"; }
  // A massless coordinate has an algebraic equation, whose residual the step multiplies by
  // -(1 - theta)/theta: it must fade.
  bool needs_regular_mass() const override { return !(options().theta > 0.5); }
  void detect(Step& step) const override;
  void predict(Step& step) const override;
  void assemble(Step& step) const override;
  void correct(Step& step) const override;
  bool accepted(const Step& step) const override;
  void audit(Step& step) const override;

 private:
  void start_iteration(Step& step) const;
  void update_matrix(Step& step) const;
  void update_mass(Step& step) const;
};

}  // namespace clack
