// The one-step problem of a world of rigid bodies (eq:body_problem): masses, arms, laws.
#pragma once

#include <algorithm>
#include <vector>

#include "clack/collide/contact_arms.hpp"
#include "clack/collide/detection.hpp"
#include "clack/core/large_array.hpp"
#include "clack/problem/body_problem.hpp"

namespace clack {

// Of B against A at the contact, with the drift of B's image.
inline Vector3 velocity_of(const WorldContact& contact, const BodyContact& row,
                           const LargeArray<Twist>& twists) {
  Vector3 u = twists[static_cast<std::size_t>(contact.b)].at(row.arm_b) -
              twists[static_cast<std::size_t>(contact.a)].at(row.arm_a);
  u.x() += contact.drift;
  return u;
}

// Fills the problem. `start` and `free_motion` hold the velocities of all bodies at the start of
// the step and without contact; those of fixed and driven bodies enter the offsets. The law
// (eq:world_law) is
//
//     0 <= u_N + gap/h      where the contact is open at the end of the step without contact,
//                           or e_n = 0
//     0 <= u_N + e_n u_N-   where it closes within the step
//
// orthogonal to r_N, and Coulomb's on u_T. Overlaps stay unless `recovery`, a largest speed [m/s],
// is > 0 (eq:recovery).
void fill_world_problem(const RigidWorld& world, const LawTable& laws, const WorldState& state,
                        const LargeArray<WorldContact>& contacts, const LargeArray<Twist>& start,
                        const LargeArray<Twist>& free_motion, double h, double recovery,
                        BodyProblem& problem);

}  // namespace clack
