// Numbers of a world of rigid bodies that formulas may name: `ball_z`, the height of the body
// `ball`, `elbow_angle` of a joint, or `coordination`, a measure of the whole sample.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace clack {

// Of one body, all in the frame of the surroundings.
enum class BodyQuantity {
  x,
  y,
  z,  // position of the centre of mass [m]
  vx,
  vy,
  vz,  // its velocity [m/s]
  wx,
  wy,
  wz,  // angular velocity [rad/s]
  qw,
  qx,
  qy,
  qz,     // rotation, unit quaternion
  angle,  // in the plane, of the rotation about z, from -pi to pi [rad]
  e1x,    // the body's axes, components in the surroundings
  e1y,
  e1z,
  e2x,
  e2y,
  e2z,
  e3x,
  e3y,
  e3z,
  fx,
  fy,
  fz,  // force of all contacts on the body, mean over the last step [N]
  tx,
  ty,
  tz  // their torque about the centre [N m]
};

struct BodyQuantityInfo {
  std::string_view name, unit, summary;
};
std::span<const BodyQuantityInfo> body_quantity_list();  // in the order of BodyQuantity

// Of all bodies and contacts together (docs/theory/measures.md).
struct SampleQuantityInfo {
  std::string_view name, unit, summary;
};
std::span<const SampleQuantityInfo> sample_quantity_list();

// Of a joint: its reaction on the second body in the joint's frame, mean over the last step. Beside
// them each of its coordinates, by its name, and its rate.
enum class JointQuantity { fx, fy, fz, tx, ty, tz, force, moment, power, work };
struct JointQuantityInfo {
  std::string_view name, unit, summary;
};
std::span<const JointQuantityInfo> joint_quantity_list();  // in the order of JointQuantity

struct WorldQuantity {
  int body = -1;  // -1: of the sample, or of a joint
  int index = 0;  // BodyQuantity, a row of sample_quantity_list(), or JointQuantity
  int joint = -1;
  int coordinate = -1;  // of the joint, in place of a JointQuantity
  bool rate = false;    // of the coordinate
};

}  // namespace clack
