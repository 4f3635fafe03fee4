// `joints:` and `couplers:` of a scene of rigid bodies.
#pragma once

#include <map>
#include <string>

#include "clack/io/scene/shape_reader.hpp"
#include "clack/model/bodies/rigid_world.hpp"

namespace clack {

// Adds the joints of a list to a world whose bodies are known, by their names.
void read_joints(const Field& list, const std::map<std::string, int>& bodies,
                 const WorldState& initial, ShapeReader& points, Vocabulary& vocabulary,
                 RigidWorld& world);
// After the joints.
void read_couplers(const Field& list, Vocabulary& vocabulary, RigidWorld& world);

}  // namespace clack
