// The geometry behind generate_problem: bodies and the contacts between them.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "clack/core/split_mix.hpp"
#include "tests/support/generate.hpp"

namespace clack::test {

using Point = Eigen::Vector3d;  // the plane is x, z: y = 0

struct PackedBody {
  Point centre = Point::Zero();     // [m]
  Point half_edge = Point::Zero();  // boxes [m]
  double radius = 0;                // spheres, discs [m]
  double density = 0;               // [kg/m^3], plane [kg/m^2]
  int layer = 0;
};

// The normal points from body a to body b; a = -1 is the floor or a wall. a < b.
struct PackedContact {
  int body_a = -1;
  int body_b = 0;
  Point point = Point::Zero();
  Point normal = Point::UnitZ();
};

struct PackedScene {
  std::vector<PackedBody> bodies;
  std::vector<PackedContact> contacts;
};

// As many bodies as it takes for options.contacts contacts.
PackedScene pack_spheres(const GenerateOptions& options, SplitMix& random);
// Drop-and-roll in a box whose corner is the origin, `width` mean diameters wide.
PackedScene pack_random(const GenerateOptions& options, SplitMix& random);
PackedScene pack_boxes(const GenerateOptions& options, SplitMix& random);

// The density of the next body.
double draw_density(const GenerateOptions& options, int layer, SplitMix& random);

}  // namespace clack::test
