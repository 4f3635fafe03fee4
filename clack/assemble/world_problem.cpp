#include "clack/assemble/world_problem.hpp"

#include <algorithm>
#include <cmath>

namespace clack {
namespace {

struct Arms {
  Vector3 a, b;
};

Arms arms_of(const WorldContact& contact, const WorldState& state) {
  return {contact.position - state.bodies[static_cast<std::size_t>(contact.a)].position,
          contact.position - contact.image -
              state.bodies[static_cast<std::size_t>(contact.b)].position};
}

RigidBody make_inertia(const Body& body, const BodyState& state, const Twist& free_motion,
                       bool planar) {
  RigidBody result;
  result.v_free = free_motion.v;
  result.omega_free = free_motion.omega;
  if (!body.is_free()) return result;
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
  return result;
}

double normal_offset(double gap, double e_n, double u_n, double h) {
  const bool closes = gap + h * u_n <= 0;
  if (closes && e_n > 0) return e_n * u_n;
  return std::max(gap, 0.0) / h;
}

}  // namespace

Vector3 contact_velocity(const WorldContact& contact, const WorldState& state,
                         const std::vector<Twist>& twists, int dim) {
  const Arms arms = arms_of(contact, state);
  return contact_frame(contact.normal, dim) *
         (twists[static_cast<std::size_t>(contact.b)].at(arms.b) +
          contact.drift * Vector3::UnitX() -
          twists[static_cast<std::size_t>(contact.a)].at(arms.a));
}

void fill_world_problem(const RigidWorld& world, const WorldState& state,
                        const std::vector<WorldContact>& contacts, const std::vector<Twist>& start,
                        const std::vector<Twist>& free_motion, double h, BodyProblem& problem) {
  problem.dim = world.planar ? 2 : 3;
  problem.bodies.clear();
  problem.contacts.clear();
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    problem.bodies.push_back(
        make_inertia(world.bodies[i], state.bodies[i], free_motion[i], world.planar));
  }
  for (const WorldContact& contact : contacts) {
    const std::size_t a = static_cast<std::size_t>(contact.a),
                      b = static_cast<std::size_t>(contact.b);
    const MaterialPair law = world.law(world.bodies[a].material, world.bodies[b].material);
    const Arms arms = arms_of(contact, state);
    BodyContact row;
    row.normal = contact.normal;
    row.arm_a = arms.a;
    row.arm_b = arms.b;
    row.mu = law.mu;
    const Vector3 u = contact_velocity(contact, state, start, problem.dim);
    row.offset[0] = normal_offset(contact.gap, law.e_n, u[0], h);
    const Matrix3 frame = contact_frame(contact.normal, problem.dim);
    row.offset += contact.drift * frame.col(0);
    if (world.bodies[a].is_free())
      row.a = contact.a;
    else
      row.offset -= frame * free_motion[a].at(arms.a);
    if (world.bodies[b].is_free())
      row.b = contact.b;
    else
      row.offset += frame * free_motion[b].at(arms.b);
    problem.contacts.push_back(row);
  }
}

}  // namespace clack
