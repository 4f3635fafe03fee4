// Chutes, hoppers, drums; the list of samples.
#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "clack/core/error.hpp"
#include "clack/model/samples/chute.hpp"
#include "clack/model/samples/drum.hpp"
#include "clack/model/samples/hopper.hpp"
#include "tests/model/sample_checks.hpp"

namespace clack {
namespace {

constexpr double kPi = std::numbers::pi;

// The distance of a ball from all parts of a body; >= 0 where it is free (by faces: a lower bound).
double clearance(const std::vector<PlacedConvex>& parts, const Vector3& centre, double radius) {
  double least = HUGE_VAL;
  for (const PlacedConvex& part : parts) {
    double distance = -HUGE_VAL;
    for (const Vector3& n : part.normals) {
      double top = -HUGE_VAL;
      for (const Vector3& v : part.vertices) top = std::max(top, n.dot(v));
      distance = std::max(distance, n.dot(centre) - top);
    }
    least = std::min(least, distance - radius);
  }
  return least;
}

// The radius of the widest vertical cylinder about the axis that no part enters.
double free_radius(const std::vector<PlacedConvex>& parts, int dim) {
  double radius = HUGE_VAL;
  for (const PlacedConvex& part : parts) {
    double distance = -HUGE_VAL;
    for (int k = 0; k < 64; ++k) {  // the normals of 32 sides are among them
      const double angle = k * kPi / 32;
      const Vector3 direction(std::cos(angle), dim == 3 ? std::sin(angle) : 0, 0);
      double least = HUGE_VAL;
      for (const Vector3& v : part.vertices) least = std::min(least, direction.dot(v));
      distance = std::max(distance, least);
    }
    radius = std::min(radius, distance);
  }
  return radius;
}

TEST(SampleChute, floor_falls_by_its_slope_and_walls_stand_beside_it) {
  ChuteOptions options;
  const Sample sample = make_chute(options);
  ASSERT_EQ(sample.size(), 3u);
  const std::vector<PlacedConvex> parts = place_convex(sample);
  EXPECT_NEAR(least_separation(parts), 0, 1e-15);
  EXPECT_NEAR(total_volume(sample), 1 * 0.01 * (0.1 + 2 * 0.11), 1e-15);
  const Vector3 down(std::cos(0.4), 0, -std::sin(0.4)), out(std::sin(0.4), 0, std::cos(0.4));
  // a ball on the floor half way down touches it; one as wide as the channel touches both walls
  EXPECT_NEAR(clearance({parts[0]}, 0.5 * down + 0.03 * out, 0.03), 0, 1e-15);
  EXPECT_NEAR(clearance({parts[1]}, 0.5 * down + 0.05 * out, 0.05), 0, 1e-15);
  EXPECT_NEAR(clearance({parts[2]}, 0.5 * down + 0.05 * out, 0.05), 0, 1e-15);
  for (const SampleBody& body : sample) EXPECT_TRUE(body.fixed);
}

TEST(SampleChute, rough_base_lies_on_the_floor_between_the_walls_without_overlap) {
  for (const int dim : {2, 3})
    for (const double jitter : {0.0, 0.001}) {
      ChuteOptions options;
      options.dim = dim;
      options.bump_diameter = 0.01;
      options.bump_jitter = jitter;
      const Sample sample = make_chute(options);
      const std::size_t solid = dim == 3 ? 3 : 1;
      if (jitter == 0) {
        EXPECT_EQ(sample.size(), solid + (dim == 3 ? 1000 : 100));
      }
      const std::vector<PlacedConvex> parts =
          place_convex(Sample(sample.begin(), sample.begin() + static_cast<long>(solid)));
      for (std::size_t i = solid; i < sample.size(); ++i) {
        const Vector3 c = sample[i].pose.position;
        EXPECT_NEAR(clearance({parts[0]}, c, 0.005), 0, 1e-14);
        EXPECT_GE(clearance(parts, c, 0.005), -1e-14);
        for (std::size_t j = solid; j < i; ++j)
          EXPECT_GE((c - sample[j].pose.position).norm(), 0.01 - 1e-14);
      }
    }
  ChuteOptions options;
  options.bump_diameter = 0.01;
  options.bump_spacing = 0.009;
  EXPECT_EQ(message_of([&] { make_chute(options); }),
            "bump_spacing of the chute is 0.009; it must be 0 or >= 0.01: the diameter and twice "
            "the jitter");
}

TEST(SampleHopper, passes_a_ball_of_its_orifice_and_no_larger_one) {
  for (const int dim : {2, 3})
    for (const HopperKind kind : {HopperKind::conical, HopperKind::wedge})
      for (const double angle : {0.0, 0.5, 1.0, 1.4}) {
        HopperOptions options;
        options.dim = dim;
        options.kind = kind;
        options.angle = angle;
        const Sample sample = make_hopper(options);
        ASSERT_EQ(sample.size(), 1u);
        EXPECT_TRUE(sample[0].fixed);
        const std::vector<PlacedConvex> parts = place_convex(sample);
        EXPECT_NEAR(free_radius(parts, dim), 0.025, 1e-15);
        // the bin holds a cylinder of its width
        const double high = options.funnel_height() + 0.2;
        const double room = clearance(parts, high * Vector3::Unit(dim - 1), 0);
        const bool ends = dim == 3 && kind == HopperKind::wedge;
        EXPECT_NEAR(room, ends ? 0.05 : 0.15, 1e-14);
      }
}

TEST(SampleHopper, plates_touch_and_do_not_overlap_and_have_their_thickness) {
  for (const int dim : {2, 3})
    for (const HopperKind kind : {HopperKind::conical, HopperKind::wedge})
      for (const double angle : {0.0, 0.5, 1.0}) {
        HopperOptions options;
        options.dim = dim;
        options.kind = kind;
        options.angle = angle;
        options.lid = true;
        options.sides = 12;
        const Sample sample = make_hopper(options);
        ASSERT_EQ(sample.size(), 2u);
        EXPECT_EQ(sample[1].suffix, "lid");
        const std::vector<PlacedConvex> parts = place_convex(sample);
        EXPECT_NEAR(least_separation(parts), 0, 1e-13);
        // across its face the first funnel plate is `thickness` thick
        const Vector3 inward =
            -std::sin(angle) * Vector3::UnitX() + std::cos(angle) * Vector3::Unit(dim - 1);
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (const Vector3& v : parts[0].vertices) {
          low = std::min(low, inward.dot(v));
          high = std::max(high, inward.dot(v));
        }
        EXPECT_NEAR(high - low, 0.01, 1e-14);
        // the lid stops a ball in the orifice
        const double top = sample[1].pose.position[dim - 1] + 0.005;
        EXPECT_NEAR(clearance({parts.back()}, (top + 0.01) * Vector3::Unit(dim - 1), 0.01), 0,
                    1e-14);
      }
  HopperOptions options;
  options.orifice = 0.4;
  EXPECT_EQ(message_of([&] { make_hopper(options); }),
            "orifice of the hopper is 0.4; it must be < bin_width, 0.3");
}

TEST(SampleDrum, is_one_body_about_its_axis_with_the_volume_of_its_plates) {
  for (const int dim : {2, 3}) {
    DrumOptions options;
    options.dim = dim;
    const Sample sample = make_drum(options);
    ASSERT_EQ(sample.size(), 1u);
    EXPECT_FALSE(sample[0].fixed);
    EXPECT_EQ(sample[0].pose.position, Vector3::Zero());
    const std::vector<PlacedConvex> parts = place_convex(sample);
    EXPECT_NEAR(least_separation(parts), 0, 1e-14);
    EXPECT_NEAR(clearance(parts, Vector3::Zero(), 0), dim == 3 ? 0.05 : 0.1, 1e-14);
    const double share = 32 * std::tan(kPi / 32);  // of a polygon about a circle of radius 1
    const double ring = share * (0.11 * 0.11 - 0.1 * 0.1), end = share * 0.11 * 0.11;
    const Moments moments = compute_moments(*sample[0].shape);
    EXPECT_NEAR(moments.volume, dim == 3 ? 0.1 * ring + 0.02 * end : ring, 1e-14);
    EXPECT_LT(moments.first.norm() / moments.volume, 1e-14);
  }
  DrumOptions options;
  options.ends = false;
  EXPECT_NEAR(clearance(place_convex(make_drum(options)), Vector3::Zero(), 0), 0.1, 1e-14);
  options.sides = 2;
  EXPECT_EQ(message_of([&] { make_drum(options); }), "sides of the drum is 2; it must be >= 3");
}

TEST(SampleList, names_each_sample_once) {
  std::set<std::string_view> names;
  for (const SampleInfo& info : sample_list()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_EQ(names.size(), 14u);
}

}  // namespace
}  // namespace clack
