// Rows of joints at an instant: values, wrenches on the two bodies, rates.
#pragma once

#include <array>

#include "clack/model/bodies/rigid_world.hpp"
#include "clack/model/joints/joint.hpp"

namespace clack {

// On a body: u = force . v + moment . Omega with the velocity of its centre and its angular velocity,
// both in the frame of the surroundings; +lambda pushes with force and moment about the centre.
struct Wrench {
  Vector3 force = Vector3::Zero(), moment = Vector3::Zero();

  Wrench& operator+=(const Wrench& x) {
    force += x.force;
    moment += x.moment;
    return *this;
  }
  Wrench operator*(double s) const { return {s * force, s * moment}; }
};

struct JointGeometry {
  Matrix3 a, b;          // axes by columns, frame of the surroundings
  Vector3 arm_a, arm_b;  // from the centres to the points [m]
  Vector3 d;             // from the point of A to that of B [m]
  Quaternion turn;       // of B's frame in A's, with a real part that is not negative
  std::array<JointSurface::Values, 2> surfaces;  // of a joint that has some
  double angle = 0;  // about a_3, with its full turns, where a row asks for it [rad]
};

// The ground is a body that stands still at the origin.
JointGeometry joint_geometry(const Joint& joint, const BodyState& a, const BodyState& b);

double row_value(const JointRow& row, const JointGeometry& at);
// On A and on B.
struct WrenchPair {
  Wrench a, b;
};
WrenchPair row_wrenches(const JointRow& row, const JointGeometry& at);
// gamma: the row's acceleration less that of the bodies, from velocities in the frame of the
// surroundings.
struct BodyMotion {
  Vector3 v_a, omega_a, v_b, omega_b;
};
double row_bias(const JointRow& row, const JointGeometry& at, const BodyMotion& motion);

// The angle nearest to `near` that differs by full turns.
double unwound(double angle, double near);

}  // namespace clack
