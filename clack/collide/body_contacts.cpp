#include "clack/collide/body_contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "clack/collide/narrow/collide.hpp"
#include "clack/core/contact_frame.hpp"
#include "clack/core/error.hpp"
#include "clack/model/laws/basic_laws.hpp"
#include "clack/model/laws/law_list.hpp"

namespace clack {
namespace {

bool is_tie(const WorldContact& contact) { return contact.feature >= kTieFeature; }

}  // namespace

// Rigid joints stand on positions: they are no contacts.
BodyContacts::BodyContacts(const RigidBodies& bodies)
    : bodies_(bodies),
      world_(bodies.world()),
      table_(world_),
      bonds_(world_, table_),
      detection_(world_),
      zero_v_(Vector::Zero(bodies.nv())) {
  constexpr double kBeyondSense = 1e3;  // times the size of the scene
  for (std::size_t i = 0; i < world_.bodies.size(); ++i) {
    const double distance = bodies.initial().bodies[i].position.norm();
    farthest_ = std::max(farthest_, kBeyondSense * (bonds_.radius()[i] + distance));
  }
  bonds_.make(bodies.initial(), detection_);
}

bool BodyContacts::find(double t, ConstVectorRef q, ConstVectorRef v, double h) {
  if (!(h * std::abs(world_.shear_rate) < 0.5)) {
    throw InputError(fmt::format("the cell is sheared by {} in a step; it must be below 0.5",
                                 h * world_.shear_rate));
  }
  bodies_.to_world(t, q, v, state_);
  bonds_.set_reach(state_, h, reach_);
  for (double& reach : reach_) reach = std::min(reach, farthest_);
  driven_.resize(state_.bodies.size());
  for (std::size_t i = 0; i < driven_.size(); ++i) {
    if (world_.bodies[i].kind == BodyKind::driven)
      driven_[i] = {state_.bodies[i].v, state_.bodies[i].rotation * state_.bodies[i].omega};
  }
  const LargeArray<WorldContact>* found = &detection_.find(state_, reach_);
  if (has_laws()) {
    bonds_.merge(state_, *found, merged_);
    found = &merged_;
  }
  const auto same = [](const WorldContact& x, const WorldContact& y) {
    return x.a == y.a && x.b == y.b && x.feature == y.feature;
  };
  const bool changed =
      !std::equal(found->begin(), found->end(), found_.begin(), found_.end(), same);
  found_ = *found;
  now_ = found_;
  found_t_ = t_ = t;
  q_ = q;
  contacts_.clear();
  anchors_.clear();
  for (const WorldContact& contact : found_) {
    contacts_.push_back(contact_of(contact));
    const BodyState &a = state_.bodies[static_cast<std::size_t>(contact.a)],
                    &b = state_.bodies[static_cast<std::size_t>(contact.b)];
    const Vector3 half = 0.5 * contact.gap * contact.normal;
    anchors_.push_back(
        {a.rotation.conjugate() * (contact.position - half - a.position),
         b.rotation.conjugate() * (contact.position + half - contact.image - b.position),
         a.rotation.conjugate() * contact.normal});
  }
  return changed;
}

// A law that is plain stays so where no other one asks for blocks.
ContactLaw BodyContacts::law_of(int a, int b, std::uint64_t feature) const {
  ContactLaw law;
  law.own = bonds_.law_of(a, b, feature);
  if (feature >= kTieFeature) return law;
  law.mu = table_(a, b).mu;
  law.e_n = table_(a, b).e_n;
  return law;
}

Contact BodyContacts::contact_of(int a, int b, std::uint64_t feature) const {
  Contact contact;
  contact.law = law_of(a, b, feature);
  const bool own = contact.law.own != nullptr;
  contact.tangents = world_.planar ? 1 : 2;
  if (own) contact.turns = world_.planar ? 1 : 3;
  if (!own && contact.law.mu.is_constant() && contact.law.mu.at(0) == 0) contact.tangents = 0;
  contact.identity = {0, a, b, feature};
  if (feature >= kTieFeature) {
    const Link& link = bonds_[feature - kTieFeature];
    contact.name = link.name;
    contact.area = link.area;
  }
  return contact;
}

Contact BodyContacts::recall(const ContactIdentity& identity) const {
  if (identity.feature >= kTieFeature && identity.feature - kTieFeature >= bonds_.size())
    throw InputError("the checkpoint has bonds that this world has not");
  return contact_of(identity.a, identity.b, identity.feature);
}

Contact BodyContacts::contact_of(const WorldContact& found) const {
  Contact contact = contact_of(found.a, found.b, found.feature);
  if (contact.law.own && !world_.planar)
    contact.material_angle = material_angle(bonds_.axes(found, state_), found, state_);
  return contact;
}

std::vector<Contact> BodyContacts::kinds() const {
  std::vector<Contact> all;
  const auto add = [&](const Body& a, const Body& b, const ContactLaw& law, std::string name) {
    Contact contact;
    contact.name = name.empty() ? a.name + "' on '" + b.name : std::move(name);
    contact.law = law;
    contact.tangents = world_.planar ? 1 : 2;
    if (law.own) contact.turns = world_.planar ? 1 : 3;
    if (!law.own && law.mu.is_constant() && law.mu.at(0) == 0) contact.tangents = 0;
    all.push_back(std::move(contact));
  };
  // One body of each material, of which at least one is free.
  std::vector<int> free(world_.materials.size(), -1), any(free);
  for (std::size_t i = 0; i < world_.bodies.size(); ++i) {
    const auto material = static_cast<std::size_t>(world_.bodies[i].material);
    any[material] = static_cast<int>(i);
    if (world_.bodies[i].is_free()) free[material] = static_cast<int>(i);
  }
  for (const int a : free) {
    for (const int b : any) {
      if (a < 0 || b < 0) continue;
      add(world_.bodies[static_cast<std::size_t>(a)], world_.bodies[static_cast<std::size_t>(b)],
          law_of(a, b, 0), {});
      if (const LawPtr& law = table_(a, b).law; law && law->is_bond())
        add(world_.bodies[static_cast<std::size_t>(a)], world_.bodies[static_cast<std::size_t>(b)],
            {.own = law}, {});
    }
  }
  for (const Link& link : world_.links) {
    double length = 0;
    if (rigid_link(*link.law, length) == RigidLink::none) add({}, {}, {.own = link.law}, link.name);
  }
  return all;
}

void BodyContacts::release(const ContactIdentity& identity) {
  if (identity.feature >= kTieFeature) bonds_.set_holds(identity.feature - kTieFeature, false);
}

void BodyContacts::restore(std::span<const ContactIdentity> list) {
  for (std::size_t i = 0; i < bonds_.size(); ++i) bonds_.set_holds(i, false);
  for (const ContactIdentity& x : list) {
    if (x.source == 0 && x.feature >= kTieFeature && x.feature - kTieFeature < bonds_.size())
      bonds_.set_holds(x.feature - kTieFeature, true);
  }
}

bool BodyContacts::place(int i, ContactPlace& place) const {
  const WorldContact& contact = found_[static_cast<std::size_t>(i)];
  place = {contact.position, contact.normal, contact.image, contact.drift};
  return true;
}

// --- at any configuration of the step ----------------------------------------------------------

void BodyContacts::evaluate(double t, ConstVectorRef q) {
  if (t == t_ && q == q_) return;
  t_ = t;
  q_ = q;
  bodies_.to_world(t, q, zero_v_, state_);
  for (std::size_t begin = 0, end = 0; begin < found_.size(); begin = end) {
    const WorldContact& first = found_[begin];
    const auto same = [&](const WorldContact& x) {
      return x.a == first.a && x.b == first.b && x.image == first.image && !is_tie(x);
    };
    end = begin + 1;
    if (is_tie(first)) {
      now_[begin] = bonds_.contact_of(first.feature - kTieFeature, state_);
      continue;
    }
    while (end < found_.size() && same(found_[end])) ++end;
    evaluate_pair(begin, end, t);
  }
}

void BodyContacts::evaluate_pair(std::size_t begin, std::size_t end, double t) {
  const WorldContact& first = found_[begin];
  const auto a = static_cast<std::size_t>(first.a), b = static_cast<std::size_t>(first.b);
  Vector3 image = first.image;
  image.x() += (t - found_t_) * first.drift;
  const Pose pose_a = state_.bodies[a].pose();
  Pose pose_b = state_.bodies[b].pose();
  pose_b.position += image;
  const double margin = 2 * (reach_[a] + reach_[b]) + bonds_.radius()[a] + bonds_.radius()[b];
  collide(*world_.bodies[a].shape, pose_a, *world_.bodies[b].shape, pose_b, margin, manifold_);
  for (std::size_t c = begin; c < end; ++c) {
    const auto it = std::find_if(
        manifold_.points.begin(), manifold_.points.end(),
        [&](const ContactPoint& x) { return x.feature % kTieFeature == found_[c].feature; });
    if (it == manifold_.points.end()) {
      follow(c, image);
      continue;
    }
    now_[c].position = it->position;
    now_[c].normal = it->normal;
    now_[c].gap = it->gap;
    now_[c].image = image;
  }
}

// The points and the normal as they were found, moved with their bodies.
void BodyContacts::follow(std::size_t c, const Vector3& image) {
  const Anchor& anchor = anchors_[c];
  const BodyState &a = state_.bodies[static_cast<std::size_t>(found_[c].a)],
                  &b = state_.bodies[static_cast<std::size_t>(found_[c].b)];
  const Vector3 on_a = a.position + a.rotation * anchor.point_a,
                on_b = b.position + b.rotation * anchor.point_b + image;
  now_[c].normal = a.rotation * anchor.normal;
  now_[c].gap = now_[c].normal.dot(on_b - on_a);
  now_[c].position = 0.5 * (on_a + on_b);
  now_[c].image = image;
}

void BodyContacts::gaps(double t, ConstVectorRef q, VectorRef gap) {
  evaluate(t, q);
  for (std::size_t c = 0; c < now_.size(); ++c) gap[static_cast<int>(c)] = now_[c].gap;
}

// Of a body that moves as it is told; zero of a free one.
Twist BodyContacts::driven(int body) const {
  const auto i = static_cast<std::size_t>(body);
  if (table_.is_free(body) || world_.bodies[i].kind == BodyKind::fixed) return {};
  return driven_[i];
}

void BodyContacts::map(double t, ConstVectorRef q, int first_row, ContactMap& H, VectorRef w) {
  evaluate(t, q);
  int row = 0;
  if (!H.is_sparse()) H.dense().middleCols(first_row, w.size()).setZero();
  for (std::size_t c = 0; c < now_.size(); ++c) {
    const WorldContact& contact = now_[c];
    const ContactArms arms = contact_arms(contact, state_);
    const Twist a = driven(contact.a), b = driven(contact.b);
    const Vector3 point = b.at(arms.b) - a.at(arms.a) + contact.drift * Vector3::UnitX();
    const Vector3 turning = b.omega - a.omega;
    const ContactAxes axes = bonds_.axes(contact, state_);
    for (const RowAxis& axis :
         std::span(axes).first(static_cast<std::size_t>(contacts_[c].dim()))) {
      w[row] = axis.direction.dot(point) + axis.turn.dot(turning);
      const auto add = [&](int body, const Vector3& arm, double sign) {
        if (!table_.is_free(body)) return;
        const Vector3 moment = sign * (arm.cross(axis.direction) + axis.turn);
        const Vector3 local =
            state_.bodies[static_cast<std::size_t>(body)].rotation.conjugate() * moment;
        const int at = RigidBodies::kV * body;
        for (int k = 0; k < 3; ++k) {
          if (H.is_sparse()) {
            H.add(at + k, sign * axis.direction[k]);
          } else {
            H.dense()(at + k, first_row + row) = sign * axis.direction[k];
            H.dense()(at + 3 + k, first_row + row) = local[k];
          }
        }
        for (int k = 0; k < 3 && H.is_sparse(); ++k) H.add(at + 3 + k, local[k]);
      };
      add(contact.a, arms.a, -1);
      add(contact.b, arms.b, 1);
      if (H.is_sparse()) H.end_row();
      ++row;
    }
  }
}

}  // namespace clack
