// All rigid bodies of a world as one system (eq:newton_euler): for each body
//
//     q: centre of mass [m] and unit quaternion (w, x, y, z), body to surroundings      (7 values)
//     v: velocity of the centre [m/s], angular velocity in the body's frame [rad/s]     (6 values)
//     M = diag(m, m, m, J_1, J_2, J_3),   forces m g + F,  -omega x J omega + R'tau
//
// Fixed and driven bodies have places in q and v too: nothing acts on them, and driven ones move
// with the velocity that prescribe() sets for a step. In the plane z and the rotations about x and
// y stay what they are. Behind the bodies q has the coordinates of joints, angles with their full
// turns; springs, dampers and motors act on them. Contacts, bonds and the constraints of joints are
// found by contact sources (clack/collide).
#pragma once

#include <array>
#include <memory>
#include <string>

#include "clack/model/bodies/rigid_world.hpp"
#include "clack/model/joints/world_joints.hpp"
#include "clack/model/system.hpp"

namespace clack {

class RigidBodies final : public System {
 public:
  static constexpr int kQ = 7, kV = 6;  // values of a body

  // `initial` tells with which velocity a body is born.
  RigidBodies(std::shared_ptr<const RigidWorld> world, WorldState initial);

  const RigidWorld& world() const { return *world_; }
  const std::shared_ptr<const RigidWorld>& shared_world() const { return world_; }
  const WorldState& initial() const { return initial_; }
  int count() const { return static_cast<int>(world_->bodies.size()); }

  int nv() const override { return kV * count(); }
  int nq() const override { return kQ * count() + static_cast<int>(joints_.coordinates().size()); }
  const WorldJoints& joints() const { return joints_; }
  // Gravity, gyroscopic torques and loads: forces() without what acts at coordinates of joints.
  void body_forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const;
  double coordinate_rate(int coordinate, ConstVectorRef q, ConstVectorRef v) const;
  std::string coordinate_name(int i) const override;
  bool is_sparse() const override { return true; }
  void mass(double t, ConstVectorRef q, MatrixRef M) const override;
  void mass_entries(double t, ConstVectorRef q, MatrixEntries& M) const override;
  void forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const override;
  int drivers() const override { return static_cast<int>(joints_.drivers().size()); }
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
  const RigidBodies* bodies() const override { return this; }

  bool is_acted_on(const Body& body, double t) const {
    return body.is_free() && body.is_present(t);
  }
  Vector3 moments(const Body& body) const;  // principal; in the plane those about z [kg m^2]

  // Rotors at coordinates of joints, by the numbers of these.
  const std::vector<JointArmature>& armatures() const { return armatures_; }
  // The acceleration of a coordinate where velocities of bodies are constant.
  double coordinate_bias(int coordinate, ConstVectorRef q, ConstVectorRef v) const;
  bool has_motors() const { return has_motors_; }
  // Calls act(spring, first coordinate) for springs on several coordinates together.
  template <class Act>
  void for_spring_matrices(Act&& act) const {
    for (const int j : coupled_) {
      const Joint& joint = joints_.joints()[static_cast<std::size_t>(j)];
      for (const JointSpringMatrix& x : joint.spring_matrices) act(x, joints_.coordinate(j, 0));
    }
  }
  // Coordinates of joints on which springs, dampers or motors act, and what they do there.
  const std::vector<int>& forced_coordinates() const { return forced_; }
  struct CoordinateForce {
    double potential = 0, damping = 0, external = 0;
    double by_x = 0, by_v = 0;  // derivatives of their sum
    double energy = 0;          // of springs [J]
  };
  CoordinateForce coordinate_force(int coordinate, double t, double x, double v) const;
  // A coordinate's gradient by the velocities of its bodies that are free.
  struct Column {
    int count = 0;
    std::array<int, 2> at{};
    std::array<Eigen::Matrix<double, 6, 1>, 2> values;
  };
  Column coordinate_column(int coordinate, ConstVectorRef q) const;

  // One body, all bodies, and back. The offset of a sheared cell follows from the time.
  static BodyState body(ConstVectorRef q, ConstVectorRef v, int i);
  static void write(const BodyState& body, double* q, double* v);
  void to_world(double t, ConstVectorRef q, ConstVectorRef v, WorldState& state) const;
  State to_state(const WorldState& state) const;

 private:
  // Force and torque of the loads on a body, in the frame of the surroundings.
  BodyLoad load_on(int i, double t) const;

  // --- joints (rigid_bodies_joints.cpp) ---

  int first_coordinate() const { return kQ * count(); }  // in q
  void update_coordinates(VectorRef q) const;
  void add_coordinate_force(int coordinate, ConstVectorRef q, double force, VectorRef out) const;
  // Of armatures (eq:armature): J on the square of a coordinate's rate.
  void add_armature_mass(ConstVectorRef q, MatrixEntries& M) const;
  void add_armature_forces(ConstVectorRef q, ConstVectorRef v, Forces& out) const;
  double armature_energy(ConstVectorRef q, ConstVectorRef v) const;
  void add_coupled_forces(ConstVectorRef q, ConstVectorRef v, Forces& out) const;
  void add_coupled_entries(ConstVectorRef q, MatrixEntries& K, MatrixEntries& C) const;
  double coupled_energy(ConstVectorRef q) const;
  void add_joint_forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const;
  void add_joint_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                         MatrixEntries& C) const;

  std::shared_ptr<const RigidWorld> world_;
  WorldState initial_;
  WorldJoints joints_;
  std::vector<int> forced_;  // coordinates on which springs, dampers or motors act
  bool has_motors_ = false;
  std::vector<JointArmature> armatures_;  // by number of the coordinate
  std::vector<int> coupled_;              // joints with springs on several coordinates
};

}  // namespace clack
