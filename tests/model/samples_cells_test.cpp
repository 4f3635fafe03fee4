// Voronoi cells and rock masses: volumes, faces, overlaps.
#include <gtest/gtest.h>

#include <numbers>

#include "clack/core/error.hpp"
#include "clack/core/split_mix.hpp"
#include "clack/model/samples/joints.hpp"
#include "clack/model/samples/voronoi.hpp"
#include "tests/model/sample_checks.hpp"

namespace clack {
namespace {

constexpr double kPi = std::numbers::pi;

VoronoiOptions voronoi(int dim, long count) {
  VoronoiOptions options;
  options.dim = dim;
  options.box = {Vector3(-1, 2, 0.5), Vector3(2, 4, 1.5)};
  options.count = count;
  return options;
}

TEST(SampleVoronoi, cells_fill_the_box_and_do_not_overlap) {
  for (const int dim : {2, 3})
    for (const long count : {1, 2, 7, 300})
      for (const int iterations : {0, 2}) {
        VoronoiOptions options = voronoi(dim, count);
        options.iterations = iterations;
        const Sample sample = make_voronoi(options);
        ASSERT_EQ(sample.size(), static_cast<std::size_t>(count));
        EXPECT_NEAR(total_volume(sample), 6, 6e-10) << dim << ' ' << count;
        if (count <= 100) {
          EXPECT_GT(least_separation(place_convex(sample)), -1e-12);
        }
        EXPECT_TRUE(same_sample(sample, make_voronoi(options)));
      }
}

TEST(SampleVoronoi, cells_have_their_frames_at_their_centroids) {
  for (const int dim : {2, 3})
    for (const SampleBody& body : make_voronoi(voronoi(dim, 50))) {
      const Moments moments = compute_moments(*body.shape);
      EXPECT_LT((moments.first / moments.volume).norm(), 1e-10);
    }
}

// Every point of the box is nearest to one seed; the cell that holds it is that seed's. Seeds are
// not given out, so they are drawn as documented: x, y, (z) of one point after the other.
TEST(SampleVoronoi, cells_hold_the_points_nearest_to_their_seeds) {
  for (const int dim : {2, 3}) {
    const VoronoiOptions options = voronoi(dim, 200);
    const std::vector<PlacedConvex> cells = place_convex(make_voronoi(options));
    SplitMix random(options.seed);
    std::vector<Vector3> seeds(200, Vector3::Zero());
    for (Vector3& seed : seeds)
      for (int i = 0; i < dim; ++i)
        seed[i] = random.uniform(options.box.lower[i], options.box.upper[i]);
    for (std::size_t i = 0; i < cells.size(); ++i)
      for (const Vector3& v : cells[i].vertices) {
        double nearest = HUGE_VAL;
        for (const Vector3& seed : seeds) nearest = std::min(nearest, (v - seed).norm());
        EXPECT_NEAR((v - seeds[i]).norm(), nearest, 1e-10);
      }
  }
}

TEST(SampleVoronoi, lloyd_makes_the_volumes_more_equal) {
  const auto deviation = [](int iterations) {
    VoronoiOptions options = voronoi(3, 200);
    options.iterations = iterations;
    double square = 0;
    for (const SampleBody& body : make_voronoi(options))
      square += std::pow(compute_moments(*body.shape).volume / 0.03 - 1, 2) / 200;
    return std::sqrt(square);
  };
  EXPECT_LT(deviation(5), 0.5 * deviation(0));
}

TEST(SampleVoronoi, gap_lies_between_faces_and_half_of_it_at_the_box) {
  for (const int dim : {2, 3}) {
    VoronoiOptions options = voronoi(dim, 40);
    options.iterations = 5;  // no slivers
    options.gap = 0.02;
    const std::vector<PlacedConvex> cells = place_convex(make_voronoi(options));
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < cells.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) least = std::min(least, separation(cells[i], cells[j]));
    EXPECT_NEAR(least, 0.02, 1e-12);
    BoundingBox all;
    for (const PlacedConvex& cell : cells)
      for (const Vector3& v : cell.vertices) all.include(v);
    for (int i = 0; i < dim; ++i) {
      EXPECT_NEAR(all.lower[i] - options.box.lower[i], 0.01, 1e-12);
      EXPECT_NEAR(options.box.upper[i] - all.upper[i], 0.01, 1e-12);
    }
    options.gap = 1;
    EXPECT_THROW(make_voronoi(options), InputError);
  }
}

TEST(SampleVoronoi, says_which_option_is_wrong) {
  VoronoiOptions options = voronoi(3, 0);
  EXPECT_EQ(message_of([&] { make_voronoi(options); }),
            "count of the voronoi sample is 0; it must be >= 1");
  options = voronoi(3, 5);
  options.box.upper.y() = 2;
  EXPECT_EQ(message_of([&] { make_voronoi(options); }),
            "box of the voronoi sample goes from 2 to 2 along y; both must be finite and lower < "
            "upper");
}

JointsOptions rock(int dim) {
  JointsOptions options;
  options.dim = dim;
  options.box = {Vector3(0, 0, 0), Vector3(10, 8, 6)};
  options.sets.resize(dim);
  options.sets[0] = {0.3, 1.0, 2.1, 0.2, 0.3};
  options.sets[1] = {1.2, 2.5, 1.7, 0, 0.2};
  if (dim == 3) options.sets[2] = {1.4, 5.5, 2.3, 0, 0};
  return options;
}

TEST(SampleJoints, blocks_fill_the_box_and_do_not_overlap) {
  for (const int dim : {2, 3}) {
    const JointsOptions options = rock(dim);
    const Sample sample = make_joints(options);
    const double volume = dim == 3 ? 480 : 80;
    EXPECT_GT(sample.size(), 20u);
    EXPECT_NEAR(total_volume(sample), volume, 1e-10 * volume);
    EXPECT_GT(least_separation(place_convex(sample)), -1e-11);
    EXPECT_TRUE(same_sample(sample, make_joints(options)));
  }
}

TEST(SampleJoints, three_orthogonal_sets_through_corners_make_a_regular_grid) {
  JointsOptions options;
  options.box = {Vector3::Zero(), Vector3(4, 4, 4)};
  options.sets = {{0, 0, 1}, {kPi / 2, 0, 1}, {kPi / 2, kPi / 2, 1}};
  const Sample sample = make_joints(options);
  EXPECT_EQ(sample.size(), 64u);
  for (const SampleBody& body : sample) EXPECT_NEAR(compute_moments(*body.shape).volume, 1, 1e-12);
}

TEST(SampleJoints, diagonal_planes_through_edges_of_the_box_cut_it_in_prisms) {
  JointsOptions options;
  options.box = {Vector3::Zero(), Vector3(2, 2, 2)};
  options.sets = {{kPi / 4, 0, 10}, {kPi / 4, kPi, 10}, {kPi / 4, kPi / 2, 10}};
  const Sample sample = make_joints(options);
  EXPECT_NEAR(total_volume(sample), 8, 8e-10);
  EXPECT_GT(least_separation(place_convex(sample)), -1e-12);
}

TEST(SampleJoints, dip_and_dip_direction_are_those_of_geologists) {
  // dips 60 degrees towards the east: falls along +x, strikes north
  const Vector3 normal = joint_normal({kPi / 3, kPi / 2, 1}, 3);
  const Vector3 fall(std::cos(kPi / 3), 0, -std::sin(kPi / 3));
  EXPECT_NEAR(normal.dot(fall), 0, 1e-15);
  EXPECT_NEAR(normal.y(), 0, 1e-15);
  EXPECT_GT(normal.z(), 0);
  // in the plane it is the same section
  const Vector3 flat = joint_normal({kPi / 3, 0, 1}, 2);
  EXPECT_NEAR(flat.dot(Vector3(std::cos(kPi / 3), -std::sin(kPi / 3), 0)), 0, 1e-15);
}

TEST(SampleJoints, slope_faces_keep_what_is_inside) {
  for (const int dim : {2, 3}) {
    JointsOptions options = rock(dim);
    const Plane face(dim == 3 ? Vector3(1, 0, 1) : Vector3(1, 1, 0), 8 / std::sqrt(2.0));
    options.keep = {face};
    const Sample sample = make_joints(options);
    // below x + z = 8 of 10 x 6: 60 - (2 + 8) / 2 * 6 = 30; below x + y = 8 of 10 x 8: 32
    const double volume = dim == 3 ? 30 * 8 : 32;
    EXPECT_NEAR(total_volume(sample), volume, 1e-10 * volume);
    for (const PlacedConvex& block : place_convex(sample))
      for (const Vector3& v : block.vertices) EXPECT_LE(face.normal.dot(v) - face.offset, 1e-11);
    options.keep.push_back(Plane(-face.normal, -face.offset - 1));
    EXPECT_THROW(make_joints(options), InputError);
  }
}

TEST(SampleJoints, aperture_lies_between_blocks) {
  JointsOptions options;
  options.dim = 2;
  options.box = {Vector3::Zero(), Vector3(4, 4, 0)};
  options.sets = {{0.4, 0, 1}};
  options.gap = 0.05;
  const std::vector<PlacedConvex> blocks = place_convex(make_joints(options));
  ASSERT_GE(blocks.size(), 4u);
  for (std::size_t i = 1; i < blocks.size(); ++i)
    EXPECT_NEAR(separation(blocks[i - 1], blocks[i]), 0.05, 1e-12);
  options.gap = 1;
  EXPECT_THROW(make_joints(options), InputError);
  options.gap = 0;
  options.sets[0].jitter = 0.5;
  EXPECT_EQ(message_of([&] { make_joints(options); }),
            "jitter[0] of the joints is 0.5; it must lie in [0, 0.49]");
}

}  // namespace
}  // namespace clack
