// The links of trees as they move.
#include <numbers>

#include "clack/model/bodies/body_places.hpp"
#include "clack/model/bodies/body_tree.hpp"

namespace clack {
namespace {

constexpr int kV = RigidBodies::kV;
constexpr double kTurn = 2 * std::numbers::pi;

Spatial turn_about(const Vector3& axis, const Vector3& point, const Vector3& origin) {
  Spatial s;
  s << axis, axis.cross(origin - point);
  return s;
}

Spatial slide_along(const Vector3& axis) {
  Spatial s;
  s << Vector3::Zero(), axis;
  return s;
}

// How the k-th coordinate of a joint moves B against A.
Spatial axis_of(const Joint& joint, int k, const JointGeometry& at, const Vector3& point_a,
                const Vector3& point_b, const Vector3& origin) {
  switch (joint.kind) {
    case JointKind::prismatic:
      return slide_along(at.a.col(2));
    case JointKind::cylindrical:
      return k == 0 ? turn_about(at.a.col(2), point_a, origin) : slide_along(at.a.col(2));
    case JointKind::screw:
      return turn_about(at.a.col(2), point_a, origin) +
             slide_along(joint.pitch / kTurn * at.a.col(2));
    case JointKind::universal:
      return turn_about(k == 0 ? at.a.col(2) : at.b.col(0), point_a, origin);
    case JointKind::planar:
      return k == 0 ? turn_about(at.a.col(2), point_b, origin) : slide_along(at.a.col(k - 1));
    default:
      return turn_about(at.a.col(2), point_a, origin);
  }
}

}  // namespace

void TreeMotion::place(const BodyTree& tree, const RigidBodies& bodies, ConstVectorRef q) {
  const std::size_t n = tree.links().size();
  centre.resize(n);
  rotation.resize(n);
  S.resize(tree.velocities().size());
  const WorldJoints& joints = bodies.joints();
  for (std::size_t i = 0; i < n; ++i) {
    const TreeLink& link = tree.links()[i];
    centre[i] = centre_in(q, link.body);
    rotation[i] = rotation_in(q, link.body).toRotationMatrix();
    const auto first = static_cast<std::size_t>(link.first);
    if (link.joint < 0) {  // its centre is the origin
      for (int k = 0; k < 3; ++k) {
        S[first + static_cast<std::size_t>(k)] << Vector3::Zero(), Vector3::Unit(k);
        S[first + 3 + static_cast<std::size_t>(k)] << rotation[i].col(k), Vector3::Zero();
      }
      continue;
    }
    const Joint& joint = joints.joints()[static_cast<std::size_t>(link.joint)];
    const BodyState a = place_in(q, joint.a), b = place_in(q, joint.b);
    JointGeometry at;
    at.a = a.rotation * joint.frame_a.axes;
    at.b = b.rotation * joint.frame_b.axes;
    const Vector3 point_a = a.position + a.rotation * joint.frame_a.point,
                  point_b = b.position + b.rotation * joint.frame_b.point;
    const int begin = joint.has_coordinates ? joints.coordinate(link.joint, 0) : 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(link.count); ++k) {
      const int coordinate = tree.velocities()[first + k].coordinate;
      if (coordinate < 0) {
        const Matrix3& own = link.reversed ? at.a : at.b;
        S[first + k] = turn_about(own.col(static_cast<int>(k)), point_a, origin(link));
      } else {
        S[first + k] = axis_of(joint, coordinate - begin, at, point_a, point_b, origin(link)) *
                       (link.reversed ? -1.0 : 1.0);
      }
    }
  }
}

void TreeMotion::move(const BodyTree& tree, ConstVectorRef own) {
  thread_local Vector v;
  v.resize(tree.size());
  tree.spread(own, v);
  const std::size_t n = tree.links().size();
  V.resize(n);
  A.resize(n);
  Y.resize(S.size());
  for (std::size_t i = 0; i < n; ++i) {
    const TreeLink& link = tree.links()[i];
    const auto first = static_cast<std::size_t>(link.first);
    if (link.joint < 0) {
      const Vector3 speed = v.segment<3>(link.first),
                    omega = rotation[i] * Vector3(v.segment<3>(link.first + 3));
      V[i] << omega, speed;
      A[i] << Vector3::Zero(), -omega.cross(speed);
      for (int k = 0; k < 3; ++k) {
        const Vector3 axis = rotation[i].col(k);
        Y[first + static_cast<std::size_t>(k)].setZero();
        Y[first + 3 + static_cast<std::size_t>(k)] << -axis.cross(omega), -2 * axis.cross(speed);
      }
      continue;
    }
    V[i].setZero();
    A[i].setZero();
    if (link.parent >= 0) {
      V[i] = V[static_cast<std::size_t>(link.parent)];
      A[i] = A[static_cast<std::size_t>(link.parent)];
    }
    if (link.count == 3 && tree.velocities()[first].coordinate < 0) {  // the axes of a ball turn
      const Spatial before = V[i];
      for (std::size_t k = 0; k < 3; ++k)
        V[i] += S[first + k] * v[link.first + static_cast<int>(k)];
      A[i] += cross_motion(before, V[i]);
      for (std::size_t k = 0; k < 3; ++k) Y[first + k] = cross_motion(before + V[i], S[first + k]);
      continue;
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(link.count); ++k) {
      const double speed = v[link.first + static_cast<int>(k)];
      const Spatial turning = cross_motion(V[i], S[first + k]);
      A[i] += turning * speed;
      Y[first + k] = 2 * turning;
      V[i] += S[first + k] * speed;
    }
  }
}

Spatial TreeMotion::wrench(const BodyTree& tree, int link, const Vector3& force,
                           const Vector3& moment) const {
  const auto i = static_cast<std::size_t>(link);
  Spatial w;
  w << moment + (centre[i] - origin(tree.links()[i])).cross(force), force;
  return w;
}

void TreeMotion::body_velocities(const BodyTree& tree, VectorRef out) const {
  out.setZero();
  for (std::size_t i = 0; i < V.size(); ++i) {
    const TreeLink& link = tree.links()[i];
    const Vector3 omega = V[i].head<3>();
    out.segment<3>(kV * link.body) = V[i].tail<3>() + omega.cross(centre[i] - origin(link));
    out.segment<3>(kV * link.body + 3) = rotation[i].transpose() * omega;
  }
}

void TreeMotion::body_biases(const BodyTree& tree, VectorRef out) const {
  out.setZero();
  for (std::size_t i = 0; i < V.size(); ++i) {
    const TreeLink& link = tree.links()[i];
    const Vector3 arm = centre[i] - origin(link), omega = V[i].head<3>(), turned = A[i].head<3>();
    const Vector3 speed = V[i].tail<3>() + omega.cross(arm);
    out.segment<3>(kV * link.body) = A[i].tail<3>() + turned.cross(arm) + omega.cross(speed);
    out.segment<3>(kV * link.body + 3) = rotation[i].transpose() * turned;
  }
}

}  // namespace clack
