// Equilibrium with contact at each instant (eq:statics): find q and forces r with
//
//     F(t, q, 0) + H(q) r = 0,     0 <= gap(q) orthogonal to r >= 0,     gap(q) = 0 for constraints
//
// by Newton's method (eq:statics_newton): (K - d(H r)/dq) dq = F + H r+, gap + H'dq. The multiplier
// r is a force [N], not an impulse. Friction needs a rate and is refused.
// Reference: Signorini (1959); Wriggers (2006).
#pragma once

#include "clack/integrate/scheme.hpp"

namespace clack {

class Statics final : public Scheme {
 public:
  using Scheme::Scheme;
  std::string_view name() const override { return "statics"; }
  void check(const ContactSet& contacts) const override;
  // Of small systems: it asks which multiples of the identity make K positive.
  bool takes_sparse() const override { return false; }
  void change_contacts(Step& step) const override;
  bool needs_mass() const override { return false; }
  bool needs_damping() const override { return false; }
  bool needs_consistent_start() const override { return false; }
  // Each instant stands for itself: halving a step tells nothing.
  bool step_may_vary() const override { return false; }
  void initialise(Step& step) const override;
  void detect(Step& step) const override;
  void predict(Step& step) const override;
  void assemble(Step& step) const override;
  void correct(Step& step) const override;
  bool accepted(const Step& step) const override;
  void audit(Step& step) const override;

 private:
  // Forces of all rows that the geometric stiffness is taken for [N]; figures of the passes: the
  // largest force so far [N], what is added to the diagonal of the matrix [N/m].
  enum Scratch { kForces, kFigures };
  enum Figure { kScale, kShift };

  void update_equilibrium(Step& step) const;
  void estimate_forces(Step& step) const;
  void stiffen_constraints(Step& step) const;
  bool factorise(Step& step) const;
  double force_residual(Step& step) const;
  double gap_error(const Step& step) const;
  void repeat_shorter(Step& step) const;
  bool one_pass(const Step& step) const;
};

}  // namespace clack
