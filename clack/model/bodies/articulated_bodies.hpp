// Rigid bodies in joint coordinates: trees of joints have the velocities that their joints leave free
// and no constraints; joints that close loops stay constraints (eq:articulated).
//
//     u_b = J(q) v,   M = J'M_b J,   F = J'(F_b - M_b (dJ/dt) v)
//
// with u_b the velocities of all bodies as RigidBodies has them. q is that of RigidBodies, poses of
// all bodies and coordinates of joints, so that whatever reads poses need not know: advance() moves
// the coordinates and puts the bodies of trees where these say, from the root on, without drift. M by
// composite bodies and F by one pass out and one back, O(n depth) and O(n). Reference: Featherstone
// (2008), chapters 5 and 6.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clack/model/bodies/body_tree.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {

// Of a matrix on velocities of links.
struct TreeEntry {
  int k, l;
  double value;
};

class ArticulatedBodies final : public System {
 public:
  // All joints that can be in a tree are. Throws InputError where none can, with the first reason.
  explicit ArticulatedBodies(std::shared_ptr<const RigidBodies> bodies);

  // Whether half of the free bodies hang on joints of trees that are not deep (eq:tree_pays).
  static bool pays(const RigidBodies& bodies);

  const BodyTree& tree() const { return tree_; }
  const RigidBodies* bodies() const override { return bodies_.get(); }
  const ArticulatedBodies* articulated() const override { return this; }

  int nv() const override { return tree_.nv(); }
  int nq() const override { return bodies_->nq(); }
  int drivers() const override { return bodies_->drivers(); }
  std::string coordinate_name(int i) const override;
  bool is_sparse() const override;
  void mass(double t, ConstVectorRef q, MatrixRef M) const override;
  void mass_entries(double t, ConstVectorRef q, MatrixEntries& M) const override;
  void forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const override;
  // The derivative of inertial forces by q is left out of K: it is of second order in v.
  void jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                 MatrixRef C) const override;
  void jacobian_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                        MatrixEntries& C) const override;
  Energies energies(double t, ConstVectorRef q, ConstVectorRef v) const override;
  double appearing_energy(double t_start, double t_end, ConstVectorRef q,
                          ConstVectorRef v) const override;
  void advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const override;
  void difference(ConstVectorRef q_next, ConstVectorRef q, VectorRef dq) const override;
  void coordinate_rates(ConstVectorRef q, ConstVectorRef v, VectorRef rates) const override;
  void pull_back(ConstVectorRef q, ConstVectorRef gradient, VectorRef force) const override;
  void normalise(VectorRef q) const override;
  double prescribe(double t, double h, VectorRef q, VectorRef v) const override;
  void list_prescribed(double t, std::vector<int>& list) const override;

  // The velocities on which coordinate i of q depends, added to a list.
  void list_velocities(int i, std::vector<int>& list) const;
  // u_b = J v.
  void body_velocities(ConstVectorRef q, ConstVectorRef v, VectorRef out) const;
  // The velocities v of bodies that move as their joints let them.
  void from_bodies(ConstVectorRef q, ConstVectorRef body_v, VectorRef v) const {
    tree_.from_bodies(q, body_v, v);
  }
  // J'f of generalised forces on bodies, at links placed at q.
  void gather(const TreeMotion& motion, ConstVectorRef body_force, VectorRef out) const;
  State to_state(const WorldState& state) const;
  void to_world(double t, ConstVectorRef q, ConstVectorRef v, WorldState& state) const;

 private:
  struct Inertia;
  struct Load;
  void set_inertias(double t, const TreeMotion& motion, std::vector<Inertia>& own) const;
  template <class Add>
  auto shared(Add add) const;
  void add_force(int k, double value, VectorRef out) const {
    for (const VelocityShare& x : tree_.shares(k)) out[x.index] += x.factor * value;
  }
  template <class Add>
  void visit_mass(double t, ConstVectorRef q, Add&& add) const;
  template <class AddK, class AddC>
  void visit_jacobians(double t, ConstVectorRef q, ConstVectorRef v, AddK&& K, AddC&& C) const;
  // Whether its velocities are rates of turning about its own axes: a ball, or a body on its own.
  bool has_turning_axes(const TreeLink& link) const {
    return link.joint < 0 ||
           (link.count == 3 &&
            tree_.velocities()[static_cast<std::size_t>(link.first)].coordinate < 0);
  }
  template <class Add>
  void visit_geometric(const TreeMotion& motion, std::vector<Load>& loads, Add&& add) const;
  void add_inertial_forces(double t, const TreeMotion& motion, VectorRef out) const;

  // --- coordinates of joints (articulated_joints.cpp) ---

  // By velocities of links; what comes twice adds up.
  using Gradient = std::vector<std::pair<int, double>>;
  void compute_gradient(int coordinate, ConstVectorRef q, const TreeMotion& motion,
                        Gradient& g) const;
  double rate(const Gradient& g, ConstVectorRef v) const;
  void add_joint_forces(double t, ConstVectorRef q, ConstVectorRef v, const TreeMotion& motion,
                        Forces& out) const;
  void add_armature_forces(ConstVectorRef q, const TreeMotion& motion, Forces& out) const;
  void list_joint_entries(double t, ConstVectorRef q, ConstVectorRef v, const TreeMotion& motion,
                          std::vector<TreeEntry>& K, std::vector<TreeEntry>& C) const;
  void list_armatures(ConstVectorRef q, const TreeMotion& motion, std::vector<TreeEntry>& M) const;

  std::shared_ptr<const RigidBodies> bodies_;
  BodyTree tree_;
};

// Velocities of all rigid bodies of a system, six each.
void body_velocities(const System& system, ConstVectorRef q, ConstVectorRef v, Vector& out);
// The same, then the velocities of other parts: v as results have it whatever the coordinates are.
void to_shown_velocities(const System& system, ConstVectorRef q, ConstVectorRef v, Vector& shown);
void from_shown_velocities(const System& system, ConstVectorRef q, ConstVectorRef shown, Vector& v);
// All that a world's state is.
void to_world(const System& system, double t, ConstVectorRef q, ConstVectorRef v,
              WorldState& state);

}  // namespace clack
