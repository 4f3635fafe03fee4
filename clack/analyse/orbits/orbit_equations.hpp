// The equations of multiple shooting: a periodic orbit as a sequence of contact phases,
//
//     z_i(t_i+1) = flow of phase i from (t_i, z_i),     h_i(t_i+1, z_i(t_i+1)) = 0,
//     R_i(t_i+1, z_i(t_i+1)) = z_i+1,   last: z_k(t_0 + T) = z_0                (eq:multiple_shooting)
//
// Unknowns X = (z_1 .. z_k, t_1 .. t_k-1, [T], [d], [parameter]): T where the period is not given,
// the damping d of a conservative orbit (eq:embedding), the parameter where it is to be continued.
// Equations: the above, the phase condition f_ref . (z_0 - z_ref) = 0 where T is unknown, gap and
// velocity of constraints at the start. The sequence is fixed, so all of them are smooth.
#pragma once

#include "clack/analyse/orbits/orbit.hpp"
#include "clack/analyse/orbits/path_equations.hpp"

namespace clack {

class OrbitEquations final : public PathEquations {
 public:
  OrbitEquations(const OrbitProblem& problem, std::vector<ContactPhase> sequence, double period,
                 bool free_parameter);

  int unknowns() const { return unknowns_; }
  const Vector& scale() const override { return scale_; }
  const Vector& start() const override { return start_; }  // X of the sequence
  // Both divided by the scale of their rows.
  [[nodiscard]] std::string residual(const Vector& X, Vector& F) override;
  [[nodiscard]] std::string jacobian(const Vector& X, Vector& F, Matrix& J) override;

  int period_index() const { return period_at_; }        // -1: not an unknown
  int parameter_index() const { return parameter_at_; }  // -1
  double period(const Vector& X) const;
  double parameter(const Vector& X) const;
  double damping(const Vector& X) const;
  double energy(const Vector& X);
  State first_state(const Vector& X) const;
  // The sequence with the states and times of X.
  std::vector<ContactPhase> phases(const Vector& X) const;
  void set_reference(const Vector& X) override;

 private:
  int count() const { return static_cast<int>(sequence_.size()); }
  int state_at(int i) const { return i * size_; }
  double time(const Vector& X, int i) const;  // start of phase i, or the end
  void choose_system(double parameter, double damping);
  std::string phase_rows(const Vector& X, int i, Vector& F, Matrix* J);
  void closing_rows(const Vector& X, const Vector& z, int row, Vector& F, Matrix* J,
                    const Matrix& by_X) const;
  void phase_condition(const Vector& X, int row, Vector& F, Matrix* J) const;
  void constraint_rows(const Vector& X, int row, Vector& F, Matrix* J);
  std::string evaluate(const Vector& X, Vector& F, Matrix* J);
  std::string add_difference(const Vector& X, int column, Matrix& J);

  OrbitProblem problem_;
  std::vector<ContactPhase> sequence_;
  int size_;  // 2 nv
  double t0_;
  int unknowns_ = 0, rows_ = 0, times_at_ = 0, period_at_ = -1, damping_at_ = -1,
      parameter_at_ = -1;
  std::vector<int> constraints_;  // contacts that are constraints, or closed in all phases
  double fixed_period_;
  Vector scale_, start_, reference_, reference_rate_;
  std::vector<double> event_scale_;
  double system_parameter_ = 0, system_damping_ = 0;
  std::shared_ptr<const System> system_;
  std::unique_ptr<PhaseMotion> motion_;
};

}  // namespace clack
