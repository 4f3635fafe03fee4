// What the records of contact batches hold, and the way from the problem to them and back.
#include <algorithm>
#include <cmath>
#include <utility>

#include "clack/core/prefetch.hpp"
#include "clack/solve/bodies/batch_kernels.hpp"
#include "clack/solve/bodies/contact_batches.hpp"

namespace clack {
namespace {

using Point = Eigen::Vector3d;

constexpr int kItemsInPiece = 2048;  // bodies or contacts: a unit of work of a thread

std::size_t index_of(BatchKind kind) { return static_cast<std::size_t>(kind); }

bool is_pair(BatchKind kind) {
  return kind == BatchKind::sphere_pair || kind == BatchKind::general_pair;
}

bool is_sphere_kind(BatchKind kind) {
  return kind == BatchKind::sphere_pair || kind == BatchKind::sphere_wall;
}

constexpr int kAhead = 24;  // contacts asked for before they are needed

// act(i) for i below count, in pieces.
template <class Act>
void for_all(Team& team, std::size_t count, Act&& act) {
  const auto pieces = static_cast<int>((count + kItemsInPiece - 1) / kItemsInPiece);
  team.enter([&] {
    team.run(pieces, [&](int piece) {
      const std::size_t begin = static_cast<std::size_t>(piece) * kItemsInPiece;
      for (std::size_t i = begin; i < std::min(begin + kItemsInPiece, count); ++i) act(i);
    });
  });
}

// A lower triangle J with J J' = A for a matrix that may be singular: columns without a pivot are
// 0.
Eigen::Matrix3d factorise(const Eigen::Matrix3d& A) {
  Eigen::Matrix3d J = Eigen::Matrix3d::Zero(), rest = A;
  const double tiny = 1e-15 * A.trace();
  for (int k = 0; k < 3; ++k) {
    if (!(rest(k, k) > tiny)) continue;
    J.col(k).tail(3 - k) = rest.col(k).tail(3 - k) / std::sqrt(rest(k, k));
    rest -= J.col(k) * J.col(k).transpose();
  }
  return J;
}

// The rotation of T1, T2 to the eigenvectors of S (Jacobi); none where S is diagonal, so that a
// plane problem keeps its plane.
void principal_axes(const Eigen::Matrix2d& S, double& cosine, double& sine) {
  cosine = 1;
  sine = 0;
  if (S(0, 1) == 0) return;
  const double ratio = (S(0, 0) - S(1, 1)) / (2 * S(0, 1));
  const double tangent = std::copysign(1 / (std::abs(ratio) + std::hypot(1, ratio)), ratio);
  cosine = 1 / std::sqrt(1 + tangent * tangent);
  sine = tangent * cosine;
}

// One side of a general contact: arm, factor of the inverse inertia and its three rows of H'.
struct Side {
  double inverse_mass = 0;
  Eigen::Matrix3d rows = Eigen::Matrix3d::Zero();
};

Side make_side(const BodyLine& line, const Eigen::Matrix3d& J, const Point& arm, double sign,
               const Eigen::Matrix3d& frame) {
  Side side{line.inverse_mass};
  for (int k = 0; k < 3; ++k) {
    side.rows.row(k) = sign * arm.cross(Point(frame.row(k))).transpose() * J;
  }
  return side;
}

// Of a point, from a line of free velocities.
Point line_velocity(const BodyLine& line, const Point& arm) {
  return Eigen::Map<const Point>(line.v) + Eigen::Map<const Point>(line.s).cross(arm);
}

}  // namespace

BatchView ContactBatches::view() {
  BatchView view;
  view.lines = lines_.data();
  view.previous_lines = previous_.data();
  view.visits = visits_.data();
  view.dim = dim_;
  view.scales = scales_.data();
  view.impulse = impulse_row_;
  view.previous = previous_row();
  for (std::size_t kind = 0; kind < kBatchKinds; ++kind) {
    view.rows[kind] = rows_[kind].data();
    view.ids[kind] = ids_[kind].data();
  }
  return view;
}

// Until the first rebuild the lines hold v_free and omega_free, which the records need.
void ContactBatches::set_lines(const BodyProblem& problem, Team& team) {
  const std::size_t n = problem.bodies.size();
  for (LargeArray<BodyLine>* lines : {&lines_, &previous_}) {
    lines->resize(n + 1);
    lines->back() = {{}, {}, 0, 0};
  }
  factor_.resize(n);
  for_all(team, n, [&](std::size_t i) {
    const RigidBody& body = problem.bodies[i];
    const bool isotropic = body.is_isotropic();
    BodyLine& own = lines_[static_cast<std::size_t>(line_of_[i])];
    std::copy_n(body.v_free.data(), 3, own.v);
    std::copy_n(body.omega_free.data(), 3, own.s);
    own.inverse_mass = body.inverse_mass;
    own.root = isotropic ? std::sqrt(body.inverse_inertia[0]) : -1;
    if (!isotropic) factor_[i] = factorise(body.inverse_inertia_matrix());
  });
}

// u_free as a world vector, from lines that hold free velocities.
inline Point ContactBatches::free_velocity(const BodyContact& contact, int dim) const {
  Point u = Point::Zero();
  if (contact.b >= 0) u += line_velocity(line(contact.b), contact.arm_b);
  if (contact.a >= 0) u -= line_velocity(line(contact.a), contact.arm_a);
  if (contact.offset.y() == 0 && contact.offset.z() == 0)
    return u + contact.offset.x() * contact.normal;
  return u + contact_frame(contact.normal, dim).transpose() * contact.offset;
}

// Chunk by chunk, with sums that do not depend on who does which.
void ContactBatches::fill(const BodyProblem& problem, const Point* impulses, Team& team) {
  constants_ = {};
  dim_ = problem.dim;
  scales_.resize(kScaleRows * static_cast<std::size_t>(batches_));
  sums_.assign(blocks_.size(), {});
  team.enter([&] {
    team.run(static_cast<int>(chunk_begin_.size()) - 1, [&](int chunk) {
      const auto c = static_cast<std::size_t>(chunk);
      for (int k = chunk_begin_[c]; k < chunk_begin_[c + 1]; ++k) {
        const auto i = static_cast<std::size_t>(k);
        fill_block(problem, impulses, blocks_[i], sums_[i]);
      }
    });
  });
  for (const ResidualSums& sums : sums_) {
    constants_.free_velocity += sums.free_velocity;
    constants_.free_scaled += sums.free_scaled;
  }
  inert_velocity_.clear();
  for (const int k : inert_) add_inert(problem, problem.contacts[static_cast<std::size_t>(k)]);
  find_islands();
  weigh_velocities(team);
}

// Islands of lines that move, and the largest free velocity of each.
void ContactBatches::find_islands() {
  islands_.reset(lines_.size());
  for (const Work& work : work_) {
    if (is_pair(work.kind)) islands_.join(work.a, work.b);
  }
  island_of_.resize(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i)
    island_of_[i] = islands_.find(static_cast<int>(i));
  free_.assign(lines_.size(), 0.0);
  double fastest = 0;
  for (std::size_t kind = 0; kind < kBatchKinds; ++kind) {
    const LargeArray<int>& works = work_at_[kind];
    for (std::size_t position = 0; position < works.size(); ++position) {
      if (works[position] < 0) continue;
      const BatchSlot slot{static_cast<BatchKind>(kind), false, static_cast<int>(position)};
      const double own = scales_of(slot)[kFreeSquare].lane[position % kBatchLanes];
      const Work& work = work_[static_cast<std::size_t>(works[position])];
      double& free = free_[static_cast<std::size_t>(island_of_[static_cast<std::size_t>(work.b)])];
      free = std::max(free, own);
      fastest = std::max(fastest, own);
    }
  }
  fastest_ = std::sqrt(fastest);
}

void ContactBatches::weigh_velocities(Team& team) {
  for (std::size_t kind = 0; kind < kBatchKinds; ++kind) {
    const LargeArray<int>& works = work_at_[kind];
    for_all(team, works.size(), [&](std::size_t position) {
      const BatchSlot slot{static_cast<BatchKind>(kind), false, static_cast<int>(position)};
      BatchRow* const scales = scales_of(slot);
      double &step = scales[kVelocityStep].lane[position % kBatchLanes],
             &weight = scales[kVelocityWeight].lane[position % kBatchLanes];
      if (works[position] < 0) {
        step = weight = 0;
        return;
      }
      const Work& work = work_[static_cast<std::size_t>(works[position])];
      const double
          lambda = step,
          own = free_[static_cast<std::size_t>(island_of_[static_cast<std::size_t>(work.b)])];
      const double scale = velocity_scale(std::sqrt(own), fastest_);
      weight = scale > 0 ? lambda * lambda / (scale * scale) : 0;
      step = 1 / lambda;
    });
  }
}

// What BatchKernels::complete takes. A driven body enters the offset here.
inline void ContactBatches::fill_sphere(const BodyContact& contact, int dim, const Point& impulse,
                                        const Work& work, double* at) {
  const double sign = work.flipped ? -1 : 1;
  const Point n = sign * contact.normal;
  Point offset =
      contact.offset.y() == 0 && contact.offset.z() == 0
          ? Point(contact.offset.x() * n)
          : Point(sign * contact_frame(contact.normal, dim).transpose() * contact.offset);
  at[batch_row::kLeverB * kBatchLanes] = n.dot(work.flipped ? contact.arm_a : contact.arm_b);
  if (work.kind == BatchKind::sphere_pair) {
    at[batch_row::kLeverA * kBatchLanes] = n.dot(contact.arm_a);
  } else if (const int driven = work.flipped ? contact.b : contact.a; driven >= 0) {
    offset -= line_velocity(line(driven), work.flipped ? contact.arm_b : contact.arm_a);
  }
  double* const own_impulse = at + impulse_row_ * kBatchLanes;
  for (int k = 0; k < 3; ++k) {
    own_impulse[k * kBatchLanes] = sign * impulse[k];
    at[(batch_row::kNormal + k) * kBatchLanes] = n[k];
    at[(batch_row::kOffset + k) * kBatchLanes] = offset[k];
  }
  at[batch_row::kMu * kBatchLanes] = contact.mu;
}

void ContactBatches::fill_block(const BodyProblem& problem, const Point* impulses,
                                const BatchBlock& block, ResidualSums& sums) {
  const LargeArray<int>& works = work_at_[index_of(block.kind)];
  for (int batch = block.begin; batch < block.end; ++batch) {
    if (is_sphere_kind(block.kind))
      fill_spheres(problem, impulses, works.data() + batch * kBatchLanes, block.kind, batch);
    for (int position = batch * kBatchLanes; position < (batch + 1) * kBatchLanes; ++position) {
      const int i = works[static_cast<std::size_t>(position)];
      if (i < 0) fill_padding({block.kind, false, position});
      if (i < 0 || is_sphere_kind(block.kind)) continue;
      const Work& work = work_[static_cast<std::size_t>(i)];
      const auto k = static_cast<std::size_t>(work.contact);
      const BatchSlot slot{work.kind, work.flipped, position};
      fill_general(problem, problem.contacts[k], slot, sums);
      load_impulse(slot, impulses[k]);
    }
  }
  const BatchSums own = batch_kernels().complete(view(), block);
  sums.free_velocity += own.free_velocity;
  sums.free_scaled += own.free_scaled;
}

// The contacts of a batch: numbers of work_, those of the next batches behind them.
void ContactBatches::fill_spheres(const BodyProblem& problem, const Point* impulses,
                                  const int* works, BatchKind kind, int batch) {
  const LargeArray<int>& all = work_at_[index_of(kind)];
  const auto left = static_cast<int>(all.data() + all.size() - works);
  BatchIds& ids = ids_[index_of(kind)][static_cast<std::size_t>(batch)];
  double* const record = cell({kind, false, batch * kBatchLanes}, 0);
  for (int lane = 0; lane < kBatchLanes; ++lane) {
    if (const int ahead = lane + kAhead; ahead < left && works[ahead] >= 0) {
      const std::int32_t later = work_[static_cast<std::size_t>(works[ahead])].contact;
      prefetch(problem.contacts[static_cast<std::size_t>(later)]);
      prefetch(impulses[later]);
    }
    if (works[lane] < 0) continue;
    const Work& work = work_[static_cast<std::size_t>(works[lane])];
    const auto k = static_cast<std::size_t>(work.contact);
    ids.a[lane] = work.a;
    ids.b[lane] = work.b;
    fill_sphere(problem.contacts[k], problem.dim, impulses[k], work, record + lane);
  }
}

// Nothing moves, nothing is divided by zero.
void ContactBatches::fill_padding(const BatchSlot& slot) {
  const auto dummy = static_cast<std::int32_t>(lines_.size()) - 1;
  BatchIds& ids = ids_[index_of(slot.kind)][static_cast<std::size_t>(slot.position / kBatchLanes)];
  ids.a[slot.position % kBatchLanes] = ids.b[slot.position % kBatchLanes] = dummy;
  double* at = cell(slot, 0);
  for (int row = 0; row < record_rows(slot.kind); ++row) at[row * kBatchLanes] = 0;
  if (is_sphere_kind(slot.kind)) return;
  for (int k = 0; k < 2; ++k) at[(batch_row::kSchur + k) * kBatchLanes] = 1;
}

void ContactBatches::fill_general(const BodyProblem& problem, const BodyContact& contact,
                                  const BatchSlot& slot, ResidualSums& sums) {
  const double sign = slot.flipped ? -1 : 1;
  const int lane = slot.position % kBatchLanes, body_b = slot.flipped ? contact.a : contact.b;
  BatchIds& ids = ids_[index_of(slot.kind)][static_cast<std::size_t>(slot.position / kBatchLanes)];
  ids.b[lane] = line_of(body_b);
  Eigen::Matrix3d frame = contact_frame(sign * contact.normal, problem.dim);
  const auto side = [&](int body, const Point& arm, double side_sign) {
    const BodyLine& own = line(body);
    const Eigen::Matrix3d J = own.root >= 0
                                  ? Eigen::Matrix3d(own.root * Eigen::Matrix3d::Identity())
                                  : factor_[static_cast<std::size_t>(body)];
    return make_side(own, J, arm, side_sign, frame);
  };
  const Side b = side(body_b, slot.flipped ? contact.arm_a : contact.arm_b, 1);
  Side a;
  if (is_pair(slot.kind)) {
    ids.a[lane] = line_of(contact.a);
    a = side(contact.a, contact.arm_a, -1);
  }
  Eigen::Matrix3d W = b.rows * b.rows.transpose() + a.rows * a.rows.transpose();
  W.diagonal().array() += a.inverse_mass + b.inverse_mass;
  const Eigen::Vector2d skew0 = W.block<2, 1>(1, 0) / W(0, 0);
  const Eigen::Matrix2d S = W.bottomRightCorner<2, 2>() - W(0, 0) * skew0 * skew0.transpose();
  double cosine, sine;
  principal_axes(S, cosine, sine);
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  turn.bottomRightCorner<2, 2>() << cosine, sine, -sine, cosine;
  frame = turn * frame;
  const Eigen::Matrix3d rows_a = turn * a.rows, rows_b = turn * b.rows;
  const Point u = sign * (frame * free_velocity(contact, problem.dim));
  W = turn * W * turn.transpose();
  double* at = cell(slot, 0);
  const auto put = [&](int row, double value) { at[row * kBatchLanes] = value; };
  for (int k = 0; k < 3; ++k) {
    put(batch_row::kNormal + k, frame(0, k));
    put(batch_row::kTangent + k, frame(1, k));
    put(batch_row::kOffset + k, u[k]);
    for (int l = 0; l < 3; ++l) {
      put(batch_row::kRowsB + 3 * k + l, rows_b(k, l));
      if (is_pair(slot.kind)) put(batch_row::kRowsA + 3 * k + l, rows_a(k, l));
    }
  }
  for (int k = 0; k < 2; ++k) {
    const double skew = W(1 + k, 0) / W(0, 0), s = W(1 + k, 1 + k) - skew * skew * W(0, 0);
    put(batch_row::kSkew + k, skew);
    put(batch_row::kSchur + k, s);
    put(batch_row::kSchurInverse + k, 1 / s);
  }
  const double lambda = largest_eigenvalue(W.data(), 3);
  put(batch_row::kMobility, 1 / W(0, 0));
  put(batch_row::kRho, 1 / lambda);
  put(batch_row::kMu, contact.mu);
  const auto mean = W.diagonal().head(problem.dim).mean();
  scales_of(slot)[kMeanEigenvalue].lane[lane] = mean;
  scales_of(slot)[kFreeSquare].lane[lane] = u.squaredNorm();
  sums.free_velocity += u.squaredNorm();
  sums.free_scaled += scaled_free_square(W.data(), 3, u.data(), lambda);
}

// No impulse changes anything: r = 0 is kept, what the yardstick says about it is a constant.
void ContactBatches::add_inert(const BodyProblem& problem, const BodyContact& contact) {
  inert_velocity_.push_back(free_velocity(contact, problem.dim));
  const Point u = contact_frame(contact.normal, problem.dim) * inert_velocity_.back();
  const double zero[3] = {0, 0, 0};
  const double map =
      natural_map_square(Cone::coulomb(problem.dim, contact.mu), zero, u.data(), 1.0);
  constants_.natural += map;
  constants_.natural_scaled += map;
  constants_.free_velocity += u.squaredNorm();
  constants_.u += u.squaredNorm();
  if (map > 0) constants_.velocity = std::max(constants_.velocity, map / u.squaredNorm());
}

Point ContactBatches::to_axes(const BatchSlot& slot, const Point& world) const {
  const Point p = slot.flipped ? Point(-world) : world;
  if (slot.kind == BatchKind::sphere_pair || slot.kind == BatchKind::sphere_wall) return p;
  Point n, t;
  for (int k = 0; k < 3; ++k) {
    n[k] = *cell(slot, batch_row::kNormal + k);
    t[k] = *cell(slot, batch_row::kTangent + k);
  }
  return {n.dot(p), t.dot(p), n.cross(t).dot(p)};
}

Point ContactBatches::from_axes(const BatchSlot& slot, const Point& value) const {
  Point p = value;
  if (slot.kind == BatchKind::general_pair || slot.kind == BatchKind::general_wall) {
    Point n, t;
    for (int k = 0; k < 3; ++k) {
      n[k] = *cell(slot, batch_row::kNormal + k);
      t[k] = *cell(slot, batch_row::kTangent + k);
    }
    p = value[0] * n + value[1] * t + value[2] * n.cross(t);
  }
  return slot.flipped ? Point(-p) : p;
}

void ContactBatches::load_impulse(const BatchSlot& slot, const Point& world) {
  const Point p = to_axes(slot, world);
  double* at = cell(slot, impulse_row_);
  for (int k = 0; k < 3; ++k) at[k * kBatchLanes] = p[k];
}

void ContactBatches::load_impulses(const Point* impulses) {
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    if (slots_[k].position >= 0) load_impulse(slots_[k], impulses[k]);
  }
}

void ContactBatches::store_impulses(Point* impulses, Team& team) const {
  for_all(team, slots_.size(), [&](std::size_t k) {
    if (const auto later = k + kAhead; later < slots_.size() && slots_[later].position >= 0) {
      for (int i = 0; i < 3; ++i) prefetch(*cell(slots_[later], impulse_row_ + i));
    }
    if (slots_[k].position < 0) {
      impulses[k].setZero();
      return;
    }
    const BatchSlot& slot = slots_[k];
    const double* at = cell(slot, impulse_row_);
    impulses[k] = {at[0], at[kBatchLanes], at[2 * kBatchLanes]};
    if (slot.flipped || !is_sphere_kind(slot.kind)) impulses[k] = from_axes(slot, impulses[k]);
  });
}

void ContactBatches::store_velocities(const BodyProblem& problem, const BatchRow* from, double* u,
                                      Team& team) const {
  for_all(team, slots_.size(), [&](std::size_t k) {
    const BatchSlot& slot = slots_[k];
    if (slot.position < 0) return;
    const int batch = first_batch_[index_of(slot.kind)] + slot.position / kBatchLanes;
    Point value;
    for (int i = 0; i < 3; ++i) value[i] = from[3 * batch + i].lane[slot.position % kBatchLanes];
    to_local(problem.contacts[k].normal, problem.dim, from_axes(slot, value),
             u + static_cast<std::size_t>(problem.dim) * k);
  });
  for (std::size_t i = 0; i < inert_.size(); ++i) {
    const auto k = static_cast<std::size_t>(inert_[i]);
    to_local(problem.contacts[k].normal, problem.dim, inert_velocity_[i],
             u + static_cast<std::size_t>(problem.dim) * k);
  }
}

void ContactBatches::store_body_velocities(const BodyProblem& problem, double* v,
                                           Team& team) const {
  for_all(team, problem.bodies.size(), [&](std::size_t i) {
    const auto line = static_cast<std::size_t>(line_of_[i]);
    const RigidBody& body = problem.bodies[i];
    Eigen::Map<Point> velocity(v + 6 * i), omega(v + 6 * i + 3);
    velocity = body.v_free;
    omega = body.omega_free;
    if (last_visit_[line] < 0) return;  // no contact: its line is not kept up
    const BodyLine& own = lines_[line];
    const Eigen::Map<const Point> s(own.s);
    velocity += Eigen::Map<const Point>(own.v);
    omega += own.root >= 0 ? Point(own.root * s) : Point(factor_[i] * s);
  });
}

void ContactBatches::clear_lines() {
  for (BodyLine& line : lines_) {
    std::fill_n(line.v, 3, 0.0);
    std::fill_n(line.s, 3, 0.0);
  }
}

}  // namespace clack
