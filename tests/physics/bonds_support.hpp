// What tests of bonded bodies share. In their scenes the grains follow a floor and a press.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/physics/blocks_support.hpp"

namespace clack::test {

constexpr std::size_t kFirstGrain = 2;

inline double grain_width(const WorldState& state) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (std::size_t i = kFirstGrain; i < state.bodies.size(); ++i) {
    low = std::min(low, state.bodies[i].position.x());
    high = std::max(high, state.bodies[i].position.x());
  }
  return high - low;
}

}  // namespace clack::test
