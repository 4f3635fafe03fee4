// Moreau's midpoint rule (eq:moreau_midpoint): explicit in the forces, contacts at the midpoint,
//
//     q_m = q + h/2 v,   M(q_m)(v+ - v) = h F(t_m, q_m, v) + H(q_m) r,   q+ = q_m + h/2 v+
//     law on u+ + E u- for contacts with gap(q_m) <= 0
//
// Reference: Moreau (1988); Leine, Nijmeijer (2004).
#pragma once

#include "clack/integrate/scheme.hpp"

namespace clack {

class MoreauMidpoint final : public Scheme {
 public:
  using Scheme::Scheme;
  std::string_view name() const override { return "moreau-midpoint"; }
  bool needs_stiffness() const override { return false; }
  bool needs_damping() const override { return false; }
  std::string law_fault() const override { return {}; }
  void detect(Step& step) const override;
  void predict(Step& step) const override;
  void assemble(Step& step) const override;
  void correct(Step& step) const override;
  bool accepted(const Step&) const override { return true; }
  void audit(Step& step) const override;
};

}  // namespace clack
