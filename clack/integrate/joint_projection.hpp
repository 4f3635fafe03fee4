// Joints of rigid bodies in the world's own step (eq:joint_projection): after the bodies have moved,
//
//     q <- q moved by M^-1 H(q_start) lambda,   v <- v + M^-1 H(q_start) lambda/h,   gap(q) = 0
//
// so that constraints hold on positions to round-off, by impulses that act where the step started:
// with the rows u+ + u- = 0 of the velocity problem (eq:joint_rows) this is SHAKE, which keeps the
// energy. Where constraints depend on each other lambda is the one of least norm, up to a small
// regularisation. A wire takes part while it is too long. Reference: Ryckaert, Ciccotti, Berendsen
// (1977).
#pragma once

#include <Eigen/SparseCholesky>
#include <memory>
#include <vector>

#include "clack/collide/joint_contacts.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {

class JointProjection {
 public:
  JointProjection(const RigidWorld& world, const WorldState& initial);

  // Moves the bodies of joints, which stand where the step from `start` of length h has led them.
  // Returns what this adds to their energy [J].
  double project(const WorldState& start, double h, WorldState& state);

 private:
  // The bodies of joints alone.
  struct Part {
    std::shared_ptr<RigidWorld> world;
    WorldState initial;
  };
  Part make_part(const RigidWorld& world, const WorldState& initial);
  WorldState part_of(const WorldState& state) const;
  void factorise(const WorldState& start);
  double update_gaps(const Vector& q);
  double energy(const WorldState& state) const;

  std::vector<std::size_t> members_;  // bodies of the world
  Part part_;
  RigidBodies bodies_;
  JointContacts joints_;
  SparseMatrix inverse_mass_, X_;  // M^-1 H
  Eigen::SimplicialLDLT<SparseMatrix> factor_;
  Vector gap_, w_;
  ContactMap H_;
};

}  // namespace clack
