// Moments of hollow shapes; differences of powers as products, so that a thin wall keeps its
// digits.
#include <cmath>

#include "clack/model/shapes/moments.hpp"

namespace clack::shapes {

// Over the area: ∫ x^2 dA = pi/4 (outer^4 - inner^4).
Moments hollow_moments(const RingShape& s) {
  Moments moments;
  moments.volume = M_PI * (s.outer - s.inner) * (s.outer + s.inner);
  moments.second(0, 0) = moments.second(1, 1) =
      moments.volume * (s.outer * s.outer + s.inner * s.inner) / 4;
  return moments;
}

Moments hollow_moments(const Tube& s) {
  Moments moments = hollow_moments(RingShape(s.inner, s.outer));
  moments.volume *= 2 * s.half_length;
  moments.second *= 2 * s.half_length;
  moments.second(2, 2) = moments.volume * s.half_length * s.half_length / 3;
  return moments;
}

// ∫ x^2 dV = 4 pi/15 (outer^5 - inner^5).
Moments hollow_moments(const Socket& s) {
  const double a = s.inner, b = s.outer, shell = 4 * M_PI * (b - a);
  Moments moments;
  moments.volume = shell / 3 * (b * b + b * a + a * a);
  moments.second =
      shell / 15 *
      (std::pow(b, 4) + std::pow(b, 3) * a + b * b * a * a + b * std::pow(a, 3) + std::pow(a, 4)) *
      Matrix3::Identity();
  return moments;
}

}  // namespace clack::shapes
