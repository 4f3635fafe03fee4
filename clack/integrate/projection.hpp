// Moreau and Jean's scheme with contacts and constraints on positions as well (eq:gap_projection):
// after the step on velocities, which gives v+ and q*, a second cone problem moves the
// configuration,
//
//     M(q+)(q+ - q*) = H(q+) s,   0 <= gap(q+) orthogonal to s >= 0,   gap(q+) = 0 for constraints
//
// by Newton's method, normals only; v+ stays. Grid points do not penetrate.
//
// Direct projection: all contacts that the velocity step leaves closed are pushed out. Combined
// projection: a contact takes part in the velocity step if without it the step would end closed;
// one that carried an impulse ends the step with gap = 0; both problems are repeated until no other
// contact is closed (eq:combined_projection).
// Reference: Acary (2013).
#pragma once

#include "clack/integrate/theta_scheme.hpp"

namespace clack {

class MoreauProjection : public ThetaScheme {
 public:
  int phases() const override { return 2; }
  std::string law_fault() const override {
    return "its projection pushes contacts out by Signorini's condition alone";
  }
  void initialise(Step& step) const override;
  void detect(Step& step) const override;
  void predict(Step& step) const override;
  void assemble(Step& step) const override;
  void correct(Step& step) const override;
  bool accepted(const Step& step) const override;
  void audit(Step& step) const override;

 protected:
  enum Phase { kVelocity = 0, kProjection = 1 };
  explicit MoreauProjection(const SchemeOptions& o)
      : ThetaScheme(o, {o.theta, o.theta, o.theta}, ContactLevel::velocity) {}

  // Contacts that the projection may move, of those that are closed.
  virtual bool projects(const Step& step, int contact) const = 0;
  // Takes the result of the velocity phase before the projection changes the step.
  void keep_velocity_phase(Step& step) const;
  // Whether there is anything to project at the end of the step.
  bool needs_projection(Step& step) const;

 private:
  void update_projection(Step& step) const;
};

class MoreauDirectProjection final : public MoreauProjection {
 public:
  explicit MoreauDirectProjection(const SchemeOptions& o) : MoreauProjection(o) {}
  std::string_view name() const override { return "moreau-direct-projection"; }
  bool next_phase(Step& step) const override;

 protected:
  bool projects(const Step&, int) const override { return true; }
};

class MoreauCombinedProjection final : public MoreauProjection {
 public:
  explicit MoreauCombinedProjection(const SchemeOptions& o) : MoreauProjection(o) {}
  std::string_view name() const override { return "moreau-combined-projection"; }
  void detect(Step& step) const override;
  bool next_phase(Step& step) const override;
  void audit(Step& step) const override;

 protected:
  bool projects(const Step& step, int contact) const override;

 private:
  bool mark_closed(Step& step) const;
};

}  // namespace clack
