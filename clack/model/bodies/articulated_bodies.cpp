#include "clack/model/bodies/articulated_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr int kQ = RigidBodies::kQ, kV = RigidBodies::kV;
constexpr int kSmall = 100;  // velocities up to which matrices are dense

// Scratch of a thread: systems keep no state and do not allocate.
struct Scratch {
  TreeMotion motion;
  Vector body_v, body_f;
  Forces body_forces;
  std::vector<Spatial> wrenches;
  std::vector<TreeEntry> M, K, C;  // of what acts at coordinates of joints
};

Scratch& scratch() {
  thread_local Scratch own;
  return own;
}

std::vector<char> joints_of_trees(const RigidBodies& bodies) {
  std::vector<char> taken;
  std::string first;
  for (const Joint& joint : bodies.joints().joints()) {
    const std::string fault = BodyTree::fault(bodies.world(), joint);
    taken.push_back(fault.empty());
    if (!fault.empty() && first.empty()) first = fmt::format("joint '{}': {}", joint.name, fault);
  }
  if (std::find(taken.begin(), taken.end(), 1) == taken.end()) {
    throw InputError("no joint can be described by its coordinates" +
                     (first.empty() ? std::string(": there is none") : "; " + first));
  }
  return taken;
}

constexpr std::size_t kDeep = 60;  // velocities from the root to a link

}  // namespace

bool ArticulatedBodies::pays(const RigidBodies& bodies) {
  std::vector<char> taken;
  for (const Joint& joint : bodies.joints().joints())
    taken.push_back(BodyTree::fault(bodies.world(), joint).empty());
  std::size_t hung = 0, deepest = 0, free = 0;
  const BodyTree tree(bodies, taken);
  for (const TreeLink& link : tree.links()) {
    hung += link.joint >= 0;
    deepest = std::max(deepest, link.path.size());
  }
  for (const Body& body : bodies.world().bodies) free += body.is_free();
  return hung > 0 && 2 * hung >= free && deepest <= kDeep;
}

// Of a body, then of all that hangs on it, about the origin of its tree.
struct ArticulatedBodies::Inertia {
  double mass = 0;
  Vector3 first = Vector3::Zero();   // m c
  Matrix3 second = Matrix3::Zero();  // about the origin

  Spatial operator*(const Spatial& a) const {
    Spatial f;
    f.head<3>() = second * a.head<3>() + first.cross(a.tail<3>());
    f.tail<3>() = mass * a.tail<3>() - first.cross(a.head<3>());
    return f;
  }
  Inertia& operator+=(const Inertia& x) {
    mass += x.mass;
    first += x.first;
    second += x.second;
    return *this;
  }
};

// Forces that keep their direction, on a body and on all that hangs on it: sum of f, of c f', and of
// torques.
struct ArticulatedBodies::Load {
  Vector3 force = Vector3::Zero();
  Matrix3 moment = Matrix3::Zero();
  Vector3 torque = Vector3::Zero();

  Load& operator+=(const Load& x) {
    force += x.force;
    moment += x.moment;
    torque += x.torque;
    return *this;
  }
};

ArticulatedBodies::ArticulatedBodies(std::shared_ptr<const RigidBodies> bodies)
    : bodies_(std::move(bodies)), tree_(*bodies_, joints_of_trees(*bodies_)) {}

std::string ArticulatedBodies::coordinate_name(int i) const {
  const int k = tree_.velocity(i);
  const TreeVelocity& x = tree_.velocities()[static_cast<std::size_t>(k)];
  const TreeLink& link = tree_.links()[static_cast<std::size_t>(x.link)];
  if (link.joint < 0) return bodies_->coordinate_name(kV * link.body + k - link.first);
  const WorldJoints& joints = bodies_->joints();
  const std::string& name = joints.joints()[static_cast<std::size_t>(link.joint)].name;
  if (x.coordinate < 0) return fmt::format("{}: turn about {}", name, k - link.first + 1);
  return fmt::format("{}: {}", name,
                     joints.coordinates()[static_cast<std::size_t>(x.coordinate)].what.name);
}

bool ArticulatedBodies::is_sparse() const { return nv() > kSmall; }

// Entries of velocities of links on those of v.
template <class Add>
auto ArticulatedBodies::shared(Add add) const {
  return [this, add](int k, int l, double value) {
    for (const VelocityShare& a : tree_.shares(k)) {
      for (const VelocityShare& b : tree_.shares(l))
        add(a.index, b.index, a.factor * b.factor * value);
    }
  };
}

// --- mass --------------------------------------------------------------------------------------

void ArticulatedBodies::set_inertias(double t, const TreeMotion& motion,
                                     std::vector<Inertia>& own) const {
  own.assign(tree_.links().size(), {});
  for (std::size_t i = 0; i < own.size(); ++i) {
    const TreeLink& link = tree_.links()[i];
    const Body& body = bodies_->world().bodies[static_cast<std::size_t>(link.body)];
    if (!bodies_->is_acted_on(body, t)) continue;
    const Vector3 arm = motion.centre[i] - motion.origin(link);
    const Matrix3 cross = skew(arm);
    own[i].mass = body.mass;
    own[i].first = body.mass * arm;
    own[i].second =
        motion.rotation[i] * bodies_->moments(body).asDiagonal() * motion.rotation[i].transpose() -
        body.mass * cross * cross;
  }
}

// M_kl = S_k' I_l S_l with the inertia of all that hangs on l, k on the path to l. What moves as it
// is told has ones.
template <class Add>
void ArticulatedBodies::visit_mass(double t, ConstVectorRef q, Add&& add) const {
  thread_local std::vector<Inertia> I;
  TreeMotion& motion = scratch().motion;
  motion.place(tree_, *bodies_, q);
  set_inertias(t, motion, I);
  for (std::size_t i = I.size(); i-- > 0;) {
    const TreeLink& link = tree_.links()[i];
    const Body& body = bodies_->world().bodies[static_cast<std::size_t>(link.body)];
    if (link.parent >= 0) I[static_cast<std::size_t>(link.parent)] += I[i];
    const bool told = !body.is_free();
    if (link.joint < 0 && (told || !bodies_->is_acted_on(body, t))) {
      const Vector3 J = told ? Vector3(Vector3::Ones()) : bodies_->moments(body);
      for (int k = 0; k < 3; ++k) {
        add(link.first + k, link.first + k, told ? 1.0 : body.mass);
        add(link.first + 3 + k, link.first + 3 + k, J[k]);
      }
      continue;
    }
    if (link.joint < 0 && I[i].first.isZero(0)) {  // a body on its own: exact zeros
      for (int k = 0; k < 3; ++k) {
        add(link.first + k, link.first + k, I[i].mass);
        add(link.first + 3 + k, link.first + 3 + k, bodies_->moments(body)[k]);
      }
      continue;
    }
    for (int l = link.first; l < link.first + link.count; ++l) {
      const Spatial f = I[i] * motion.S[static_cast<std::size_t>(l)];
      for (const int k : link.path) {
        if (k > l) continue;  // of the link itself: by symmetry
        const double value = motion.S[static_cast<std::size_t>(k)].dot(f);
        if (value == 0) continue;
        add(k, l, value);
        if (k != l) add(l, k, value);
      }
    }
  }
  std::vector<TreeEntry>& armatures = scratch().M;
  armatures.clear();
  list_armatures(q, motion, armatures);
  for (const TreeEntry& x : armatures) add(x.k, x.l, x.value);
}

void ArticulatedBodies::mass(double t, ConstVectorRef q, MatrixRef M) const {
  M.setZero();
  visit_mass(t, q, shared([&](int i, int j, double value) { M(i, j) += value; }));
}

void ArticulatedBodies::mass_entries(double t, ConstVectorRef q, MatrixEntries& M) const {
  visit_mass(t, q, shared([&](int i, int j, double value) { M.emplace_back(i, j, value); }));
}

// --- forces ------------------------------------------------------------------------------------

void ArticulatedBodies::gather(const TreeMotion& motion, ConstVectorRef body_force,
                               VectorRef out) const {
  std::vector<Spatial>& w = scratch().wrenches;
  w.resize(tree_.links().size());
  for (std::size_t i = 0; i < w.size(); ++i) {
    const int at = kV * tree_.links()[i].body;
    const Vector3 moment = motion.rotation[i] * Vector3(body_force.segment<3>(at + 3));
    w[i] = motion.wrench(tree_, static_cast<int>(i), body_force.segment<3>(at), moment);
  }
  for (std::size_t i = w.size(); i-- > 0;) {
    const TreeLink& link = tree_.links()[i];
    for (int k = link.first; k < link.first + link.count; ++k)
      add_force(k, motion.S[static_cast<std::size_t>(k)].dot(w[i]), out);
    if (link.parent >= 0) w[static_cast<std::size_t>(link.parent)] += w[i];
  }
}

// -S'(I A + V x* I V), summed over what hangs on each link.
void ArticulatedBodies::add_inertial_forces(double t, const TreeMotion& motion,
                                            VectorRef out) const {
  thread_local std::vector<Inertia> I;
  set_inertias(t, motion, I);
  std::vector<Spatial>& w = scratch().wrenches;
  w.resize(I.size());
  for (std::size_t i = 0; i < I.size(); ++i)
    w[i] = I[i] * motion.A[i] + cross_wrench(motion.V[i], I[i] * motion.V[i]);
  for (std::size_t i = I.size(); i-- > 0;) {
    const TreeLink& link = tree_.links()[i];
    for (int k = link.first; k < link.first + link.count; ++k)
      add_force(k, -motion.S[static_cast<std::size_t>(k)].dot(w[i]), out);
    if (link.parent >= 0) w[static_cast<std::size_t>(link.parent)] += w[i];
  }
}

void ArticulatedBodies::forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  Scratch& s = scratch();
  s.motion.place(tree_, *bodies_, q);
  s.motion.move(tree_, v);
  for (Vector* part : {&out.potential, &out.inertial, &out.damping, &out.external}) part->setZero();
  s.body_v.resize(bodies_->nv());
  s.motion.body_velocities(tree_, s.body_v);
  if (s.body_forces.total.size() != bodies_->nv()) s.body_forces = Forces(bodies_->nv());
  bodies_->body_forces(t, q, s.body_v, s.body_forces);
  gather(s.motion, s.body_forces.potential, out.potential);
  if (!s.body_forces.external.isZero(0)) gather(s.motion, s.body_forces.external, out.external);
  add_inertial_forces(t, s.motion, out.inertial);
  add_joint_forces(t, q, v, s.motion, out);
}

// --- derivatives of forces ---------------------------------------------------------------------

// Q_k = S_k' sum (c x f + tau, f), of forces that keep their direction. Where l moves all that k does,
// and its axis, dQ_k is what turning the forces back makes; where l comes behind k, only points beyond
// l move.
template <class Add>
void ArticulatedBodies::visit_geometric(const TreeMotion& motion, std::vector<Load>& loads,
                                        Add&& add) const {
  for (std::size_t i = loads.size(); i-- > 0;) {
    const TreeLink& link = tree_.links()[i];
    const Load& x = loads[i];
    if (link.parent >= 0) loads[static_cast<std::size_t>(link.parent)] += x;
    if (x.force.isZero(0) && x.torque.isZero(0)) continue;
    const double trace = x.moment.trace();
    const auto turned_back = [&](const Spatial& k, const Spatial& l) {
      const Vector3 turn = l.head<3>();
      const Vector3 n = turn * trace - x.moment.transpose() * turn + turn.cross(x.torque);
      return -(k.head<3>().dot(n) + k.tail<3>().dot(turn.cross(x.force)));
    };
    const auto moved_points = [&](const Spatial& k, const Spatial& l) {
      const Vector3 turn = l.head<3>();
      return k.head<3>().dot(l.tail<3>().cross(x.force) + x.moment * turn - turn * trace);
    };
    const bool turn_together = has_turning_axes(link);
    for (int l = link.first; l < link.first + link.count; ++l) {
      const Spatial& S_l = motion.S[static_cast<std::size_t>(l)];
      for (const int k : link.path) {
        const Spatial& S_k = motion.S[static_cast<std::size_t>(k)];
        if (k >= link.first && turn_together) {
          // Slides of a body on its own keep their direction and turn nothing.
          if (!S_k.head<3>().isZero(0)) add(k, l, turned_back(S_k, S_l));
          continue;
        }
        if (k > l) continue;
        add(k, l, moved_points(S_k, S_l));
        if (k < l) add(l, k, turned_back(S_l, S_k));
      }
    }
  }
}

template <class AddK, class AddC>
void ArticulatedBodies::visit_jacobians(double t, ConstVectorRef q, ConstVectorRef v, AddK&& add_K,
                                        AddC&& add_C) const {
  thread_local std::vector<Inertia> I;
  thread_local std::vector<Load> loads;
  thread_local std::vector<Eigen::Matrix<double, 6, 6>> B;
  Scratch& s = scratch();
  TreeMotion& motion = s.motion;
  motion.place(tree_, *bodies_, q);
  motion.move(tree_, v);
  s.body_v.resize(bodies_->nv());
  motion.body_velocities(tree_, s.body_v);
  if (s.body_forces.total.size() != bodies_->nv()) s.body_forces = Forces(bodies_->nv());
  bodies_->body_forces(t, q, s.body_v, s.body_forces);
  set_inertias(t, motion, I);
  loads.assign(I.size(), {});
  B.resize(I.size());
  for (std::size_t i = 0; i < I.size(); ++i) {
    const TreeLink& link = tree_.links()[i];
    const int at = kV * link.body;
    loads[i].force = s.body_forces.potential.segment<3>(at) + s.body_forces.external.segment<3>(at);
    loads[i].moment = (motion.centre[i] - motion.origin(link)) * loads[i].force.transpose();
    loads[i].torque = motion.rotation[i] * Vector3(s.body_forces.external.segment<3>(at + 3));
    // B x = I (x cross V) + x cross* I V + V cross* I x.
    const Spatial momentum = I[i] * motion.V[i];
    for (int c = 0; c < 6; ++c) {
      const Spatial e = Spatial::Unit(c);
      B[i].col(c) = I[i] * cross_motion(e, motion.V[i]) + cross_wrench(e, momentum) +
                    cross_wrench(motion.V[i], I[i] * e);
    }
  }
  // In the plane a body on its own keeps what leads out of it.
  const auto held = [&](int k) {
    const TreeLink& link = tree_.links()[static_cast<std::size_t>(
        tree_.velocities()[static_cast<std::size_t>(k)].link)];
    const int own = k - link.first;
    return bodies_->world().planar && link.joint < 0 && own >= 2 && own <= 4;
  };
  visit_geometric(motion, loads, [&](int k, int l, double value) {
    if (!held(k) && !held(l)) add_K(k, l, -value);
  });
  for (std::size_t i = I.size(); i-- > 0;) {
    const TreeLink& link = tree_.links()[i];
    if (link.parent >= 0) {
      I[static_cast<std::size_t>(link.parent)] += I[i];
      B[static_cast<std::size_t>(link.parent)] += B[i];
    }
    for (int l = link.first; l < link.first + link.count; ++l) {
      if (held(l)) continue;
      const auto a = static_cast<std::size_t>(l);
      const Spatial by_l = I[i] * motion.Y[a] + B[i] * motion.S[a];
      const Spatial inertia_l = I[i] * motion.S[a], back_l = B[i].transpose() * motion.S[a];
      for (const int k : link.path) {
        if (held(k)) continue;
        const auto b = static_cast<std::size_t>(k);
        add_C(k, l, motion.S[b].dot(by_l));
        if (k < link.first)  // the other way round: k moves all that hangs on l
          add_C(l, k, inertia_l.dot(motion.Y[b]) + back_l.dot(motion.S[b]));
      }
    }
  }
  s.K.clear();
  s.C.clear();
  list_joint_entries(t, q, v, motion, s.K, s.C);
  for (const TreeEntry& x : s.K) add_K(x.k, x.l, x.value);
  for (const TreeEntry& x : s.C) add_C(x.k, x.l, x.value);
}

void ArticulatedBodies::jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                                  MatrixRef C) const {
  K.setZero();
  C.setZero();
  visit_jacobians(t, q, v, shared([&](int i, int j, double value) { K(i, j) += value; }),
                  shared([&](int i, int j, double value) { C(i, j) += value; }));
}

void ArticulatedBodies::jacobian_entries(double t, ConstVectorRef q, ConstVectorRef v,
                                         MatrixEntries& K, MatrixEntries& C) const {
  const auto into = [this](MatrixEntries& entries) {
    return shared([&entries](int i, int j, double value) {
      if (value != 0) entries.emplace_back(i, j, value);
    });
  };
  visit_jacobians(t, q, v, into(K), into(C));
}

void ArticulatedBodies::list_velocities(int i, std::vector<int>& list) const {
  const auto add = [&](int body) {
    const int link = body < 0 ? -1 : tree_.link_of(body);
    if (link < 0) return;
    for (const int k : tree_.links()[static_cast<std::size_t>(link)].path) {
      for (const VelocityShare& x : tree_.shares(k)) list.push_back(x.index);
    }
  };
  const int places = kQ * bodies_->count();
  if (i < places) {
    add(i / kQ);
    return;
  }
  const WorldJoints& joints = bodies_->joints();
  const int number = joints.coordinates()[static_cast<std::size_t>(i - places)].joint;
  const Joint& joint = joints.joints()[static_cast<std::size_t>(number)];
  add(joint.a);
  add(joint.b);
}

}  // namespace clack
