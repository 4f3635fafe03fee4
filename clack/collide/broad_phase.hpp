// Which bodies may touch: pairs of bounding boxes that overlap.
//
// A grid for each power of two of the boxes' size: a body lies, by its centre, in a cell of the
// grid whose cells are just larger than its box, so that a body of the same grid that it touches is
// in one of the cells around. Bodies of a finer grid look into the few cells of each coarser one
// that they reach. A grid has about as many cells as bodies and is wound up: coordinates of cells
// are taken modulo its size, so bodies far away cost nothing but a test of two boxes. Time and
// memory are linear in the number of bodies.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "clack/core/large_array.hpp"
#include "clack/model/shapes/bounding_box.hpp"

namespace clack {

struct CollisionFilter {
  std::uint32_t group = 1;              // bits: what the body is
  std::uint32_t collides = 0xffffffff;  // bits: what it touches; both bodies must agree
  bool fixed = false;                   // fixed bodies never touch each other

  bool allows(const CollisionFilter& other) const {
    return !(fixed && other.fixed) && (group & other.collides) != 0 &&
           (other.group & collides) != 0;
  }
};

// A plane or a line, which has no bounding box: normal . x <= offset is solid.
struct HalfSpace {
  Vector3 normal;  // unit
  double offset;   // [m]
  int body;
};

struct CandidatePair {
  int a, b;                  // bodies, a < b
  std::array<int, 3> image;  // B is to be moved by image[k] period[k] along each axis k

  bool operator==(const CandidatePair&) const = default;
};

class BroadPhase {
 public:
  // A period of 0 is none [m]. No box may be longer than half of a period.
  explicit BroadPhase(const Vector3& period = Vector3::Zero());

  // The cells along `axis` (1 or 2) stand displaced by `offset` along x, each against the one
  // before: images of the cell are moved by image[axis] offset as well. Needs periods along both.
  void shear(int axis, double offset);

  // All pairs that overlap and that the filters allow (none given: all), in the order of a, then b.
  // Boxes of half spaces are ignored. The reference is good until the next call.
  const LargeArray<CandidatePair>& find(std::span<const BoundingBox> boxes,
                                        std::span<const CollisionFilter> filters = {},
                                        std::span<const HalfSpace> half_spaces = {});

 private:
  // (x upper, -x lower, y upper, -y lower, z upper, -z lower): two boxes overlap where each number
  // of the turned form of the one is at most that of the other.
  using PackedBox = std::array<double, 6>;
  struct Grid {
    std::array<int, 3> count{1, 1, 1};  // cells along x, y, z
    Vector3 width;                      // of a cell [m]
    std::vector<int> begin;             // bodies of the cell c: begin[c] to begin[c + 1]
    LargeArray<int> bodies;
    LargeArray<PackedBox> boxes;  // in the order of `bodies`
    int first = 0, last = 0;      // in order_
  };
  struct Range {
    int begin, end;
  };

  void check(std::span<const BoundingBox> boxes, std::span<const CollisionFilter> filters) const;
  void sort_into_levels(std::span<const BoundingBox> boxes);
  void assign_levels(std::span<const BoundingBox> boxes, double smallest);
  void make_grid(Grid& grid, std::span<const BoundingBox> boxes);
  void fill(Grid& grid, std::span<const BoundingBox> boxes);
  void choose_counts(Grid& grid, const BoundingBox& region) const;
  int cell_of(const Grid& grid, const Vector3& centre) const;
  double tilted(double x, double along) const { return x - tilt_ * along; }
  void pairs_within(const Grid& grid);
  void collect_ranges(const Grid& grid, int x, int y, int z);
  void add_row(const Grid& grid, int x, int row);
  void pairs_across(const Grid& fine, const Grid& coarse);
  void pairs_of_cell(const Grid& grid, Range cell);
  std::uint64_t* test(const PackedBox& turned, int body, const Grid& grid, Range range,
                      std::uint64_t* next) const;
  std::uint64_t* test_images(const PackedBox& turned, int body, const Grid& grid, Range range,
                             std::uint64_t* next) const;
  std::uint64_t* make_room(std::size_t tests);
  void add_half_spaces(std::span<const BoundingBox> boxes, std::span<const HalfSpace> half_spaces);
  void sort_pairs(std::span<const BoundingBox> boxes, std::span<const CollisionFilter> filters);
  void keep_allowed(std::span<const BoundingBox> boxes, std::span<const CollisionFilter> filters);
  void find_image(std::span<const BoundingBox> boxes, CandidatePair& pair) const;

  Vector3 period_;
  bool periodic_;
  // Grids of a sheared cell lie in coordinates x - tilt y (or z), in which its images are straight.
  int shear_axis_ = 1;
  double shear_offset_ = 0, tilt_ = 0;
  std::vector<Grid> levels_;
  int level_count_ = 0;
  std::vector<signed char> level_of_;
  std::vector<int> order_;        // bodies by level
  std::vector<int> cell_;         // of the bodies of a level
  std::array<Range, 14> ranges_;  // the neighbours of a cell
  int range_count_ = 0;
  LargeArray<std::uint64_t> found_, sorted_;  // a in the upper half, b in the lower
  std::size_t found_count_ = 0;
  std::vector<int> begin_a_, begin_b_;
  LargeArray<CandidatePair> pairs_;
};

}  // namespace clack
