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
  int a, b;                          // bodies, a < b
  std::array<std::int8_t, 3> image;  // B is to be moved by image[k] period[k] along each axis k

  bool operator==(const CandidatePair&) const = default;
};

class BroadPhase {
 public:
  // A period of 0 is none [m]. No box may be longer than half of a period.
  explicit BroadPhase(const Vector3& period = Vector3::Zero());

  // All pairs that overlap and that the filters allow (none given: all), in the order of a, then b.
  // Boxes of half spaces are ignored. The reference is good until the next call.
  const std::vector<CandidatePair>& find(std::span<const BoundingBox> boxes,
                                         std::span<const CollisionFilter> filters = {},
                                         std::span<const HalfSpace> half_spaces = {});

 private:
  struct Cells {  // the range of bodies in a cell: begin[c] to begin[c + 1]
    std::array<int, 3> count{1, 1, 1};
    Vector3 width;
    std::vector<int> begin;
    std::vector<int> bodies;
    std::vector<BoundingBox> boxes;  // in the order of `bodies`
    int first = 0, last = 0;         // in order_
    int reach = 0;                   // 1: neighbours are looked at
  };

  void sort_into_levels(std::span<const BoundingBox> boxes);
  void make_grid(Cells& grid, std::span<const BoundingBox> boxes);
  void choose_counts(Cells& grid, const BoundingBox& region) const;
  int cell_of(const Cells& grid, const Vector3& centre) const;
  void pairs_within(const Cells& grid);
  void pairs_of_cell(const Cells& grid, int x, int y, int z);
  void pairs_across(const Cells& fine, const Cells& coarse);
  template <bool periodic>
  void test(const BoundingBox& box, int body, const Cells& grid, int begin, int end);
  void test_range(const BoundingBox& box, int body, const Cells& grid, int begin, int end);
  void test_row(const BoundingBox& box, int body, const Cells& grid, int x, int row);
  void add_half_spaces(std::span<const BoundingBox> boxes, std::span<const HalfSpace> half_spaces);
  void filter(std::span<const CollisionFilter> filters);
  void sort_pairs(int bodies);

  Vector3 period_;
  bool periodic_;
  std::vector<Cells> levels_;
  int level_count_ = 0;
  std::vector<signed char> level_of_;
  std::vector<int> order_;  // bodies by level
  std::vector<int> cell_;   // of the bodies of a level
  std::vector<CandidatePair> found_, pairs_;
  std::size_t found_count_ = 0;
  std::vector<int> begin_;
};

}  // namespace clack
