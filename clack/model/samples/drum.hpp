// A hollow cylinder, made of convex plates.
#pragma once

#include "clack/model/samples/sample.hpp"

namespace clack {

struct DrumOptions {
  int dim = 3;
  double radius = 0.1;      // of the circle inscribed in the inner polygon [m]
  double length = 0.1;      // inside, along the axis [m]; space only
  double thickness = 0.01;  // [m]
  int sides = 32;
  bool ends = true;  // plates that close it; space only

  void validate() const;
};

// One compound "" with its axis, y in space, through the origin of its frame. It is not fixed: it
// is to be driven.
Sample make_drum(const DrumOptions& options);

}  // namespace clack
