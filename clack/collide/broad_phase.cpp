#include "clack/collide/broad_phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr int kLevels = 64;         // sizes from the smallest to 2^63 times as large
constexpr signed char kApart = -1;  // level of what is in no grid

double longest_side(const BoundingBox& box) { return (box.upper - box.lower).maxCoeff(); }

using Packed = std::array<double, 6>;

Packed pack(const BoundingBox& box) {
  return {box.upper[0], -box.lower[0], box.upper[1], -box.lower[1], box.upper[2], -box.lower[2]};
}

// The form that is compared with packed boxes.
Packed turn(const Packed& box) { return {-box[1], -box[0], -box[3], -box[2], -box[5], -box[4]}; }

// Without branches: in a packing about a third of the neighbours overlap.
inline bool overlap(const Packed& turned, const Packed& box) {
#if defined(__SSE2__)
  const auto compare = [&](int k) {
    return _mm_cmple_pd(_mm_loadu_pd(&turned[k]), _mm_loadu_pd(&box[k]));
  };
  return _mm_movemask_pd(_mm_and_pd(compare(0), _mm_and_pd(compare(2), compare(4)))) == 3;
#else
  bool all = true;
  for (int k = 0; k < 6; ++k) all = all & (turned[k] <= box[k]);
  return all;
#endif
}

int floor_to_int(double x) {
  const int i = static_cast<int>(x);
  return i - (x < i);
}

int wrap(int i, int count) {
  if (i >= 0 && i < count) return i;
  const int rest = i % count;
  return rest < 0 ? rest + count : rest;
}

// The smaller number in the upper half. Without a branch, which would be missed every other time.
std::uint64_t key_of(int i, int j) {
  const auto a = static_cast<unsigned>(i), b = static_cast<unsigned>(j);
  const unsigned exchange = (a ^ b) & (0u - static_cast<unsigned>(b < a));
  return (static_cast<std::uint64_t>(a ^ exchange) << 32) | (b ^ exchange);
}

}  // namespace

BroadPhase::BroadPhase(const Vector3& period)
    : period_(period), periodic_((period.array() > 0).any()) {
  for (const double length : period)
    if (!(length >= 0) || !std::isfinite(length))
      throw InputError(
          fmt::format("a period of the cell is {}; it must be finite and >= 0", length));
}

void BroadPhase::shear(int axis, double offset) {
  shear_axis_ = axis;
  shear_offset_ = std::remainder(offset, period_[0]);
  tilt_ = shear_offset_ / period_[axis];
}

void BroadPhase::sort_into_levels(std::span<const BoundingBox> boxes) {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (level_of_[i] == kApart) continue;
    const double side = longest_side(boxes[i]);
    smallest = std::min(smallest, side);
    largest = std::max(largest, side);
  }
  level_count_ = 0;
  if (smallest > largest) return;  // no body has a box
  if (periodic_)
    for (const double length : period_)
      if (length > 0 && !(largest <= 0.5 * length))
        throw InputError(fmt::format("a body is {} m long; the period of {} m allows half of it",
                                     largest, length));
  smallest = std::max(smallest, std::max(1e-300, largest * std::ldexp(1.0, 1 - kLevels)));
  assign_levels(boxes, smallest);
  std::array<int, kLevels> size{}, next{};
  for (const signed char level : level_of_)
    if (level != kApart) ++size[level];
  for (int level = 0, total = 0; level < kLevels; ++level) {
    if (size[level] == 0) continue;
    if (static_cast<int>(levels_.size()) == level_count_) levels_.emplace_back();
    Grid& grid = levels_[level_count_];
    ++level_count_;
    next[level] = grid.first = total;
    grid.last = total += size[level];
  }
  order_.resize(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (level_of_[i] != kApart) order_[next[level_of_[i]]++] = static_cast<int>(i);
}

// Level k holds sides of 2^k to 2^(k + 1) times the smallest one: bodies of similar size share a
// level whatever their size is.
void BroadPhase::assign_levels(std::span<const BoundingBox> boxes, double smallest) {
  const double inverse = 1 / smallest;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (level_of_[i] == kApart) continue;
    const double quotient = longest_side(boxes[i]) * inverse;
    const int level = quotient < 2 ? 0 : std::min(std::ilogb(quotient), kLevels - 1);
    level_of_[i] = static_cast<signed char>(level);
  }
}

// About one cell a body; 1 or at least 3 along an axis, so that no cell is its neighbour twice.
void BroadPhase::choose_counts(Grid& grid, const BoundingBox& region) const {
  const int bodies = grid.last - grid.first;
  Eigen::Array3d wanted;
  for (int k = 0; k < 3; ++k) {
    const double extent = period_[k] > 0 ? period_[k] : region.upper[k] - region.lower[k];
    wanted[k] = std::clamp(std::floor(extent / grid.width[k]) + (period_[k] > 0 ? 0 : 1), 1.0, 1e6);
  }
  while (wanted.prod() > 2.0 * bodies + 27) {
    int longest;
    wanted.maxCoeff(&longest);
    wanted[longest] = std::max(1.0, std::floor(wanted[longest] / 2));
  }
  for (int k = 0; k < 3; ++k) {
    int count = static_cast<int>(wanted[k]);
    if (period_[k] > 0) {
      if (count < 3) count = 1;
      grid.width[k] = period_[k] / count;
    } else if (count == 2) {
      count = 3;
    }
    grid.count[k] = count;
  }
}

int BroadPhase::cell_of(const Grid& grid, const Vector3& centre) const {
  int index[3];
  for (int k = 0; k < 3; ++k) {
    const double place = k == 0 ? tilted(centre[0], centre[shear_axis_]) : centre[k];
    index[k] = grid.count[k] == 1 ? 0 : wrap(floor_to_int(place / grid.width[k]), grid.count[k]);
  }
  return index[0] + grid.count[0] * (index[1] + grid.count[1] * index[2]);
}

void BroadPhase::make_grid(Grid& grid, std::span<const BoundingBox> boxes) {
  BoundingBox region;
  double side = 0;
  for (int k = grid.first; k < grid.last; ++k) {
    region.include(boxes[order_[k]].centre());
    side = std::max(side, longest_side(boxes[order_[k]]));
  }
  // Grid must hold indices of int: far bodies of tiny size get larger cells.
  const double farthest =
      std::max(region.lower.cwiseAbs().maxCoeff(), region.upper.cwiseAbs().maxCoeff());
  side = std::max({side * (1 + 1e-9), farthest * 1e-9, 1e-300});
  grid.width.setConstant(side);
  grid.width[0] *= 1 + std::abs(tilt_);  // so far can bodies that touch be apart along the grid
  choose_counts(grid, region);
  fill(grid, boxes);
}

void BroadPhase::fill(Grid& grid, std::span<const BoundingBox> boxes) {
  const int cells = grid.count[0] * grid.count[1] * grid.count[2];
  grid.begin.assign(cells + 1, 0);
  cell_.resize(grid.last - grid.first);
  for (int k = grid.first; k < grid.last; ++k) {
    const int cell = cell_of(grid, boxes[order_[k]].centre());
    cell_[k - grid.first] = cell;
    ++grid.begin[cell + 1];
  }
  for (int c = 0; c < cells; ++c) grid.begin[c + 1] += grid.begin[c];
  grid.bodies.resize(grid.last - grid.first);
  grid.boxes.resize(grid.last - grid.first);
  for (int k = grid.last - 1; k >= grid.first; --k) {  // from the back: begin[c + 1] counts down
    const int place = --grid.begin[cell_[k - grid.first] + 1];
    grid.bodies[place] = order_[k];
    grid.boxes[place] = pack(boxes[order_[k]]);
  }
  // Each begin[c + 1] is now the start of cell c.
  for (int c = 0; c < cells; ++c) grid.begin[c] = grid.begin[c + 1];
  grid.begin[cells] = grid.last - grid.first;
}

// Writes the keys of those that overlap from `next` on, where there is room for all; returns the
// end.
inline std::uint64_t* BroadPhase::test(const PackedBox& turned, int body, const Grid& grid,
                                       Range range, std::uint64_t* next) const {
  if (periodic_) return test_images(turned, body, grid, range, next);
  for (int k = range.begin; k < range.end; ++k) {
    *next = key_of(body, grid.bodies[k]);
    next += overlap(turned, grid.boxes[k]);
  }
  return next;
}

// In periodic cells the boxes are compared after the other one has been moved next to this one.
std::uint64_t* BroadPhase::test_images(const PackedBox& turned, int body, const Grid& grid,
                                       Range range, std::uint64_t* next) const {
  for (int k = range.begin; k < range.end; ++k) {
    PackedBox moved = grid.boxes[k];
    for (int axis = 2; axis >= 0;
         --axis) {  // x last: it depends on the image across a sheared cell
      if (!(period_[axis] > 0)) continue;
      double &upper = moved[2 * axis], &lower = moved[2 * axis + 1];  // the lower one is negated
      const double between = 0.5 * (upper - lower - turned[2 * axis] + turned[2 * axis + 1]);
      const double cells = std::round(between / period_[axis]), shift = cells * period_[axis];
      upper -= shift;
      lower += shift;
      if (axis != shear_axis_ || shear_offset_ == 0) continue;
      moved[0] -= cells * shear_offset_;
      moved[1] += cells * shear_offset_;
    }
    *next = key_of(body, grid.bodies[k]);
    next += overlap(turned, moved);
  }
  return next;
}

std::uint64_t* BroadPhase::make_room(std::size_t tests) {
  if (found_.size() < found_count_ + tests) found_.resize(2 * (found_count_ + tests));
  return found_.data() + found_count_;
}

// The cells x - 1, x, x + 1 of a row (all cells with the same y and z); they lie side by side.
void BroadPhase::add_row(const Grid& grid, int x, int row) {
  const int n = grid.count[0];
  const int* begin = grid.begin.data() + static_cast<std::ptrdiff_t>(row) * n;
  auto add = [&](int from, int to) {
    ranges_[range_count_] = {begin[from], begin[to]};
    range_count_ += begin[from] < begin[to];
  };
  if (n == 1) return add(0, 1);
  if (x > 0 && x < n - 1) return add(x - 1, x + 2);
  for (const int i : {wrap(x - 1, n), x, wrap(x + 1, n)}) add(i, i + 1);
}

// Half of the neighbours of a cell; the other half finds this cell.
void BroadPhase::collect_ranges(const Grid& grid, int x, int y, int z) {
  const auto [nx, ny, nz] = grid.count;
  const int above = wrap(z + 1, nz), behind = wrap(y + 1, ny), before = wrap(y - 1, ny);
  range_count_ = 0;
  if (nx > 1) {
    const int right = wrap(x + 1, nx) + nx * (y + ny * z);
    ranges_[range_count_++] = {grid.begin[right], grid.begin[right + 1]};
  }
  if (ny > 1) add_row(grid, x, behind + ny * z);
  if (nz == 1) return;
  add_row(grid, x, y + ny * above);
  if (ny == 1) return;
  add_row(grid, x, behind + ny * above);
  add_row(grid, x, before + ny * above);
}

void BroadPhase::pairs_of_cell(const Grid& grid, Range cell) {
  const int count = cell.end - cell.begin;
  std::size_t around = count;
  for (int i = 0; i < range_count_; ++i) around += ranges_[i].end - ranges_[i].begin;
  std::uint64_t* next = make_room(count * around);
  for (int k = cell.begin; k < cell.end; ++k) {
    const PackedBox turned = turn(grid.boxes[k]);
    next = test(turned, grid.bodies[k], grid, {k + 1, cell.end}, next);
    for (int i = 0; i < range_count_; ++i)
      next = test(turned, grid.bodies[k], grid, ranges_[i], next);
  }
  found_count_ = static_cast<std::size_t>(next - found_.data());
}

void BroadPhase::pairs_within(const Grid& grid) {
  int cell = 0;
  for (int z = 0; z < grid.count[2]; ++z)
    for (int y = 0; y < grid.count[1]; ++y)
      for (int x = 0; x < grid.count[0]; ++x, ++cell) {
        if (grid.begin[cell] == grid.begin[cell + 1]) continue;
        collect_ranges(grid, x, y, z);
        pairs_of_cell(grid, {grid.begin[cell], grid.begin[cell + 1]});
      }
}

// The cells of a coarser grid whose bodies can reach a box: by half a cell more than the box
// itself.
void BroadPhase::pairs_across(const Grid& fine, const Grid& coarse) {
  for (std::size_t k = 0; k < fine.bodies.size(); ++k) {
    const PackedBox &box = fine.boxes[k], turned = turn(box);
    int from[3], count[3];
    const double low = -box[2 * shear_axis_ + 1], high = box[2 * shear_axis_];
    for (int axis = 0; axis < 3; ++axis) {
      const double width = coarse.width[axis];
      double lower = -box[2 * axis + 1], upper = box[2 * axis];
      if (axis == 0) {
        lower = std::min(tilted(lower, low), tilted(lower, high));
        upper = std::max(tilted(upper, low), tilted(upper, high));
      }
      from[axis] = floor_to_int(lower / width - 0.5);
      const int to = floor_to_int(upper / width + 0.5);
      count[axis] = std::min(to - from[axis] + 1, coarse.count[axis]);
    }
    for (int z = 0; z < count[2]; ++z)
      for (int y = 0; y < count[1]; ++y) {
        const int row = wrap(from[1] + y, coarse.count[1]) +
                        coarse.count[1] * wrap(from[2] + z, coarse.count[2]);
        for (int x = 0; x < count[0]; ++x) {
          const int cell = wrap(from[0] + x, coarse.count[0]) + coarse.count[0] * row;
          const Range range{coarse.begin[cell], coarse.begin[cell + 1]};
          std::uint64_t* next = make_room(range.end - range.begin);
          next = test(turned, fine.bodies[k], coarse, range, next);
          found_count_ = static_cast<std::size_t>(next - found_.data());
        }
      }
  }
}

void BroadPhase::add_half_spaces(std::span<const BoundingBox> boxes,
                                 std::span<const HalfSpace> half_spaces) {
  for (const HalfSpace& plane : half_spaces) {
    const Vector3 across = plane.normal.cwiseAbs();
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
      if (level_of_[i] == kApart) continue;
      const double height = plane.normal.dot(boxes[i].centre()) - across.dot(boxes[i].half());
      if (height > plane.offset) continue;
      if (found_.size() == found_count_) found_.resize(2 * found_count_ + 16);
      found_[found_count_++] = key_of(i, plane.body);
    }
  }
}

void BroadPhase::find_image(std::span<const BoundingBox> boxes, CandidatePair& pair) const {
  if (level_of_[pair.a] == kApart || level_of_[pair.b] == kApart) return;
  Vector3 between = boxes[pair.b].centre() - boxes[pair.a].centre();
  for (int k = 2; k >= 0; --k) {
    if (!(period_[k] > 0)) continue;
    pair.image[k] = -static_cast<int>(std::lround(between[k] / period_[k]));
    if (k == shear_axis_) between[0] += pair.image[k] * shear_offset_;
  }
}

// Two counting sorts, by b and then by a: no branch depends on the order that is found.
void BroadPhase::sort_pairs(std::span<const BoundingBox> boxes,
                            std::span<const CollisionFilter> filters) {
  const std::size_t bodies = boxes.size();
  begin_a_.assign(bodies + 1, 0);
  begin_b_.assign(bodies + 1, 0);
  for (std::size_t k = 0; k < found_count_; ++k) {
    ++begin_a_[(found_[k] >> 32) + 1];
    ++begin_b_[(found_[k] & 0xffffffff) + 1];
  }
  for (std::size_t i = 0; i < bodies; ++i) {
    begin_a_[i + 1] += begin_a_[i];
    begin_b_[i + 1] += begin_b_[i];
  }
  if (sorted_.size() < found_count_) sorted_.resize(found_.size());
  for (std::size_t k = 0; k < found_count_; ++k)
    sorted_[begin_b_[found_[k] & 0xffffffff]++] = found_[k];
  for (std::size_t k = 0; k < found_count_; ++k) found_[begin_a_[sorted_[k] >> 32]++] = sorted_[k];
  keep_allowed(boxes, filters);
}

void BroadPhase::keep_allowed(std::span<const BoundingBox> boxes,
                              std::span<const CollisionFilter> filters) {
  pairs_.resize(found_count_);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < found_count_; ++k) {
    CandidatePair& pair = pairs_[kept];
    pair = {static_cast<int>(found_[k] >> 32), static_cast<int>(found_[k] & 0xffffffff), {0, 0, 0}};
    if (periodic_) find_image(boxes, pair);
    kept += filters.empty() || filters[pair.a].allows(filters[pair.b]);
  }
  pairs_.resize(kept);
}

void BroadPhase::check(std::span<const BoundingBox> boxes,
                       std::span<const CollisionFilter> filters) const {
  if (!filters.empty() && filters.size() != boxes.size())
    throw InputError(fmt::format("{} filters for {} bodies", filters.size(), boxes.size()));
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (level_of_[i] != kApart && !boxes[i].is_bounded())
      throw InputError(fmt::format("the box of body {} is not finite", i));
}

const LargeArray<CandidatePair>& BroadPhase::find(std::span<const BoundingBox> boxes,
                                                  std::span<const CollisionFilter> filters,
                                                  std::span<const HalfSpace> half_spaces) {
  found_count_ = 0;
  level_of_.assign(boxes.size(), 0);
  for (const HalfSpace& plane : half_spaces) level_of_[plane.body] = kApart;
  check(boxes, filters);
  sort_into_levels(boxes);
  for (int i = 0; i < level_count_; ++i) make_grid(levels_[i], boxes);
  for (int i = 0; i < level_count_; ++i) {
    pairs_within(levels_[i]);
    for (int j = i + 1; j < level_count_; ++j) pairs_across(levels_[i], levels_[j]);
  }
  add_half_spaces(boxes, half_spaces);
  sort_pairs(boxes, filters);
  return pairs_;
}

}  // namespace clack
