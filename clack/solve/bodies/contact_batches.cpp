// Which contact goes where: kinds, order, colours, places. What is written there:
// batch_records.cpp.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "clack/solve/bodies/contact_batches.hpp"

namespace clack {
namespace {

using Point = Eigen::Vector3d;

constexpr double kSphereTolerance = 1e-12;  // of an arm that is not quite along the normal

// Above this many the lines of bodies do not stay in the cache: their order counts.
constexpr std::size_t kBodiesInCache = 16384;

constexpr double kBodiesInCell = 256;  // of the curve: about those of a chunk

constexpr std::size_t kBodiesASample = 16;  // one of so many says how far the cells go

// A chunk is a unit of work of a thread: large ones share fewer bodies, and some hundred are enough
// for all threads. The largest, with its lines, is half of a second cache of 1 MiB.
constexpr std::size_t kChunks = 96, kLeastInChunk = 1024, kMostInChunk = 4096;

constexpr std::size_t kContactsAhead = 16;  // whose lines are asked for before they are needed

std::size_t index_of(BatchKind kind) { return static_cast<std::size_t>(kind); }

// The bits of a number of 10 bits, two zeros between each.
std::uint64_t spread_bits(std::uint64_t x) {
  x = (x | (x << 16)) & 0x30000ff;
  x = (x | (x << 8)) & 0x300f00f;
  x = (x | (x << 4)) & 0x30c30c3;
  return (x | (x << 2)) & 0x9249249;
}

}  // namespace

void ContactBatches::build(const BodyProblem& problem, const Point* impulses, Team& team) {
  order_bodies(problem);
  set_lines(problem, team);
  classify(problem);
  if (reordered_) order_work();
  colour_contacts();
  place();
  fill(problem, impulses, team);
}

// Lines cell by cell along Morton's curve through the box around a sample of the positions (what
// lies outside goes to the cell that is next); in the order of the
// bodies inside a cell, where neighbours often have neighbouring numbers, and everywhere where they
// are few or have no positions.
void ContactBatches::order_bodies(const BodyProblem& problem) {
  const std::size_t n = problem.bodies.size();
  line_of_.resize(n);
  std::iota(line_of_.begin(), line_of_.end(), 0);
  reordered_ = false;
  if (n <= kBodiesInCache) return;
  Eigen::Array3d low = Eigen::Array3d::Constant(HUGE_VAL), high = -low;
  for (std::size_t i = 0; i < n; i += kBodiesASample) {
    const Eigen::Array3d x = problem.bodies[i].position.array();
    low = low.min(x);
    high = high.max(x);
  }
  const double side = (high - low).maxCoeff();
  if (!(side > 0 && std::isfinite(side))) return;
  reordered_ = true;
  const double cells = static_cast<double>(n) / kBodiesInCell;
  const int bits = std::clamp(static_cast<int>(std::lround(std::log2(cells) / 3)), 1, 7);
  const double scale = (1 << bits) / side;
  cell_of_.resize(n);
  count_.assign((std::size_t{1} << (3 * bits)) + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const Eigen::Array3d x =
        ((problem.bodies[i].position.array() - low) * scale).max(0).min((1 << bits) - 1);
    cell_of_[i] = static_cast<int>(spread_bits(static_cast<std::uint64_t>(x[0])) |
                                   spread_bits(static_cast<std::uint64_t>(x[1])) << 1 |
                                   spread_bits(static_cast<std::uint64_t>(x[2])) << 2);
    ++count_[static_cast<std::size_t>(cell_of_[i]) + 1];
  }
  std::partial_sum(count_.begin(), count_.end(), count_.begin());
  for (std::size_t i = 0; i < n; ++i) line_of_[i] = count_[static_cast<std::size_t>(cell_of_[i])]++;
}

// The arm is along the normal, and the body's inertia a multiple of the unit matrix.
inline bool ContactBatches::is_central(const BodyLine& line, const Point& normal,
                                       const Point& arm) {
  constexpr double kSmall = kSphereTolerance * kSphereTolerance;
  return line.root >= 0 && arm.cross(normal).squaredNorm() <= kSmall * arm.squaredNorm();
}

void ContactBatches::classify(const BodyProblem& problem) {
  const std::size_t n = problem.contacts.size();
  const BodyContact* const contacts = problem.contacts.data();
  slots_.resize(n);
  work_.resize(n);
  inert_.clear();
  Work* next = work_.data();
  for (std::size_t k = 0; k < n; ++k) {
    const BodyContact& contact = contacts[k];
    const BodyContact& later = contacts[std::min(k + kContactsAhead, n - 1)];
    if (later.a >= 0) __builtin_prefetch(&line(later.a), 0, 2);
    if (later.b >= 0) __builtin_prefetch(&line(later.b), 0, 2);
    int line_a = contact.a >= 0 ? line_of(contact.a) : -1,
        line_b = contact.b >= 0 ? line_of(contact.b) : -1;
    const BodyLine& own_a = lines_[static_cast<std::size_t>(std::max(line_a, 0))];
    const BodyLine& own_b = lines_[static_cast<std::size_t>(std::max(line_b, 0))];
    const bool a = line_a >= 0 && own_a.inverse_mass > 0, b = line_b >= 0 && own_b.inverse_mass > 0;
    if (!a && !b) {
      inert_.push_back(static_cast<int>(k));
      slots_[k] = {};
      continue;
    }
    const bool sphere = (!a || is_central(own_a, contact.normal, contact.arm_a)) &&
                        (!b || is_central(own_b, contact.normal, contact.arm_b));
    const BatchKind kind = a && b ? (sphere ? BatchKind::sphere_pair : BatchKind::general_pair)
                                  : (sphere ? BatchKind::sphere_wall : BatchKind::general_wall);
    if (!b) line_b = line_a;
    if (!a) line_a = line_b;
    slots_[k] = {kind, !b, -1};  // the position comes later
    *next++ = {static_cast<std::int32_t>(k), line_a, line_b, kind, !b};
  }
  work_.resize(static_cast<std::size_t>(next - work_.data()));
}

// By the first of their two lines.
void ContactBatches::order_work() {
  const auto key = [](const Work& work) {
    return static_cast<std::size_t>(std::min(work.a, work.b));
  };
  count_.assign(lines_.size() + 1, 0);
  for (const Work& work : work_) ++count_[key(work) + 1];
  std::partial_sum(count_.begin(), count_.end(), count_.begin());
  sorted_.resize(work_.size());
  for (const Work& work : work_) sorted_[static_cast<std::size_t>(count_[key(work)]++)] = work;
  work_.swap(sorted_);
}

void ContactBatches::Palette::reset(std::size_t bodies) {
  taken.assign(bodies, 0);
  overflow.clear();
}

inline void ContactBatches::Palette::forget(std::size_t body) {
  taken[body] = 0;
  if (!overflow.empty()) overflow[body] = 0;
}

inline int ContactBatches::Palette::pick(std::size_t a, std::size_t b) {
  const std::uint64_t both = taken[a] | taken[b],
                      bit = ~both & (both + 1);  // the lowest that is free
  if (bit != 0) {
    taken[a] |= bit;
    taken[b] |= bit;
    return std::countr_zero(bit);
  }
  overflow.resize(taken.size(), 0);
  const int next = std::max(overflow[a], overflow[b]);
  overflow[a] = overflow[b] = next + 1;
  return 64 + next;
}

// Inside the chunk each kind has colours of its own. Returns the colour of the chunk.
int ContactBatches::colour_chunk(std::size_t begin, std::size_t end) {
  Palette& palette = chunk_palette_;
  std::uint64_t taken = 0;
  int next = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const Work& work = work_[i];
    const auto a = static_cast<std::size_t>(work.a), b = static_cast<std::size_t>(work.b);
    colour_[i] = palettes_[index_of(work.kind)].pick(a, b);
    taken |= palette.taken[a] | palette.taken[b];
    if (!palette.overflow.empty())
      next = std::max({next, palette.overflow[a], palette.overflow[b]});
  }
  const int colour = std::countr_one(taken);
  if (colour == 64) palette.overflow.resize(palette.taken.size(), 0);
  const std::uint64_t bit = colour < 64 ? std::uint64_t{1} << colour : 0;
  const auto leave = [&](Palette& own, std::size_t at) {
    own.forget(at);
    palette.taken[at] |= bit;
    if (bit == 0) palette.overflow[at] = next + 1;
  };
  for (std::size_t i = begin; i < end; ++i) {
    const Work& work = work_[i];
    leave(palettes_[index_of(work.kind)], static_cast<std::size_t>(work.a));
    leave(palettes_[index_of(work.kind)], static_cast<std::size_t>(work.b));
  }
  return colour < 64 ? colour : 64 + next;
}

void ContactBatches::colour_contacts() {
  for (Palette& palette : palettes_) palette.reset(lines_.size());
  chunk_palette_.reset(lines_.size());
  colour_.resize(work_.size());
  chunk_colour_.clear();
  contacts_in_chunk_ = std::clamp(work_.size() / kChunks, kLeastInChunk, kMostInChunk);
  for (std::size_t begin = 0; begin < work_.size(); begin = chunk_end(begin))
    chunk_colour_.push_back(colour_chunk(begin, chunk_end(begin)));
}

// Chunks by their colour, each kind and colour of a chunk in whole batches.
void ContactBatches::place() {
  blocks_.clear();
  chunk_begin_.assign(1, 0);
  phase_begin_.assign(1, 0);
  visits_.clear();
  visits_of_.clear();
  last_visit_.assign(lines_.size(), -1);
  next_batch_ = {};
  colours_ = 0;
  for (LargeArray<int>& list : work_at_) list.clear();
  std::vector<int> order(chunk_colour_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto colour_of = [&](int chunk) { return chunk_colour_[static_cast<std::size_t>(chunk)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int i, int j) { return colour_of(i) < colour_of(j); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t begin = static_cast<std::size_t>(order[i]) * contacts_in_chunk_;
    place_chunk(begin, chunk_end(begin));
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
  look_ahead();
  for (BatchBlock& block : blocks_) block.first = first_batch_[index_of(block.kind)] + block.begin;
}

// Each block asks for a part of the lines of the next chunk, as large as the block.
void ContactBatches::look_ahead() {
  for (std::size_t c = 0; c + 2 < chunk_begin_.size(); ++c) {
    const auto first = static_cast<std::size_t>(chunk_begin_[c]),
               last = static_cast<std::size_t>(chunk_begin_[c + 1]);
    std::int64_t batches = 0, done = 0;
    for (std::size_t i = first; i < last; ++i) batches += blocks_[i].end - blocks_[i].begin;
    const ChunkVisits& next = visits_of_[c + 1];
    const std::int64_t visits = next.end - next.begin;
    const auto share = [&] { return next.begin + static_cast<int>(visits * done / batches); };
    for (std::size_t i = first; i < last; ++i) {
      blocks_[i].ahead_begin = share();
      done += blocks_[i].end - blocks_[i].begin;
      blocks_[i].ahead_end = share();
      blocks_[i].ahead_first_end = next.first_end;
    }
  }
}

void ContactBatches::place_chunk(std::size_t begin, std::size_t end) {
  const auto chunk = static_cast<int>(chunk_begin_.size()) - 1;
  for (std::vector<int>& next : next_in_colour_) next.clear();
  for (std::size_t i = begin; i < end; ++i) {
    std::vector<int>& count = next_in_colour_[index_of(work_[i].kind)];
    const auto colour = static_cast<std::size_t>(colour_[i]);
    if (colour >= count.size()) count.resize(colour + 1, 0);
    ++count[colour];
  }
  int colours = 0;
  for (std::size_t kind = 0; kind < kBatchKinds; ++kind) {
    colours += static_cast<int>(next_in_colour_[kind].size());
    for (int& count : next_in_colour_[kind]) {
      const int first = next_batch_[kind], batches = (count + kBatchLanes - 1) / kBatchLanes;
      next_batch_[kind] += batches;
      blocks_.push_back({static_cast<BatchKind>(kind), first, first + batches, 0});
      count = first * kBatchLanes;  // from now on the next position
    }
    work_at_[kind].resize(static_cast<std::size_t>(next_batch_[kind]) * kBatchLanes, -1);
  }
  colours_ = std::max(colours_, colours);
  chunk_begin_.push_back(static_cast<int>(blocks_.size()));
  ChunkVisits visits{static_cast<int>(visits_.size()), 0, 0};
  visits_again_.clear();
  for (std::size_t i = begin; i < end; ++i) {
    const Work& work = work_[i];
    const int position =
        next_in_colour_[index_of(work.kind)][static_cast<std::size_t>(colour_[i])]++;
    slots_[static_cast<std::size_t>(work.contact)].position = position;
    work_at_[index_of(work.kind)][static_cast<std::size_t>(position)] = static_cast<int>(i);
    for (const std::int32_t line : {work.a, work.b}) {
      const int last = std::exchange(last_visit_[static_cast<std::size_t>(line)], chunk);
      if (last < 0)
        visits_.push_back(line);
      else if (last != chunk)
        visits_again_.push_back(line);
    }
  }
  visits.first_end = static_cast<int>(visits_.size());
  visits_.insert(visits_.end(), visits_again_.begin(), visits_again_.end());
  visits.end = static_cast<int>(visits_.size());
  visits_of_.push_back(visits);
}

}  // namespace clack
