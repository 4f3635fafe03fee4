#include "clack/model/joints/world_joints.hpp"

#include <algorithm>

#include "clack/model/laws/law_list.hpp"

namespace clack {
namespace {

// What a link without strength is: its bodies are held as they stand at the start. False for others.
bool make_rigid_link(const Link& link, const WorldState& start, bool planar, Joint& joint) {
  double length = 0;
  const RigidLink kind = rigid_link(*link.law, length);
  if (kind == RigidLink::none) return false;
  joint.name = link.name;
  joint.a = link.a;
  joint.b = link.b;
  joint.has_coordinates = false;
  joint.frame_a.point = link.point_a;
  joint.frame_b.point = link.point_b;
  if (kind == RigidLink::wire) {
    joint.kind = JointKind::rope;
    joint.length = length + link.length;
    return true;
  }
  const BodyState &a = start.bodies[static_cast<std::size_t>(link.a)],
                  &b = start.bodies[static_cast<std::size_t>(link.b)];
  const Vector3 on_b = b.position + b.rotation * link.point_b;
  joint.frame_a.point = a.rotation.conjugate() * (on_b - a.position);
  joint.frame_a.axes = a.rotation.conjugate().toRotationMatrix();
  joint.frame_b.axes = b.rotation.conjugate().toRotationMatrix();
  joint.kind = kind == RigidLink::glue ? JointKind::fixed
               : planar                ? JointKind::revolute
                                       : JointKind::spherical;
  return true;
}

}  // namespace

WorldJoints::WorldJoints(const RigidWorld& world, const WorldState& initial)
    : efforts_(world.efforts), joints_(world.joints) {
  for (std::size_t i = 0; i < world.links.size(); ++i) {
    Joint joint;
    if (!make_rigid_link(world.links[i], initial, world.planar, joint)) continue;
    joints_.push_back(std::move(joint));
    links_.push_back(static_cast<int>(i));
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    first_.push_back(static_cast<int>(coordinates_.size()));
    const Joint& joint = joints_[j];
    driver_of_.push_back(joint.is_driven() ? static_cast<int>(drivers_.size()) : -1);
    if (joint.is_driven()) drivers_.push_back(static_cast<int>(j));
    if (!joint.has_coordinates) continue;
    for (JointCoordinate& x : joint_type(joint.kind).coordinates(joint, world.planar))
      coordinates_.push_back({static_cast<int>(j), std::move(x)});
  }
}

bool WorldJoints::is_forced(int coordinate) const {
  const int number = coordinates_[static_cast<std::size_t>(coordinate)].joint;
  const Joint& joint = joints_[static_cast<std::size_t>(number)];
  const int own = coordinate - first_[static_cast<std::size_t>(number)];
  const auto acts = [&](const auto& x) { return x.coordinate == own; };
  return std::any_of(joint.springs.begin(), joint.springs.end(), acts) ||
         std::any_of(joint.motors.begin(), joint.motors.end(), acts);
}

JointFunction::Values WorldJoints::motor_force(const JointMotor& motor, int coordinate, double t,
                                               double x, double v) const {
  if (!motor.controlled) return motor.force.at(t, x, v);
  const auto k = static_cast<std::size_t>(coordinate);
  return {.value = efforts_ && k < efforts_->size() ? (*efforts_)[k] : 0.0};
}

double JointSpringMatrix::energy(const double* x) const {
  const Vector way = Eigen::Map<const Vector>(x, rest.size()) - rest;
  return 0.5 * way.dot(stiffness * way);
}

int WorldJoints::joint_of_link(int link) const {
  const auto it = std::find(links_.begin(), links_.end(), link);
  if (it == links_.end()) return -1;
  return static_cast<int>(joints_.size() - links_.size()) + static_cast<int>(it - links_.begin());
}

int WorldJoints::link(int joint) const {
  const auto own = joints_.size() - links_.size();
  const auto j = static_cast<std::size_t>(joint);
  return j < own ? -1 : links_[j - own];
}

}  // namespace clack
