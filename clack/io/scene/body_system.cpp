#include "clack/io/scene/body_system.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "clack/collide/joint_contacts.hpp"
#include "clack/core/error.hpp"
#include "clack/io/scene/joint_start.hpp"
#include "clack/model/bodies/articulated_bodies.hpp"

namespace clack {
namespace {

std::shared_ptr<const RigidBodies> close_joints(const std::shared_ptr<const RigidBodies>& bodies,
                                                double h, WorldState& initial, BodySystem& result) {
  State start = bodies->to_state(initial);
  const JointStart closed = close_start(*bodies, h, start);
  result.fault = closed.fault;
  result.where = "joints";
  result.remarks = closed.remarks;
  result.shared_loads = closed.shared_loads;
  if (!closed.fault.empty() || !closed.moved) return bodies;
  bodies->to_world(start.t, start.q, start.v, initial);
  return std::make_shared<RigidBodies>(bodies->shared_world(), initial);
}

// Whether a joint must be held by constraints beside the trees.
bool has_open_joints(const System& system) {
  const ArticulatedBodies* articulated = system.articulated();
  if (!articulated) return has_joints(*system.bodies());
  const auto n = static_cast<int>(system.bodies()->joints().joints().size());
  for (int j = 0; j < n; ++j) {
    if (!articulated->tree().holds(j)) return true;
  }
  const auto couplers = static_cast<int>(system.bodies()->world().couplers.size());
  for (int c = 0; c < couplers; ++c) {
    if (!articulated->tree().absorbs(c)) return true;
  }
  return false;
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool takes_joint_coordinates(const NamedWorld& named) {
  if (!named.world || named.coordinates == BodyCoordinates::bodies) return false;
  if (named.coordinates == BodyCoordinates::joints) return true;
  try {
    const RigidBodies bodies(named.world, named.initial);
    return ArticulatedBodies::pays(bodies);
  } catch (const InputError&) {
    return false;  // is said where the bodies are made
  }
}

BodySystem make_body_system(const std::shared_ptr<const RigidWorld>& world, bool joint_coordinates,
                            double h, WorldState& initial) {
  BodySystem result;
  auto bodies = std::make_shared<const RigidBodies>(world, initial);
  if (has_joints(*bodies)) bodies = close_joints(bodies, h, initial, result);
  if (!result.fault.empty()) return result;
  result.system = bodies;
  result.initial = bodies->to_state(initial);
  if (!joint_coordinates) return result;
  try {
    const auto articulated = std::make_shared<ArticulatedBodies>(bodies);
    result.initial = articulated->to_state(initial);
    result.system = articulated;
  } catch (const InputError& error) {
    result.fault = error.what();
    result.where = "coordinates";
  }
  return result;
}

// Schemes of Newmark's family hold joints on their positions unless they are told otherwise; where a
// scheme lets them drift that is said.
void settle_joints(Scene& scene, bool told) {
  if (!has_open_joints(*scene.system)) return;
  static const std::vector<std::string> kFamily = {"newmark", "hht", "generalized-alpha"};
  static const std::vector<std::string> kDrifting = {
      "moreau-jean", "moreau-jean-dissipative", "moreau-midpoint", "semi-implicit-2", "naive-hht"};
  SchemeOptions& options = scene.options.scheme_options;
  const bool family = is_one_of(scene.options.scheme, kFamily);
  if (family && !told && !ContactSet(*scene.system).has_laws())
    options.constraints = ConstraintLevel::position_velocity;
  const bool on_velocities = family && options.constraints == ConstraintLevel::velocity;
  if (!is_one_of(scene.options.scheme, kDrifting) && !on_velocities) return;
  scene.remarks.push_back(
      fmt::format("scheme '{}' states joints on velocities: they drift with the step; '{}', "
                  "'moreau-direct-projection' and 'rattle' hold them on positions",
                  scene.options.scheme, kWorldScheme));
}

}  // namespace clack
