// Bodies in joint coordinates: what is that of the bodies, and what others see of them.
#include "clack/model/bodies/articulated_bodies.hpp"

namespace clack {
namespace {

constexpr int kQ = RigidBodies::kQ, kV = RigidBodies::kV;

// Scratch of a thread: systems keep no state and do not allocate.
struct Scratch {
  TreeMotion motion;
  Vector body_v;
};

Scratch& scratch() {
  thread_local Scratch own;
  return own;
}

}  // namespace

void ArticulatedBodies::body_velocities(ConstVectorRef q, ConstVectorRef v, VectorRef out) const {
  TreeMotion& motion = scratch().motion;
  motion.place(tree_, *bodies_, q);
  motion.move(tree_, v);
  motion.body_velocities(tree_, out);
}

Energies ArticulatedBodies::energies(double t, ConstVectorRef q, ConstVectorRef v) const {
  Vector& body_v = scratch().body_v;
  body_v.resize(bodies_->nv());
  body_velocities(q, v, body_v);
  return bodies_->energies(t, q, body_v);
}

double ArticulatedBodies::appearing_energy(double t_start, double t_end, ConstVectorRef q,
                                           ConstVectorRef v) const {
  Vector& body_v = scratch().body_v;
  body_v.resize(bodies_->nv());
  body_velocities(q, v, body_v);
  return bodies_->appearing_energy(t_start, t_end, q, body_v);
}

void ArticulatedBodies::advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const {
  tree_.advance(q, dq, q_next);
}

void ArticulatedBodies::difference(ConstVectorRef q_next, ConstVectorRef q, VectorRef dq) const {
  tree_.difference(q_next, q, dq);
}

void ArticulatedBodies::coordinate_rates(ConstVectorRef q, ConstVectorRef v,
                                         VectorRef rates) const {
  Vector body_v(bodies_->nv());
  body_velocities(q, v, body_v);
  bodies_->coordinate_rates(q, body_v, rates);
}

void ArticulatedBodies::pull_back(ConstVectorRef q, ConstVectorRef gradient,
                                  VectorRef force) const {
  Vector body_force(bodies_->nv());
  bodies_->pull_back(q, gradient, body_force);
  TreeMotion& motion = scratch().motion;
  motion.place(tree_, *bodies_, q);
  force.setZero();
  gather(motion, body_force, force);
}

// Bodies of trees stand where the coordinates say.
void ArticulatedBodies::normalise(VectorRef q) const {
  for (int i = 0; i < bodies_->count(); ++i) q.segment<4>(kQ * i + 3).normalize();
  const Vector start = q;
  tree_.advance(start, Vector::Zero(nv()), q);
}

double ArticulatedBodies::prescribe(double t, double h, VectorRef q, VectorRef v) const {
  Vector body_v(bodies_->nv()), pose = q;
  body_velocities(q, v, body_v);
  const double fed = bodies_->prescribe(t, h, pose, body_v);
  for (const TreeLink& link : tree_.links()) {
    if (link.joint >= 0) continue;
    q.segment<kQ>(kQ * link.body) = pose.segment<kQ>(kQ * link.body);
    v.segment<kV>(tree_.shares(link.first)[0].index) = body_v.segment<kV>(kV * link.body);
  }
  tree_.update_open_coordinates(q);
  return fed;
}

void ArticulatedBodies::list_prescribed(double t, std::vector<int>& list) const {
  list.clear();
  const RigidWorld& world = bodies_->world();
  for (const TreeLink& link : tree_.links()) {
    if (link.joint >= 0) continue;
    const bool free = bodies_->is_acted_on(world.bodies[static_cast<std::size_t>(link.body)], t);
    for (int k = 0; k < kV; ++k) {
      const bool in_plane = k < 2 || k == 5;
      if (!free || (world.planar && !in_plane))
        list.push_back(tree_.shares(link.first + k)[0].index);
    }
  }
}

State ArticulatedBodies::to_state(const WorldState& state) const {
  const State whole = bodies_->to_state(state);
  State own{whole.t, whole.q, Vector(nv())};
  from_bodies(own.q, whole.v, own.v);
  return own;
}

void ArticulatedBodies::to_world(double t, ConstVectorRef q, ConstVectorRef v,
                                 WorldState& state) const {
  Vector body_v(bodies_->nv());
  body_velocities(q, v, body_v);
  bodies_->to_world(t, q, body_v, state);
}

void body_velocities(const System& system, ConstVectorRef q, ConstVectorRef v, Vector& out) {
  const RigidBodies& bodies = *system.bodies();
  out.resize(bodies.nv());
  if (const ArticulatedBodies* articulated = system.articulated())
    articulated->body_velocities(q.head(articulated->nq()), v.head(articulated->nv()), out);
  else
    out = v.head(bodies.nv());
}

void to_shown_velocities(const System& system, ConstVectorRef q, ConstVectorRef v, Vector& shown) {
  const ArticulatedBodies* articulated = system.articulated();
  if (!articulated) {
    shown = v;
    return;
  }
  const int bodies = system.bodies()->nv(), own = articulated->nv();
  shown.resize(bodies + system.nv() - own);
  articulated->body_velocities(q.head(articulated->nq()), v.head(own), shown.head(bodies));
  shown.tail(system.nv() - own) = v.tail(system.nv() - own);
}

void from_shown_velocities(const System& system, ConstVectorRef q, ConstVectorRef shown,
                           Vector& v) {
  const ArticulatedBodies* articulated = system.articulated();
  if (!articulated) {
    v = shown;
    return;
  }
  const int bodies = system.bodies()->nv(), own = articulated->nv();
  v.resize(system.nv());
  articulated->from_bodies(q.head(articulated->nq()), shown.head(bodies), v.head(own));
  v.tail(system.nv() - own) = shown.tail(system.nv() - own);
}

void to_world(const System& system, double t, ConstVectorRef q, ConstVectorRef v,
              WorldState& state) {
  const RigidBodies& bodies = *system.bodies();
  Vector body_v;
  body_velocities(system, q, v, body_v);
  bodies.to_world(t, q.head(bodies.nq()), body_v, state);
}

}  // namespace clack
