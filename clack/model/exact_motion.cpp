#include "clack/model/exact_motion.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

ImpactingOscillator::Point ImpactingOscillator::at(double t) const {
  double amplitude = start, apex = 0;
  while (std::abs(stop) < amplitude) {
    const double impact = apex + std::acos(stop / amplitude) / omega;
    if (t < impact) break;
    amplitude = std::sqrt(stop * stop + e_n * e_n * (amplitude * amplitude - stop * stop));
    apex = impact + std::acos(std::clamp(stop / amplitude, -1.0, 1.0)) / omega;
  }
  if (stop >= 0 && amplitude <= stop) return {stop, 0};  // at rest on the stop
  const double phase = omega * (t - apex);
  return {amplitude * std::cos(phase), -amplitude * omega * std::sin(phase)};
}

}  // namespace clack
