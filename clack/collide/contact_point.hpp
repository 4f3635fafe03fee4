// What the narrow phase gives: points where two bodies touch or are about to.
#pragma once

#include <cstdint>
#include <vector>

#include "clack/model/pose.hpp"

namespace clack {

struct ContactPoint {
  Vector3 position;       // midway between the two surfaces [m]
  Vector3 normal;         // unit, from A to B
  double gap;             // signed distance along the normal, > 0 open [m]
  std::uint64_t feature;  // the same in the next step where the same features touch
  bool inner = false;     // on the inside of a hollow shape
};

struct Manifold {
  std::vector<ContactPoint> points;
};

}  // namespace clack
