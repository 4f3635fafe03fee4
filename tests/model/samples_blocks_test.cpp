// Walls, arches, vaults, towers, dominoes.
#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "clack/core/error.hpp"
#include "clack/model/samples/arch.hpp"
#include "clack/model/samples/dominoes.hpp"
#include "clack/model/samples/tower.hpp"
#include "clack/model/samples/wall.hpp"
#include "tests/model/sample_checks.hpp"

namespace clack {
namespace {

constexpr double kPi = std::numbers::pi;

BoundingBox bounds_of(const std::vector<PlacedConvex>& all) {
  BoundingBox box;
  for (const PlacedConvex& one : all)
    for (const Vector3& v : one.vertices) box.include(v);
  return box;
}

const SampleBody& find(const Sample& sample, std::string_view suffix) {
  for (const SampleBody& body : sample)
    if (body.suffix == suffix) return body;
  throw std::runtime_error("no such body");
}

double separation_of(const Sample& sample, std::string_view a, std::string_view b) {
  return separation(place_convex({find(sample, a)})[0], place_convex({find(sample, b)})[0]);
}

TEST(SampleWall, without_gaps_fills_its_rectangle) {
  for (const int dim : {2, 3}) {
    WallOptions options;
    options.dim = dim;
    options.courses = 5;
    const Sample sample = make_wall(options);
    EXPECT_EQ(sample.size(), 3u * 8 + 2 * 9);
    const double depth = dim == 3 ? options.brick.y() : 1;
    EXPECT_NEAR(total_volume(sample), 8 * 0.24 * 5 * 0.071 * depth, 1e-12);
    const std::vector<PlacedConvex> bricks = place_convex(sample);
    EXPECT_GT(least_separation(bricks), -1e-14);
    const BoundingBox box = bounds_of(bricks);
    EXPECT_NEAR(box.lower[dim - 1], 0, 1e-15);
    EXPECT_NEAR(box.upper.x(), options.wall_length(), 1e-14);
    EXPECT_NEAR(box.upper[dim - 1], options.wall_height(), 1e-14);
  }
}

TEST(SampleWall, with_gaps_has_them_in_bed_and_head_joints_and_at_the_foundation) {
  for (const int dim : {2, 3}) {
    WallOptions options;
    options.dim = dim;
    options.gap = 0.01;
    options.bricks = 3;
    options.courses = 2;
    options.foundation = true;
    const Sample sample = make_wall(options);
    for (const auto& [a, b] : {std::pair("course1_1", "course1_2"),
                               {"course1_1", "course2_1"},
                               {"course2_1", "course2_2"},
                               {"course2_3", "course2_4"},
                               {"foundation", "course1_2"}})
      EXPECT_NEAR(separation_of(sample, a, b), 0.01, 1e-14) << a << ' ' << b;
    EXPECT_TRUE(find(sample, "foundation").fixed);
    // both courses end alike
    const BoundingBox last = bounds_of(place_convex({find(sample, "course2_4")}));
    EXPECT_NEAR(last.upper.x(), options.wall_length(), 1e-14);
  }
}

TEST(SampleWall, fits_into_length_and_height_and_leaves_half_bricks_out_where_asked) {
  WallOptions options;
  options.gap = 0.01;
  options.length = 2.49;
  options.height = 0.8;
  EXPECT_EQ(options.brick_count(), 10);
  EXPECT_EQ(options.course_count(), 10);
  options.half_bricks = false;
  EXPECT_EQ(make_wall(options).size(), 5u * 10 + 5 * 9);
  options.length = 0.1;
  EXPECT_EQ(message_of([&] { make_wall(options); }),
            "number of bricks in a course of the wall is 0; it must be >= 1");
}

TEST(SampleArch, has_the_span_and_rise_asked_for_on_its_line) {
  for (const int dim : {2, 3})
    for (const ArchLine line : {ArchLine::intrados, ArchLine::mean, ArchLine::extrados})
      for (const double rise : {0.3, 1.0}) {
        ArchOptions options;
        options.dim = dim;
        options.line = line;
        options.rise = rise;
        options.abutments = false;
        const double share = line == ArchLine::intrados ? 0 : line == ArchLine::mean ? 0.5 : 1;
        const Vector3 centre = (rise - options.circle_radius()) * Vector3::Unit(dim - 1);
        const double inner = options.inner_radius();
        EXPECT_NEAR(inner + share * 0.2, options.circle_radius(), 1e-14);
        const Sample sample = make_arch(options);
        ASSERT_EQ(sample.size(), 15u);
        for (const PlacedConvex& block : place_convex(sample))
          for (Vector3 v : block.vertices) {
            if (dim == 3) v.y() = 0;
            const double r = (v - centre).norm();
            EXPECT_LT(std::min(std::abs(r - inner), std::abs(r - inner - 0.2)), 1e-13);
          }
        // the springing of the line is at +- span/2, height 0
        const Vector3 springing =
            centre +
            options.circle_radius() * (std::sin(options.half_angle()) * Vector3::UnitX() +
                                       std::cos(options.half_angle()) * Vector3::Unit(dim - 1));
        EXPECT_LT((springing - Vector3::UnitX()).norm(), 1e-13);
      }
}

TEST(SampleArch, neighbours_share_their_joints_and_the_abutments_theirs) {
  for (const int dim : {2, 3})
    for (const double gap : {0.0, 0.004}) {
      ArchOptions options;
      options.dim = dim;
      options.rise = 0.6;
      options.gap = gap;
      const Sample sample = make_arch(options);
      ASSERT_EQ(sample.size(), 17u);
      EXPECT_GT(least_separation(place_convex(sample)), -1e-13);
      for (int i = 1; i < 15; ++i)
        EXPECT_NEAR(separation_of(sample, std::to_string(i), std::to_string(i + 1)), gap, 1e-13);
      EXPECT_NEAR(separation_of(sample, "abutment1", "1"), gap, 1e-13);
      EXPECT_NEAR(separation_of(sample, "15", "abutment2"), gap, 1e-13);
      EXPECT_TRUE(find(sample, "abutment2").fixed);
      EXPECT_GT(find(sample, "abutment2").pose.position.x(), 1);
    }
}

TEST(SampleArch, volume_is_that_of_trapezia_between_the_circles) {
  ArchOptions options;
  options.abutments = false;
  // semicircle: n trapezia of the angle pi/n between the radii 1 and 1.2
  const double area = 15 * 0.5 * std::sin(kPi / 15) * (1.2 * 1.2 - 1);
  EXPECT_NEAR(total_volume(make_arch(options)), 0.3 * area, 1e-13);
  options.dim = 2;
  EXPECT_NEAR(total_volume(make_arch(options)), area, 1e-13);
}

TEST(SampleArch, voussoirs_have_their_frames_at_their_centroids) {
  for (const int dim : {2, 3}) {
    ArchOptions options;
    options.dim = dim;
    for (const SampleBody& body : make_arch(options))
      EXPECT_LT(compute_moments(*body.shape).first.norm(), 1e-15);
  }
}

TEST(SampleArch, refuses_a_rise_above_half_the_span) {
  ArchOptions options;
  options.rise = 1.1;
  EXPECT_EQ(message_of([&] { make_arch(options); }),
            "rise of the arch is 1.1; it must be <= span/2 = 1");
  options.rise = 1;
  options.gap = 0.2;
  EXPECT_THROW(make_arch(options), InputError);
}

TEST(SampleVault, rows_in_running_bond_touch_and_do_not_overlap) {
  VaultOptions options;
  options.arch.rise = 0.6;
  options.rows = 3;
  const Sample sample = make_vault(options);
  EXPECT_EQ(sample.size(), 15u + 16 + 15 + 2);
  EXPECT_GT(least_separation(place_convex(sample)), -1e-13);
  EXPECT_NEAR(separation_of(sample, "row1_4", "row2_4"), 0, 1e-14);
  EXPECT_NEAR(separation_of(sample, "row1_4", "row2_5"), 0, 1e-14);
  // two halves are less flat than a whole: they fill a little more between the circles
  const double half = compute_moments(*find(sample, "row2_1").shape).volume;
  const double whole = compute_moments(*find(sample, "row1_1").shape).volume;
  EXPECT_NEAR(2 * half / whole, 1 / std::cos(options.arch.half_angle() / 15), 1e-12);
  const BoundingBox feet = bounds_of(place_convex({find(sample, "abutment1")}));
  EXPECT_NEAR(feet.upper.y() - feet.lower.y(), 0.9, 1e-14);
}

TEST(SampleTower, log_cabin_crosses_planks_flush_with_ends) {
  TowerOptions options;
  options.planks = 3;
  const Sample sample = make_tower(options);
  ASSERT_EQ(sample.size(), 30u);
  const std::vector<PlacedConvex> planks = place_convex(sample);
  EXPECT_GT(least_separation(planks), -1e-15);
  const BoundingBox box = bounds_of(planks);
  EXPECT_NEAR(box.lower.z(), 0, 1e-16);
  EXPECT_NEAR(box.upper.z(), 0.08, 1e-15);
  for (int i : {0, 1}) {
    EXPECT_NEAR(box.upper[i], 0.06, 1e-15);
    EXPECT_NEAR(box.lower[i], -0.06, 1e-15);
  }
  EXPECT_NEAR(separation_of(sample, "level3_1", "level4_3"), 0, 1e-15);
}

TEST(SampleTower, square_has_each_end_on_the_next_ones_side_and_bonds_its_corners) {
  for (const double gap : {0.0, 0.001}) {
    TowerOptions options;
    options.kind = TowerKind::square;
    options.gap = gap;
    const Sample sample = make_tower(options);
    ASSERT_EQ(sample.size(), 40u);
    EXPECT_GT(least_separation(place_convex(sample)), -1e-15);
    for (const int level : {1, 2})
      for (int i = 1; i <= 4; ++i)
        EXPECT_NEAR(
            separation_of(sample, "level" + std::to_string(level) + "_" + std::to_string(i),
                          "level" + std::to_string(level) + "_" + std::to_string(i % 4 + 1)),
            gap, 1e-15);
    const BoundingBox box = bounds_of(place_convex(sample));
    EXPECT_NEAR(box.upper.x() - box.lower.x(), 0.144 + gap, 1e-15);
    // a plank lies over the joint below it: same axis, shifted
    const Vector3 below = find(sample, "level1_1").pose.position,
                  above = find(sample, "level2_1").pose.position;
    EXPECT_NEAR(std::abs(above.x() - below.x()), 0.024 + gap, 1e-15);
  }
  TowerOptions options;
  options.planks = 6;
  EXPECT_EQ(message_of([&] { make_tower(options); }),
            "planks of the tower is 6; a level has room for 5");
}

TEST(SampleDominoes, stand_at_their_spacing_on_all_paths) {
  for (const DominoPath path : {DominoPath::line, DominoPath::arc, DominoPath::spiral}) {
    DominoesOptions options;
    options.path = path;
    options.radius = 0.1;
    options.count = path == DominoPath::arc ? 31 : 60;  // the circle has room for 31
    const Sample sample = make_dominoes(options);
    const std::vector<PlacedConvex> dominoes = place_convex(sample);
    EXPECT_NEAR(bounds_of(dominoes).lower.z(), 0, 1e-15);
    for (std::size_t i = 1; i < sample.size(); ++i)
      EXPECT_NEAR((sample[i].pose.position - sample[i - 1].pose.position).norm(), 0.02, 1e-12);
    for (std::size_t i = 0; i < sample.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) EXPECT_GT(separation(dominoes[i], dominoes[j]), 0);
  }
}

TEST(SampleDominoes, first_one_leans_on_its_edge_short_of_the_second) {
  for (const int dim : {2, 3})
    for (const DominoPath path : {DominoPath::line, DominoPath::arc}) {
      if (dim == 2 && path != DominoPath::line) continue;
      DominoesOptions options;
      options.dim = dim;
      options.path = path;
      options.radius = 0.2;
      options.tilt = 0.2;
      const Sample sample = make_dominoes(options);
      const std::vector<PlacedConvex> dominoes = place_convex(sample);
      const BoundingBox first = bounds_of({dominoes[0]});
      EXPECT_NEAR(first.lower[dim - 1], 0, 1e-15);
      EXPECT_NEAR(first.upper.x(), 0.5 * 0.0075 + 0.048 * std::sin(0.2), 1e-15);
      EXPECT_GT(separation(dominoes[0], dominoes[1]), 0);
      options.tilt = std::asin((0.02 - 0.0075) / 0.048) + 1e-6;
      EXPECT_THROW(make_dominoes(options), InputError);
    }
}

TEST(SampleDominoes, refuse_paths_on_which_they_overlap) {
  DominoesOptions options;
  options.path = DominoPath::arc;
  options.radius = 0.1;
  options.count = 32;
  EXPECT_EQ(message_of([&] { make_dominoes(options); }),
            "dominoes 1 and 32 overlap; spacing, radius or pitch must be greater");
  options.path = DominoPath::spiral;
  options.pitch = 0.01;
  options.count = 60;
  EXPECT_THROW(make_dominoes(options), InputError);
  options.spacing = 0.005;
  EXPECT_EQ(message_of([&] { make_dominoes(options); }),
            "spacing of the dominoes is 0.005; it must be >= their thickness 0.0075");
}

}  // namespace
}  // namespace clack
