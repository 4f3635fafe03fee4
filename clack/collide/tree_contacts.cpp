#include "clack/collide/tree_contacts.hpp"

#include <algorithm>

namespace clack {
namespace {

constexpr int kV = RigidBodies::kV;

}  // namespace

TreeContacts::TreeContacts(const ArticulatedBodies& bodies, std::unique_ptr<ContactSource> source)
    : bodies_(bodies),
      source_(std::move(source)),
      on_bodies_(bodies.bodies()->nv(), 0, true),
      body_v_(bodies.bodies()->nv()),
      row_(Vector::Zero(bodies.nv())) {}

bool TreeContacts::find(double t, ConstVectorRef q, ConstVectorRef v, double h) {
  const auto own = q.head(bodies_.nq());
  motion_.place(bodies_.tree(), *bodies_.bodies(), own);
  motion_.move(bodies_.tree(), v);
  motion_.body_velocities(bodies_.tree(), body_v_);
  return source_->find(t, q, body_v_, h);
}

// A row gets a wrench from each body; those of one body stand together.
void TreeContacts::add_row(int row, const TreeMotion& motion, ContactMap& H, int column) {
  const BodyTree& tree = bodies_.tree();
  int body = -1;
  Spatial wrench = Spatial::Zero();  // on v and omega of the body
  const auto add = [&](int k, double value) {
    for (const VelocityShare& x : tree.shares(k)) {
      if (!H.is_sparse()) {
        H.dense()(x.index, column) += x.factor * value;
        continue;
      }
      row_[x.index] += x.factor * value;
      touched_.push_back(x.index);
    }
  };
  const auto flush = [&] {
    if (body < 0) return;
    const int at = tree.link_of(body);
    if (at < 0) return;
    const TreeLink& link = tree.links()[static_cast<std::size_t>(at)];
    if (link.joint < 0) {  // its velocities are those of the row
      for (int k = 0; k < kV; ++k)
        if (wrench[k] != 0) add(link.first + k, wrench[k]);
      return;
    }
    const Vector3 moment =
        motion.rotation[static_cast<std::size_t>(at)] * Vector3(wrench.tail<3>());
    const Spatial about = motion.wrench(tree, at, wrench.head<3>(), moment);
    for (const int k : link.path) add(k, motion.S[static_cast<std::size_t>(k)].dot(about));
  };
  on_bodies_.for_entries(row, [&](int dof, double value) {
    if (dof / kV != body) {
      flush();
      body = dof / kV;
      wrench.setZero();
    }
    wrench[dof % kV] += value;
  });
  flush();
  if (!H.is_sparse()) return;
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const int k : touched_) H.add(k, std::exchange(row_[k], 0.0));
  touched_.clear();
  H.end_row();
}

void TreeContacts::map(double t, ConstVectorRef q, int first_row, ContactMap& H, VectorRef w) {
  on_bodies_.resize(static_cast<int>(w.size()));
  on_bodies_.clear();
  source_->map(t, q, 0, on_bodies_, w);
  if (!H.is_sparse()) H.dense().middleCols(first_row, w.size()).setZero();
  if (w.size() == 0) return;
  motion_.place(bodies_.tree(), *bodies_.bodies(), q);
  for (int row = 0; row < w.size(); ++row) add_row(row, motion_, H, first_row + row);
}

void TreeContacts::add_body_impulses(ConstVectorRef r, VectorRef impulses) const {
  for (int row = 0; row < r.size(); ++row) {
    if (r[row] == 0) continue;
    on_bodies_.for_entries(row, [&](int dof, double value) { impulses[dof] += value * r[row]; });
  }
}

// The rows' own along the motion of the bodies, and what accelerates these where v is constant.
bool TreeContacts::bias(double t, ConstVectorRef q, ConstVectorRef v, VectorRef b) {
  motion_.place(bodies_.tree(), *bodies_.bodies(), q);
  motion_.move(bodies_.tree(), v);
  motion_.body_velocities(bodies_.tree(), body_v_);
  if (!source_->bias(t, q, body_v_, b)) return false;
  Vector biases(body_v_.size()), w(b.size());
  motion_.body_biases(bodies_.tree(), biases);
  on_bodies_.resize(static_cast<int>(b.size()));
  on_bodies_.clear();
  source_->map(t, q, 0, on_bodies_, w);
  for (int row = 0; row < b.size(); ++row) b[row] += on_bodies_.dot(row, biases);
  return true;
}

}  // namespace clack
