// What tests of bonded bodies share. In their scenes the grains follow a floor and a press.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

// The line that parts the grains into two of horizontal displacements as unlike as possible.
struct Band {
  double angle = 0;      // to the horizontal, 30 to 80 degrees to either side [rad]
  double explained = 0;  // share of the variance of the displacements that the two means explain
};
inline Band steepest_step(const WorldState& start, const WorldState& end) {
  const std::size_t n = end.bodies.size() - kFirstGrain;
  std::vector<std::pair<double, double>> grains(n);  // distance from the line, displacement
  Band best;
  for (int degrees = -80; degrees <= 80; ++degrees) {
    if (std::abs(degrees) < 30) continue;
    const double angle = degrees * M_PI / 180;
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Vector3 &x = start.bodies[kFirstGrain + i].position, &y = end.bodies[kFirstGrain + i].position;
      grains[i] = {std::cos(angle) * x.y() - std::sin(angle) * x.x(), y.x() - x.x()};
      sum += grains[i].second;
      squares += grains[i].second * grains[i].second;
    }
    std::sort(grains.begin(), grains.end());
    const auto count = static_cast<double>(n);
    const double mean = sum / count, variance = squares - count * mean * mean;
    double below = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      below += grains[i].second;
      const double k = static_cast<double>(i + 1);
      if (k < 0.1 * count || k > 0.9 * count) continue;
      const double low = below / k - mean, high = (sum - below) / (count - k) - mean;
      const double explained = (k * low * low + (count - k) * high * high) / variance;
      if (explained > best.explained) best = {angle, explained};
    }
  }
  return best;
}

}  // namespace clack::test
