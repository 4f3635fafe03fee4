// Harmonic balance with contact forces as dynamic Lagrange multipliers:
//
//     R_k = lambda_k - F[ lambda(t) ]_k = 0,   k = 0 .. H                    (eq:harmonic_balance)
//
// lambda_k the forces of the series, lambda(t) what the laws make of them (eq:dynamic_lagrangian).
// Unknowns X = (s, [omega], [parameter]) with s of (eq:scaled_force) row by row of H; omega where
// the period is not given. An autonomous orbit has the phase condition sum k (a_k b_k,ref - b_k
// a_k,ref) = 0 besides; orbits of a conservative family are even in time, so that cosines suffice.
#pragma once

#include <memory>

#include "clack/analyse/harmonic/contact_forces.hpp"
#include "clack/analyse/harmonic/contact_response.hpp"
#include "clack/analyse/orbits/orbit.hpp"
#include "clack/analyse/orbits/path_equations.hpp"

namespace clack {

struct HarmonicOptions {
  int harmonics = 20;
  int samples = 16;     // of a period, per harmonic
  double epsilon = 10;  // over the stiffness of the static response

  void validate() const;
};

// System, kind, period and parameter as for shooting.
struct HarmonicProblem {
  OrbitProblem orbit;
  HarmonicOptions options;
};

// Series of an orbit at its contacts: rows of H by coefficients of a full basis.
struct ContactSeries {
  Matrix force;   // [N]
  Matrix motion;  // gaps, tangential displacements [m]
};

class HarmonicEquations final : public PathEquations {
 public:
  // About an orbit with this series. `free_parameter`: the parameter is an unknown.
  HarmonicEquations(const HarmonicProblem& problem, double parameter, double period,
                    const ContactSeries& series, bool free_parameter);

  const Vector& scale() const override { return scale_; }
  const Vector& start() const override { return start_; }
  [[nodiscard]] std::string residual(const Vector& X, Vector& F) override;
  [[nodiscard]] std::string jacobian(const Vector& X, Vector& F, Matrix& J) override;
  void set_reference(const Vector& X) override { reference_ = X; }
  double orientation(PathEquations& before, const Vector& X, const Vector& last_tangent,
                     const Vector& tangent) override;

  // Moves the stops of contacts without friction away by this [m], to come to an orbit by steps.
  void set_lift(double lift);

  int frequency_index() const { return frequency_at_; }  // -1: not an unknown
  int parameter_index() const { return parameter_at_; }
  double parameter(const Vector& X) const;
  double frequency(const Vector& X) const;  // omega [rad/s]
  ContactSeries series(const Vector& X);
  Matrix coordinates(const Vector& X);  // nv x full size
  const FourierBasis& basis() const { return basis_; }
  const LinearStructure& structure(double parameter);

 private:
  int unknown_coefficients() const { return rows_ * basis_.size(); }
  void choose(const Vector& X);  // structure and response at X
  ForceSamples trial(const Vector& s, bool with_derivative) const;
  std::string balance(const Vector& X, Vector& F, Matrix* J);
  void phase_row(const Vector& X, Vector& F, Matrix* J) const;
  std::string add_difference(const Vector& X, int column, Matrix& J);

  HarmonicProblem problem_;
  FourierBasis basis_;
  double fixed_parameter_, fixed_period_;
  int rows_ = 0, frequency_at_ = -1, parameter_at_ = -1;
  double force_scale_ = 1, lift_ = 0;
  Vector scale_, start_, reference_;
  ResponseChart chart_;
  // At the last parameter and frequency.
  double structure_at_ = 0, response_at_[2] = {0, 0};
  std::unique_ptr<LinearStructure> structure_;
  std::unique_ptr<ContactResponse> response_;
};

}  // namespace clack
