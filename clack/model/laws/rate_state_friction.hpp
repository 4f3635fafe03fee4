// Friction with a rate and a state (Dieterich, Ruina), regularised at V = 0:
//
//     mu(V, theta) = a asinh(V/(2 V0) exp(psi/a))                                   (eq:rate_state)
//     psi = mu_0 + b ln(V0 theta/Dc)
//
// with V and theta of the end of the step. There is no stick: mu = 0 at V = 0, and mu grows by a
// for every factor e of V.
#pragma once

#include "clack/model/laws/law.hpp"

namespace clack {

struct RateStateParameters {
  double mu_0, a, b;  // [-]
  double V0;          // [m/s]
  double Dc;          // [m]
  double theta_0;     // at the start of a contact [s]
  bool slip_law;      // theta' = -(V theta/Dc) ln(V theta/Dc), else ageing: theta' = 1 - V theta/Dc
};

class RateStateFriction final : public Law {
 public:
  // theta_0 = 0 stands for steady sliding at V0.
  explicit RateStateFriction(const RateStateParameters& parameters);
  std::string_view name() const override { return "rate-and-state"; }
  std::vector<LawVariable> variables(int tangents, int turns) const override;
  std::string fault(int tangents, int turns) const override;
  bool iterates() const override { return true; }
  void prepare(const ContactSituation& contact, LawStatement& statement) const override;
  void update(const ContactSituation& contact, std::span<double> memory) const override;

  // The state after h at constant slip, exactly.                               (eq:state_evolution)
  double evolve(double theta, double slip, double h) const;

 private:
  RateStateParameters p_;
};

}  // namespace clack
