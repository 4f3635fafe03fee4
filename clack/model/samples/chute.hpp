// An inclined channel.
#pragma once

#include <cstdint>

#include "clack/model/samples/sample.hpp"

namespace clack {

// The floor's upper face starts at the origin and falls by `slope` along +x; it is `length` long
// and lies between y = -width/2 and width/2, beside which the side walls stand at right angles. In
// the plane there are no side walls.
struct ChuteOptions {
  int dim = 3;
  double length = 1, width = 0.1;  // inside [m]
  double slope = 0.4;              // below the horizontal, -pi/2 to pi/2 [rad]
  double wall_height = 0.1;        // above the floor [m]; 0: no side walls
  double thickness = 0.01;         // of floor and walls [m]
  double bump_diameter = 0;        // of fixed spheres (discs) on the floor [m]; 0: smooth
  double bump_spacing = 0;         // of their centres on a square lattice [m]; 0: they touch
  double bump_jitter = 0;          // each moves along the floor by up to +- jitter [m]
  std::uint64_t seed = 1;

  void validate() const;
};

// Fixed bodies: "floor", "left" (y > 0), "right", "base1", ...
Sample make_chute(const ChuteOptions& options);

}  // namespace clack
