#include "clack/collide/broad_phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clack/core/error.hpp"

namespace clack {
namespace {

constexpr int kLevels = 64;         // sizes from the smallest to 2^63 times as large
constexpr signed char kApart = -1;  // level of what is in no grid

double longest_side(const BoundingBox& box) { return (box.upper - box.lower).maxCoeff(); }

// Tests without branches: most neighbours in a packing overlap on some axis.
bool overlap(const BoundingBox& a, const BoundingBox& b) {
  return (a.lower[0] <= b.upper[0]) & (b.lower[0] <= a.upper[0]) & (a.lower[1] <= b.upper[1]) &
         (b.lower[1] <= a.upper[1]) & (a.lower[2] <= b.upper[2]) & (b.lower[2] <= a.upper[2]);
}

int wrap(int i, int count) {
  const int rest = i % count;
  return rest < 0 ? rest + count : rest;
}

}  // namespace

BroadPhase::BroadPhase(const Vector3& period)
    : period_(period), periodic_((period.array() > 0).any()) {
  for (const double length : period)
    if (!(length >= 0) || !std::isfinite(length))
      throw InputError(
          fmt::format("a period of the cell is {}; it must be finite and >= 0", length));
}

void BroadPhase::sort_into_levels(std::span<const BoundingBox> boxes) {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (level_of_[i] == kApart) continue;
    const double side = longest_side(boxes[i]);
    smallest = std::min(smallest, side);
    largest = std::max(largest, side);
  }
  if (periodic_)
    for (const double length : period_)
      if (length > 0 && !(largest <= 0.5 * length))
        throw InputError(fmt::format("a body is {} m long; the period of {} m allows half of it",
                                     largest, length));
  smallest = std::max(smallest, std::max(1e-300, largest * std::ldexp(1.0, 1 - kLevels)));
  const int exponent = std::ilogb(smallest) + 1;  // smallest < 2^exponent
  std::array<int, kLevels> size{};
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (level_of_[i] == kApart) continue;
    const double side = longest_side(boxes[i]);
    const int level =
        side < smallest ? 0 : std::clamp(std::ilogb(side) + 1 - exponent, 0, kLevels - 1);
    level_of_[i] = static_cast<signed char>(level);
    ++size[level];
  }
  level_count_ = 0;
  std::array<int, kLevels> slot{}, next{};
  for (int level = 0, total = 0; level < kLevels; ++level) {
    if (size[level] == 0) continue;
    if (static_cast<int>(levels_.size()) == level_count_) levels_.emplace_back();
    Cells& grid = levels_[level_count_];
    slot[level] = level_count_++;
    next[level] = grid.first = total;
    grid.last = total += size[level];
  }
  order_.resize(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (level_of_[i] != kApart) order_[next[level_of_[i]]++] = static_cast<int>(i);
}

// About one cell a body; 1 or at least 3 along an axis, so that no cell is its neighbour twice.
void BroadPhase::choose_counts(Cells& grid, const BoundingBox& region) const {
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

int BroadPhase::cell_of(const Cells& grid, const Vector3& centre) const {
  int index[3];
  for (int k = 0; k < 3; ++k)
    index[k] = grid.count[k] == 1
                   ? 0
                   : wrap(static_cast<int>(std::floor(centre[k] / grid.width[k])), grid.count[k]);
  return index[0] + grid.count[0] * (index[1] + grid.count[1] * index[2]);
}

void BroadPhase::make_grid(Cells& grid, std::span<const BoundingBox> boxes) {
  BoundingBox region;
  double side = 0;
  for (int k = grid.first; k < grid.last; ++k) {
    region.include(boxes[order_[k]].centre());
    side = std::max(side, longest_side(boxes[order_[k]]));
  }
  // Cells must hold indices of int: far bodies of tiny size get larger cells.
  const double farthest =
      std::max(region.lower.cwiseAbs().maxCoeff(), region.upper.cwiseAbs().maxCoeff());
  side = std::max({side * (1 + 1e-9), farthest * 1e-9, 1e-300});
  grid.width.setConstant(side);
  choose_counts(grid, region);
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
    grid.boxes[place] = boxes[order_[k]];
  }
  // Each begin[c + 1] is now the start of cell c.
  for (int c = 0; c < cells; ++c) grid.begin[c] = grid.begin[c + 1];
  grid.begin[cells] = grid.last - grid.first;
}

template <bool periodic>
void BroadPhase::test(const BoundingBox& box, int body, const Cells& grid, int begin, int end) {
  if (found_.size() < found_count_ + static_cast<std::size_t>(end - begin))
    found_.resize(2 * (found_count_ + end - begin));
  CandidatePair* next = found_.data() + found_count_;
  for (int k = begin; k < end; ++k) {
    const int other = grid.bodies[k];
    std::array<std::int8_t, 3> image{0, 0, 0};
    bool hit;
    if constexpr (periodic) {
      BoundingBox moved = grid.boxes[k];
      const Vector3 between = moved.centre() - box.centre();
      for (int axis = 0; axis < 3; ++axis) {
        if (!(period_[axis] > 0)) continue;
        const double shift = -std::round(between[axis] / period_[axis]);
        moved.lower[axis] += shift * period_[axis];
        moved.upper[axis] += shift * period_[axis];
        image[axis] = static_cast<std::int8_t>(std::clamp(shift, -127.0, 127.0));
      }
      hit = overlap(box, moved);
      if (other < body)
        for (std::int8_t& i : image) i = static_cast<std::int8_t>(-i);
    } else {
      hit = overlap(box, grid.boxes[k]);
    }
    *next = {std::min(body, other), std::max(body, other), image};
    next += hit;
  }
  found_count_ = static_cast<std::size_t>(next - found_.data());
}

void BroadPhase::test_range(const BoundingBox& box, int body, const Cells& grid, int begin,
                            int end) {
  if (periodic_) {
    test<true>(box, body, grid, begin, end);
  } else {
    test<false>(box, body, grid, begin, end);
  }
}

// The cells x - 1, x, x + 1 of a row (all cells with the same y and z); they lie side by side.
void BroadPhase::test_row(const BoundingBox& box, int body, const Cells& grid, int x, int row) {
  const int n = grid.count[0];
  const int* begin = grid.begin.data() + static_cast<std::ptrdiff_t>(row) * n;
  if (n == 1) return test_range(box, body, grid, begin[0], begin[1]);
  if (x > 0 && x < n - 1) return test_range(box, body, grid, begin[x - 1], begin[x + 2]);
  for (const int i : {wrap(x - 1, n), x, wrap(x + 1, n)})
    test_range(box, body, grid, begin[i], begin[i + 1]);
}

// A cell against itself and half of its neighbours; the other half finds this cell.
void BroadPhase::pairs_of_cell(const Cells& grid, int x, int y, int z) {
  const auto [nx, ny, nz] = grid.count;
  const int row = y + ny * z, here = x + nx * row;
  const int above = wrap(z + 1, nz), behind = wrap(y + 1, ny), before = wrap(y - 1, ny);
  for (int k = grid.begin[here]; k < grid.begin[here + 1]; ++k) {
    const BoundingBox& box = grid.boxes[k];
    const int body = grid.bodies[k];
    test_range(box, body, grid, k + 1, grid.begin[here + 1]);
    if (nx > 1) {
      const int right = wrap(x + 1, nx) + nx * row;
      test_range(box, body, grid, grid.begin[right], grid.begin[right + 1]);
    }
    if (ny > 1) test_row(box, body, grid, x, behind + ny * z);
    if (nz == 1) continue;
    test_row(box, body, grid, x, y + ny * above);
    if (ny == 1) continue;
    test_row(box, body, grid, x, behind + ny * above);
    test_row(box, body, grid, x, before + ny * above);
  }
}

void BroadPhase::pairs_within(const Cells& grid) {
  for (int z = 0; z < grid.count[2]; ++z)
    for (int y = 0; y < grid.count[1]; ++y)
      for (int x = 0; x < grid.count[0]; ++x) pairs_of_cell(grid, x, y, z);
}

// The cells of a coarser grid whose bodies can reach a box: by half a cell more than the box
// itself.
void BroadPhase::pairs_across(const Cells& fine, const Cells& coarse) {
  for (std::size_t k = 0; k < fine.bodies.size(); ++k) {
    const BoundingBox& box = fine.boxes[k];
    int from[3], count[3];
    for (int axis = 0; axis < 3; ++axis) {
      const double width = coarse.width[axis];
      from[axis] = static_cast<int>(std::floor((box.lower[axis] - 0.5 * width) / width));
      const int to = static_cast<int>(std::floor((box.upper[axis] + 0.5 * width) / width));
      count[axis] = std::min(to - from[axis] + 1, coarse.count[axis]);
    }
    for (int z = 0; z < count[2]; ++z)
      for (int y = 0; y < count[1]; ++y) {
        const int row = wrap(from[1] + y, coarse.count[1]) +
                        coarse.count[1] * wrap(from[2] + z, coarse.count[2]);
        for (int x = 0; x < count[0]; ++x) {
          const int cell = wrap(from[0] + x, coarse.count[0]) + coarse.count[0] * row;
          test_range(box, fine.bodies[k], coarse, coarse.begin[cell], coarse.begin[cell + 1]);
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
      found_[found_count_++] = {std::min(i, plane.body), std::max(i, plane.body), {0, 0, 0}};
    }
  }
}

void BroadPhase::filter(std::span<const CollisionFilter> filters) {
  if (filters.empty()) return;
  const auto end = std::remove_if(
      found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(found_count_),
      [&](const CandidatePair& pair) { return !filters[pair.a].allows(filters[pair.b]); });
  found_count_ = static_cast<std::size_t>(end - found_.begin());
}

// By a with a counting sort, then the few partners of each body by b.
void BroadPhase::sort_pairs(int bodies) {
  begin_.assign(bodies + 1, 0);
  for (std::size_t k = 0; k < found_count_; ++k) ++begin_[found_[k].a + 1];
  for (int i = 0; i < bodies; ++i) begin_[i + 1] += begin_[i];
  pairs_.resize(found_count_);
  for (std::size_t k = found_count_; k-- > 0;) pairs_[--begin_[found_[k].a + 1]] = found_[k];
  for (int i = 0; i < bodies; ++i) {
    const auto first = pairs_.begin() + begin_[i + 1];
    const auto last = i + 1 < bodies ? pairs_.begin() + begin_[i + 2] : pairs_.end();
    std::sort(first, last, [](const auto& x, const auto& y) { return x.b < y.b; });
  }
}

const std::vector<CandidatePair>& BroadPhase::find(std::span<const BoundingBox> boxes,
                                                   std::span<const CollisionFilter> filters,
                                                   std::span<const HalfSpace> half_spaces) {
  if (!filters.empty() && filters.size() != boxes.size())
    throw InputError(fmt::format("{} filters for {} bodies", filters.size(), boxes.size()));
  found_count_ = 0;
  level_of_.assign(boxes.size(), 0);
  for (const HalfSpace& plane : half_spaces) level_of_[plane.body] = kApart;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (level_of_[i] != kApart && !boxes[i].is_bounded())
      throw InputError(fmt::format("the box of body {} is not finite", i));
  sort_into_levels(boxes);
  for (int i = 0; i < level_count_; ++i) make_grid(levels_[i], boxes);
  for (int i = 0; i < level_count_; ++i) {
    pairs_within(levels_[i]);
    for (int j = i + 1; j < level_count_; ++j) pairs_across(levels_[i], levels_[j]);
  }
  add_half_spaces(boxes, half_spaces);
  filter(filters);
  sort_pairs(static_cast<int>(boxes.size()));
  return pairs_;
}

}  // namespace clack
