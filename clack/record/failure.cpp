#include "clack/record/failure.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace clack {
namespace {

using Names = std::vector<std::string>;

std::optional<std::string> first_bad(const char* what, const Vector& values, const Names& names) {
  for (int i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const auto k = static_cast<std::size_t>(i);
    return fmt::format("{} '{}' is {}", what, k < names.size() ? names[k] : std::to_string(i),
                       values[i]);
  }
  return std::nullopt;
}

// By the group of the scene that the force comes from.
std::optional<std::string> bad_force(const StatePoint& point, const Names& names) {
  const Forces& forces = point.forces;
  if (const auto text = first_bad("the force of the potential on", forces.potential, names))
    return text;
  if (const auto text = first_bad("the inertial force on", forces.inertial, names)) return text;
  if (const auto text = first_bad("the damping force on", forces.damping, names)) return text;
  return first_bad("the force on", forces.external, names);
}

std::optional<std::string> bad_energy(const Energies& energies) {
  if (!std::isfinite(energies.potential))
    return fmt::format("the potential energy is {} (formula 'system.potential')",
                       energies.potential);
  if (!std::isfinite(energies.kinetic))
    return fmt::format("the kinetic energy is {}", energies.kinetic);
  if (!std::isfinite(energies.driving_power))
    return fmt::format("the rate of an energy with time is {}", energies.driving_power);
  return std::nullopt;
}

// Forces belong to velocities, of which there are fewer than coordinates where bodies turn.
Names force_names(const Scene& scene, const System& system) {
  if (system.nq() == system.nv()) return scene.q_names;
  Names names;
  for (int i = 0; i < system.nv(); ++i) names.push_back(system.coordinate_name(i));
  return names;
}

}  // namespace

// Causes first: a force that is no number makes every coordinate one after the solve. So forces and
// energies are asked for at the time of the end with the state of the start.
std::string describe_failure(const Scene& scene, const Step& step) {
  const Names names = force_names(scene, step.system);
  StatePoint probe = step.start;
  probe.t = step.end.t;
  step.system.forces(probe.t, probe.q, probe.v, probe.forces);
  probe.energies = step.system.energies(probe.t, probe.q, probe.v);
  if (const auto text = bad_force(probe, names)) return *text;
  if (const auto text = bad_energy(probe.energies)) return *text;
  if (step.end.q.allFinite() && step.end.v.allFinite()) {
    if (const auto text = bad_force(step.end, names)) return *text;
    if (const auto text = bad_energy(step.end.energies)) return *text;
  }
  if (const auto text = first_bad("coordinate", step.end.q, scene.q_names)) return *text;
  if (const auto text = first_bad("velocity", step.end.v, scene.v_names)) return *text;
  if (step.matrix_failed) return "the iteration matrix is singular or not finite";
  return "a work of the energy ledger is not finite";
}

}  // namespace clack
