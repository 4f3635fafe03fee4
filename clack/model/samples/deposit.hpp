// Spheres or discs dropped one by one into a box; each rolls down to rest on the floor or on three
// supports, in the plane two, among spheres and walls (eq:steepest-descent).
#pragma once

#include <array>
#include <cstdint>

#include "clack/model/samples/size_distribution.hpp"

namespace clack {

// The box is [0, width[0]] x [0, width[1]] on the floor z = 0; in the plane [0, width[0]] on y = 0.
struct DepositOptions {
  int dim = 3;
  std::array<double, 2> width = {0.1, 0.1};  // [m]; in the plane the first alone
  Vector3 origin = Vector3::Zero();          // of the box's corner [m]
  SizeDistribution sizes;
  long count = 0;      // of bodies; where it is 0:
  double volume = 0;   // solid volume [m^3], in the plane area [m^2]
  bool walls = false;  // adds the floor and the walls as fixed half spaces (half planes)
  std::uint64_t seed = 1;

  void validate() const;
};

// Suffixes count from 1 in the order of falling; "floor", "wall1" to "wall4" (across x, then y).
Sample make_deposit(const DepositOptions& options);

}  // namespace clack
