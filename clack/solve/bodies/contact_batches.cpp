#include "clack/solve/bodies/contact_batches.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace clack {
namespace {

using Point = Eigen::Vector3d;

constexpr double kSphereTolerance = 1e-13;  // of an arm that is not quite along the normal

std::size_t index_of(BatchKind kind) { return static_cast<std::size_t>(kind); }

bool is_pair(BatchKind kind) {
  return kind == BatchKind::sphere_pair || kind == BatchKind::general_pair;
}

// The bodies that move; the same one twice at a wall.
std::pair<std::size_t, std::size_t> movers(const BodyContact& contact, const BatchSlot& slot) {
  const int b = slot.flipped ? contact.a : contact.b;
  return {static_cast<std::size_t>(is_pair(slot.kind) ? contact.a : b),
          static_cast<std::size_t>(b)};
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

Point point_velocity(const RigidBody& body, const Point& arm) {
  return body.v_free + body.omega_free.cross(arm);
}

// u_free as a world vector.
Point free_velocity(const BodyProblem& problem, const BodyContact& contact) {
  Point u = Point::Zero();
  if (contact.b >= 0) {
    u += point_velocity(problem.bodies[static_cast<std::size_t>(contact.b)], contact.arm_b);
  }
  if (contact.a >= 0) {
    u -= point_velocity(problem.bodies[static_cast<std::size_t>(contact.a)], contact.arm_a);
  }
  if (contact.offset.isZero(0)) return u;
  return u + contact_frame(contact.normal, problem.dim).transpose() * contact.offset;
}

// The rotation of T1, T2 to the eigenvectors of S; none where S is diagonal, so that a plane
// problem keeps its plane.
void principal_axes(const Eigen::Matrix2d& S, double& cosine, double& sine) {
  const double angle = S(0, 1) == 0 ? 0 : 0.5 * std::atan2(2 * S(0, 1), S(0, 0) - S(1, 1));
  cosine = std::cos(angle);
  sine = std::sin(angle);
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

}  // namespace

void ContactBatches::build(const BodyProblem& problem) {
  constants_ = {};
  set_lines(problem);
  set_levers(problem);
  classify(problem);
  colour_contacts(problem);
  place();
  clear_records();
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const BodyContact& contact = problem.contacts[k];
    const BatchSlot& slot = slots_[k];
    if (slot.position < 0) {
      add_inert(problem, contact);
    } else if (slot.kind == BatchKind::sphere_pair || slot.kind == BatchKind::sphere_wall) {
      fill_sphere(problem, contact, slot);
    } else {
      fill_general(problem, contact, slot);
    }
  }
}

void ContactBatches::set_lines(const BodyProblem& problem) {
  const std::size_t n = problem.bodies.size();
  lines_.assign(n + 1, BodyLine{});
  for (std::size_t i = 0; i < n; ++i) lines_[i].inverse_mass = problem.bodies[i].inverse_mass;
  factor_.resize(n);
  radius_.assign(n, -1);
}

// A body is a sphere where its inertia is isotropic and its first arm is along the normal; its
// other contacts are of kind `sphere` where their arms have the same length.
void ContactBatches::set_levers(const BodyProblem& problem) {
  for (const BodyContact& contact : problem.contacts) {
    if (contact.a >= 0 && radius_[static_cast<std::size_t>(contact.a)] < 0) {
      radius_[static_cast<std::size_t>(contact.a)] =
          std::max(contact.arm_a.dot(contact.normal), 0.0);
    }
    if (contact.b >= 0 && radius_[static_cast<std::size_t>(contact.b)] < 0) {
      radius_[static_cast<std::size_t>(contact.b)] =
          std::max(-contact.arm_b.dot(contact.normal), 0.0);
    }
  }
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const RigidBody& body = problem.bodies[i];
    if (body.is_isotropic()) {
      const double root = std::sqrt(body.inverse_inertia[0]);
      factor_[i] = root * Eigen::Matrix3d::Identity();
      lines_[i].lever = root * std::max(radius_[i], 0.0);
    } else {
      factor_[i] = factorise(body.inverse_inertia_matrix());
      radius_[i] = -1;
    }
  }
  previous_ = lines_;
}

bool ContactBatches::is_sphere(const BodyContact& contact) const {
  const auto good = [&](int body, const Point& arm, double sign) {
    if (!moves(body)) return true;
    const double radius = radius_[static_cast<std::size_t>(body)];
    const Point error = arm - sign * radius * contact.normal;
    return radius >= 0 &&
           error.squaredNorm() <= kSphereTolerance * kSphereTolerance * radius * radius;
  };
  return good(contact.a, contact.arm_a, 1) && good(contact.b, contact.arm_b, -1);
}

void ContactBatches::classify(const BodyProblem& problem) {
  slots_.assign(problem.contacts.size(), {});
  list_.clear();
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const BodyContact& contact = problem.contacts[k];
    const bool a = moves(contact.a), b = moves(contact.b);
    if (!a && !b) continue;
    BatchSlot& slot = slots_[k];
    slot.kind = is_sphere(contact) ? (a && b ? BatchKind::sphere_pair : BatchKind::sphere_wall)
                                   : (a && b ? BatchKind::general_pair : BatchKind::general_wall);
    slot.flipped = !b;
    list_.push_back(static_cast<int>(k));
  }
}

void ContactBatches::Palette::reset(std::size_t bodies) {
  taken.assign(bodies, 0);
  overflow.clear();
}

void ContactBatches::Palette::forget(std::size_t body) {
  taken[body] = 0;
  if (!overflow.empty()) overflow[body] = 0;
}

int ContactBatches::Palette::pick(std::size_t a, std::size_t b) {
  const int colour = std::countr_one(taken[a] | taken[b]);
  if (colour < 64) {
    taken[a] |= std::uint64_t{1} << colour;
    taken[b] |= std::uint64_t{1} << colour;
    return colour;
  }
  overflow.resize(taken.size(), 0);
  const int next = std::max(overflow[a], overflow[b]);
  overflow[a] = overflow[b] = next + 1;
  return 64 + next;
}

// Inside the chunk each kind has colours of its own. Returns the colour of the chunk.
int ContactBatches::colour_chunk(const BodyProblem& problem, Palette& palette, std::size_t begin,
                                 std::size_t end) {
  const auto each = [&](auto&& act) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto k = static_cast<std::size_t>(list_[i]);
      const auto [a, b] = movers(problem.contacts[k], slots_[k]);
      act(i, slots_[k], a, b);
    }
  };
  std::uint64_t taken = 0;
  int next = 0;
  each([&](std::size_t i, const BatchSlot& slot, std::size_t a, std::size_t b) {
    colour_[i] = palettes_[index_of(slot.kind)].pick(a, b);
    taken |= palette.taken[a] | palette.taken[b];
    if (!palette.overflow.empty())
      next = std::max({next, palette.overflow[a], palette.overflow[b]});
  });
  const int colour = std::countr_one(taken);
  if (colour == 64) palette.overflow.resize(palette.taken.size(), 0);
  each([&](std::size_t, const BatchSlot& slot, std::size_t a, std::size_t b) {
    for (const std::size_t body : {a, b}) {
      palettes_[index_of(slot.kind)].forget(body);
      if (colour < 64)
        palette.taken[body] |= std::uint64_t{1} << colour;
      else
        palette.overflow[body] = next + 1;
    }
  });
  return colour < 64 ? colour : 64 + next;
}

void ContactBatches::colour_contacts(const BodyProblem& problem) {
  for (Palette& palette : palettes_) palette.reset(lines_.size());
  Palette of_chunks;
  of_chunks.reset(lines_.size());
  colour_.resize(list_.size());
  chunk_colour_.clear();
  for (std::size_t begin = 0; begin < list_.size(); begin += kContactsInChunk) {
    const std::size_t end = std::min(begin + kContactsInChunk, list_.size());
    chunk_colour_.push_back(colour_chunk(problem, of_chunks, begin, end));
  }
}

// Chunks by their colour, each kind and colour of a chunk in whole batches.
void ContactBatches::place() {
  blocks_.clear();
  chunk_begin_.assign(1, 0);
  phase_begin_.assign(1, 0);
  next_batch_ = {};
  colours_ = 0;
  std::vector<int> order(chunk_colour_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto colour_of = [&](int chunk) { return chunk_colour_[static_cast<std::size_t>(chunk)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int i, int j) { return colour_of(i) < colour_of(j); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t begin = static_cast<std::size_t>(order[i]) * kContactsInChunk;
    place_chunk(begin, std::min(begin + kContactsInChunk, list_.size()));
    if (i + 1 == order.size() || colour_of(order[i + 1]) != colour_of(order[i])) {
      phase_begin_.push_back(static_cast<int>(i) + 1);
    }
  }
  batches_ = 0;
  for (std::size_t kind = 0; kind < kBatchKinds; ++kind) {
    const auto count = static_cast<std::size_t>(next_batch_[kind]);
    first_batch_[kind] = batches_;
    batches_ += next_batch_[kind];
    rows_[kind].resize(count * static_cast<std::size_t>(record_rows(static_cast<BatchKind>(kind))));
    ids_[kind].resize(count);
  }
  for (BatchBlock& block : blocks_) block.first = first_batch_[index_of(block.kind)] + block.begin;
}

void ContactBatches::place_chunk(std::size_t begin, std::size_t end) {
  std::array<std::vector<int>, kBatchKinds>
      next;  // contacts of each colour, then the next position
  for (std::size_t i = begin; i < end; ++i) {
    std::vector<int>& count = next[index_of(slots_[static_cast<std::size_t>(list_[i])].kind)];
    const auto colour = static_cast<std::size_t>(colour_[i]);
    if (colour >= count.size()) count.resize(colour + 1, 0);
    ++count[colour];
  }
  int colours = 0;
  for (std::size_t kind = 0; kind < kBatchKinds; ++kind) {
    colours += static_cast<int>(next[kind].size());
    for (int& count : next[kind]) {
      const int first = next_batch_[kind], batches = (count + kBatchLanes - 1) / kBatchLanes;
      next_batch_[kind] += batches;
      blocks_.push_back({static_cast<BatchKind>(kind), first, first + batches, 0});
      count = first * kBatchLanes;
    }
  }
  colours_ = std::max(colours_, colours);
  chunk_begin_.push_back(static_cast<int>(blocks_.size()));
  for (std::size_t i = begin; i < end; ++i) {
    BatchSlot& slot = slots_[static_cast<std::size_t>(list_[i])];
    slot.position = next[index_of(slot.kind)][static_cast<std::size_t>(colour_[i])]++;
  }
}

// Padding lanes: nothing moves, nothing is divided by zero.
void ContactBatches::clear_records() {
  const auto dummy = static_cast<std::int32_t>(lines_.size()) - 1;
  for (std::size_t kind = 0; kind < kBatchKinds; ++kind) {
    std::fill(rows_[kind].begin(), rows_[kind].end(), BatchRow{});
    for (BatchIds& ids : ids_[kind]) {
      std::fill_n(ids.a, kBatchLanes, dummy);
      std::fill_n(ids.b, kBatchLanes, dummy);
    }
    if (kind < index_of(BatchKind::general_pair)) continue;
    const int step = record_rows(static_cast<BatchKind>(kind));
    for (std::size_t at = 0; at < rows_[kind].size(); at += static_cast<std::size_t>(step)) {
      for (int k = 0; k < 4; ++k) {
        std::fill_n(rows_[kind][at + batch_row::kSchur + static_cast<std::size_t>(k)].lane,
                    kBatchLanes, 1.0);
      }
    }
  }
}

double* ContactBatches::cell(const BatchSlot& slot, int row) {
  return const_cast<double*>(std::as_const(*this).cell(slot, row));
}

const double* ContactBatches::cell(const BatchSlot& slot, int row) const {
  const std::size_t record = static_cast<std::size_t>(slot.position / kBatchLanes) *
                             static_cast<std::size_t>(record_rows(slot.kind));
  return rows_[index_of(slot.kind)][record + static_cast<std::size_t>(row)].lane +
         slot.position % kBatchLanes;
}

void ContactBatches::fill_sphere(const BodyProblem& problem, const BodyContact& contact,
                                 const BatchSlot& slot) {
  const double sign = slot.flipped ? -1 : 1;
  const Point n = sign * contact.normal, u = sign * free_velocity(problem, contact);
  BatchIds& ids = ids_[index_of(slot.kind)][static_cast<std::size_t>(slot.position / kBatchLanes)];
  const int lane = slot.position % kBatchLanes;
  ids.b[lane] = slot.flipped ? contact.a : contact.b;
  const BodyLine& b = lines_[static_cast<std::size_t>(ids.b[lane])];
  double w_n = b.inverse_mass, w_t = b.inverse_mass + b.lever * b.lever;
  if (is_pair(slot.kind)) {
    ids.a[lane] = contact.a;
    const BodyLine& a = lines_[static_cast<std::size_t>(contact.a)];
    w_n += a.inverse_mass;
    w_t += a.inverse_mass + a.lever * a.lever;
  }
  double* at = cell(slot, 0);
  for (int k = 0; k < 3; ++k) at[(batch_row::kNormal + k) * kBatchLanes] = n[k];
  for (int k = 0; k < 3; ++k) at[(batch_row::kOffset + k) * kBatchLanes] = u[k];
  at[batch_row::kMobility * kBatchLanes] = 1 / w_n;
  at[batch_row::kRho * kBatchLanes] = 1 / w_t;
  at[batch_row::kMu * kBatchLanes] = contact.mu;
  const double u_n = u.dot(n), u_t = (u - u_n * n).squaredNorm();
  constants_.free_velocity += u_n * u_n + u_t;
  constants_.free_scaled += u_n * u_n / (w_n * w_n) + u_t / (w_t * w_t);
}

void ContactBatches::fill_general(const BodyProblem& problem, const BodyContact& contact,
                                  const BatchSlot& slot) {
  const double sign = slot.flipped ? -1 : 1;
  const int lane = slot.position % kBatchLanes, body_b = slot.flipped ? contact.a : contact.b;
  BatchIds& ids = ids_[index_of(slot.kind)][static_cast<std::size_t>(slot.position / kBatchLanes)];
  ids.b[lane] = body_b;
  Eigen::Matrix3d frame = contact_frame(sign * contact.normal, problem.dim);
  const auto side = [&](int body, const Point& arm, double side_sign) {
    const auto i = static_cast<std::size_t>(body);
    return make_side(lines_[i], factor_[i], arm, side_sign, frame);
  };
  const Side b = side(body_b, slot.flipped ? contact.arm_a : contact.arm_b, 1);
  Side a;
  if (is_pair(slot.kind)) {
    ids.a[lane] = contact.a;
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
  const Point u = sign * (frame * free_velocity(problem, contact));
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
  constants_.free_velocity += u.squaredNorm();
  constants_.free_scaled += scaled_free_square(W.data(), 3, u.data(), lambda);
}

// No impulse changes anything: r = 0 is kept, what the yardstick says about it is a constant.
void ContactBatches::add_inert(const BodyProblem& problem, const BodyContact& contact) {
  const Point u = contact_frame(contact.normal, problem.dim) * free_velocity(problem, contact);
  const double zero[3] = {0, 0, 0};
  const double map =
      natural_map_square(Cone::coulomb(problem.dim, contact.mu), zero, u.data(), 1.0);
  constants_.natural += map;
  constants_.natural_scaled += map;
  constants_.free_velocity += u.squaredNorm();
  constants_.u += u.squaredNorm();
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

void ContactBatches::load_impulses(const BodyProblem& problem, const double* r) {
  for (std::size_t k = 0; k < slots_.size(); ++k, r += problem.dim) {
    if (slots_[k].position < 0) continue;
    const Point p = to_axes(slots_[k], to_world(problem.contacts[k].normal, problem.dim, r));
    for (int i = 0; i < 3; ++i) {
      *cell(slots_[k], batch_row::kImpulse + i) = *cell(slots_[k], batch_row::kPrevious + i) = p[i];
    }
  }
}

void ContactBatches::store_impulses(const BodyProblem& problem, double* r) const {
  for (std::size_t k = 0; k < slots_.size(); ++k, r += problem.dim) {
    std::fill_n(r, problem.dim, 0.0);
    if (slots_[k].position < 0) continue;
    Point p;
    for (int i = 0; i < 3; ++i) p[i] = *cell(slots_[k], batch_row::kImpulse + i);
    to_local(problem.contacts[k].normal, problem.dim, from_axes(slots_[k], p), r);
  }
}

void ContactBatches::store_velocities(const BodyProblem& problem, const BatchRow* from,
                                      double* u) const {
  for (std::size_t k = 0; k < slots_.size(); ++k, u += problem.dim) {
    const BatchSlot& slot = slots_[k];
    Point world = Point::Zero();
    if (slot.position < 0) {
      world = free_velocity(problem, problem.contacts[k]);
    } else {
      const int batch = first_batch_[index_of(slot.kind)] + slot.position / kBatchLanes;
      Point value;
      for (int i = 0; i < 3; ++i) value[i] = from[3 * batch + i].lane[slot.position % kBatchLanes];
      world = from_axes(slot, value);
    }
    to_local(problem.contacts[k].normal, problem.dim, world, u);
  }
}

void ContactBatches::store_body_velocities(const BodyProblem& problem, double* v) const {
  for (std::size_t i = 0; i < problem.bodies.size(); ++i, v += 6) {
    const BodyLine& line = lines_[i];
    const RigidBody& body = problem.bodies[i];
    Eigen::Map<Point>(v, 3) = body.v_free + Eigen::Map<const Point>(line.v);
    Eigen::Map<Point>(v + 3, 3) = body.omega_free + factor_[i] * Eigen::Map<const Point>(line.s);
  }
}

void ContactBatches::clear_lines() {
  for (BodyLine& line : lines_) {
    std::fill_n(line.v, 3, 0.0);
    std::fill_n(line.s, 3, 0.0);
  }
}

}  // namespace clack
