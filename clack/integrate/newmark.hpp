// Newmark's family in nonsmooth form (eq:alpha_scheme): the smooth part of the motion by Newmark's,
// HHT's or the generalised-alpha rule, the impulses apart, of first order:
//
//     q+ = q + h v + h^2 ((1/2 - beta) a + beta a+) + U
//     v+ = v + h ((1 - gamma) a + gamma a+) + W
//     (1 - alpha_m) a+ + alpha_m a = (1 - alpha_f) b+ + alpha_f b,   M(q+) b+ = F(t+, q+, v+)
//     M W = H r,   law (eq:impact) on u+ + E u-
//
// Levels of contacts and constraints (option `constraints`), each a phase of its own:
//     velocity (default): U = h/2 W, one problem, contacts with gap + gamma h u_N <= 0
//     position-velocity: first M U = H nu with 0 <= gap(q+) orthogonal to nu >= 0; then, with q+
//         kept, W for contacts that are closed (Gear, Gupta, Leimkuhler) (eq:alpha_ggl); with
//         friction both once more, so that the tangential impulses move the position too
//     position-velocity-acceleration: before these, forces H lambda in M b+ = F + H lambda keep
//         constraints and lasting contacts on the level of acceleration (eq:alpha_acceleration),
//         with friction along the slip (eq:alpha_friction)
// Memory: a, b, the filtered forces; with acceleration also lambda and its filtered value.
// Reference: Chen, Acary, Virlez, Bruls (2013); Acary (2016); Bruls, Acary, Cardona (2018).
#pragma once

#include "clack/integrate/scheme.hpp"

namespace clack {

// Parameters of the rule (eq:alpha_parameters).
struct AlphaParameters {
  double alpha_m = 0, alpha_f = 0, beta = 0.25, gamma = 0.5;
};

class NewmarkFamily : public Scheme {
 public:
  const AlphaParameters& parameters() const { return p_; }

  void check(const ContactSet& contacts) const override;
  std::string law_fault() const override {
    return sequence_ == std::vector{Kind::coupled} ? std::string() : Scheme::law_fault();
  }
  int phases() const override { return static_cast<int>(sequence_.size()); }
  void initialise(Step& step) const override;
  void change_step(Step& step, double ratio) const override;
  void change_contacts(Step& step) const override;
  void resize(Step& step) const override;
  void detect(Step& step) const override;
  void predict(Step& step) const override;
  void assemble(Step& step) const override;
  void correct(Step& step) const override;
  bool accepted(const Step& step) const override;
  bool next_phase(Step& step) const override;
  void audit(Step& step) const override;

 protected:
  // What the multipliers of a phase act on.
  enum class Kind { coupled, position, velocity, acceleration, naive_velocity, naive_position };
  NewmarkFamily(const SchemeOptions& options, const AlphaParameters& p, std::vector<Kind> sequence);
  static std::vector<Kind> sequence_of(const SchemeOptions& options);

 private:
  // A phase is Newton's method for a+ and multipliers s with X = M^-1 H s. The residual of
  // M b+ - F changes by S da + L dX; the rows see y, which changes by on_a da + on_x dX. So
  // y = y_free + M_hat^-1 H s with M_hat = M (on_x S - on_a L)^-1 S. (eq:alpha_newton)
  struct Response {
    double on_a, on_x;     // of y
    double L_M, L_C, L_K;  // L = L_M M + L_C C + L_K K
    double S_K;            // S = c M + h gamma C + S_K K, c = (1 - alpha_m)/(1 - alpha_f)
  };
  Kind kind(const Step& step) const { return sequence_[step.phase]; }
  Response response(const Step& step) const;
  bool on_position(Kind k) const { return k == Kind::position || k == Kind::naive_position; }
  bool one_pass(const Step& step) const;
  double mass_factor() const { return (1 - p_.alpha_m) / (1 - p_.alpha_f); }

  void detect_first(Step& step) const;
  void select_closed(Step& step) const;
  void select_lasting(Step& step) const;
  void set_acceleration_rows(Step& step) const;
  void add_frame_rates(Step& step) const;
  void set_offsets(Step& step) const;
  void update_mass(Step& step) const;
  void update_matrices(Step& step) const;
  void add_coupling(const Step& step, const Vector& X, double factor, Vector& out) const;
  void set_rows_vector(const Step& step, Vector& y) const;
  void update_state(Step& step) const;
  void compute_residual(Step& step) const;
  double residual_norm(const Step& step) const;
  bool set_slip(Step& step) const;
  void filter_forces(Step& step) const;
  void filter_multipliers(Step& step) const;

  AlphaParameters p_;
  std::vector<Kind> sequence_;
};

// alpha_m = alpha_f = 0. Dissipates its own energy for 2 beta >= gamma >= 1/2
// (eq:newmark_identity).
class Newmark final : public NewmarkFamily {
 public:
  explicit Newmark(const SchemeOptions& o);
  std::string_view name() const override { return "newmark"; }
};

// alpha_m = 0, alpha_f = alpha in [0, 1/3]. Dissipates its own energy for 2 beta >= gamma >= 1/2
// and alpha <= gamma - 1/2 (eq:hht_identity).
class Hht final : public NewmarkFamily {
 public:
  explicit Hht(const SchemeOptions& o);
  std::string_view name() const override { return "hht"; }
};

class GeneralizedAlpha final : public NewmarkFamily {
 public:
  explicit GeneralizedAlpha(const SchemeOptions& o);
  std::string_view name() const override { return "generalized-alpha"; }
};

// The counter-example: HHT applied to contact as if to a smooth force, M b+ = F + H r/h. Not
// consistent at impacts unless gamma = 1 and alpha = 0 (eq:naive_hht). `constraints: position`
// states gap(q+) instead of the velocity. For comparison only.
class NaiveHht final : public NewmarkFamily {
 public:
  explicit NaiveHht(const SchemeOptions& o);
  std::string_view name() const override { return "naive-hht"; }
  void check(const ContactSet& contacts) const override;
};

}  // namespace clack
