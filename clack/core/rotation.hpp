// Rotations SO(3): unit quaternions and rotation vectors.
#pragma once

#include <Eigen/Geometry>

#include "clack/core/types.hpp"

namespace clack {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Quaternion = Eigen::Quaterniond;

// The rotation about a vector by its length [rad], and back (length up to pi).
Quaternion rotation_of(const Vector3& vector);
Vector3 rotation_vector(const Quaternion& rotation);

// a x b = skew(a) b.
inline Matrix3 skew(const Vector3& a) {
  Matrix3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

// Cayley's map of a small rotation, in the body's frame.
inline Quaternion turn(const Quaternion& q, const Vector3& angle) {
  return (q * Quaternion(1, 0.5 * angle.x(), 0.5 * angle.y(), 0.5 * angle.z())).normalized();
}

// omega+ of the rotation without torque over a step, by Newton's method:
//
//     J (omega+ - omega) + h omega_m x J omega_m = 0,   omega_m = (omega + omega+)/2
//
// which keeps kinetic energy and, with Cayley's map, the spatial angular momentum. Principal moments
// J, body frame.
Vector3 rotate_freely(const Vector3& moments, const Vector3& omega, double h);

}  // namespace clack
