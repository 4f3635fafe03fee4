// The `system:` part of a scene of rigid bodies.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "clack/io/scene/shape_reader.hpp"
#include "clack/model/bodies/rigid_world.hpp"

namespace clack {

// What the velocities of bodies on joints are: their own, or those that the joints leave free.
enum class BodyCoordinates { bodies, joints, automatic };

struct NamedWorld {
  std::shared_ptr<RigidWorld> world;  // null if something was wrong
  WorldState initial;
  std::map<std::string, int> names;  // of the bodies
  std::vector<std::string> remarks;  // of the files of robots
  BodyCoordinates coordinates = BodyCoordinates::bodies;
};

// `folder`: that of the scene, for the files it names.
NamedWorld read_world(const Field& field, Vocabulary& vocabulary, const std::string& folder);

}  // namespace clack
