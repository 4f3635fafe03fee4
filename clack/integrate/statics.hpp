// Equilibrium with contact at each instant (eq:statics): find q and forces r with
//
//     F(t, q, 0) + H(q) r = 0,     0 <= gap(q) orthogonal to r >= 0
//
// by Newton's method: K dq = F + H r, gap + H'dq. The multiplier r is a force [N], not an impulse.
// Friction needs a rate and is refused. Reference: Signorini (1959); Wriggers (2006).
#pragma once

#include "clack/integrate/scheme.hpp"

namespace clack {

class Statics final : public Scheme {
 public:
  using Scheme::Scheme;
  std::string_view name() const override { return "statics"; }
  void check(const System& system) const override;
  bool needs_mass() const override { return false; }
  // Each instant stands for itself: halving a step tells nothing.
  bool step_may_vary() const override { return false; }
  void detect(Step& step) const override;
  void predict(Step& step) const override;
  void assemble(Step& step) const override;
  void correct(Step& step) const override;
  bool accepted(const Step& step) const override;
  void audit(Step& step) const override;

 private:
  void update_equilibrium(Step& step) const;
};

}  // namespace clack
