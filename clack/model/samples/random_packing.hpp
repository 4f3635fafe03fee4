// Spheres or discs at random in a box, none touching another: random sequential addition, the
// largest first (Widom, 1966). Equal spheres jam at a solid fraction of 0.38, equal discs at 0.547;
// a broad distribution of sizes gets further.
#pragma once

#include <array>
#include <cstdint>

#include "clack/model/samples/size_distribution.hpp"

namespace clack {

struct RandomPackingOptions {
  int dim = 3;
  BoundingBox box = {Vector3::Zero(), Vector3::Ones()};  // [m]; in the plane z is not read
  std::array<bool, 3> periodic = {false, false, false};  // along x, y, z; otherwise walls
  SizeDistribution sizes;
  long count = 0;             // of bodies; where it is 0:
  double solid_fraction = 0;  // volume of the bodies over that of the box [-]
  double gap = 0;             // least distance of surfaces, of walls as well [m]
  long attempts = 100000;     // at a place for one body
  std::uint64_t seed = 1;

  void validate() const;
};

// Suffixes count from 1, the largest first. Throws InputError where a body finds no place.
Sample make_random_packing(const RandomPackingOptions& options);

}  // namespace clack
