#include "clack/problem/body_blocks.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace clack {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Rows = BodyBlock::Rows;

// A block seen from one of its bodies.
struct Member {
  int row;  // first one of the block
  const Rows* rows;
  Rows mobile;  // A' M^-1
};

}  // namespace

BodyBlock::Rows& BodyBlock::rows_of(int body) {
  if (a == body) return rows_a;
  if (b == body) return rows_b;
  for (Part& part : more) {
    if (part.body == body) return part.rows;
  }
  Rows* rows = &rows_a;
  if (a < 0) {
    a = body;
  } else if (b < 0) {
    b = body;
    rows = &rows_b;
  } else {
    rows = &more.emplace_back(Part{body, {}}).rows;
  }
  rows->resize(dim(), 6);
  return *rows;
}

BodyBlock make_block(const BodyContact& contact, const Cone& cone) {
  BodyBlock block;
  block.a = contact.a;
  block.b = contact.b;
  block.cone = cone;
  block.rows_a.resize(cone.dim(), 6);
  block.rows_b.resize(cone.dim(), 6);
  return block;
}

void set_row(const BodyContact& contact, int k, const Eigen::Vector3d& direction,
             const Eigen::Vector3d& turn, BodyBlock& block) {
  block.rows_a.row(k).head<3>() = -direction;
  block.rows_a.row(k).tail<3>() = -(contact.arm_a.cross(direction) + turn);
  block.rows_b.row(k).head<3>() = direction;
  block.rows_b.row(k).tail<3>() = contact.arm_b.cross(direction) + turn;
}

BodyBlock plain_block(const BodyContact& contact, int dim) {
  const Eigen::Matrix3d frame = contact_frame(contact.normal, dim);
  BodyBlock block = make_block(contact, Cone::coulomb(dim, contact.mu));
  for (int k = 0; k < dim; ++k) {
    set_row(contact, k, frame.row(k), Eigen::Vector3d::Zero(), block);
    block.offset[static_cast<std::size_t>(k)] = contact.offset[k];
  }
  return block;
}

double mobility(const LargeArray<RigidBody>& bodies, const BodyBlock& block, int k) {
  double sum = 0;
  block.for_bodies([&](int index, const Rows& rows) {
    const RigidBody& body = bodies[static_cast<std::size_t>(index)];
    const Eigen::Vector3d turn = rows.row(k).tail<3>();
    sum += body.inverse_mass * rows.row(k).head<3>().squaredNorm() +
           turn.dot(body.inverse_inertia_matrix() * turn);
  });
  return sum;
}

void compute_velocity(const LargeArray<RigidBody>& bodies, std::span<const BodyBlock> blocks,
                      const double* y, double* v) {
  assert(blocks.empty() || y != nullptr);
  assert(bodies.empty() || v != nullptr);
  std::fill_n(v, 6 * bodies.size(), 0.0);
  for (const BodyBlock& block : blocks) {
    const Eigen::Map<const Vector> own(y, block.dim());
    block.for_bodies([&](int body, const Rows& rows) {
      Eigen::Map<Vector6>(v + 6 * std::ptrdiff_t{body}).noalias() += rows.transpose() * own;
    });
    y += block.dim();
  }
  impulses_to_velocities(bodies, v);
}

namespace {

// A constraint that holds anyway has no free velocity but round-off, against which a solution could
// not be judged.
void drop_round_off(const LargeArray<RigidBody>& bodies, std::span<const BodyBlock> blocks,
                    Vector& u_free) {
  constexpr double kRoundOff = 128 * std::numeric_limits<double>::epsilon();
  int row = 0;
  Vector size;
  for (const BodyBlock& block : blocks) {
    const int dim = block.dim();
    row += dim;
    if (!block.cone.is_free()) continue;
    size = Vector::Zero(dim);
    block.for_bodies([&](int index, const Rows& rows) {
      const RigidBody& body = bodies[static_cast<std::size_t>(index)];
      size += rows.leftCols<3>().rowwise().norm() * body.v_free.norm() +
              rows.rightCols<3>().rowwise().norm() * body.omega_free.norm();
    });
    for (int k = 0; k < dim; ++k) {
      double& u = u_free[row - dim + k];
      if (std::abs(u) <= kRoundOff * size[k]) u = 0;
    }
  }
}

}  // namespace

ProblemData assemble_reduced(const LargeArray<RigidBody>& bodies,
                             std::span<const BodyBlock> blocks) {
  int size = 0;
  for (const BodyBlock& block : blocks) size += block.dim();
  std::vector<std::vector<Member>> members(bodies.size());
  std::vector<Cone> cones;
  std::vector<Triplet> entries;
  Vector u_free(size);
  int row = 0;
  for (const BodyBlock& block : blocks) {
    cones.push_back(block.cone);
    for (int k = 0; k < block.dim(); ++k) {
      u_free[row + k] = block.offset[static_cast<std::size_t>(k)];
      entries.emplace_back(row + k, row + k, block.compliance[static_cast<std::size_t>(k)]);
    }
    block.for_bodies([&](int index, const Rows& rows) {
      const RigidBody& body = bodies[static_cast<std::size_t>(index)];
      Rows mobile(rows.rows(), 6);
      mobile.leftCols<3>() = body.inverse_mass * rows.leftCols<3>();
      mobile.rightCols<3>() = rows.rightCols<3>() * body.inverse_inertia_matrix();
      Vector6 free;
      free << body.v_free, body.omega_free;
      u_free.segment(row, block.dim()) += rows * free;
      members[static_cast<std::size_t>(index)].push_back({row, &rows, std::move(mobile)});
    });
    row += block.dim();
  }
  drop_round_off(bodies, blocks, u_free);
  for (const std::vector<Member>& list : members) {
    for (const Member& i : list) {
      for (const Member& j : list) {
        const auto W = (i.mobile * j.rows->transpose()).eval();
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

void assemble_dense(const LargeArray<RigidBody>& bodies, std::span<const BodyBlock> blocks,
                    Matrix& W, Vector& u_free) {
  struct Seen {
    int body, row;
    const Rows* rows;
  };
  std::vector<Seen> seen;
  int size = 0;
  for (const BodyBlock& block : blocks) {
    block.for_bodies([&](int body, const Rows& rows) { seen.push_back({body, size, &rows}); });
    size += block.dim();
  }
  std::sort(seen.begin(), seen.end(), [](const Seen& x, const Seen& y) {
    return x.body != y.body ? x.body < y.body : x.row < y.row;
  });
  W.setZero(size, size);
  u_free.resize(size);
  int row = 0;
  for (const BodyBlock& block : blocks) {
    for (int k = 0; k < block.dim(); ++k, ++row) {
      u_free[row] = block.offset[static_cast<std::size_t>(k)];
      W(row, row) = block.compliance[static_cast<std::size_t>(k)];
    }
  }
  Rows mobile;
  for (std::size_t begin = 0, end = 0; begin < seen.size(); begin = end) {
    const RigidBody& body = bodies[static_cast<std::size_t>(seen[begin].body)];
    const Eigen::Matrix3d inertia = body.inverse_inertia_matrix();
    Vector6 free;
    free << body.v_free, body.omega_free;
    while (end < seen.size() && seen[end].body == seen[begin].body) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      const Rows& own = *seen[i].rows;
      u_free.segment(seen[i].row, own.rows()) += own * free;
      mobile.resize(own.rows(), 6);
      mobile.leftCols<3>() = body.inverse_mass * own.leftCols<3>();
      mobile.rightCols<3>() = own.rightCols<3>() * inertia;
      for (std::size_t j = begin; j <= i; ++j) {
        const Rows& other = *seen[j].rows;
        const auto part = (mobile * other.transpose()).eval();
        W.block(seen[i].row, seen[j].row, own.rows(), other.rows()) += part;
        if (j < i) W.block(seen[j].row, seen[i].row, other.rows(), own.rows()) += part.transpose();
      }
    }
  }
  drop_round_off(bodies, blocks, u_free);
}

}  // namespace clack
