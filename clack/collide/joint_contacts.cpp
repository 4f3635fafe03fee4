#include "clack/collide/joint_contacts.hpp"

#include <algorithm>
#include <cmath>

namespace clack {

bool has_rigid_joints(const RigidWorld& world) {
  double length = 0;
  return std::any_of(world.links.begin(), world.links.end(), [&](const Link& link) {
    return rigid_link(*link.law, length) != RigidLink::none;
  });
}

JointContacts::JointContacts(const RigidBodies& bodies)
    : bodies_(bodies), world_(bodies.world()), v_(Vector::Zero(bodies.nv())) {
  const WorldState& start = bodies.initial();
  for (std::size_t i = 0; i < world_.links.size(); ++i) {
    const Link& link = world_.links[i];
    Joint joint;
    joint.kind = rigid_link(*link.law, joint.length);
    if (joint.kind == RigidLink::none) continue;
    joint.link = i;
    joint.a = link.a;
    joint.b = link.b;
    const BodyState &a = start.bodies[static_cast<std::size_t>(link.a)],
                    &b = start.bodies[static_cast<std::size_t>(link.b)];
    joint.point_b = link.point_b;
    const Vector3 on_b = b.position + b.rotation * link.point_b;
    joint.point_a = joint.kind == RigidLink::wire
                        ? link.point_a
                        : Vector3(a.rotation.conjugate() * (on_b - a.position));
    joint.turned = a.rotation.conjugate() * b.rotation;
    joint.length += link.length;
    const int translations = world_.planar ? 2 : 3, turns = world_.planar ? 1 : 3;
    joint.rows = joint.kind == RigidLink::wire    ? 1
                 : joint.kind == RigidLink::hinge ? translations
                                                  : translations + turns;
    for (int k = 0; k < joint.rows; ++k) {
      Contact contact;
      contact.name = link.name;
      contact.bilateral = joint.kind != RigidLink::wire;
      contact.identity = {0, link.a, link.b, feature(i, k)};
      contacts_.push_back(std::move(contact));
      joint_of_.push_back(joints_.size());
    }
    joints_.push_back(joint);
  }
}

bool JointContacts::find(double, ConstVectorRef q, ConstVectorRef v, double) {
  q_ = q;
  v_ = v;
  return false;
}

JointContacts::Ends JointContacts::ends(const Joint& joint, ConstVectorRef q) const {
  Ends ends{RigidBodies::body(q, v_, joint.a), RigidBodies::body(q, v_, joint.b), {}, {}, {}};
  ends.arm_a = ends.a.rotation * joint.point_a;
  ends.arm_b = ends.b.rotation * joint.point_b;
  ends.jump = ends.b.position + ends.arm_b - ends.a.position - ends.arm_a;
  return ends;
}

// What is left of the relative rotation, the shorter way round.
Quaternion JointContacts::turning(const Joint& joint, const Ends& ends) const {
  Quaternion rest = ends.a.rotation.conjugate() * ends.b.rotation * joint.turned.conjugate();
  if (rest.w() < 0) rest.coeffs() *= -1;
  return rest;
}

void JointContacts::gaps(double, ConstVectorRef q, VectorRef gap) {
  int at = 0;
  for (const Joint& joint : joints_) {
    const Ends now = ends(joint, q);
    if (joint.kind == RigidLink::wire) {
      gap[at++] = joint.length - now.jump.norm();
      continue;
    }
    const int translations = world_.planar ? 2 : 3;
    for (int k = 0; k < translations; ++k) gap[at++] = now.jump[k];
    if (joint.kind == RigidLink::hinge) continue;
    const Quaternion rest = turning(joint, now);
    if (world_.planar) {
      gap[at++] = 2 * std::atan2(rest.z(), rest.w());
      continue;
    }
    for (int k = 0; k < 3; ++k) gap[at++] = 2 * rest.vec()[k];
  }
}

// 2 vec(p)' = (w 1 - [vec p]x) R_a'(omega_b - omega_a) for p = R_a'R_b R_0'.
void JointContacts::set_rows(const Joint& joint, const Ends& now, std::vector<Row>& rows) const {
  rows.assign(static_cast<std::size_t>(joint.rows), {});
  if (joint.kind == RigidLink::wire) {
    const double distance = now.jump.norm();
    rows[0].direction = distance > 0 ? Vector3(-now.jump / distance) : -Vector3::UnitX();
    return;
  }
  const std::size_t translations = world_.planar ? 2 : 3;
  for (std::size_t k = 0; k < translations; ++k) rows[k].direction[static_cast<int>(k)] = 1;
  if (joint.kind == RigidLink::hinge) return;
  if (world_.planar) {
    rows[2].turn = Vector3::UnitZ();
    return;
  }
  const Quaternion rest = turning(joint, now);
  const Matrix3 rate = rest.w() * Matrix3::Identity() - skew(rest.vec());
  for (int k = 0; k < 3; ++k)
    rows[static_cast<std::size_t>(3 + k)].turn = now.a.rotation * Vector3(rate.row(k));
}

void JointContacts::map(double, ConstVectorRef q, int first_row, ContactMap& H, VectorRef w) {
  std::vector<Row> rows;
  int row = 0;
  if (!H.is_sparse()) H.dense().middleCols(first_row, w.size()).setZero();
  for (const Joint& joint : joints_) {
    const Ends now = ends(joint, q);
    set_rows(joint, now, rows);
    for (const Row& axis : rows) {
      w[row] = 0;
      const auto add = [&](int body, const BodyState& s, const Vector3& arm, double sign) {
        const Vector3 moment = arm.cross(axis.direction) + axis.turn,
                      local = sign * (s.rotation.conjugate() * moment);
        if (!world_.bodies[static_cast<std::size_t>(body)].is_free()) {
          // s carries the velocity of the step.
          w[row] += sign * axis.direction.dot(s.v) + local.dot(s.omega);
          return;
        }
        const int at = RigidBodies::kV * body;
        for (int k = 0; k < 6; ++k) {
          const double value = k < 3 ? sign * axis.direction[k] : local[k - 3];
          if (H.is_sparse())
            H.add(at + k, value);
          else
            H.dense()(at + k, first_row + row) = value;
        }
      };
      add(joint.a, now.a, now.arm_a, -1);
      add(joint.b, now.b, now.arm_b, 1);
      if (H.is_sparse()) H.end_row();
      ++row;
    }
  }
}

bool JointContacts::place(int i, ContactPlace& place) const {
  const Joint& joint = joints_[joint_of_[static_cast<std::size_t>(i)]];
  if (q_.size() == 0) return false;
  const Ends now = ends(joint, q_);
  place.point = now.b.position + now.arm_b;
  // A row that turns has no direction: the first axis stands for it.
  const int row = row_of(contacts_[static_cast<std::size_t>(i)].identity.feature);
  place.normal = Vector3::Unit(row < (world_.planar ? 2 : 3) ? row : 0);
  if (joint.kind == RigidLink::wire && now.jump.norm() > 0) place.normal = now.jump.normalized();
  return true;
}

}  // namespace clack
