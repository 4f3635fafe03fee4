// What acts at coordinates of joints, of bodies in joint coordinates: springs, dampers, motors, rotors.
#include "clack/model/bodies/articulated_bodies.hpp"

namespace clack {
namespace {

constexpr int kQ = RigidBodies::kQ, kV = RigidBodies::kV;

void list_product(const std::vector<std::pair<int, double>>& a,
                  const std::vector<std::pair<int, double>>& b, double factor,
                  std::vector<TreeEntry>& entries) {
  if (factor == 0) return;
  for (const auto& [k, x] : a) {
    for (const auto& [l, y] : b) entries.push_back({k, l, factor * x * y});
  }
}

}  // namespace

// Of a tree's own coordinate it is one; of an open joint that of its bodies, pulled back.
void ArticulatedBodies::compute_gradient(int coordinate, ConstVectorRef q, const TreeMotion& motion,
                                         Gradient& g) const {
  g.clear();
  if (const int k = tree_.velocity_of(coordinate); k >= 0) {
    g.emplace_back(k, 1.0);
    return;
  }
  const RigidBodies::Column column = bodies_->coordinate_column(coordinate, q);
  for (std::size_t n = 0; n < static_cast<std::size_t>(column.count); ++n) {
    const int link = tree_.link_of(column.at[n] / kV);
    const auto i = static_cast<std::size_t>(link);
    const Vector3 moment = motion.rotation[i] * Vector3(column.values[n].tail<3>());
    const Spatial w = motion.wrench(tree_, link, column.values[n].head<3>(), moment);
    for (const int k : tree_.links()[i].path)
      g.emplace_back(k, motion.S[static_cast<std::size_t>(k)].dot(w));
  }
}

double ArticulatedBodies::rate(const Gradient& g, ConstVectorRef v) const {
  double sum = 0;
  for (const auto& [k, value] : g) {
    for (const VelocityShare& x : tree_.shares(k)) sum += x.factor * value * v[x.index];
  }
  return sum;
}

void ArticulatedBodies::add_joint_forces(double t, ConstVectorRef q, ConstVectorRef v,
                                         const TreeMotion& motion, Forces& out) const {
  thread_local Gradient g;
  const int places = kQ * bodies_->count();
  if (bodies_->has_motors()) out.drives.setZero(nv(), drivers());
  for (const int x : bodies_->forced_coordinates()) {
    compute_gradient(x, q, motion, g);
    const RigidBodies::CoordinateForce force =
        bodies_->coordinate_force(x, t, q[places + x], rate(g, v));
    const WorldJoints& joints = bodies_->joints();
    const int driver = joints.driver(joints.coordinates()[static_cast<std::size_t>(x)].joint);
    for (const auto& [k, value] : g) {
      add_force(k, value * force.potential, out.potential);
      add_force(k, value * force.damping, out.damping);
      add_force(k, value * force.external, out.external);
      if (force.external != 0) add_force(k, value * force.external, out.drives.col(driver));
    }
  }
  bodies_->for_spring_matrices([&](const JointSpringMatrix& spring, int first) {
    const auto n = static_cast<int>(spring.rest.size());
    std::vector<Gradient> all(static_cast<std::size_t>(n));
    Vector rates(n);
    for (int i = 0; i < n; ++i) {
      Gradient& own = all[static_cast<std::size_t>(i)];
      compute_gradient(first + i, q, motion, own);
      rates[i] = rate(own, v);
    }
    const Vector pull = -spring.stiffness * (q.segment(places + first, n) - spring.rest),
                 drag = -spring.damping * rates;
    for (int i = 0; i < n; ++i) {
      for (const auto& [k, value] : all[static_cast<std::size_t>(i)]) {
        add_force(k, value * pull[i], out.potential);
        add_force(k, value * drag[i], out.damping);
      }
    }
  });
  add_armature_forces(q, motion, out);
}

// -J gamma G, gamma the acceleration of the coordinate where v is constant: none of a tree's own.
void ArticulatedBodies::add_armature_forces(ConstVectorRef q, const TreeMotion& motion,
                                            Forces& out) const {
  thread_local Gradient g;
  for (const JointArmature& x : bodies_->armatures()) {
    if (tree_.velocity_of(x.coordinate) >= 0) continue;
    Vector body_v(bodies_->nv()), biases(bodies_->nv());
    motion.body_velocities(tree_, body_v);
    motion.body_biases(tree_, biases);
    double gamma = bodies_->coordinate_bias(x.coordinate, q, body_v);
    const RigidBodies::Column column = bodies_->coordinate_column(x.coordinate, q);
    for (std::size_t n = 0; n < static_cast<std::size_t>(column.count); ++n)
      gamma += column.values[n].dot(biases.segment<kV>(column.at[n]));
    compute_gradient(x.coordinate, q, motion, g);
    for (const auto& [k, value] : g) add_force(k, -x.inertia * gamma * value, out.inertial);
  }
}

void ArticulatedBodies::list_joint_entries(double t, ConstVectorRef q, ConstVectorRef v,
                                           const TreeMotion& motion, std::vector<TreeEntry>& K,
                                           std::vector<TreeEntry>& C) const {
  thread_local Gradient g;
  const int places = kQ * bodies_->count();
  for (const int x : bodies_->forced_coordinates()) {
    compute_gradient(x, q, motion, g);
    const RigidBodies::CoordinateForce force =
        bodies_->coordinate_force(x, t, q[places + x], rate(g, v));
    list_product(g, g, -force.by_x, K);
    list_product(g, g, -force.by_v, C);
  }
  bodies_->for_spring_matrices([&](const JointSpringMatrix& spring, int first) {
    const auto n = static_cast<int>(spring.rest.size());
    std::vector<Gradient> all(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
      compute_gradient(first + i, q, motion, all[static_cast<std::size_t>(i)]);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const Gradient &a = all[static_cast<std::size_t>(i)], &b = all[static_cast<std::size_t>(j)];
        list_product(a, b, spring.stiffness(i, j), K);
        list_product(a, b, spring.damping(i, j), C);
      }
    }
  });
}

void ArticulatedBodies::list_armatures(ConstVectorRef q, const TreeMotion& motion,
                                       std::vector<TreeEntry>& M) const {
  thread_local Gradient g;
  for (const JointArmature& x : bodies_->armatures()) {
    compute_gradient(x.coordinate, q, motion, g);
    list_product(g, g, x.inertia, M);
  }
}

}  // namespace clack
