#include "clack/model/bodies/rigid_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clack {
namespace {

Quaternion rotation_at(ConstVectorRef q, int i) {
  const double* p = q.data() + RigidBodies::kQ * i + 3;
  return {p[0], p[1], p[2], p[3]};
}

void set_rotation(const Quaternion& rotation, double* p) {
  p[0] = rotation.w();
  p[1] = rotation.x();
  p[2] = rotation.y();
  p[3] = rotation.z();
}

Vector3 omega_at(ConstVectorRef v, int i) { return v.segment<3>(RigidBodies::kV * i + 3); }

bool turns_freely(const Body& body, bool planar) { return !planar && !body.is_isotropic(); }

// What a world of the plane leaves of six functions: x, y and the rotation about z.
std::array<double, 6> values_of(const BodyFunctions& functions, double t, bool planar) {
  std::array<double, 6> values = functions.at(t);
  if (planar) values[2] = values[3] = values[4] = 0;
  return values;
}

void add_block(const Matrix3& block, int at, MatrixEntries& entries) {
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      if (block(i, j) != 0) entries.emplace_back(at + i, at + j, block(i, j));
    }
  }
}

}  // namespace

RigidBodies::RigidBodies(std::shared_ptr<const RigidWorld> world, WorldState initial)
    : world_(std::move(world)), initial_(std::move(initial)), joints_(*world_, initial_) {
  for (int k = 0; k < static_cast<int>(joints_.coordinates().size()); ++k) {
    if (joints_.is_forced(k)) forced_.push_back(k);
  }
  for (std::size_t j = 0; j < joints_.joints().size(); ++j) {
    const Joint& joint = joints_.joints()[j];
    const int own = static_cast<int>(j);
    has_motors_ = has_motors_ || !joint.motors.empty();
    for (const JointArmature& x : joint.armatures)
      armatures_.push_back({joints_.coordinate(own, x.coordinate), x.inertia});
    if (!joint.spring_matrices.empty()) coupled_.push_back(own);
  }
  const std::size_t known = initial_.coordinates.size();
  initial_.coordinates.resize(joints_.coordinates().size(), 0);
  if (known == initial_.coordinates.size()) return;
  joints_.update([&](int i) { return initial_.bodies[static_cast<std::size_t>(i)]; },
                 initial_.coordinates.data());
}

std::string RigidBodies::coordinate_name(int i) const {
  static const char* const kNames[] = {"x",           "y", "z", "turn about 1", "turn about 2",
                                       "turn about 3"};
  return fmt::format("{}: {}", world_->bodies[static_cast<std::size_t>(i / kV)].name,
                     kNames[i % kV]);
}

// What a body does not feel in the plane has no moment either.
Vector3 RigidBodies::moments(const Body& body) const {
  return world_->planar ? Vector3::Constant(body.moments.z()) : body.moments;
}

void RigidBodies::mass(double t, ConstVectorRef q, MatrixRef M) const {
  M.setZero();
  MatrixEntries entries;
  mass_entries(t, q, entries);
  for (const auto& x : entries) M(x.row(), x.col()) += x.value();
}

void RigidBodies::mass_entries(double, ConstVectorRef q, MatrixEntries& M) const {
  for (int i = 0; i < count(); ++i) {
    const Body& body = world_->bodies[static_cast<std::size_t>(i)];
    const bool free = body.is_free();
    const Vector3 J = free ? moments(body) : Vector3::Ones();
    for (int k = 0; k < 3; ++k) M.emplace_back(kV * i + k, kV * i + k, free ? body.mass : 1.0);
    for (int k = 0; k < 3; ++k) M.emplace_back(kV * i + 3 + k, kV * i + 3 + k, J[k]);
  }
  add_armature_mass(q, M);
}

BodyLoad RigidBodies::load_on(int i, double t) const {
  return values_of(world_->bodies[static_cast<std::size_t>(i)].load, t, world_->planar);
}

void RigidBodies::forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  body_forces(t, q, v, out);
  add_joint_forces(t, q, v, out);
}

void RigidBodies::body_forces(double t, ConstVectorRef q, ConstVectorRef v, Forces& out) const {
  out.potential.setZero();
  out.inertial.setZero();
  out.damping.setZero();
  out.external.setZero();
  std::vector<BodyLoad> loads;
  if (world_->load) {
    WorldState state;
    to_world(t, q, v, state);
    loads.assign(state.bodies.size(), BodyLoad{});
    world_->load->add(t, state, loads);
  }
  for (int i = 0; i < count(); ++i) {
    const Body& body = world_->bodies[static_cast<std::size_t>(i)];
    if (!is_acted_on(body, t)) continue;
    const int at = kV * i;
    out.potential.segment<3>(at) = body.mass * world_->gravity;
    if (turns_freely(body, world_->planar)) {
      const Vector3 omega = omega_at(v, i);
      out.inertial.segment<3>(at + 3) = -omega.cross(body.moments.cwiseProduct(omega));
    }
    if (!body.load && loads.empty()) continue;
    BodyLoad load = load_on(i, t);
    for (std::size_t k = 0; k < load.size() && !loads.empty(); ++k) {
      if (!world_->planar || k < 2 || k == 5) load[k] += loads[static_cast<std::size_t>(i)][k];
    }
    out.external.segment<3>(at) = Vector3(load[0], load[1], load[2]);
    out.external.segment<3>(at + 3) =
        rotation_at(q, i).conjugate() * Vector3(load[3], load[4], load[5]);
  }
}

void RigidBodies::jacobians(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef K,
                            MatrixRef C) const {
  K.setZero();
  C.setZero();
  MatrixEntries stiffness, damping;
  jacobian_entries(t, q, v, stiffness, damping);
  for (const auto& x : stiffness) K(x.row(), x.col()) += x.value();
  for (const auto& x : damping) C(x.row(), x.col()) += x.value();
}

// Of the gyroscopic torque, and of the torque of loads as it turns with the body.
void RigidBodies::jacobian_entries(double t, ConstVectorRef q, ConstVectorRef v, MatrixEntries& K,
                                   MatrixEntries& C) const {
  for (int i = 0; i < count(); ++i) {
    const Body& body = world_->bodies[static_cast<std::size_t>(i)];
    if (!is_acted_on(body, t)) continue;
    const int at = kV * i + 3;
    if (turns_freely(body, world_->planar)) {
      const Vector3 omega = omega_at(v, i), spin = body.moments.cwiseProduct(omega);
      add_block(skew(omega) * body.moments.asDiagonal() - skew(spin), at, C);
    }
    if (!body.load || world_->planar) continue;
    const BodyLoad load = load_on(i, t);
    const Vector3 torque = rotation_at(q, i).conjugate() * Vector3(load[3], load[4], load[5]);
    if (!torque.isZero(0)) add_block(-skew(torque), at, K);
  }
  add_joint_entries(t, q, v, K, C);
}

Energies RigidBodies::energies(double t, ConstVectorRef q, ConstVectorRef v) const {
  Energies sum;
  for (int i = 0; i < count(); ++i) {
    const Body& body = world_->bodies[static_cast<std::size_t>(i)];
    if (!is_acted_on(body, t)) continue;
    const BodyState s = clack::RigidBodies::body(q, v, i);
    sum.kinetic += body.kinetic_energy(s);
    sum.potential -= body.mass * world_->gravity.dot(s.position);
  }
  for (const int k : forced_)
    sum.potential += coordinate_force(k, t, q[first_coordinate() + k], 0).energy;
  sum.potential += coupled_energy(q);
  sum.kinetic += armature_energy(q, v);
  return sum;
}

double RigidBodies::appearing_energy(double t_start, double t_end, ConstVectorRef q,
                                     ConstVectorRef v) const {
  double sum = 0;
  for (int i = 0; i < count(); ++i) {
    const Body& body = world_->bodies[static_cast<std::size_t>(i)];
    const bool before = body.is_present(t_start), after = body.is_present(t_end);
    if (!body.is_free() || before == after) continue;
    const BodyState s = clack::RigidBodies::body(q, v, i);
    const double energy = body.kinetic_energy(s) - body.mass * world_->gravity.dot(s.position);
    sum += after ? energy : -energy;
  }
  return sum;
}

void RigidBodies::advance(ConstVectorRef q, ConstVectorRef dq, VectorRef q_next) const {
  for (int i = 0; i < count(); ++i) {
    const Vector3 angle = omega_at(dq, i);
    const Vector3 centre = q.segment<3>(kQ * i) + dq.segment<3>(kV * i);
    const Quaternion before = rotation_at(q, i);
    const Quaternion rotation =
        angle.isZero(0) ? before : (before * rotation_of(angle)).normalized();
    q_next.segment<3>(kQ * i) = centre;
    set_rotation(rotation, q_next.data() + kQ * i + 3);
  }
  const auto joints = static_cast<int>(joints_.coordinates().size());
  if (joints == 0) return;
  q_next.tail(joints) = q.tail(joints);
  update_coordinates(q_next);
}

void RigidBodies::difference(ConstVectorRef q_next, ConstVectorRef q, VectorRef dq) const {
  for (int i = 0; i < count(); ++i) {
    dq.segment<3>(kV * i) = q_next.segment<3>(kQ * i) - q.segment<3>(kQ * i);
    dq.segment<3>(kV * i + 3) =
        rotation_vector(rotation_at(q, i).conjugate() * rotation_at(q_next, i));
  }
}

// p' = p o (0, omega)/2.
void RigidBodies::coordinate_rates(ConstVectorRef q, ConstVectorRef v, VectorRef rates) const {
  for (int i = 0; i < count(); ++i) {
    const Vector3 half = 0.5 * omega_at(v, i);
    rates.segment<3>(kQ * i) = v.segment<3>(kV * i);
    set_rotation(rotation_at(q, i) * Quaternion(0, half.x(), half.y(), half.z()),
                 rates.data() + kQ * i + 3);
  }
  for (int k = 0; k < nq() - first_coordinate(); ++k)
    rates[first_coordinate() + k] = coordinate_rate(k, q, v);
}

void RigidBodies::pull_back(ConstVectorRef q, ConstVectorRef gradient, VectorRef force) const {
  for (int i = 0; i < count(); ++i) {
    const double *p = q.data() + kQ * i + 3, *g = gradient.data() + kQ * i + 3;
    force.segment<3>(kV * i) = gradient.segment<3>(kQ * i);
    force[kV * i + 3] = 0.5 * (-p[1] * g[0] + p[0] * g[1] + p[3] * g[2] - p[2] * g[3]);
    force[kV * i + 4] = 0.5 * (-p[2] * g[0] - p[3] * g[1] + p[0] * g[2] + p[1] * g[3]);
    force[kV * i + 5] = 0.5 * (-p[3] * g[0] + p[2] * g[1] - p[1] * g[2] + p[0] * g[3]);
  }
  for (int k = 0; k < nq() - first_coordinate(); ++k) {
    const double g = gradient[first_coordinate() + k];
    if (g != 0) add_coordinate_force(k, q, g, force);
  }
}

void RigidBodies::normalise(VectorRef q) const {
  for (int i = 0; i < count(); ++i) q.segment<4>(kQ * i + 3).normalize();
  if (nq() > first_coordinate()) update_coordinates(q);
}

// A path is followed from pose to pose, a motion with the velocity of the end of the step (as
// contacts see it); what is not there stands still, and starts with its own velocity.
double RigidBodies::prescribe(double t, double h, VectorRef q, VectorRef v) const {
  const bool planar = world_->planar;
  double fed = 0;
  for (int i = 0; i < count(); ++i) {
    const Body& body = world_->bodies[static_cast<std::size_t>(i)];
    auto velocity = v.segment<6>(kV * i);
    if (body.path) {
      const std::array<double, 6> from = values_of(body.path, t, planar),
                                  to = values_of(body.path, t + h, planar);
      const Quaternion start = rotation_of({from[3], from[4], from[5]}),
                       end = rotation_of({to[3], to[4], to[5]});
      q.segment<3>(kQ * i) = Vector3(from.data());
      set_rotation(start, q.data() + kQ * i + 3);
      velocity.head<3>() = (Vector3(to.data()) - Vector3(from.data())) / h;
      velocity.tail<3>() = rotation_vector(start.conjugate() * end) / h;
    } else if (body.kind == BodyKind::driven) {
      const std::array<double, 6> motion = values_of(body.motion, t + h, planar);
      velocity.head<3>() = Vector3(motion.data());
      velocity.tail<3>() = rotation_at(q, i).conjugate() * Vector3(motion.data() + 3);
    } else if (body.kind == BodyKind::fixed || !body.is_present(t)) {
      velocity.setZero();
    } else if (body.birth <= t && body.birth > t - (1 + 1e-9) * h) {
      // The first step that it is there: as it is born, whatever the end of the step before did.
      const BodyState& born = initial_.bodies[static_cast<std::size_t>(i)];
      const auto energy = [&](const BodyState& s) {
        return body.kinetic_energy(s) - body.mass * world_->gravity.dot(s.position);
      };
      fed += energy(born) - energy(clack::RigidBodies::body(q, v, i));
      q.segment<3>(kQ * i) = born.position;
      set_rotation(born.rotation, q.data() + kQ * i + 3);
      velocity << born.v, born.omega;
    }
  }
  if (nq() > first_coordinate()) update_coordinates(q);
  return fed;
}

// In the plane also what would lead out of it.
void RigidBodies::list_prescribed(double t, std::vector<int>& list) const {
  list.clear();
  for (int i = 0; i < count(); ++i) {
    const bool free = is_acted_on(world_->bodies[static_cast<std::size_t>(i)], t);
    for (int k = 0; k < kV; ++k) {
      const bool in_plane = k < 2 || k == 5;
      if (!free || (world_->planar && !in_plane)) list.push_back(kV * i + k);
    }
  }
}

BodyState RigidBodies::body(ConstVectorRef q, ConstVectorRef v, int i) {
  return {q.segment<3>(kQ * i), rotation_at(q, i), v.segment<3>(kV * i), omega_at(v, i)};
}

void RigidBodies::to_world(double t, ConstVectorRef q, ConstVectorRef v, WorldState& state) const {
  state.t = t;
  state.bodies.resize(world_->bodies.size());
  for (int i = 0; i < count(); ++i) state.bodies[static_cast<std::size_t>(i)] = body(q, v, i);
  state.coordinates.assign(q.data() + first_coordinate(), q.data() + nq());
  if (world_->is_sheared())
    state.shear_offset = std::remainder(
        initial_.shear_offset + (t - initial_.t) * world_->shear_speed(), world_->period.x());
}

State RigidBodies::to_state(const WorldState& state) const {
  State result{state.t, Vector(nq()), Vector(nv())};
  for (int i = 0; i < count(); ++i) {
    write(state.bodies[static_cast<std::size_t>(i)], result.q.data() + kQ * i,
          result.v.data() + kV * i);
  }
  double* coordinates = result.q.data() + first_coordinate();
  std::copy(state.coordinates.begin(), state.coordinates.end(), coordinates);
  if (static_cast<int>(state.coordinates.size()) == nq() - first_coordinate()) return result;
  std::copy(initial_.coordinates.begin(), initial_.coordinates.end(), coordinates);
  update_coordinates(result.q);
  return result;
}

void RigidBodies::write(const BodyState& body, double* q, double* v) {
  std::copy_n(body.position.data(), 3, q);
  set_rotation(body.rotation, q + 3);
  std::copy_n(body.v.data(), 3, v);
  std::copy_n(body.omega.data(), 3, v + 3);
}

}  // namespace clack
