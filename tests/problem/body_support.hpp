// Random body problems: spheres, blocks, walls, driven bodies.
#pragma once

#include <Eigen/Geometry>

#include "clack/problem/body_problem.hpp"
#include "tests/problem/problem_support.hpp"

namespace clack::test {

inline Eigen::Vector3d random_point(Random& random) {
  return {uniform(random), uniform(random), uniform(random)};
}

inline Eigen::Vector3d random_normal(Random& random, int dim) {
  Eigen::Vector3d n = random_point(random);
  if (dim == 2) n.z() = 0;
  return n.normalized();
}

// In space a sphere (of radius 1) or a block, in the plane a body with inertia about z.
inline RigidBody random_body(Random& random, int dim, bool sphere) {
  RigidBody body;
  body.inverse_mass = uniform(random, 0.5, 2);
  body.v_free = random_point(random);
  body.omega_free = random_point(random);
  if (dim == 2) {
    body.inverse_inertia[2] = uniform(random, 0.5, 4);
    body.v_free.z() = 0;
    body.omega_free.head<2>().setZero();
  } else if (sphere) {
    for (std::size_t k = 0; k < 3; ++k) body.inverse_inertia[k] = 2.5 * body.inverse_mass;
  } else {
    const Matrix A = random_spd(random, 3);
    body.inverse_inertia = {A(0, 0), A(1, 1), A(2, 2), A(0, 1), A(0, 2), A(1, 2)};
  }
  return body;
}

// Every fifth contact is with the surroundings, from one side or the other; the last body is
// driven.
inline BodyProblem random_body_problem(Random& random, int dim, int bodies, int contacts,
                                       bool spheres) {
  BodyProblem problem;
  problem.dim = dim;
  for (int i = 0; i < bodies; ++i) problem.bodies.push_back(random_body(random, dim, spheres));
  problem.bodies.back().inverse_mass = 0;
  problem.bodies.back().inverse_inertia = {};
  for (int k = 0; k < contacts; ++k) {
    BodyContact contact;
    contact.a = k % 5 == 0 ? -1 : k % bodies;
    contact.b = k % 10 == 1 ? -1 : (k + 1 + k / bodies) % bodies;
    if (contact.a == contact.b) contact.b = (contact.b + 1) % bodies;
    contact.normal = random_normal(random, dim);
    contact.arm_a = spheres ? contact.normal : random_point(random);
    contact.arm_b = spheres ? Eigen::Vector3d(-contact.normal) : random_point(random);
    contact.offset = 0.1 * random_point(random);
    if (dim == 2) contact.arm_a.z() = contact.arm_b.z() = contact.offset.z() = 0;
    contact.mu = k % 7 == 0 ? 0 : uniform(random, 0.1, 1);
    problem.contacts.push_back(contact);
  }
  return problem;
}

}  // namespace clack::test
