// Bodies at given places: balls of given radii, or copies of one shape.
#pragma once

#include <vector>

#include "clack/model/samples/sample.hpp"

namespace clack {

struct PlacedOptions {
  int dim = 3;
  ShapePtr shape;             // of every body; or
  std::vector<double> radii;  // of spheres, in the plane discs, one a pose [m]
  std::vector<Pose> poses;

  void validate() const;
};

// Suffixes count from 1.
Sample make_placed(const PlacedOptions& options);

}  // namespace clack
