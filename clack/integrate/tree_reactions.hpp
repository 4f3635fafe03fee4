// What the joints of trees carry, which joint coordinates leave out of the equations: the balance of
// momentum over the step of all that hangs on a joint (eq:tree_reactions).
#pragma once

#include <span>
#include <vector>

#include "clack/collide/joint_rows.hpp"
#include "clack/integrate/step.hpp"
#include "clack/model/bodies/articulated_bodies.hpp"
#include "clack/model/joints/joint_geometry.hpp"

namespace clack {

// Mean over the step by joint, on B about the joint's point there, in the joint's frame of A
// [N, N m]; zero of joints in no tree. Springs and motors at coordinates are not in it, limits,
// drives and friction are. Not known where formulas act on bodies: NaN then. `rows`, `impulses`: what
// acts at coordinates of joints.
std::vector<Wrench> tree_reactions(const ArticulatedBodies& bodies, const Step& step,
                                   const JointRows& rows, std::span<const double> impulses);

}  // namespace clack
