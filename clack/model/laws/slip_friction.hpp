// Friction with a coefficient that depends on the slip: by status, or implicitly by speed.
#pragma once

#include "clack/model/law.hpp"
#include "clack/model/laws/law.hpp"

namespace clack {

// mu_s where the contact stuck or was open in the step before, else mu_d.      (eq:static_dynamic)
class StaticDynamicFriction final : public Law {
 public:
  StaticDynamicFriction(double mu_s, double mu_d) : mu_s_(mu_s), mu_d_(mu_d) {}
  std::string_view name() const override { return "static-dynamic"; }
  std::vector<LawVariable> variables(int tangents, int turns) const override;
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;
  void update(const ContactSituation& contact, std::span<double> memory) const override;

 private:
  double mu(const ContactSituation& contact) const;

  double mu_s_, mu_d_;
};

// |r_T| = mu(V) r_N at the slip V of the end of the step, by passes: mu(V) = radius + slope V at
// the slip of the last pass, a disc and a dashpot beside it. (eq:slip_dependent)
class SlipFriction : public Law {
 public:
  bool iterates() const override { return true; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;

 protected:
  struct Split {
    double radius, slope;  // both >= 0 [-, s/m]
  };
  virtual Split split(double slip) const = 0;
  virtual bool has_slope() const = 0;
};

// Any formula of the slip. The slope is that of the tangent where mu rises, 0 where it falls.
class SlipDependentFriction final : public SlipFriction {
 public:
  explicit SlipDependentFriction(FrictionCoefficient mu) : mu_(std::move(mu)) {}
  std::string_view name() const override { return "slip-dependent"; }

 private:
  Split split(double slip) const override;
  bool has_slope() const override { return !mu_.is_constant(); }
  double mu(double slip) const;

  FrictionCoefficient mu_;
};

// mu(V) = mu_d + (mu_s - mu_d) exp(-(V/v_s)^exponent) + viscous V                    (eq:stribeck)
class StribeckFriction final : public SlipFriction {
 public:
  // Throws InputError for mu_s < mu_d: the disc must not grow with the slip.
  StribeckFriction(double mu_s, double mu_d, double v_s, double exponent, double viscous);
  std::string_view name() const override { return "stribeck"; }

 private:
  Split split(double slip) const override;
  bool has_slope() const override { return viscous_ > 0; }

  double mu_s_, mu_d_, v_s_, exponent_, viscous_;
};

}  // namespace clack
