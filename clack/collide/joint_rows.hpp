// What the joints of a world ask of its bodies at an instant, row by row (eq:joint_rows): the
// constraints of joints, drives that follow a function of time, limits, and couplers between
// coordinates. Each is a contact of the joints' source.
#pragma once

#include <span>
#include <vector>

#include "clack/collide/contact_arms.hpp"
#include "clack/model/bodies/rigid_bodies.hpp"

namespace clack {

class BodyTree;

struct BodyWrench {
  int body;
  Wrench wrench;
};

// Joints of the scene, or links that cannot break.
bool has_joints(const RigidBodies& bodies);

class JointRows {
 public:
  // `springs`: whether springs, dampers and armatures are laws at coordinates, for a scheme that has
  // no other place for them. `tree`: whose joints need no constraints.
  explicit JointRows(const RigidBodies& bodies, bool springs = false,
                     const BodyTree* tree = nullptr);

  enum class Part {
    constraint,
    drive,
    lower,
    upper,
    friction,
    speed,
    servo,
    spring,
    spring_matrix,
    armature,
    coupler
  };
  // A contact of the source; those of friction may have several rows.
  struct Row {
    Part part;
    int joint;  // coupler: its number
    int index;  // of the joint's rows, drives, limits, ...
  };
  const std::vector<Contact>& contacts() const { return contacts_; }
  const Row& row(int contact) const { return rows_[static_cast<std::size_t>(contact)]; }
  // First row of each contact, then the number of rows.
  const std::vector<int>& row_begin() const { return row_begin_; }
  bool has_drives() const { return has_drives_; }
  const WorldJoints& joints() const { return *joints_; }

  // Takes up where bodies are; `body(i)` gives the state of one, `coordinates` those of joints.
  template <class BodyAt>
  void update(const BodyAt& body, const double* coordinates) {
    for (std::size_t j = 0; j < at_.size(); ++j)
      at_[j] = joints_->geometry(static_cast<int>(j), body);
    set_coordinates(coordinates);
  }
  // gap, and the part of its rate that time alone makes.
  double gap(int contact, double t) const;
  // Of an element, where row k stands.
  double place(int contact, int k) const;
  double rate_by_time(int contact, double t) const;
  // Row k of a contact on the velocities of bodies, good until the next call.
  std::span<const BodyWrench> wrenches(int contact, int k = 0) const;
  // gamma of the row; `motion(i)` gives the velocities of a body in the frame of the surroundings,
  // v and omega.
  template <class MotionAt>
  double bias(int contact, int k, double t, const MotionAt& motion) const;
  // What impulses, by row, make of one joint: on B, about the joint's point there, in the joint's
  // frame of A. Of its constraints alone, or of all that acts between its bodies.
  Wrench reaction(int joint, std::span<const double> impulses, bool constraints_alone) const;
  // What they do to bodies, row by row: force, moment about the centre, and where the force acts as
  // seen from there [m].
  struct Load {
    int body;
    Wrench wrench;
    Vector3 arm;
  };
  std::vector<Load> loads(std::span<const double> impulses) const;
  // The largest error of a joint's constraints and drives on positions [m, rad].
  double error(int joint, double t) const;
  const JointGeometry& geometry(int joint) const { return at_[static_cast<std::size_t>(joint)]; }

  // Contact features: 64 a joint.
  static std::uint64_t feature(std::size_t joint, int number) {
    return kTieFeature + 64 * joint + static_cast<std::uint64_t>(number);
  }
  static std::size_t joint_of(std::uint64_t feature) { return (feature - kTieFeature) / 64; }
  static int number_of(std::uint64_t feature) {
    return static_cast<int>((feature - kTieFeature) % 64);
  }

 private:
  struct Term {  // of a row: a row of a joint with a factor
    int joint;
    const JointRow* row;
    double factor;
  };
  struct ElementLaw {
    LawPtr law;
    Booking booking;
    int rows = 1;
  };
  void add(const Row& row, const Contact& kind);
  void add_elements(int joint, bool springs);
  void add_element(const Row& row, const ElementLaw& element);
  void set_coordinates(const double* coordinates);
  // The terms of row k of a contact; visit(term).
  template <class Visit>
  void for_terms(const Row& row, int k, Visit&& visit) const;
  const JointRow& friction_row(const Row& row, int k) const;
  const JointRow& coordinate_row(int joint, int coordinate) const;
  double coordinate_value(int joint, int coordinate) const;

  const RigidWorld* world_;
  const WorldJoints* joints_;
  std::vector<std::vector<JointRow>> constraints_;  // by joint
  std::vector<JointRow> threads_;                   // by joint: the slip along a screw's thread
  std::vector<Row> rows_;
  std::vector<int> row_begin_{0};
  std::vector<int> first_{0};  // contact of each joint, then the first of couplers
  std::vector<Contact> contacts_;
  bool has_drives_ = false;
  std::vector<JointGeometry> at_;
  std::vector<double> coordinates_;
  mutable std::vector<BodyWrench> wrenches_;
};

template <class MotionAt>
double JointRows::bias(int contact, int k, double t, const MotionAt& motion) const {
  const Row& own = row(contact);
  double sum = 0;
  for_terms(own, k, [&](const Term& term) {
    const Joint& joint = joints_->joints()[static_cast<std::size_t>(term.joint)];
    const Twist none, a = joint.a < 0 ? none : motion(joint.a),
                      b = joint.b < 0 ? none : motion(joint.b);
    sum += term.factor * row_bias(*term.row, geometry(term.joint), {a.v, a.omega, b.v, b.omega});
  });
  if (own.part != Part::drive) return sum;
  const Joint& joint = joints_->joints()[static_cast<std::size_t>(own.joint)];
  return sum - joint.drives[static_cast<std::size_t>(own.index)].target.at(t).by_tt;
}

template <class Visit>
void JointRows::for_terms(const Row& row, int k, Visit&& visit) const {
  const auto index = static_cast<std::size_t>(row.index);
  if (row.part == Part::coupler) {
    for (const Coupler::Term& x : world_->couplers[static_cast<std::size_t>(row.joint)].terms)
      visit(Term{x.joint, &coordinate_row(x.joint, x.coordinate), x.factor});
    return;
  }
  const Joint& joint = joints_->joints()[static_cast<std::size_t>(row.joint)];
  const auto visit_coordinate = [&](int coordinate, double factor) {
    visit(Term{row.joint, &coordinate_row(row.joint, coordinate), factor});
  };
  switch (row.part) {
    case Part::constraint:
      visit(Term{row.joint, &constraints_[static_cast<std::size_t>(row.joint)][index], 1});
      return;
    case Part::drive:
      return visit_coordinate(joint.drives[index].coordinate, 1);
    case Part::lower:
      return visit_coordinate(joint.limits[index].coordinate, joint.limits[index].radius);
    case Part::upper:
      return visit_coordinate(joint.limits[index].coordinate, -joint.limits[index].radius);
    case Part::friction:
      visit(Term{row.joint, &friction_row(row, k), 1});
      return;
    case Part::speed:
      return visit_coordinate(joint.speeds[index].coordinate, 1);
    case Part::servo:
      return visit_coordinate(joint.servos[index].coordinate, 1);
    case Part::spring:
      return visit_coordinate(joint.springs[index].coordinate, 1);
    case Part::spring_matrix:
      return visit_coordinate(k, 1);
    case Part::armature:
      return visit_coordinate(joint.armatures[index].coordinate, 1);
    default:
      return;
  }
}

}  // namespace clack
