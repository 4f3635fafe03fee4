// A time-stepping scheme: the stages of a step. The sequence itself is Simulation::step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clack/core/option.hpp"
#include "clack/integrate/step.hpp"

namespace clack {

// At which levels the schemes of Newmark's family state contacts and constraints.
enum class ConstraintLevel {
  velocity,
  position,
  position_velocity,
  position_velocity_acceleration
};
// The words of a scene file, in the order of the enumeration.
const std::vector<std::string_view>& constraint_level_names();

struct SimulationOptions;

struct SchemeOptions {
  double theta = 0.5;  // weight of the end of the step [-]
  double gamma = 0.5;  // forecast of the activation, in steps [-]
  double xi = 0.5;     // weight of the end of the step in the forces of theta-xi [-]
  // Newmark's family (eq:alpha_parameters); what is not given follows from rho_inf.
  std::optional<double> rho_inf;  // spectral radius at infinite frequency, 0 to 1 [-]
  std::optional<double> alpha_m, alpha_f, beta, newmark_gamma;
  ConstraintLevel constraints = ConstraintLevel::velocity;
  double activation_tolerance = 1e-12;  // a gap this small counts as closed [m]
  // event-driven
  double flow_tolerance = 1e-12;  // of the flow between events, relative and absolute
  double capture_time = 0;        // rebounds that last no longer are captured [s]
  int max_events = 10000;         // in a step; impacts beyond are captured
  double recovery = 0;            // speed at which contacts on velocities take overlaps back [m/s]
  double newton_tolerance = 1e-12;  // for the equation of motion, relative
  int newton_max_iterations = 50;

  static const OptionTable<SchemeOptions>& table();
  void validate() const;
};

// A step solves one cone problem or several in sequence, its *phases*: one on velocities and one on
// positions, say. Each phase runs detect, then passes of predict, assemble, solve, correct.
class Scheme {
 public:
  explicit Scheme(const SchemeOptions& options) : options_(options) { options_.validate(); }
  virtual ~Scheme() = default;
  virtual std::string_view name() const = 0;
  const SchemeOptions& options() const { return options_; }

  // Once, before anything else: solver and threads of a scheme that solves its problem itself.
  virtual void configure(const SimulationOptions&) {}
  // Why a system cannot be treated; empty where it can.
  virtual std::string system_fault(const System&) const { return {}; }
  // Whether it finds contacts by itself: step.contacts is empty then.
  virtual bool finds_contacts() const { return false; }
  // Throws InputError where the scheme cannot treat the contacts that a system may have.
  virtual void check(const ContactSet&) const {}
  // Whether the scheme looks at M at all.
  virtual bool needs_mass() const { return true; }
  // Whether the scheme's matrix has K = -dF/dq, and C = -dF/dv: these must be finite then.
  virtual bool needs_stiffness() const { return true; }
  virtual bool needs_damping() const { return true; }
  // Whether the start must satisfy the constraints; else it is a first guess.
  virtual bool needs_consistent_start() const { return true; }
  // Why contacts with laws of their own cannot be treated; empty where they can.
  virtual std::string law_fault() const {
    return "it states contact in another way than on the velocities of the end of the step";
  }
  // Positions move by h (weight v+ + (1 - weight) v-), or nearly so.
  virtual double position_weight() const { return 0.5; }
  // How many kinds of problem a step may solve; step.phase is below it.
  virtual int phases() const { return 1; }
  // Fills step.memory from the initial state, which stands in step.end.
  virtual void initialise(Step&) const {}
  // Whether a step may be longer or shorter than the one before.
  virtual bool step_may_vary() const { return true; }
  // Fits step.memory to a step `ratio` times as long as the one before; step.start is its start.
  virtual void change_step(Step&, double /*ratio*/) const {}
  // Fits step.memory to another list of contacts, step.contacts.change().
  virtual void change_contacts(Step&) const {}
  // Fits its own vectors to the number of contacts, after change_contacts() and restore().
  virtual void resize(Step&) const {}
  // Whether it works on sparse matrices; else on dense ones, for small systems.
  virtual bool takes_sparse() const { return true; }
  // Whether M alone must be positive definite; else M + h theta C + h^2 theta^2 K will do.
  virtual bool needs_regular_mass() const { return true; }

  virtual void begin_step(Step&) const {}       // from step.start over step.h
  virtual void detect(Step& step) const = 0;    // candidates, local frames, active set
  virtual void predict(Step& step) const = 0;   // iteration matrix and free velocity
  virtual void assemble(Step& step) const = 0;  // the one-step problem
  // Solves the problem itself; false where that is left to the solver of the simulation.
  virtual bool solve(Step&) const { return false; }
  virtual void correct(Step& step) const = 0;  // velocity and configuration from the impulses
  virtual bool accepted(const Step& step) const = 0;  // no further pass from predict to correct
  // Sets step.phase to the next problem of this step; false where there is none.
  virtual bool next_phase(Step&) const { return false; }
  virtual void audit(Step& step) const = 0;  // energies, works, their balance

  // Of the scheme's own data; restore() finds the state in step.end.
  virtual std::shared_ptr<const SchemeRecord> save(const Step&) const { return nullptr; }
  virtual void restore(Step&, const SchemeRecord*) const {}

 private:
  SchemeOptions options_;
};

// The equation of motion holds to the tolerance, to round-off, or the limit of passes is reached.
bool newton_finished(const Step& step, const SchemeOptions& options);
// Whether it may be called solved: at the tolerance, or stalled at round-off just above it.
bool newton_converged(const Step& step, const SchemeOptions& options);

// For Scheme::check: throw InputError with the scheme's name where a contact has what it cannot do.
void refuse_restitution(const ContactSet& contacts, std::string_view scheme);
void refuse_tangential_restitution(const ContactSet& contacts, std::string_view scheme);
void refuse_friction(const ContactSet& contacts, std::string_view scheme);
// Throws InputError where the scheme's step cannot vary.
void refuse_constant_step(const Scheme& scheme);

struct SchemeInfo {
  std::string_view name;
  std::string_view summary;    // one line
  std::string_view guarantee;  // what holds, and where
  std::string_view reference;
  std::unique_ptr<Scheme> (*make)(const SchemeOptions& options);
};
const std::vector<SchemeInfo>& scheme_list();
// Throws InputError for an unknown name, with the known ones.
std::unique_ptr<Scheme> make_scheme(std::string_view name, const SchemeOptions& options);

}  // namespace clack
