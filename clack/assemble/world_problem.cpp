#include "clack/assemble/world_problem.hpp"

#include <algorithm>
#include <cmath>

#include "clack/core/prefetch.hpp"

namespace clack {
namespace {

constexpr std::size_t kAhead = 16;            // contacts whose bodies are asked for
constexpr std::size_t kBodiesAtHand = 16384;  // so many stay in the cache

void set_body(const Body& body, const BodyState& state, const Twist& free_motion, bool planar,
              RigidBody& result) {
  result.inverse_mass = 0;
  result.inverse_inertia.fill(0);
  result.v_free = free_motion.v;
  result.omega_free = free_motion.omega;
  result.position = state.position;
  if (!body.is_free()) return;
  result.inverse_mass = 1 / body.mass;
  if (planar) {
    result.inverse_inertia[2] = 1 / body.moments.z();
  } else if (body.is_isotropic()) {
    std::fill_n(result.inverse_inertia.begin(), 3, 1 / body.moments.x());
  } else {
    const Matrix3 R = state.rotation.toRotationMatrix();
    const Matrix3 I = R * body.moments.cwiseInverse().asDiagonal() * R.transpose();
    result.inverse_inertia = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
  }
}

// u_n is asked for only where it counts.
template <class NormalVelocity>
double normal_offset(double gap, double e_n, double h, NormalVelocity&& normal_velocity) {
  if (e_n > 0) {
    const double u_n = normal_velocity();
    if (gap + h * u_n <= 0) return e_n * u_n;
  }
  return std::max(gap, 0.0) / h;
}

// What a body that does not move freely does at the contact goes into the offset.
void add_driven(const Vector3& normal, int dim, const Vector3& velocity, double sign,
                Vector3& offset) {
  if (velocity.isZero(0)) return;
  offset += sign * (contact_frame(normal, dim) * velocity);
}

}  // namespace

void fill_world_problem(const RigidWorld& world, const LawTable& laws, const WorldState& state,
                        const LargeArray<WorldContact>& contacts, const LargeArray<Twist>& start,
                        const LargeArray<Twist>& free_motion, double h, double recovery,
                        BodyProblem& problem) {
  problem.dim = world.planar ? 2 : 3;
  problem.bodies.resize(world.bodies.size());
  problem.contacts.resize(contacts.size());
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    set_body(world.bodies[i], state.bodies[i], free_motion[i], world.planar, problem.bodies[i]);
  }
  const bool many = state.bodies.size() > kBodiesAtHand;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const WorldContact& contact = contacts[k];
    const std::size_t a = static_cast<std::size_t>(contact.a),
                      b = static_cast<std::size_t>(contact.b);
    if (many && k + kAhead < contacts.size())
      prefetch(state.bodies[static_cast<std::size_t>(contacts[k + kAhead].b)].position);
    const MaterialPair& law = laws(contact.a, contact.b);
    const ContactArms arms = contact_arms(contact, state);
    BodyContact& row = problem.contacts[k];
    row.a = laws.is_free(contact.a) ? contact.a : -1;
    row.b = laws.is_free(contact.b) ? contact.b : -1;
    row.normal = contact.normal;
    row.arm_a = arms.a;
    row.arm_b = arms.b;
    row.mu = law.mu;
    row.offset = {
        normal_offset(contact.gap, law.e_n, h,
                      [&] {
                        return contact.normal.dot(start[b].at(arms.b) - start[a].at(arms.a)) +
                               contact.drift * contact.normal.x();
                      }),
        0, 0};
    if (contact.gap < 0)
      row.offset[0] = std::min(row.offset[0], -recovery_speed(contact.gap, h, recovery));
    if (row.a < 0)
      add_driven(contact.normal, problem.dim, free_motion[a].at(arms.a), -1, row.offset);
    if (row.b < 0)
      add_driven(contact.normal, problem.dim, free_motion[b].at(arms.b), 1, row.offset);
    if (contact.drift != 0)
      add_driven(contact.normal, problem.dim, contact.drift * Vector3::UnitX(), 1, row.offset);
  }
}

}  // namespace clack
