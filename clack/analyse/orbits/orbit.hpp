// A periodic orbit and what is asked for to find one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clack/analyse/orbits/floquet.hpp"
#include "clack/analyse/orbits/flow_map.hpp"

namespace clack {

enum class OrbitKind {
  forced,       // the period is given, a multiple of that of the forcing
  autonomous,   // the period is sought; orbits are isolated
  conservative  // the period is sought; orbits come in families over energy
};
const std::vector<std::string>& orbit_kind_names();

// Which orbits are sought. The system may depend on one parameter.
struct OrbitProblem {
  OrbitKind kind = OrbitKind::forced;
  std::function<std::shared_ptr<const System>(double parameter)> system;
  std::function<double(double parameter)> period;  // of a forced orbit [s]
  double parameter = 0;
  // Coordinates of which a constant may be added in each period: z(T) = z(0) but for these.
  std::vector<int> drifting;
  FlowMapOptions flow;
  double tolerance = 1e-10;  // of z(T) - z(0), over the size of the motion
  int max_iterations = 30;

  static OrbitProblem make(std::shared_ptr<const System> system, OrbitKind kind, double period = 0);
  int trivial_multipliers() const { return static_cast<int>(kind); }
};

enum class OrbitMethod { shooting, harmonic_balance };
const std::vector<std::string>& orbit_method_names();

// Fourier coefficients of an orbit found by harmonic balance (clack/analyse/harmonic), a full basis
// by column.
struct OrbitSeries {
  Matrix q;       // by coordinate [m, rad]
  Matrix force;   // by row of H [N]
  Matrix motion;  // gaps and tangential displacements, by row of H [m]
};

struct Orbit {
  OrbitMethod method = OrbitMethod::shooting;
  Status status = Status::not_run;
  std::string note;  // why it failed, in words
  double parameter = 0;
  State start;
  double period = 0;   // [s]
  double damping = 0;  // the unknown d of a conservative orbit, zero but for round-off [1/s]
  std::vector<ContactPhase> phases;
  Vector drift;  // z(T) - z(0) of drifting coordinates (nv)
  // |z(T) - z(0)| by the event-driven motion, over the size of the motion; by harmonic balance the
  // largest residual of the balance.
  double closing = 0;
  double energy = 0;  // T + V at the start [J]
  int impacts = 0;
  double slowest_approach = 0;  // [m/s]
  Vector largest, smallest;     // coordinates over the period (nv)
  // Whether the event-driven motion from the start is this orbit: no penetration, no pulling
  // contact, no event that the equations do not know.
  bool admissible = false;
  std::string inadmissible;  // why not
  Matrix monodromy;
  Multipliers multipliers;
  std::vector<double> history;  // largest residual of each iteration
  OrbitSeries series;           // by harmonic balance only, which has no multipliers

  bool has_multipliers() const { return !multipliers.values.empty(); }
  bool good() const { return status == Status::converged; }
};

// Closes an orbit by Newton's method on the event-driven map from a guess of its start
// (eq:shooting). Forced and autonomous orbits.
Orbit single_shooting(const OrbitProblem& problem, const State& guess, double period_guess);

// Follows the motion from `guess` over its period, then solves for the states and times of all of
// its events at once (eq:multiple_shooting). Of a conservative family the orbit with the period of
// the guess.
Orbit multiple_shooting(const OrbitProblem& problem, const State& guess, double period_guess);

// Time after which a motion comes back nearest to its start, within `horizon`; 0 where it does not.
double guess_period(const OrbitProblem& problem, const State& start, double horizon);

// What a found start gives: simulated, differentiated, compared with `sequence` if there is one.
void verify_orbit(const OrbitProblem& problem, const std::vector<ContactPhase>& sequence,
                  Orbit& orbit);

}  // namespace clack
