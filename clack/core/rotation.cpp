#include "clack/core/rotation.hpp"

#include <cmath>

namespace clack {

Quaternion rotation_of(const Vector3& vector) {
  const double angle = vector.norm();
  const double share = angle < 1e-4 ? 0.5 - angle * angle / 48 : std::sin(0.5 * angle) / angle;
  const Vector3 axial = share * vector;
  return {std::cos(0.5 * angle), axial.x(), axial.y(), axial.z()};
}

Vector3 rotation_vector(const Quaternion& rotation) {
  const double sine = rotation.vec().norm(), cosine = std::abs(rotation.w());
  const double share = sine < 1e-300 ? 2 : 2 * std::atan2(sine, cosine) / sine;
  return std::copysign(share, rotation.w()) * rotation.vec();
}

Vector3 rotate_freely(const Vector3& moments, const Vector3& omega, double h) {
  Vector3 x = omega;
  const Matrix3 J = moments.asDiagonal();
  for (int iteration = 0; iteration < 20; ++iteration) {
    const Vector3 mean = 0.5 * (x + omega), momentum = moments.cwiseProduct(mean);
    const Vector3 residual = moments.cwiseProduct(x - omega) + h * mean.cross(momentum);
    const Matrix3 jacobian = J + 0.5 * h * (skew(mean) * J - skew(momentum));
    const Vector3 step = jacobian.partialPivLu().solve(residual);
    x -= step;
    if (!(step.norm() > 4e-16 * omega.norm())) break;
  }
  return x;
}

}  // namespace clack
