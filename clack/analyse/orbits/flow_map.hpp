// The motion of a system over a time as a map of its start, by the event-driven scheme, and the
// derivative of that map:
//
//     P(z0) = z(t0 + duration),   dP/dz0 = Phi_k S_k-1 ... S_1 Phi_1             (eq:monodromy)
//
// The sequence of contact phases is what the scheme finds; derivatives follow along it.
#pragma once

#include <limits>

#include "clack/analyse/orbits/phase_motion.hpp"
#include "clack/integrate/simulation.hpp"

namespace clack {

struct MappedFlow {
  Status status = Status::not_run;
  std::string note;  // why there is no result, or none that can be relied on
  State end;
  std::vector<ContactPhase> phases;
  Matrix Phi;                   // 2 nv x 2 nv, empty where it was not asked for or does not exist
  Vector begin_rate, end_rate;  // z' at both ends
  std::string not_smooth;       // why the map has no derivative here; empty where it has one
  int impacts = 0;
  // The impact that comes nearest to grazing: normal velocity before it [m/s].
  double slowest_approach = std::numeric_limits<double>::infinity();
  double lowest_gap = std::numeric_limits<double>::infinity();  // at ends of steps [m]

  bool good() const { return status == Status::converged; }
};

struct FlowMapOptions {
  SimulationOptions simulation;  // scheme and step are set by the map
  int steps = 16;                // of the simulation within the time; gaps are looked at after each

  void validate() const;
};

class FlowMap {
 public:
  // Throws InputError for a system whose orbits are not defined here: configurations with more
  // coordinates than velocities, contacts that come and go, laws beyond impact and friction.
  explicit FlowMap(std::shared_ptr<const System> system, FlowMapOptions options = {});

  MappedFlow compute(const State& start, double duration, bool derivative) const;

  const System& system() const { return *system_; }
  const std::shared_ptr<const System>& shared_system() const { return system_; }
  const FlowMapOptions& options() const { return options_; }
  double tolerance() const { return options_.simulation.scheme_options.flow_tolerance; }

 private:
  std::shared_ptr<const System> system_;
  FlowMapOptions options_;
};

// Lengths on which the coordinates and velocities of a sequence vary (2 nv), for differences.
Vector sequence_scale(const std::vector<ContactPhase>& phases, const Vector& end);

}  // namespace clack
