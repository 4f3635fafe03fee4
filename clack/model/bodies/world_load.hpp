// Loads on rigid bodies that depend on their state: a field of force, a controller.
#pragma once

#include <array>
#include <span>

namespace clack {

struct WorldState;

// Force [N] on the centre of mass, then torque [N m], both in the frame of the surroundings.
using BodyLoad = std::array<double, 6>;

class WorldLoad {
 public:
  virtual ~WorldLoad() = default;
  // Adds to the load of each body. Called once a step, with the time of its middle and the state of
  // its start.
  virtual void add(double t, const WorldState& state, std::span<BodyLoad> loads) const = 0;
};

}  // namespace clack
