// The rigid bodies of a scene as a system: closed at their joints, with the velocities of bodies or
// with those that their joints leave free.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clack/io/scene/scene.hpp"
#include "clack/io/scene/world_reader.hpp"

namespace clack {

// Whether trees of joints have their own velocities: where the scene says so, and by `auto` where
// they pay (eq:tree_pays).
bool takes_joint_coordinates(const NamedWorld& world);

struct BodySystem {
  std::shared_ptr<const System> system;
  State initial;
  std::string fault;  // why there is none; `where`: the key of the system that it is about
  std::string where;
  std::vector<std::string> remarks;
  std::vector<int> shared_loads;  // joints whose reactions are not unique
};

// `initial` is changed where the start has to be closed; driven bodies move as in a step of length h.
BodySystem make_body_system(const std::shared_ptr<const RigidWorld>& world, bool joint_coordinates,
                            double h, WorldState& initial);

// Options that joints ask of the scheme, and what is to be said of it. `told`: the scene says on
// which level constraints stand.
void settle_joints(Scene& scene, bool told);

}  // namespace clack
