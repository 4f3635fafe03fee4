// Rows of dominoes.
#pragma once

#include "clack/model/samples/sample.hpp"

namespace clack {

enum class DominoPath {
  line,   // along x from the origin
  arc,    // a circle about (0, radius), from the origin along x and to the left
  spiral  // Archimedean about the origin from (radius, 0), anticlockwise and outwards
};

// They stand on z = 0 (in the plane on y = 0, along a line only).
struct DominoesOptions {
  int dim = 3;
  Vector3 size = {0.0075, 0.024, 0.048};  // thickness, width, height [m]; the plane has no width
  double spacing = 0.02;                  // of centres of neighbours, straight [m]
  int count = 20;
  DominoPath path = DominoPath::line;
  double radius = 0.5;  // of the arc; of the start of the spiral [m]
  double pitch = 0.05;  // of the spiral: growth of its radius a turn [m]
  double tilt = 0;      // of the first one, about its lower front edge towards the second [rad]

  void validate() const;
};

// Suffixes count from 1. Throws InputError where two would overlap.
Sample make_dominoes(const DominoesOptions& options);

}  // namespace clack
