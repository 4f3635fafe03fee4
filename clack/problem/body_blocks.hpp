// The one-step problem of rigid bodies with any cones (eq:body_blocks): what laws beyond contact
// and Coulomb friction state.
//
//     x = A'v + offset + compliance y,    v = v_free + M^-1 A y
//     K* contains  x + g(x)  orthogonal to  y in K
//
// A is given by blocks: the rows of A' of one cone on the velocities of its two bodies, or of more
// where gears couple joints.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clack/core/cone.hpp"
#include "clack/problem/body_problem.hpp"

namespace clack {

// An index of -1 is the surroundings: their motion is part of the offset.
struct BodyBlock {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor, Cone::kMaxDim, 6>;

  struct Part {
    int body;
    Rows rows;
  };
  int a = -1, b = -1;
  Cone cone = Cone::nonnegative();
  Rows rows_a, rows_b;                             // on v and omega of each body
  std::vector<Part> more;                          // bodies beyond two
  std::array<double, Cone::kMaxDim> offset{};      // [m/s]
  std::array<double, Cone::kMaxDim> compliance{};  // [1/kg]

  int dim() const { return cone.dim(); }
  // Those of a body, which becomes one of the block's.
  Rows& rows_of(int body);
  // Calls act(body, rows) for the bodies that are not the surroundings.
  template <class Act>
  void for_bodies(Act&& act) {
    if (a >= 0) act(a, rows_a);
    if (b >= 0) act(b, rows_b);
    for (Part& part : more) act(part.body, part.rows);
  }
  template <class Act>
  void for_bodies(Act&& act) const {
    if (a >= 0) act(a, rows_a);
    if (b >= 0) act(b, rows_b);
    for (const Part& part : more) act(part.body, part.rows);
  }
};

// A block of a cone on the bodies of a contact, its rows still to be set.
BodyBlock make_block(const BodyContact& contact, const Cone& cone);
// Row k: on the relative velocity at the contact along `direction`, and on the relative angular
// velocity along `turn`.
void set_row(const BodyContact& contact, int k, const Eigen::Vector3d& direction,
             const Eigen::Vector3d& turn, BodyBlock& block);
// A contact with Coulomb's cone.
BodyBlock plain_block(const BodyContact& contact, int dim);
// W_kk of a row, without its compliance [1/kg].
double mobility(const LargeArray<RigidBody>& bodies, const BodyBlock& block, int k);

// v = v_free + M^-1 A y, six values a body.
void compute_velocity(const LargeArray<RigidBody>& bodies, std::span<const BodyBlock> blocks,
                      const double* y, double* v);
// The reduced form: W = A'M^-1 A + compliance, u_free = A'v_free + offset.
ProblemData assemble_reduced(const LargeArray<RigidBody>& bodies,
                             std::span<const BodyBlock> blocks);

// The same with a dense W, for few blocks.
void assemble_dense(const LargeArray<RigidBody>& bodies, std::span<const BodyBlock> blocks,
                    Matrix& W, Vector& u_free);

}  // namespace clack
