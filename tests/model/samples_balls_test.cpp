// Lattices, random packings and deposits of spheres and discs.
#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "clack/model/samples/deposit.hpp"
#include "clack/model/samples/lattice.hpp"
#include "clack/model/samples/random_packing.hpp"
#include "tests/model/sample_checks.hpp"

namespace clack {
namespace {

// The least gap of all pairs of balls; with the nearest images where `period` > 0.
double least_gap(const Sample& sample, const Vector3& period = Vector3::Zero()) {
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < sample.size(); ++i)
    for (std::size_t j = i + 1; j < sample.size(); ++j) {
      Vector3 d = sample[i].pose.position - sample[j].pose.position;
      for (int k = 0; k < 3; ++k)
        if (period[k] > 0) d[k] -= period[k] * std::round(d[k] / period[k]);
      least =
          std::min(least, d.norm() - ball_radius(*sample[i].shape) - ball_radius(*sample[j].shape));
    }
  return least;
}

int most_neighbours(const Sample& sample, double spacing) {
  int most = 0;
  for (const SampleBody& a : sample) {
    int count = 0;
    for (const SampleBody& b : sample)
      count += std::abs((a.pose.position - b.pose.position).norm() - spacing) < 1e-9;
    most = std::max(most, count);
  }
  return most;
}

LatticeOptions lattice(int dim, LatticeKind kind) {
  LatticeOptions options;
  options.dim = dim;
  options.kind = kind;
  options.count = {5, 4, 4};
  options.spacing = 0.2;
  options.shape = dim == 3 ? make_shape(Sphere(0.1)) : make_shape(Disc(0.1));
  return options;
}

TEST(SampleLattice, has_the_neighbours_of_its_kind_all_touching) {
  const std::tuple<int, LatticeKind, int> cases[] = {{3, LatticeKind::cubic, 6},
                                                     {3, LatticeKind::fcc, 12},
                                                     {3, LatticeKind::hexagonal, 12},
                                                     {2, LatticeKind::cubic, 4},
                                                     {2, LatticeKind::hexagonal, 6}};
  for (const auto& [dim, kind, neighbours] : cases) {
    const Sample sample = make_lattice(lattice(dim, kind));
    EXPECT_EQ(sample.size(), dim == 3 ? 80u : 20u);
    EXPECT_EQ(most_neighbours(sample, 0.2), neighbours);
    EXPECT_NEAR(least_gap(sample), 0, 1e-14);
    for (const SampleBody& body : sample) EXPECT_TRUE(dim == 3 || body.pose.position.z() == 0);
  }
}

TEST(SampleLattice, with_jitter_and_rotation_is_repeated_by_its_seed_and_never_overlaps) {
  LatticeOptions options = lattice(3, LatticeKind::hexagonal);
  options.shape = nullptr;
  options.sizes.emplace();
  options.sizes->smallest = 0.05;
  options.sizes->largest = 0.13;
  options.jitter = 0.02;
  options.random_rotation = true;
  const Sample sample = make_lattice(options);
  EXPECT_GT(least_gap(sample), 0);
  EXPECT_TRUE(same_sample(sample, make_lattice(options)));
  for (const SampleBody& body : sample) EXPECT_NEAR(body.pose.rotation.determinant(), 1, 1e-12);
  options.seed = 2;
  EXPECT_FALSE(same_sample(sample, make_lattice(options)));
}

TEST(SampleLattice, refuses_spheres_larger_than_its_spacing) {
  LatticeOptions options = lattice(3, LatticeKind::cubic);
  options.shape = make_shape(Sphere(0.11));
  EXPECT_EQ(message_of([&] { make_lattice(options); }),
            "spacing of the lattice is 0.2; diameters up to 0.22 and a jitter of 0 need at least "
            "0.22");
  options = lattice(2, LatticeKind::fcc);
  EXPECT_THROW(make_lattice(options), InputError);
  options = lattice(2, LatticeKind::cubic);
  options.shape = make_shape(Sphere(0.05));
  EXPECT_THROW(make_lattice(options), InputError);
}

RandomPackingOptions packing(int dim) {
  RandomPackingOptions options;
  options.dim = dim;
  options.box = {Vector3(-1, 0, 2), Vector3(1, 1, 3)};
  options.sizes.smallest = 0.05;
  options.sizes.largest = 0.2;
  options.solid_fraction = dim == 3 ? 0.3 : 0.45;
  return options;
}

TEST(SampleRandomPacking, fills_the_fraction_inside_the_box_without_overlap) {
  for (const int dim : {2, 3}) {
    const RandomPackingOptions options = packing(dim);
    const Sample sample = make_random_packing(options);
    EXPECT_NEAR(total_volume(sample) / 2, options.solid_fraction, 0.005);
    EXPECT_GT(least_gap(sample), 0);
    for (const SampleBody& body : sample)
      for (int i = 0; i < dim; ++i) {
        const double r = ball_radius(*body.shape);
        EXPECT_GE(body.pose.position[i] - r, options.box.lower[i]);
        EXPECT_LE(body.pose.position[i] + r, options.box.upper[i]);
      }
    EXPECT_TRUE(same_sample(sample, make_random_packing(options)));
  }
}

TEST(SampleRandomPacking, keeps_its_gap_across_periodic_faces) {
  for (const int dim : {2, 3}) {
    RandomPackingOptions options = packing(dim);
    options.periodic = {true, false, true};
    options.gap = 0.01;
    const Sample sample = make_random_packing(options);
    const Vector3 period(2, 0, dim == 3 ? 1 : 0);
    EXPECT_GE(least_gap(sample, period), 0.01 * (1 - 1e-12));
    EXPECT_LT(least_gap(sample, period), 0.02);
    bool beyond = false;
    for (const SampleBody& body : sample) {
      beyond |= body.pose.position.x() + ball_radius(*body.shape) > options.box.upper.x();
      EXPECT_LE(body.pose.position.y() + ball_radius(*body.shape), 0.99 + 1e-12);
    }
    EXPECT_TRUE(beyond);
  }
}

TEST(SampleRandomPacking, says_how_far_it_came_where_the_fraction_is_out_of_reach) {
  RandomPackingOptions options = packing(3);
  options.solid_fraction = 0.7;
  options.attempts = 2000;
  const std::string message = message_of([&] { make_random_packing(options); });
  EXPECT_NE(message.find("found no place for body"), std::string::npos) << message;
  EXPECT_NE(message.find("of 0.700 asked for"), std::string::npos) << message;
  options.solid_fraction = 0;
  EXPECT_EQ(message_of([&] { make_random_packing(options); }),
            "solid_fraction of the random packing is 0; it must lie between 0 and 1 where count is "
            "0");
  options.count = 3;
  options.sizes.largest = 1.5;
  EXPECT_THROW(make_random_packing(options), InputError);
}

DepositOptions deposit(int dim) {
  DepositOptions options;
  options.dim = dim;
  options.width = {0.1, 0.08};
  options.origin = {1, -2, 3};
  options.sizes.smallest = 0.006;
  options.sizes.largest = 0.015;
  options.count = dim == 3 ? 500 : 200;
  return options;
}

// Unit normals of what touches a body within `tolerance`, towards its centre.
std::vector<Vector3> find_supports(const Sample& sample, std::size_t i,
                                   const DepositOptions& options, double tolerance) {
  const Vector3 c = sample[i].pose.position - options.origin;
  const double r = ball_radius(*sample[i].shape);
  const int up = options.dim - 1;
  std::vector<Vector3> normals;
  for (int k = 0; k < options.dim; ++k) {
    if (std::abs(c[k] - r) < tolerance) normals.push_back(Vector3::Unit(k));
    if (k != up && std::abs(options.width[k] - r - c[k]) < tolerance)
      normals.push_back(-Vector3::Unit(k));
  }
  for (std::size_t j = 0; j < sample.size(); ++j) {
    const Vector3 d = sample[i].pose.position - sample[j].pose.position;
    if (j != i && std::abs(d.norm() - r - ball_radius(*sample[j].shape)) < tolerance)
      normals.push_back(d.normalized());
  }
  return normals;
}

// Whether e_up is a sum of up to dim normals with weights >= 0.
bool carries(const std::vector<Vector3>& normals, int dim) {
  const Vector3 up = Vector3::Unit(dim - 1);
  const std::size_t n = normals.size();
  for (std::size_t i = 0; i < n; ++i) {
    if ((normals[i] - up).norm() < 1e-9) return true;
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t k = dim == 2 ? n : j + 1; k < n + (dim == 2); ++k) {
        Matrix3 a;
        a << normals[i], normals[j], (dim == 2 ? Vector3(Vector3::UnitZ()) : normals[k]);
        if (std::abs(a.determinant()) < 1e-9) continue;
        if ((a.inverse() * up).minCoeff() > -1e-6) return true;
      }
  }
  return false;
}

TEST(SampleDeposit, every_ball_is_carried_by_what_it_touches_and_none_overlaps) {
  for (const int dim : {2, 3}) {
    const DepositOptions options = deposit(dim);
    const Sample sample = make_deposit(options);
    ASSERT_EQ(sample.size(), static_cast<std::size_t>(options.count));
    EXPECT_GT(least_gap(sample), -1e-11);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      // only what lay there before it can carry it
      const Sample before(sample.begin(), sample.begin() + static_cast<long>(i) + 1);
      EXPECT_TRUE(carries(find_supports(before, i, options, 1e-10), dim)) << i;
      const Vector3 c = sample[i].pose.position - options.origin;
      const double r = ball_radius(*sample[i].shape);
      for (int k = 0; k < dim; ++k) EXPECT_GE(c[k] - r, -1e-12);
      for (int k = 0; k < dim - 1; ++k) EXPECT_LE(c[k] + r, options.width[k] + 1e-12);
    }
    EXPECT_TRUE(same_sample(sample, make_deposit(options)));
  }
}

TEST(SampleDeposit, of_equal_spheres_is_as_dense_as_drop_and_roll_packs) {
  DepositOptions options = deposit(3);
  options.sizes.smallest = options.sizes.largest = 0.008;
  options.width = {0.16, 0.16};
  options.count = 6000;
  const Sample sample = make_deposit(options);
  // spheres with their centres in a block away from floor, walls and top
  int inside = 0;
  for (const SampleBody& body : sample) {
    const Vector3 c = body.pose.position - options.origin;
    inside += c.x() > 0.03 && c.x() < 0.13 && c.y() > 0.03 && c.y() < 0.13 && c.z() > 0.02 &&
              c.z() < 0.08;
  }
  EXPECT_NEAR(inside * solid_volume(0.004, 3) / (0.1 * 0.1 * 0.06), 0.57, 0.03);
}

TEST(SampleDeposit, adds_the_box_as_fixed_half_spaces_and_refuses_what_cannot_enter) {
  DepositOptions options = deposit(3);
  options.count = 5;
  options.walls = true;
  const Sample sample = make_deposit(options);
  ASSERT_EQ(sample.size(), 10u);
  EXPECT_EQ(sample[5].suffix, "floor");
  const double offsets[] = {3, 1, -1.1, -2, 1.92};
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(sample[5 + i].fixed);
    EXPECT_NEAR(sample[5 + i].shape->as<Plane>().offset, offsets[i], 1e-14);
  }
  options.width[1] = 0.01;
  EXPECT_EQ(message_of([&] { make_deposit(options); }),
            "width[1] of the deposit is 0.01; it must be >= the greatest diameter, 0.015");
}

}  // namespace
}  // namespace clack
