// The schemes with one velocity unknown and weights: what they share, and those that are nothing
// else (eq:theta_family):
//
//     M(q_m)(v+ - v) = h (a F+ + (1 - a) F) + H(q) r
//     q+ = q + h v_b,   v_b = b v+ + (1 - b) v,   q_m = q + h m v_b
//
// with weights a of the forces, b of the position and m of the mass, implicit by Newton's method
// with exact Jacobians, one linear solve where the system is linear. Contacts stand on the level of
//     velocity: the law (eq:impact) on u+ + E u- for contacts with gap + gamma h u_N <= 0
//     position: gap(q+) in the place of the normal velocity, for all contacts    (eq:position_rows)
#pragma once

#include "clack/integrate/scheme.hpp"

namespace clack {

enum class ContactLevel { velocity, position };

class ThetaScheme : public Scheme {
 public:
  std::string law_fault() const override;
  bool needs_stiffness() const override { return weights_.force > 0; }
  bool needs_damping() const override { return weights_.force > 0; }
  double position_weight() const override { return weights_.position; }
  void detect(Step& step) const override;
  void predict(Step& step) const override;
  void assemble(Step& step) const override;
  void correct(Step& step) const override;
  bool accepted(const Step& step) const override;
  void audit(Step& step) const override;

 protected:
  struct Weights {
    double force, position, mass;
  };
  ThetaScheme(const SchemeOptions& options, Weights weights, ContactLevel level)
      : Scheme(options), weights_(weights), level_(level) {}

  const Weights& weights() const { return weights_; }
  // Candidates are chosen: frames of the end of the step where they move, first iterate.
  void start_iteration(Step& step) const;

 private:
  void update_matrix(Step& step) const;
  void update_mass(Step& step) const;
  void update_position(Step& step) const;
  bool one_pass(const Step& step) const;

  Weights weights_;
  ContactLevel level_;
};

// Moreau and Jean's scheme with theta (eq:moreau_jean): a = b = m = theta, velocity level.
// Dissipates for 1/2 <= theta <= 1/(1 + e) (eq:dissipation).
// Reference: Jean, Moreau (1987); Moreau (1988); Jean (1999).
class MoreauJean final : public ThetaScheme {
 public:
  explicit MoreauJean(const SchemeOptions& o)
      : ThetaScheme(o, {o.theta, o.theta, o.theta}, ContactLevel::velocity) {}
  std::string_view name() const override { return "moreau-jean"; }
  // A massless coordinate has an algebraic equation, whose residual the step multiplies by
  // -(1 - theta)/theta: it must fade.
  bool needs_regular_mass() const override { return !(options().theta > 0.5); }
};

// The variant with a = theta, b = m = 1/2 (eq:moreau_jean_dissipative): without damping it
// dissipates for every theta >= 1/2, whatever the restitution (eq:dissipative_identity). Reference:
// Acary (2016).
class MoreauJeanDissipative final : public ThetaScheme {
 public:
  explicit MoreauJeanDissipative(const SchemeOptions& o)
      : ThetaScheme(o, {o.theta, 0.5, 0.5}, ContactLevel::velocity) {}
  std::string_view name() const override { return "moreau-jean-dissipative"; }
};

// The theta method with contact on positions (eq:theta_xi): a = xi, b = m = theta > 0. No impact
// law; rigid impacts are consistent for theta = 1 only. Reference: Legrand, Laxalde (2011).
class ThetaXi final : public ThetaScheme {
 public:
  explicit ThetaXi(const SchemeOptions& o)
      : ThetaScheme(o, {o.xi, o.theta, o.theta}, ContactLevel::position) {}
  std::string_view name() const override { return "theta-xi"; }
  void check(const ContactSet& contacts) const override;
};

// q+ = q + h v, M(q)(v+ - v) = h F + H r, law on v+ (eq:semi_implicit_2): a = b = m = 0, velocity
// level. Explicit: stable with damping only. Reference: Leine (2024), Hessenberg index 2.
class SemiImplicit2 final : public ThetaScheme {
 public:
  explicit SemiImplicit2(const SchemeOptions& o)
      : ThetaScheme(o, {0, 0, 0}, ContactLevel::velocity) {}
  std::string_view name() const override { return "semi-implicit-2"; }
};

// M(q)(v+ - v) = h F + H r, q+ = q + h v+, 0 <= gap(q+) orthogonal to r_N (eq:semi_implicit_3):
// a = m = 0, b = 1, position level; inelastic. Explicit in the forces, stable for h omega < 2.
// Reference: Leine (2024), Hessenberg index 3.
class SemiImplicit3 final : public ThetaScheme {
 public:
  explicit SemiImplicit3(const SchemeOptions& o)
      : ThetaScheme(o, {0, 1, 0}, ContactLevel::position) {}
  std::string_view name() const override { return "semi-implicit-3"; }
  void check(const ContactSet& contacts) const override { refuse_restitution(contacts, name()); }
};

}  // namespace clack
