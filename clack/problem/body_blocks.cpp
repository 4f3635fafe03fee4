#include "clack/problem/body_blocks.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace clack {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor, Cone::kMaxDim, 6>;

// The rows of A' of one body; `sign` is +1 for b and -1 for a.
Rows body_rows(const BodyBlock& block, double sign) {
  const Eigen::Vector3d& arm = sign > 0 ? block.arm_b : block.arm_a;
  Rows rows(block.dim(), 6);
  for (int k = 0; k < block.dim(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    rows.row(k).head<3>() = sign * block.direction[i];
    rows.row(k).tail<3>() = sign * (arm.cross(block.direction[i]) + block.turn[i]);
  }
  return rows;
}

// Calls act(body, rows of A') for the bodies of a block that are not the surroundings.
template <class Act>
void for_bodies(const BodyBlock& block, Act&& act) {
  if (block.a >= 0) act(block.a, body_rows(block, -1));
  if (block.b >= 0) act(block.b, body_rows(block, 1));
}

// A block seen from one of its bodies.
struct Member {
  int row;            // first one of the block
  Rows rows, mobile;  // A' and A' M^-1
};

}  // namespace

BodyBlock plain_block(const BodyContact& contact, int dim) {
  const Eigen::Matrix3d frame = contact_frame(contact.normal, dim);
  BodyBlock block;
  block.a = contact.a;
  block.b = contact.b;
  block.arm_a = contact.arm_a;
  block.arm_b = contact.arm_b;
  block.cone = Cone::coulomb(dim, contact.mu);
  for (int k = 0; k < dim; ++k) {
    const auto i = static_cast<std::size_t>(k);
    block.direction[i] = frame.row(k);
    block.turn[i].setZero();
    block.offset[i] = contact.offset[k];
  }
  return block;
}

int BodyBlockProblem::size() const {
  int rows = 0;
  for (const BodyBlock& block : blocks) rows += block.dim();
  return rows;
}

void compute_velocity(const BodyBlockProblem& problem, const double* y, double* v) {
  assert(problem.blocks.empty() || y != nullptr);
  assert(problem.bodies.empty() || v != nullptr);
  std::fill_n(v, 6 * problem.bodies.size(), 0.0);
  for (const BodyBlock& block : problem.blocks) {
    const Eigen::Map<const Vector> own(y, block.dim());
    for_bodies(block, [&](int body, const Rows& rows) {
      Eigen::Map<Vector6>(v + 6 * std::ptrdiff_t{body}).noalias() += rows.transpose() * own;
    });
    y += block.dim();
  }
  impulses_to_velocities(problem.bodies, v);
}

ProblemData assemble_reduced(const BodyBlockProblem& problem) {
  const int size = problem.size();
  std::vector<std::vector<Member>> members(problem.bodies.size());
  std::vector<Cone> cones;
  std::vector<Triplet> entries;
  Vector u_free(size);
  int row = 0;
  for (const BodyBlock& block : problem.blocks) {
    cones.push_back(block.cone);
    for (int k = 0; k < block.dim(); ++k) {
      u_free[row + k] = block.offset[static_cast<std::size_t>(k)];
      entries.emplace_back(row + k, row + k, block.compliance[static_cast<std::size_t>(k)]);
    }
    for_bodies(block, [&](int index, const Rows& rows) {
      const RigidBody& body = problem.bodies[static_cast<std::size_t>(index)];
      Rows mobile(rows.rows(), 6);
      mobile.leftCols<3>() = body.inverse_mass * rows.leftCols<3>();
      mobile.rightCols<3>() = rows.rightCols<3>() * body.inverse_inertia_matrix();
      Vector6 free;
      free << body.v_free, body.omega_free;
      u_free.segment(row, block.dim()) += rows * free;
      members[static_cast<std::size_t>(index)].push_back({row, rows, std::move(mobile)});
    });
    row += block.dim();
  }
  for (const std::vector<Member>& list : members) {
    for (const Member& i : list) {
      for (const Member& j : list) {
        const auto W = (i.mobile * j.rows.transpose()).eval();
        for (int c = 0; c < W.cols(); ++c) {
          for (int r = 0; r < W.rows(); ++r) entries.emplace_back(i.row + r, j.row + c, W(r, c));
        }
      }
    }
  }
  SparseMatrix W(size, size);
  W.setFromTriplets(entries.begin(), entries.end());
  return make_reduced_problem(std::move(cones), W, std::move(u_free));
}

}  // namespace clack
