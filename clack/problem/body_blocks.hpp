// The one-step problem of rigid bodies with any cones (eq:body_blocks): what laws beyond contact
// and Coulomb friction state.
//
//     x = A'v + offset + compliance y,    v = v_free + M^-1 A y
//     K* contains  x + g(x)  orthogonal to  y in K
//
// A row of A acts on the relative velocity of two bodies at a point along `direction`, and on their
// relative angular velocity along `turn`.
#pragma once

#include <array>
#include <vector>

#include "clack/core/cone.hpp"
#include "clack/problem/body_problem.hpp"

namespace clack {

// An index of -1 is the surroundings: their motion is part of the offset.
struct BodyBlock {
  int a = -1, b = -1;
  Eigen::Vector3d arm_a = Eigen::Vector3d::Zero();  // point minus centre [m]
  Eigen::Vector3d arm_b = Eigen::Vector3d::Zero();
  Cone cone = Cone::nonnegative();
  std::array<Eigen::Vector3d, Cone::kMaxDim> direction{}, turn{};  // by rows of the cone
  std::array<double, Cone::kMaxDim> offset{};                      // [m/s]
  std::array<double, Cone::kMaxDim> compliance{};                  // [1/kg]

  int dim() const { return cone.dim(); }
};

// A contact with Coulomb's cone.
BodyBlock plain_block(const BodyContact& contact, int dim);

struct BodyBlockProblem {
  LargeArray<RigidBody> bodies;
  std::vector<BodyBlock> blocks;

  int size() const;
};

// v = v_free + M^-1 A y, six values a body.
void compute_velocity(const BodyBlockProblem& problem, const double* y, double* v);
// The reduced form: W = A'M^-1 A + compliance, u_free = A'v_free + offset.
ProblemData assemble_reduced(const BodyBlockProblem& problem);

}  // namespace clack
