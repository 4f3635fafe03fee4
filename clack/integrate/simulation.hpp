// A simulation: a system, a scheme, a solver and the state they move.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "clack/integrate/adaptive_options.hpp"
#include "clack/integrate/scheme.hpp"
#include "clack/integrate/stage_timer.hpp"
#include "clack/integrate/step.hpp"

namespace clack {

struct SimulationOptions {
  std::string scheme = "moreau-jean";
  SchemeOptions scheme_options;
  std::string solver = "nsgs";
  SolverOptions solver_options{.tolerance = 1e-12, .verdict = Verdict::unit_free};
  OptionSet solver_own;                     // options that this solver alone has, as text
  double h = 0;                             // time step [s]; the first one where it is adapted
  std::optional<AdaptiveOptions> adaptive;  // read by AdaptiveSimulation alone
  int threads = 1;             // of the solver `bodies`; any number gives the same bits
  bool record_timings = true;  // reading the clock costs some 20 ns a stage

  void validate() const;
};

// Throws InputError where a state does not fit the system or is not finite.
void check_state(const System& system, const State& state);

// What is wrong with the mass matrix of a start for a scheme with step h; empty where it will do.
std::string mass_fault(const System& system, const State& initial, const Scheme& scheme, double h);

// All that a step takes over from the one before. Matrices are not part of it: a simulation keeps
// them for as long as they hold, for the same h or the same state.
struct Checkpoint {
  StatePoint end;
  std::vector<ContactIdentity> contacts;  // of the last step
  SchemeMemory memory;
  std::vector<Vector> warm;
  std::vector<double> law_memory;  // of ContactLaws
  EnergyAudit energy;
  double h = 0;           // of the last step [s]
  double start_time = 0;  // of the run [s]: times are start_time + count h
  long count = 0;
  std::shared_ptr<const SchemeRecord> scheme;  // of what the scheme keeps beside
};

class Simulation {
 public:
  // Throws InputError for a state that does not fit, a mass matrix that the scheme cannot take or a
  // bad option.
  Simulation(std::shared_ptr<const System> system, const State& initial,
             const SimulationOptions& options);

  // One step from t to t + h. The status says whether both the equation of motion and the one-step
  // problem reached their tolerances; the state is advanced in any case unless it is not finite.
  Status step();
  // One step of another length h, to t_end = time() + h up to round-off: both are given, so that
  // equal steps stay equal to the last bit and a matrix factorised for h serves again.
  Status step_to(double t_end, double h);

  // Goes on from another state; impulses, memories and the time of the run begin anew. Throws
  // InputError for a state that does not fit.
  void reset(const State& state);

  // Moves what is simulated between two steps: time and steps made go on, and so do impulses and
  // memories of contacts that are still there.
  void set_state(const State& state);
  // Impulses and memories of laws from another simulation by the same scheme, where it has the same
  // contacts.
  void take_over_contacts(const Checkpoint& from);

  // After restore() a step gives the same bits as after the step at which the checkpoint was taken.
  Checkpoint checkpoint() const;
  void restore(const Checkpoint& checkpoint);

  const System& system() const { return *system_; }
  const Scheme& scheme() const { return *scheme_; }
  const SimulationOptions& options() const { return options_; }
  double time() const { return step_.end.t; }
  const Vector& q() const { return step_.end.q; }
  const Vector& v() const { return step_.end.v; }
  const Step& last_step() const { return step_; }
  long steps() const { return count_; }
  const std::array<double, 6>& seconds_by_stage() const { return seconds_; }

 private:
  // The stages; those of the scheme on the data of the step, as long as it can be computed.
  void begin_step(double t_end, double h);
  void begin_phase();
  void detect();
  void predict() {
    if (!step_.failed()) scheme_->predict(step_);
  }
  void assemble() {
    if (!step_.failed()) scheme_->assemble(step_);
  }
  void solve();
  void correct() {
    if (!step_.failed()) scheme_->correct(step_);
  }
  bool accepted() { return step_.failed() || scheme_->accepted(step_); }
  void end_phase();
  bool next_phase() { return !step_.failed() && scheme_->next_phase(step_); }
  Status audit();
  void update_laws();
  void observe_reactions();
  Status abandon_step();
  Status fail();
  void check_start(const State& initial) const;
  void find_contacts(StatePoint& start);

  std::shared_ptr<const System> system_;
  SimulationOptions options_;
  std::unique_ptr<Scheme> scheme_;
  std::unique_ptr<Solver> solver_;
  Step step_;
  double start_time_;
  Vector reaction_r_;   // rows: impulses that laws at joints are told of
  bool ready_ = false;  // the scheme has been initialised
  long count_ = 0;
  std::array<double, 6> seconds_{};
};

}  // namespace clack
