// Joints in the step of rigid bodies in arrays. In the velocity problem constraints are free cones on
// the mean velocity, limits and ropes are unilateral rows (eq:joint_rows):
//
//     u+ + u- = 0,        0 <= u+ + gap/h   orthogonal to  r >= 0
//
// After the bodies have moved, impulses that act where the step started bring constraints back on
// positions to round-off (eq:joint_projection):
//
//     q <- q moved by M^-1 G(q_start) lambda,   v <- v + M^-1 G(q_start) lambda/h,   gap(q) = 0
//
// Together this is SHAKE, which keeps the energy. Where constraints depend on each other lambda is
// the one of least norm. Reference: Ryckaert, Ciccotti, Berendsen
// (1977).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "clack/assemble/body_rows.hpp"
#include "clack/collide/joint_rows.hpp"
#include "clack/integrate/step.hpp"
#include "clack/problem/body_blocks.hpp"
#include "clack/solve/semidefinite_factor.hpp"

namespace clack {

// A row at the start of the step on a body.
struct RowEntry {
  int body;
  Wrench wrench;
  bool free;
};

class JointStep final : public ElementRows {
 public:
  explicit JointStep(const RigidBodies& bodies);

  const JointRows& rows() const { return rows_; }
  bool has_motors() const { return has_motors_; }
  // Adds the forces of motors at t, of bodies that are and move as at `start`.
  void add_loads(double t, const WorldState& start, const LargeArray<Twist>& twists,
                 std::vector<BodyLoad>& loads);
  // Contacts with laws of friction, drives and servos at coordinates.
  const std::vector<int>& elements() const { return elements_; }
  const Contact& element(int e) const {
    return rows_.contacts()[static_cast<std::size_t>(elements_[static_cast<std::size_t>(e)])];
  }
  void visit(int element, int k, const Visit& visit) const override;
  double gap(int element) const override;
  double place(int element, int k) const override;
  const double* impulses(int element) const override;
  void set_result(int element, const double* r, const double* u);
  // Of the joint of an element, by the last multipliers (ContactSituation::reaction).
  void reaction(int element, std::array<double, 6>& reaction) const;

  // The blocks of a step from `start`; `begin` and `free` are the velocities of all bodies there and
  // without contact, `problem` has their masses.
  void begin(const WorldState& start, double h, const LargeArray<Twist>& begin,
             const LargeArray<Twist>& free, const LargeArray<RigidBody>& bodies);
  const std::vector<BodyBlock>& blocks() const { return blocks_; }
  // Their multipliers: those to start from, then the solution.
  std::vector<double>& multipliers() { return multipliers_; }
  const std::vector<double>& multipliers() const { return multipliers_; }
  // Which of the joints' contacts a block begins with.
  int contact_of(std::size_t block) const { return first_row_[block]; }
  // Calls join(body, body) for the free bodies that joints couple.
  template <class Join>
  void couple(Join&& join) const;

  // Moves the bodies of joints, which stand where the step has led them. Returns what this adds to
  // their energy [J].
  double project(const RigidWorld& world, double h, WorldState& state);
  // Works of the impulses on the mean velocities of the bodies that are free.
  void audit(const LargeArray<Twist>& mean, double h, const WorldState& state, EnergyAudit& energy);
  // What a motor does to a body within a step: mean velocities on which its loads work.
  using MotionOf = std::function<Twist(int body)>;
  void audit_motors(const MotionOf& mean, double h);
  // Of all drives and motors within the step, by System::drivers (eq:drive_work) [J].
  const std::vector<double>& drive_work() const { return drive_work_; }
  double spring_energy(const WorldState& state) const;    // [J]
  double armature_energy(const WorldState& state) const;  // kinetic [J]
  // Impulses of all rows in the step, with those of the projection [N s, N m s].
  const std::vector<double>& impulses() const { return impulses_; }
  std::vector<double>& impulses() { return impulses_; }

 private:
  std::span<const RowEntry> entries(int contact, int k) const {
    const auto row = row_of(static_cast<std::size_t>(contact)) + static_cast<std::size_t>(k);
    return std::span(entries_).subspan(begin_[row], begin_[row + 1] - begin_[row]);
  }
  void take_multipliers(std::vector<double>& impulses) const;
  void add_block(const Cone& cone, int first, int count);
  void set_row(int contact, int k, BodyBlock& block) const;
  // Of a contact with a single row.
  std::size_t row_of(std::size_t contact) const {
    return static_cast<std::size_t>(rows_.row_begin()[contact]);
  }
  void book(int contact, int k, double r, double rate, EnergyAudit& energy);
  double damping_power(int contact) const;
  double update_gaps(const WorldState& state);
  double armature_compliance(int contact) const;
  void factorise();
  void displace(const Vector& lambda, double h, WorldState& state) const;
  double energy(const RigidWorld& world, const WorldState& state) const;

  JointRows rows_;
  bool has_motors_ = false;
  std::vector<int> elements_;
  mutable std::vector<double> reaction_r_;  // rows
  std::vector<int> members_;                // free bodies of joints
  std::vector<int> member_of_;              // by body: its place among them, -1
  std::vector<BodyBlock> blocks_;
  std::vector<int> first_row_;  // by block
  std::vector<double> multipliers_, impulses_;
  std::vector<double> element_rates_;  // rows: at the end of the step
  double spring_energy_at_start_ = 0, armature_energy_at_start_ = 0;  // [J]
  struct MotorLoad {
    int driver, body;
    BodyLoad load;
  };
  std::vector<MotorLoad> motor_loads_;  // of the step
  std::vector<double> drive_work_;

  // At the start of the step.
  const LargeArray<RigidBody>* bodies_ = nullptr;
  std::vector<RowEntry> entries_;
  std::vector<std::size_t> begin_;  // first entry of each row, then their number
  std::vector<double> u_start_, driven_, by_time_, gap_start_;
  std::vector<double> place_start_;   // rows of elements
  std::vector<Quaternion> rotation_;  // of members
  double t_end_ = 0;

  // Of the projection: its rows are the contacts that are bilateral, and ropes.
  std::vector<int> projected_;
  struct RowOfMember {
    int row, entry;
  };
  std::vector<std::vector<RowOfMember>> by_member_;
  mutable std::vector<Wrench> pushes_;  // by member
  std::vector<double> coordinates_;
  Vector gap_, lambda_;
  bool factorised_ = false;
  Matrix S_;
  SemidefiniteFactor factor_;
};

template <class Join>
void JointStep::couple(Join&& join) const {
  for (const BodyBlock& block : blocks_) {
    int first = -1;
    block.for_bodies([&](int body, const BodyBlock::Rows&) {
      if (first < 0)
        first = body;
      else
        join(first, body);
    });
  }
}

}  // namespace clack
