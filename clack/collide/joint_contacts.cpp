#include "clack/collide/joint_contacts.hpp"

#include <algorithm>

namespace clack {

JointContacts::JointContacts(const RigidBodies& bodies, const BodyTree* tree)
    : bodies_(bodies),
      world_(bodies.world()),
      rows_(bodies, false, tree),
      v_(Vector::Zero(bodies.nv())) {}

bool JointContacts::find(double, ConstVectorRef, ConstVectorRef v, double) {
  v_ = v;
  return false;
}

void JointContacts::update(ConstVectorRef q) {
  rows_.update([&](int i) { return RigidBodies::body(q, v_, i); },
               q.data() + RigidBodies::kQ * bodies_.count());
}

void JointContacts::gaps(double t, ConstVectorRef q, VectorRef gap) {
  update(q);
  for (int c = 0; c < gap.size(); ++c) gap[c] = rows_.gap(c, t);
}

// Bodies that are not free have the velocity of the step, v_.
void JointContacts::map(double t, ConstVectorRef q, int first_row, ContactMap& H, VectorRef w) {
  update(q);
  if (!H.is_sparse()) H.dense().middleCols(first_row, w.size()).setZero();
  for_rows([&](int c, int k, int row) {
    w[row] = rows_.rate_by_time(c, t);
    for (const BodyWrench& x : rows_.wrenches(c, k)) {
      const BodyState s = RigidBodies::body(q, v_, x.body);
      const Vector3 moment = s.rotation.conjugate() * x.wrench.moment;
      if (!world_.bodies[static_cast<std::size_t>(x.body)].is_free()) {
        w[row] += x.wrench.force.dot(s.v) + moment.dot(s.omega);
        continue;
      }
      const int at = RigidBodies::kV * x.body;
      for (int i = 0; i < 6; ++i) {
        if (world_.planar && i >= 2 && i <= 4) continue;  // no motion of the plane
        const double value = i < 3 ? x.wrench.force[i] : moment[i - 3];
        if (H.is_sparse())
          H.add(at + i, value);
        else
          H.dense()(at + i, first_row + row) = value;
      }
    }
    if (H.is_sparse()) H.end_row();
  });
}

bool JointContacts::bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) {
  for (const Body& body : world_.bodies) {
    if (body.kind == BodyKind::driven) return false;  // their accelerations are not known here
  }
  update(q);
  const auto motion = [&](int i) {
    const BodyState s = RigidBodies::body(q, v, i);
    return Twist{s.v, s.rotation * s.omega};
  };
  for_rows([&](int c, int k, int row) { b[row] = rows_.bias(c, k, t, motion); });
  return true;
}

bool JointContacts::reaction(int i, std::span<const double> impulses,
                             std::array<double, 6>& reaction) const {
  const JointRows::Row& row = rows_.row(i);
  if (row.part == JointRows::Part::coupler) return false;
  const Wrench wrench = rows_.reaction(row.joint, impulses, true);
  std::copy_n(wrench.force.data(), 3, reaction.data());
  std::copy_n(wrench.moment.data(), 3, reaction.data() + 3);
  return true;
}

}  // namespace clack
