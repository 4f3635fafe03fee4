// Two-step schemes with contact on positions. With x = (q+ - q)/h, and x- that of the step before,
// the two-step equation M (q+ - 2 q + q-) = h^2 F + h H r is
//
//     M(q)(x - x-) = h (theta F+ + (1 - theta) F) + H(q) r,   q+ = q + h x,      (eq:two_step)
//     0 <= gap(q+) + e gap(q-) orthogonal to r_N >= 0         for all contacts
//
// with friction on the tangential velocity of x. Memory: x-, and gap(q-).
#pragma once

#include "clack/integrate/scheme.hpp"

namespace clack {

class TwoStep : public Scheme {
 public:
  bool step_may_vary() const override { return false; }
  void initialise(Step& step) const override;
  void detect(Step& step) const override;
  void predict(Step& step) const override;
  void assemble(Step& step) const override;
  void correct(Step& step) const override;
  bool accepted(const Step& step) const override;
  void audit(Step& step) const override;
  bool needs_stiffness() const override { return theta_ > 0; }
  bool needs_damping() const override { return theta_ > 0; }
  void change_contacts(Step& step) const override;
  void resize(Step& step) const override;

 protected:
  enum Memory { kRate, kPreviousGap };
  enum Scratch { kShift, kIterate };  // e gap(q-); x of the current pass
  TwoStep(const SchemeOptions& options, double theta) : Scheme(options), theta_(theta) {}

  // x- of the first step.
  virtual void start_rate(Step& step, Vector& x) const = 0;
  // v+ from x and x-, before the forces of the end of the step are known.
  virtual void set_velocity(Step& step) const = 0;
  // The same with these forces, in the end.
  virtual void finish_velocity(Step&) const {}

 private:
  void update_position(Step& step) const;
  Vector gaps_before(Step& step, const StatePoint& state, const Vector& x) const;
  bool one_pass(const Step& step) const;

  double theta_;
};

// Schatzman and Paoli's scheme (eq:schatzman_paoli): v+ = (q+ - q-)/2h, x- = v at the start.
// Partially elastic with the restitution spread over two steps; with several contacts at a time e >
// 0 is not reliable. Reference: Schatzman, Paoli (2002).
class SchatzmanPaoli final : public TwoStep {
 public:
  explicit SchatzmanPaoli(const SchemeOptions& o) : TwoStep(o, o.theta) {}
  std::string_view name() const override { return "schatzman-paoli"; }
  void check(const ContactSet& contacts) const override {
    refuse_tangential_restitution(contacts, name());
  }

 protected:
  void start_rate(Step& step, Vector& x) const override;
  void set_velocity(Step& step) const override;
};

// Central differences with implicit contact (eq:central_differences): theta = 0, inelastic, x- = v
// - h/2 a at the start and v+ = x + h/2 a(q+), so that smooth motion is of second order; stable for
// h omega < 2. Reference: Legrand, Laxalde (2011); Carpenter, Taylor, Katona (1991).
class CentralDifferences final : public TwoStep {
 public:
  explicit CentralDifferences(const SchemeOptions& o) : TwoStep(o, 0.0) {}
  std::string_view name() const override { return "central-differences"; }
  void check(const ContactSet& contacts) const override { refuse_restitution(contacts, name()); }

 protected:
  void start_rate(Step& step, Vector& x) const override;
  void set_velocity(Step& step) const override;
  void finish_velocity(Step& step) const override;
};

}  // namespace clack
