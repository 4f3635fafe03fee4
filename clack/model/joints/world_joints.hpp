// All joints of a world: those of the scene, then the links that cannot break; and their
// coordinates, which stand behind the bodies' in q.
#pragma once

#include <vector>

#include "clack/model/bodies/rigid_world.hpp"
#include "clack/model/joints/joint_geometry.hpp"

namespace clack {

class WorldJoints {
 public:
  // `initial`: where links hold their bodies.
  WorldJoints(const RigidWorld& world, const WorldState& initial);

  struct Coordinate {
    int joint;
    JointCoordinate what;
  };
  const std::vector<Joint>& joints() const { return joints_; }
  const std::vector<Coordinate>& coordinates() const { return coordinates_; }
  // Of a joint, its k-th one.
  int coordinate(int joint, int k) const { return first_[static_cast<std::size_t>(joint)] + k; }
  // Whether springs, dampers or motors act on a coordinate.
  bool is_forced(int coordinate) const;
  // Of a motor at a coordinate, by its number [N, N m].
  JointFunction::Values motor_force(const JointMotor& motor, int coordinate, double t, double x,
                                    double v) const;
  // Joints on which motors, drives or servos act, and the place of a joint among them, -1 for others.
  const std::vector<int>& drivers() const { return drivers_; }
  int driver(int joint) const { return driver_of_[static_cast<std::size_t>(joint)]; }
  // The link that a joint is, -1 where it is one of the scene.
  int link(int joint) const;
  // The joint that a link is, -1 where it is none.
  int joint_of_link(int link) const;

  // The state of a body, by its number.
  template <class BodyAt>
  JointGeometry geometry(int joint, const BodyAt& body) const {
    const Joint& x = joints_[static_cast<std::size_t>(joint)];
    static const BodyState kGround;
    return joint_geometry(x, x.a < 0 ? kGround : body(x.a), x.b < 0 ? kGround : body(x.b));
  }
  // Rate of a coordinate, by its number.
  template <class BodyAt>
  double rate(int coordinate, const BodyAt& body) const {
    const Coordinate& x = coordinates_[static_cast<std::size_t>(coordinate)];
    const Joint& joint = joints_[static_cast<std::size_t>(x.joint)];
    const WrenchPair pair = row_wrenches(x.what.row, geometry(x.joint, body));
    const auto of = [&](int i, const Wrench& wrench) {
      if (i < 0) return 0.0;
      const BodyState s = body(i);
      return wrench.force.dot(s.v) + wrench.moment.dot(s.rotation * s.omega);
    };
    return of(joint.a, pair.a) + of(joint.b, pair.b);
  }
  // Values of all coordinates, angles near those that are there.
  template <class BodyAt>
  void update(const BodyAt& body, double* values) const {
    for (const Coordinate& x : coordinates_) {
      const double raw = row_value(x.what.row, geometry(x.joint, body));
      *values = x.what.turns ? unwound(raw, *values) : raw;
      ++values;
    }
  }

 private:
  std::shared_ptr<const std::vector<double>> efforts_;  // of the world
  std::vector<Joint> joints_;
  std::vector<int> links_;  // of the joints behind those of the scene
  std::vector<int> first_;  // coordinate of each joint
  std::vector<Coordinate> coordinates_;
  std::vector<int> drivers_, driver_of_;
};

}  // namespace clack
