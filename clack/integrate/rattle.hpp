// Nonsmooth RATTLE (eq:rattle): two stages, each a cone problem.
//
//     1: M(q)(v_h - v) = h/2 F(t, q, v_h) + H(q) r_1,   q+ = q + h v_h
//        0 <= gap(q+) orthogonal to r_1N >= 0, gap(q+) = 0 for constraints, friction on the mean
//        over the step (H_T(q) + H_T(q+))'v_h/2 + (w_T + w_T+)/2           (eq:rattle_slip)
//     2: M(q+)(v+ - v_h) = h/2 F(t+, q+, v_h) + H(q+)(r - r_1)
//        law (eq:impact) of the whole impulse r on u+ + E u-, for constraints and contacts that
//        stage 1 loaded or left closed; r = 0 for the others
//
// Gaps and constraints hold at grid points, on positions and on velocities. Second order in smooth
// motion, also with constraints, sliding and rolling; first through impacts.
// Reference: Breuling, Capobianco, Eugster, Leine (2024).
#pragma once

#include "clack/integrate/scheme.hpp"

namespace clack {

class Rattle final : public Scheme {
 public:
  using Scheme::Scheme;
  std::string_view name() const override { return "rattle"; }
  bool needs_stiffness() const override { return false; }
  int phases() const override { return 2; }
  void initialise(Step& step) const override;
  void resize(Step& step) const override;
  void detect(Step& step) const override;
  void predict(Step& step) const override;
  void assemble(Step& step) const override;
  void correct(Step& step) const override;
  bool accepted(const Step& step) const override;
  bool next_phase(Step& step) const override;
  void audit(Step& step) const override;

 private:
  enum Phase { kPosition, kVelocity };
  enum Scratch {
    kHalf,
    kFirst,
    kRest
  };  // v_h; r_1 of all candidates; what is left of the equations

  void detect_position(Step& step) const;
  void detect_velocity(Step& step) const;
  void predict_position(Step& step) const;
  void predict_velocity(Step& step) const;
  void move(Step& step) const;
  void set_slip_rows(Step& step) const;
  double slip_residual(const Step& step) const;
  bool one_pass(const Step& step) const;
};

}  // namespace clack
