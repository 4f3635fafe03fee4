#include "clack/io/robots/robot.hpp"

#include <cmath>

namespace clack {
namespace {

Pose turned(const Vector3& axis, double angle) {
  return {Vector3::Zero(), Eigen::AngleAxisd(angle, axis).toRotationMatrix()};
}

Pose shifted(const Vector3& way) { return {way, Matrix3::Identity()}; }

// What a coordinate does; they follow each other in the order of the joint's motion.
Pose motion_of(const std::string& coordinate, double x) {
  if (coordinate == "angle" || coordinate == "angle_a") return turned(Vector3::UnitZ(), x);
  if (coordinate == "angle_b") return turned(Vector3::UnitX(), x);
  if (coordinate == "slide") return shifted(x * Vector3::UnitZ());
  return shifted(x * (coordinate == "x" ? Vector3::UnitX() : Vector3::UnitY()));
}

// A planar joint slides in its parent's frame and then turns.
Pose motion_of(const RobotJoint& joint) {
  Pose slides, turns;
  for (const RobotCoordinate& c : joint.coordinates) {
    const Pose own = motion_of(c.name, c.start - c.reference);
    (c.turns ? turns : slides) = (c.turns ? turns : slides) * own;
  }
  return slides * turns;
}

}  // namespace

RobotMass RobotMass::moved(const Pose& pose) const {
  return {mass, pose * centre, pose.rotation * inertia * pose.rotation.transpose()};
}

RobotMass& RobotMass::operator+=(const RobotMass& other) {
  if (!(other.mass > 0)) return *this;
  if (!(mass > 0)) return *this = other;
  const double sum = mass + other.mass, reduced = mass * other.mass / sum;
  const Matrix3 cross = skew(other.centre - centre);
  centre = (mass * centre + other.mass * other.centre) / sum;
  inertia += other.inertia - reduced * cross * cross;
  mass = sum;
  return *this;
}

std::vector<Pose> compute_poses(const Robot& robot) {
  std::vector<Pose> poses;
  poses.reserve(robot.bodies.size());
  for (const RobotBody& body : robot.bodies) poses.push_back(body.pose);
  for (const RobotJoint& joint : robot.joints) {
    if (joint.closes) continue;
    const Pose parent = joint.parent < 0 ? Pose{} : poses[static_cast<std::size_t>(joint.parent)];
    poses[static_cast<std::size_t>(joint.child)] =
        parent * joint.in_parent * motion_of(joint) * joint.in_child.inverse();
  }
  return poses;
}

Matrix3 axes_along(const Vector3& third) {
  Matrix3 axes;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(third[k]) != 1) continue;
    const Vector3 first = Vector3::Unit((k + 1) % 3);
    axes << first, third.cross(first), third;
    return axes;
  }
  return Quaternion::FromTwoVectors(Vector3::UnitZ(), third).toRotationMatrix();
}

std::string coordinate_name(const RobotJoint& joint, std::size_t coordinate) {
  if (joint.coordinates.size() == 1) return joint.name;
  return joint.name + "." + joint.coordinates[coordinate].name;
}

}  // namespace clack
