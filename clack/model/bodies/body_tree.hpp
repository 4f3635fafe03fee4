// Bodies that hang on each other by joints, as trees in joint coordinates (eq:tree): each free body is
// a link, which moves against the link before it, or against what stands still, by the velocities
// that its joint leaves free; a body without such a joint has the six velocities of RigidBodies.
//
//     V_i = V_parent + sum_k S_k v_k,      A_i = A_parent + sum_k (dS_k/dt) v_k
//
// Motions (Omega, v_o) and wrenches (n_o, f) stand in the frame of the surroundings, about the point
// o of a tree, the centre of its first body. A_i is the acceleration of a motion with constant v.
// Reference: Featherstone (2008).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {

using Spatial = Eigen::Matrix<double, 6, 1>;

struct TreeLink {
  int body = 0;
  int parent = -1;           // link; -1: what stands still, or nothing
  int joint = -1;            // that it hangs on; -1: it moves freely, or as it is told
  bool reversed = false;     // it is A of that joint
  int root = 0;              // first link of the tree
  int first = 0, count = 0;  // velocities of its own
  std::vector<int> path;     // all that move it, from the root on
};

// A velocity of a link.
struct TreeVelocity {
  int link = 0;
  int coordinate = -1;  // of WorldJoints, whose rate it is; -1: none
};

// What a velocity of a link has of one of v.
struct VelocityShare {
  int index = 0;
  double factor = 1;
};

class BodyTree {
 public:
  // `taken`: by joint, whether it is to be one of a tree. Loops are left open.
  BodyTree(const RigidBodies& bodies, const std::vector<char>& taken);

  // Why a joint cannot be one of a tree; empty where it can.
  static std::string fault(const RigidWorld& world, const Joint& joint);

  const std::vector<TreeLink>& links() const { return links_; }
  // Velocities of links; those of v are fewer where couplers make some of them follow others.
  const std::vector<TreeVelocity>& velocities() const { return velocities_; }
  int size() const { return static_cast<int>(velocities_.size()); }
  int nv() const { return static_cast<int>(independent_.size()); }
  bool is_coupled() const { return nv() < size(); }
  // Of velocity k of the links.
  std::span<const VelocityShare> shares(int k) const {
    const auto at = static_cast<std::size_t>(k);
    return {shares_.data() + share_begin_[at], shares_.data() + share_begin_[at + 1]};
  }
  // The velocity of links that is velocity i of v.
  int velocity(int i) const { return independent_[static_cast<std::size_t>(i)]; }
  bool absorbs(int coupler) const { return absorbed_[static_cast<std::size_t>(coupler)] != 0; }
  // Velocities of links from v, and v from those that fit the couplers.
  void spread(ConstVectorRef v, VectorRef links) const;
  void pick(ConstVectorRef links, VectorRef v) const;
  int link_of(int body) const { return link_of_[static_cast<std::size_t>(body)]; }  // -1: fixed
  int joint_count() const { return static_cast<int>(holds_.size()); }
  bool holds(int joint) const { return holds_[static_cast<std::size_t>(joint)] != 0; }
  // The velocity that is the rate of a joint's coordinate; -1: of a joint in no tree.
  int velocity_of(int coordinate) const {
    return velocity_of_[static_cast<std::size_t>(coordinate)];
  }

  // q moved by dq: poses of all bodies, and coordinates of joints.
  void advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const;
  void difference(ConstVectorRef q_next, ConstVectorRef q, VectorRef dq) const;
  // Coordinates of joints that are in no tree, from the poses.
  void update_open_coordinates(VectorRef q) const;
  // The velocities that come nearest to those of bodies, and are them where these fit the joints.
  void from_bodies(ConstVectorRef q, ConstVectorRef body_v, VectorRef v) const;

 private:
  // A velocity as the sum of independent ones, and its coordinate as the same sum and a constant.
  struct Follower {
    int velocity = 0;
    double constant = 0;
    std::vector<VelocityShare> terms;  // by velocities of links
  };
  std::vector<Follower> solve_couplers();
  void absorb_couplers();
  void follow(VectorRef q) const;
  void grow(int body, const std::vector<char>& taken);
  void hang(int body, int joint, bool reversed);
  void add_velocities(TreeLink& link);
  BodyState hung(ConstVectorRef q, const TreeLink& link, const double* coordinates,
                 const Quaternion& ball) const;

  const RigidBodies* bodies_;
  const RigidWorld* world_;
  const WorldJoints* joints_;
  std::vector<TreeLink> links_;
  std::vector<TreeVelocity> velocities_;
  std::vector<int> link_of_, velocity_of_;
  std::vector<char> holds_, absorbed_;
  std::vector<Follower> followers_;
  std::vector<int> independent_;
  std::vector<VelocityShare> shares_;
  std::vector<std::size_t> share_begin_;
};

// The links of a tree at a configuration, and as they move.
struct TreeMotion {
  std::vector<Vector3> centre;    // by link [m]
  std::vector<Matrix3> rotation;  // by link
  std::vector<Spatial> S;         // by velocity
  std::vector<Spatial> V, A;      // by link
  std::vector<Spatial> Y;         // by velocity: dA_i/dv = Y + S x V_i

  void place(const BodyTree& tree, const RigidBodies& bodies, ConstVectorRef q);
  void move(const BodyTree& tree, ConstVectorRef v);  // after place(); v: of BodyTree

  const Vector3& origin(const TreeLink& link) const {
    return centre[static_cast<std::size_t>(link.root)];
  }
  // About the origin, of a force and a moment about the centre of a link.
  Spatial wrench(const BodyTree& tree, int link, const Vector3& force, const Vector3& moment) const;
  // Velocities of bodies, six each, and what accelerates them where v is constant; after move().
  void body_velocities(const BodyTree& tree, VectorRef out) const;
  void body_biases(const BodyTree& tree, VectorRef out) const;
};

// a x b of motions, and a x* f of a motion and a wrench.
inline Spatial cross_motion(const Spatial& a, const Spatial& b) {
  Spatial c;
  c.head<3>() = a.head<3>().cross(b.head<3>());
  c.tail<3>() = a.head<3>().cross(b.tail<3>()) + a.tail<3>().cross(b.head<3>());
  return c;
}
inline Spatial cross_wrench(const Spatial& a, const Spatial& f) {
  Spatial c;
  c.head<3>() = a.head<3>().cross(f.head<3>()) + a.tail<3>().cross(f.tail<3>());
  c.tail<3>() = a.head<3>().cross(f.tail<3>());
  return c;
}

}  // namespace clack
