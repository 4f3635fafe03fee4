// Solids of revolution about z with profile rho(z): dV = pi rho^2 dz,
//     ∫ z^2 dV = pi ∫ rho^2 z^2 dz,   ∫ x^2 dV = ∫ y^2 dV = pi/4 ∫ rho^4 dz.        (eq:revolution)
#include <array>
#include <cmath>

#include "clack/model/shapes/moments.hpp"

namespace clack::shapes {
namespace {

// A point of the profile and its slope by the parameter.
struct ProfilePoint {
  double rho, z, dz;
};

// Gauss's rule with 16 points. Straight pieces give polynomials of degree 5 (exact); arcs are
// parametrised by their angle, where the rule is exact to round-off.
struct Rule {
  std::array<double, 8> node{0.0950125098376374, 0.2816035507792589, 0.4580167776572274,
                             0.6178762444026438, 0.7554044083550030, 0.8656312023878318,
                             0.9445750230732326, 0.9894009349916499};
  std::array<double, 8> weight{0.1894506104550685, 0.1826034150449236, 0.1691565193950025,
                               0.1495959888165767, 0.1246289712555339, 0.0951585116824928,
                               0.0622535239386479, 0.0271524594117541};
};

template <class Profile>
Moments integrate(double from, double to, Profile&& profile) {
  static const Rule kRule;
  Moments sum;
  for (int i = 0; i < 16; ++i) {
    const double x = i % 2 == 0 ? kRule.node[i / 2] : -kRule.node[i / 2];
    const ProfilePoint p = profile(0.5 * (from + to) + 0.5 * (to - from) * x);
    const double slice = M_PI * p.rho * p.rho * p.dz * 0.5 * (to - from) * kRule.weight[i / 2];
    sum.volume += slice;
    sum.first.z() += slice * p.z;
    sum.second(2, 2) += slice * p.z * p.z;
    sum.second(0, 0) += slice * p.rho * p.rho / 4;
  }
  sum.second(1, 1) = sum.second(0, 0);
  return sum;
}

Moments straight(double rho_0, double z_0, double rho_1, double z_1) {
  return integrate(0, 1, [&](double s) -> ProfilePoint {
    return {rho_0 + s * (rho_1 - rho_0), z_0 + s * (z_1 - z_0), z_1 - z_0};
  });
}

// Part of a circle about (rho, z); the angle is counted from the radial direction [rad].
Moments arc(double rho, double z, double radius, double from, double to) {
  return integrate(from, to, [&](double angle) -> ProfilePoint {
    return {rho + radius * std::cos(angle), z + radius * std::sin(angle), radius * std::cos(angle)};
  });
}

}  // namespace

Moments revolution_moments(const Sphere& sphere) {
  Moments moments;
  moments.volume = 4 * M_PI / 3 * std::pow(sphere.radius, 3);
  moments.second = moments.volume * sphere.radius * sphere.radius / 5 * Matrix3::Identity();
  return moments;
}

Moments revolution_moments(const Capsule& capsule) {
  const double r = capsule.radius, l = capsule.half_length;
  Moments sum = arc(0, -l, r, -M_PI / 2, 0);
  sum += straight(r, -l, r, l);
  return sum += arc(0, l, r, 0, M_PI / 2);
}

Moments revolution_moments(const Cylinder& cylinder) {
  const double r = cylinder.radius, l = cylinder.half_length, round = cylinder.rounding;
  Moments sum = straight(r + round, -l, r + round, l);
  if (round == 0) return sum;
  sum += arc(r, -l, round, -M_PI / 2, 0);
  return sum += arc(r, l, round, 0, M_PI / 2);
}

Moments revolution_moments(const ConeShape& cone) {
  const double round = cone.rounding, tilt = std::atan2(cone.radius, cone.height);
  const double out = round * std::cos(tilt), up = round * std::sin(tilt);
  Moments sum = straight(cone.radius + out, cone.base() + up, out, cone.apex() + up);
  if (round == 0) return sum;
  sum += arc(cone.radius, cone.base(), round, -M_PI / 2, tilt);
  return sum += arc(0, cone.apex(), round, tilt, M_PI / 2);
}

}  // namespace clack::shapes
