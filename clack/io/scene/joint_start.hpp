// Joints of a scene at its start: closed where they do not fit exactly, and what is to be said of it.
#pragma once

#include <string>
#include <vector>

#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {

struct JointStart {
  std::string fault;  // why the mechanism cannot be assembled; empty where it can
  std::vector<std::string> remarks;
  bool moved = false;             // whether the start has been changed
  std::vector<int> shared_loads;  // joints whose reactions are not unique
};

// Changes positions and velocities of `start` (eq:closed_start); driven bodies move as they do in a
// step of length h.
[[nodiscard]] JointStart close_start(const RigidBodies& bodies, double h, State& start);

}  // namespace clack
