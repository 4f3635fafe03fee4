// A simulation whose step adapts itself, around any scheme whose step may vary (eq:adaptive_error).
//
// From the same state one step of 2h is compared with two of h, which are kept where
//
//     max( |q_2h - q_h|_i / s_i,  2h |v_2h - v_h|_j / s_j,  |dq - h v_mean|_i / s_i ) <= tolerance
//
// All terms are integrals of a velocity error over the pair. At an impact that one of the two sees
// earlier the velocities themselves differ by the jump, however small h; these integrals vanish
// with h there too: it is the L1 norm, in which velocities with jumps converge. The last term, for
// each of the two steps, finds an event that both runs put at the same end of the pair.
//
// The next h follows a PI controller. Before a contact closes, by the forecast gap + tau u_N +
// tau^2/2 a_N, the pair is cut so that it ends just before the closing; the pair over it
// is as short as the tolerance or `max_penetration` asks. A pair that ends deeper than
// `max_penetration`, or that the solver could not solve, is redone with a smaller h, down to h_min,
// where it is kept and counted as forced.
// Reference: Hairer, Norsett, Wanner (1993), II.4; Hairer, Wanner (1996), IV.2.
#pragma once

#include <array>
#include <memory>

#include "clack/integrate/simulation.hpp"

namespace clack {

struct AdaptiveFigures {
  long accepted = 0;                     // steps that were kept, two a pair
  long rejected = 0;                     // pairs that were redone
  long forced = 0;                       // pairs kept at h_min though they missed a target
  double h_smallest = 0, h_largest = 0;  // of the kept steps [s]
};

class AdaptiveSimulation {
 public:
  // Throws InputError as Simulation does, and for a scheme that needs a constant step.
  AdaptiveSimulation(std::shared_ptr<const System> system, const State& initial,
                     const SimulationOptions& options, double end);

  bool done() const { return state_.end.t >= end_; }
  // The next two steps. Their states and statuses stand in first() and second() until the next
  // call.
  void step();

  const Simulation& first() const { return first_; }
  const Simulation& second() const { return second_; }
  Status first_status() const { return first_status_; }
  Status second_status() const { return second_status_; }
  // The accepted state; a pair that is redone does not touch it.
  const Checkpoint& state() const { return state_; }
  const AdaptiveFigures& figures() const { return figures_; }
  std::array<double, 6> seconds_by_stage() const;  // of all steps, also those that were not kept

 private:
  double choose_step();
  double cut_before_contacts(double h);
  double time_to_closing(int contact) const;
  double reach(double u) const;
  void try_pair(double h);
  double error_of_pair(double h);
  double bend_of_step(const Vector& q, const Vector& v, const Simulation& step, double h);
  bool too_deep();
  void look_for_contacts();
  bool solved() const;
  void accept(double h, double error);
  void reject(double h, double error);
  bool had_impact(int contact) const;
  void estimate_accelerations(double h);

  AdaptiveOptions options_;
  double end_;  // [s]
  double h_min_, h_max_;
  Simulation coarse_, first_, second_;  // 2h; h; h after it
  Status first_status_ = Status::converged, second_status_ = Status::converged;
  Checkpoint state_;
  ContactSet contacts_;
  Detection detection_;    // of the accepted state
  Vector v_before_;        // at the start of the last pair; empty before the first
  Vector gap_;             // of the accepted state [m]
  Vector u_before_, a_N_;  // rows: u at the pair's start; contacts: gap's acceleration
  Vector scale_q_, scale_v_;
  Vector move_, q_mean_ = scale_q_;  // scratch
  double h_next_;                    // what the controller asks for [s]
  double previous_error_ = 1;        // over the tolerance, of the last kept pair
  bool after_rejection_ = false;     // no growth then
  AdaptiveFigures figures_;
};

}  // namespace clack
