// Position and orientation of a body. Bodies of the plane have z = 0 and turn about z.
#pragma once

#include <cmath>

#include "clack/core/rotation.hpp"

namespace clack {

struct Pose {
  Vector3 position = Vector3::Zero();      // of the body's origin [m]
  Matrix3 rotation = Matrix3::Identity();  // body to surroundings

  Vector3 operator*(const Vector3& point) const { return rotation * point + position; }
  Pose operator*(const Pose& inner) const {
    return {rotation * inner.position + position, rotation * inner.rotation};
  }
  Pose inverse() const { return {-(rotation.transpose() * position), rotation.transpose()}; }
  // this⁻¹ * other, without the intermediate pose
  Pose relative(const Pose& other) const {
    return {rotation.transpose() * (other.position - position),
            rotation.transpose() * other.rotation};
  }
  Vector3 to_body(const Vector3& point) const { return rotation.transpose() * (point - position); }
};

// In the plane: position (x, y) [m] and angle about z [rad].
inline Pose planar_pose(double x, double y, double angle) {
  Pose pose;
  pose.position << x, y, 0;
  pose.rotation.topLeftCorner<2, 2>() = Eigen::Rotation2Dd(angle).toRotationMatrix();
  return pose;
}

}  // namespace clack
