#include "clack/collide/joint_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "clack/model/bodies/body_tree.hpp"
#include "clack/model/joints/joint_laws.hpp"

namespace clack {

bool has_joints(const RigidBodies& bodies) { return !bodies.joints().joints().empty(); }

namespace {

// At which the load of a screw's thread makes friction [m]; 0 where it makes none.
double thread_radius(const Joint& joint) {
  if (joint.kind != JointKind::screw) return 0;
  for (const JointFriction& friction : joint.frictions) {
    if (friction.depends_on_load()) return friction.radius;
  }
  return 0;
}

// Of a screw's thread, at the radius of its friction; 0 of others.
double lead_of(const Joint& joint) {
  const double radius = thread_radius(joint);
  return radius > 0 ? std::atan2(joint.pitch, 2 * std::numbers::pi * radius) : 0;
}

// Along the thread, by the advance and the turning.
JointRow thread_row(const Joint& joint) {
  const double lead = lead_of(joint), radius = thread_radius(joint);
  if (!(radius > 0)) return {};
  return {{{JointBlock::slide, 2, 0, std::sin(lead)},
           {JointBlock::angle, 0, 0, radius * std::cos(lead)}}};
}

}  // namespace

JointRows::JointRows(const RigidBodies& bodies, bool springs, const BodyTree* tree)
    : world_(&bodies.world()), joints_(&bodies.joints()), at_(joints_->joints().size()) {
  for (std::size_t j = 0; j < joints_->joints().size(); ++j) {
    const Joint& joint = joints_->joints()[j];
    const int own = static_cast<int>(j);
    constraints_.push_back(joint_type(joint.kind).rows(joint, world_->planar));
    threads_.push_back(thread_row(joint));
    const bool held = tree && tree->holds(own);
    for (int k = 0; !held && k < static_cast<int>(constraints_.back().size()); ++k)
      add({Part::constraint, own, k}, {.bilateral = joint.kind != JointKind::rope});
    for (int k = 0; k < static_cast<int>(joint.drives.size()); ++k)
      add({Part::drive, own, k}, {.bilateral = true, .booking = Booking::drive});
    for (int k = 0; k < static_cast<int>(joint.limits.size()); ++k) {
      const JointLimit& limit = joint.limits[static_cast<std::size_t>(k)];
      Contact stop;
      stop.law.e_n = limit.e_n;
      if (std::isfinite(limit.lower)) add({Part::lower, own, k}, stop);
      if (std::isfinite(limit.upper)) add({Part::upper, own, k}, stop);
    }
    add_elements(own, springs);
    first_.push_back(static_cast<int>(contacts_.size()));
    has_drives_ = has_drives_ || !joint.drives.empty();
  }
  for (std::size_t k = 0; k < world_->couplers.size(); ++k) {
    if (tree && tree->absorbs(static_cast<int>(k))) continue;
    add({Part::coupler, static_cast<int>(k), 0}, {.bilateral = true});
  }
  coordinates_.resize(joints_->coordinates().size());
}

void JointRows::add_elements(int number, bool springs) {
  const Joint& joint = joints_->joints()[static_cast<std::size_t>(number)];
  for (int k = 0; k < static_cast<int>(joint.frictions.size()); ++k) {
    const JointFriction& friction = joint.frictions[static_cast<std::size_t>(k)];
    const bool ball = friction.coordinate < 0, thread = joint.kind == JointKind::screw;
    const JointFrictionLaw::Load load = ball     ? JointFrictionLaw::Load::ball
                                        : thread ? JointFrictionLaw::Load::thread
                                                 : JointFrictionLaw::Load::bearing;
    add_element({Part::friction, number, k},
                {std::make_shared<JointFrictionLaw>(friction, load, lead_of(joint)),
                 Booking::friction, ball ? 3 : 1});
  }
  for (int k = 0; k < static_cast<int>(joint.speeds.size()); ++k)
    add_element({Part::speed, number, k},
                {std::make_shared<JointSpeedLaw>(joint.speeds[static_cast<std::size_t>(k)]),
                 Booking::drive});
  for (int k = 0; k < static_cast<int>(joint.servos.size()); ++k)
    add_element({Part::servo, number, k},
                {std::make_shared<JointServoLaw>(joint.servos[static_cast<std::size_t>(k)]),
                 Booking::drive});
  for (int k = 0; springs && k < static_cast<int>(joint.springs.size()); ++k) {
    const JointSpring& spring = joint.springs[static_cast<std::size_t>(k)];
    // One without stiffness and damping would have no compliance to be stated by.
    if (spring.stiffness == 0 && spring.damping == 0) continue;
    add_element({Part::spring, number, k},
                {std::make_shared<JointSpringLaw>(spring), Booking::spring});
  }
  for (int k = 0; springs && k < static_cast<int>(joint.spring_matrices.size()); ++k) {
    const JointSpringMatrix& spring = joint.spring_matrices[static_cast<std::size_t>(k)];
    add_element({Part::spring_matrix, number, k},
                {std::make_shared<JointSpringMatrixLaw>(spring), Booking::spring,
                 static_cast<int>(spring.rest.size())});
  }
  for (int k = 0; springs && k < static_cast<int>(joint.armatures.size()); ++k)
    add_element({Part::armature, number, k},
                {std::make_shared<JointArmatureLaw>(joint.armatures[static_cast<std::size_t>(k)]),
                 Booking::spring});
}

void JointRows::add_element(const Row& row, const ElementLaw& element) {
  Contact contact;
  contact.law.own = element.law;
  contact.booking = element.booking;
  contact.tangents = element.rows - 1;
  add(row, contact);
}

void JointRows::add(const Row& row, const Contact& kind) {
  const bool coupler = row.part == Part::coupler;
  const auto own = static_cast<std::size_t>(row.joint);
  const std::size_t block = coupler ? joints_->joints().size() + own : own;
  const std::uint64_t before = contacts_.empty() ? 0 : contacts_.back().identity.feature;
  const bool same = !contacts_.empty() && joint_of(before) == block;
  Contact& contact = contacts_.emplace_back(kind);
  contact.name = coupler ? world_->couplers[own].name : joints_->joints()[own].name;
  contact.identity = {0, coupler ? -1 : joints_->joints()[own].a,
                      coupler ? -1 : joints_->joints()[own].b,
                      feature(block, same ? number_of(before) + 1 : 0)};
  if (contact.booking == Booking::drive) contact.driver = joints_->driver(row.joint);
  rows_.push_back(row);
  row_begin_.push_back(row_begin_.back() + contact.dim());
}

const JointRow& JointRows::friction_row(const Row& row, int k) const {
  static const std::array<JointRow, 3> spins = {JointRow{{{JointBlock::spin, 0}}},
                                                JointRow{{{JointBlock::spin, 1}}},
                                                JointRow{{{JointBlock::spin, 2}}}};
  const auto number = static_cast<std::size_t>(row.joint);
  const Joint& joint = joints_->joints()[number];
  const JointFriction& friction = joint.frictions[static_cast<std::size_t>(row.index)];
  if (friction.coordinate < 0) return spins[static_cast<std::size_t>(k)];
  // What the load of a thread makes acts along it; a bound of its own is a moment as on any angle.
  if (joint.kind == JointKind::screw && friction.depends_on_load()) return threads_[number];
  return coordinate_row(row.joint, friction.coordinate);
}

void JointRows::set_coordinates(const double* coordinates) {
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    coordinates_[k] = coordinates[k];
    const WorldJoints::Coordinate& x = joints_->coordinates()[k];
    if (x.what.row.terms[0].block == JointBlock::angle)
      at_[static_cast<std::size_t>(x.joint)].angle = coordinates[k];
  }
}

const JointRow& JointRows::coordinate_row(int joint, int coordinate) const {
  const auto at = static_cast<std::size_t>(joints_->coordinate(joint, coordinate));
  return joints_->coordinates()[at].what.row;
}

double JointRows::coordinate_value(int joint, int coordinate) const {
  return coordinates_[static_cast<std::size_t>(joints_->coordinate(joint, coordinate))];
}

double JointRows::gap(int contact, double t) const {
  const Row& own = row(contact);
  const auto index = static_cast<std::size_t>(own.index);
  if (own.part == Part::coupler) {
    const Coupler& coupler = world_->couplers[static_cast<std::size_t>(own.joint)];
    double sum = -coupler.constant;
    for (const Coupler::Term& x : coupler.terms)
      sum += x.factor * coordinate_value(x.joint, x.coordinate);
    return sum;
  }
  const Joint& joint = joints_->joints()[static_cast<std::size_t>(own.joint)];
  switch (own.part) {
    case Part::constraint:
      return row_value(constraints_[static_cast<std::size_t>(own.joint)][index],
                       geometry(own.joint));
    case Part::drive: {
      const JointDrive& drive = joint.drives[index];
      return coordinate_value(own.joint, drive.coordinate) - drive.target.at(t).value;
    }
    case Part::lower: {
      const JointLimit& limit = joint.limits[index];
      return limit.radius * (coordinate_value(own.joint, limit.coordinate) - limit.lower);
    }
    case Part::speed:
      return coordinate_value(own.joint, joint.speeds[index].coordinate);
    case Part::servo:
      return coordinate_value(own.joint, joint.servos[index].coordinate);
    case Part::spring:
      return coordinate_value(own.joint, joint.springs[index].coordinate);
    case Part::friction:
    case Part::spring_matrix:
    case Part::armature:
      return 0;
    default: {
      const JointLimit& limit = joint.limits[index];
      return limit.radius * (limit.upper - coordinate_value(own.joint, limit.coordinate));
    }
  }
}

double JointRows::place(int contact, int k) const {
  const Row& own = row(contact);
  return own.part == Part::spring_matrix ? coordinate_value(own.joint, k) : gap(contact, 0);
}

double JointRows::rate_by_time(int contact, double t) const {
  const Row& own = row(contact);
  if (own.part != Part::drive) return 0;
  const Joint& joint = joints_->joints()[static_cast<std::size_t>(own.joint)];
  return -joint.drives[static_cast<std::size_t>(own.index)].target.at(t).by_t;
}

Wrench JointRows::reaction(int joint, std::span<const double> impulses,
                           bool constraints_alone) const {
  const Joint& own = joints_->joints()[static_cast<std::size_t>(joint)];
  const JointGeometry& at = geometry(joint);
  Wrench sum;
  for (int c = first_[static_cast<std::size_t>(joint)];
       c < first_[static_cast<std::size_t>(joint) + 1]; ++c) {
    if (constraints_alone && row(c).part != Part::constraint) continue;
    for (int k = 0; k < contacts_[static_cast<std::size_t>(c)].dim(); ++k) {
      const double r =
          impulses[static_cast<std::size_t>(row_begin_[static_cast<std::size_t>(c)] + k)];
      if (r == 0) continue;
      for (const BodyWrench& x : wrenches(c, k)) {
        if (x.body == own.b) sum += x.wrench * r;
      }
    }
  }
  sum.moment -= at.arm_b.cross(sum.force);
  return {at.a.transpose() * sum.force, at.a.transpose() * sum.moment};
}

std::vector<JointRows::Load> JointRows::loads(std::span<const double> impulses) const {
  std::vector<Load> all;
  for (int c = 0; c < static_cast<int>(rows_.size()); ++c) {
    for (int k = 0; k < contacts_[static_cast<std::size_t>(c)].dim(); ++k) {
      const double r =
          impulses[static_cast<std::size_t>(row_begin_[static_cast<std::size_t>(c)] + k)];
      if (r == 0) continue;
      const Row& own = row(c);
      for (const BodyWrench& x : wrenches(c, k)) {
        Vector3 arm = Vector3::Zero();
        if (own.part != Part::coupler) {
          const JointGeometry& at = geometry(own.joint);
          const Joint& joint = joints_->joints()[static_cast<std::size_t>(own.joint)];
          arm = x.body == joint.b ? at.arm_b : Vector3(at.arm_a + at.d);
        }
        all.push_back({x.body, x.wrench * r, arm});
      }
    }
  }
  return all;
}

double JointRows::error(int joint, double t) const {
  const bool rope = joints_->joints()[static_cast<std::size_t>(joint)].kind == JointKind::rope;
  double worst = 0;
  for (const JointRow& own : constraints_[static_cast<std::size_t>(joint)]) {
    const double value = row_value(own, geometry(joint));
    worst = std::max(worst, rope ? -value : std::abs(value));
  }
  for (int c = first_[static_cast<std::size_t>(joint)];
       c < first_[static_cast<std::size_t>(joint) + 1]; ++c) {
    if (row(c).part == Part::drive) worst = std::max(worst, std::abs(gap(c, t)));
  }
  return worst;
}

std::span<const BodyWrench> JointRows::wrenches(int contact, int k) const {
  wrenches_.clear();
  const auto push = [&](int body, const Wrench& wrench) {
    if (body < 0) return;
    for (BodyWrench& x : wrenches_) {
      if (x.body != body) continue;
      x.wrench += wrench;
      return;
    }
    wrenches_.push_back({body, wrench});
  };
  for_terms(row(contact), k, [&](const Term& term) {
    const Joint& joint = joints_->joints()[static_cast<std::size_t>(term.joint)];
    const WrenchPair pair = row_wrenches(*term.row, geometry(term.joint));
    push(joint.a, pair.a * term.factor);
    push(joint.b, pair.b * term.factor);
  });
  return wrenches_;
}

}  // namespace clack
