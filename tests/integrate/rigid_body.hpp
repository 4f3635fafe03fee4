// A rigid body in space, q on a manifold: centre in the world frame, unit quaternion (w, x, y, z);
// v = velocity of the centre in the world frame, angular velocity in the body frame. Gravity along
// -z, a plane z = 0 met by a sphere about the centre or by points of the body, friction in both
// tangential directions.
//
//     m x'' = -m g e_z,   J omega' = -omega x J omega,   p' = p o omega/2
#pragma once

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "clack/model/system.hpp"

namespace clack::test {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

inline Matrix3 skew(const Vector3& a) {
  return (Matrix3() << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0).finished();
}

inline Eigen::Quaterniond quaternion_of(ConstVectorRef q) { return {q[3], q[4], q[5], q[6]}; }

inline Matrix3 rotation_of(ConstVectorRef q) { return quaternion_of(q).toRotationMatrix(); }

class RigidBody final : public System {
 public:
  RigidBody(double mass, const Vector3& inertia, double gravity)
      : mass_(mass), inertia_(inertia), gravity_(gravity) {}

  // A sphere of this radius may touch the plane.
  void add_sphere(double radius, const ContactLaw& law) {
    spheres_.push_back(radius);
    points_.emplace_back(Vector3::Zero());
    contacts_.push_back({.name = "sphere", .tangents = 2, .law = law});
  }
  // So may a point that moves with the body.
  void add_point(const Vector3& point, const ContactLaw& law) {
    spheres_.push_back(0);
    points_.push_back(point);
    contacts_.push_back({.name = "point", .tangents = 2, .law = law});
  }

  int nv() const override { return 6; }
  int nq() const override { return 7; }

  void mass(double, ConstVectorRef, MatrixRef M) const override {
    M.setZero();
    M.diagonal().head<3>().setConstant(mass_);
    M.diagonal().tail<3>() = inertia_;
  }

  void forces(double, ConstVectorRef, ConstVectorRef v, Forces& out) const override {
    const Vector3 omega = v.tail<3>();
    out.potential.setZero();
    out.potential[2] = -mass_ * gravity_;
    out.inertial.setZero();
    out.inertial.tail<3>() = -omega.cross(inertia_.cwiseProduct(omega));
    out.damping.setZero();
    out.external.setZero();
  }

  void jacobians(double, ConstVectorRef, ConstVectorRef v, MatrixRef K,
                 MatrixRef C) const override {
    const Vector3 omega = v.tail<3>();
    const Vector3 spin = inertia_.cwiseProduct(omega);
    K.setZero();
    C.setZero();
    C.bottomRightCorner<3, 3>() = skew(omega) * inertia_.asDiagonal() - skew(spin);
  }

  Energies energies(double, ConstVectorRef q, ConstVectorRef v) const override {
    const Vector3 omega = v.tail<3>();
    const double turning = 0.5 * omega.dot(inertia_.cwiseProduct(omega));
    return {0.5 * mass_ * v.head<3>().squaredNorm() + turning, mass_ * gravity_ * q[2], 0};
  }

  void gaps(double, ConstVectorRef q, VectorRef gap) const override {
    const Matrix3 R = rotation_of(q);
    for (std::size_t c = 0; c < points_.size(); ++c) {
      gap[static_cast<int>(c)] = q[2] + R.row(2).dot(points_[c]) - spheres_[c];
    }
  }

  // Rows z, x, y of the velocity of the body at the point of contact.
  void contact_map(double, ConstVectorRef q, MatrixRef H, VectorRef w) const override {
    const Matrix3 R = rotation_of(q);
    H.setZero();
    w.setZero();
    for (std::size_t c = 0; c < points_.size(); ++c) {
      const Vector3 arm = R * points_[c] - spheres_[c] * Vector3::UnitZ();
      const Matrix3 turning = -skew(arm) * R;
      const int axes[] = {2, 0, 1}, begin = static_cast<int>(3 * c);
      for (int k = 0; k < 3; ++k) {
        H(axes[k], begin + k) = 1;
        H.col(begin + k).tail<3>() = turning.row(axes[k]).transpose();
      }
    }
  }

  void advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const override {
    const Vector3 turn = dq.tail<3>();
    const double half = 0.5 * turn.norm();
    const double s = half > 1e-8 ? 0.5 * std::sin(half) / half : 0.5;
    const Eigen::Quaterniond by(std::cos(half), s * turn[0], s * turn[1], s * turn[2]);
    const Eigen::Quaterniond next = (quaternion_of(q) * by).normalized();
    const Vector3 centre = q.head<3>() + dq.head<3>();
    q_next << centre, next.w(), next.x(), next.y(), next.z();
  }

  Vector3 spatial_momentum(ConstVectorRef q, ConstVectorRef v) const {
    return rotation_of(q) * inertia_.cwiseProduct(Vector3(v.tail<3>()));
  }

 private:
  double mass_;
  Vector3 inertia_;
  double gravity_;
  std::vector<double> spheres_;  // radius of each contact, 0 for a point
  std::vector<Vector3> points_;
};

inline State body_at(const Vector3& centre, const Eigen::Quaterniond& turned, const Vector3& speed,
                     const Vector3& omega) {
  State state;
  state.q = (Vector(7) << centre, turned.w(), turned.x(), turned.y(), turned.z()).finished();
  state.v = (Vector(6) << speed, omega).finished();
  return state;
}

}  // namespace clack::test
