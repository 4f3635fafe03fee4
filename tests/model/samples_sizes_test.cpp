// Size distributions: what is drawn follows the law asked for.
#include <gtest/gtest.h>

#include <numeric>

#include "clack/core/error.hpp"
#include "clack/model/samples/size_distribution.hpp"
#include "tests/model/sample_checks.hpp"

namespace clack {
namespace {

constexpr int kDraws = 40000;

// The fraction of the draws, each with the weight d^power, that passes `diameter`.
double passing(const std::vector<double>& radii, double diameter, int power) {
  double below = 0, all = 0;
  for (const double r : radii) {
    const double weight = std::pow(2 * r, power);
    all += weight;
    if (2 * r <= diameter) below += weight;
  }
  return below / all;
}

std::vector<double> draw(const SizeDistribution& sizes, int dim) {
  SplitMix random(7);
  return draw_radii(sizes, {kDraws, 0}, dim, random);
}

SizeDistribution sieve_curve(bool by_mass) {
  SizeDistribution sizes;
  sizes.kind = SizeKind::curve;
  sizes.by_mass = by_mass;
  sizes.diameters = {0.5, 1, 1.5, 3};
  sizes.passing = {0, 0.2, 0.7, 1};
  return sizes;
}

TEST(SampleSizes, of_a_curve_pass_as_it_says_by_mass_and_by_number_in_space_and_plane) {
  for (const int dim : {2, 3})
    for (const bool by_mass : {false, true}) {
      const std::vector<double> radii = draw(sieve_curve(by_mass), dim);
      const int power = by_mass ? dim : 0;
      const double tolerance = by_mass ? 0.03 : 0.01;  // few large ones carry the mass
      EXPECT_NEAR(passing(radii, 0.75, power), 0.1, tolerance);
      EXPECT_NEAR(passing(radii, 1, power), 0.2, tolerance);
      EXPECT_NEAR(passing(radii, 1.25, power), 0.45, tolerance);
      EXPECT_NEAR(passing(radii, 1.5, power), 0.7, tolerance);
      EXPECT_NEAR(passing(radii, 2.25, power), 0.85, tolerance);
      EXPECT_GE(*std::min_element(radii.begin(), radii.end()), 0.25);
      EXPECT_LE(*std::max_element(radii.begin(), radii.end()), 1.5);
    }
}

TEST(SampleSizes, uniform_ones_have_uniform_quartiles) {
  SizeDistribution sizes;
  sizes.smallest = 1;
  sizes.largest = 3;
  const std::vector<double> radii = draw(sizes, 3);
  for (const double fraction : {0.25, 0.5, 0.75})
    EXPECT_NEAR(passing(radii, 1 + 2 * fraction, 0), fraction, 0.01);
}

TEST(SampleSizes, log_normal_ones_have_the_fractions_of_the_cut_normal_law) {
  for (const bool by_mass : {false, true}) {
    SizeDistribution sizes;
    sizes.kind = SizeKind::log_normal;
    sizes.by_mass = by_mass;
    sizes.median = 2;
    sizes.sigma = 0.25;
    sizes.smallest = 1;
    sizes.largest = 3;
    const std::vector<double> radii = draw(sizes, 3);
    const auto phi = [&](double d) {
      return 0.5 * std::erfc(-std::log(d / 2) / 0.25 / std::sqrt(2.0));
    };
    for (const double d : {1.5, 2.0, 2.5}) {
      const double expected = (phi(d) - phi(1)) / (phi(3) - phi(1));
      EXPECT_NEAR(passing(radii, d, by_mass ? 3 : 0), expected, by_mass ? 0.015 : 0.01) << d;
    }
  }
}

TEST(SampleSizes, are_drawn_until_the_volume_comes_nearest) {
  SizeDistribution sizes;
  sizes.smallest = 0.1;
  sizes.largest = 0.2;
  for (const int dim : {2, 3}) {
    SplitMix random(3);
    const std::vector<double> radii = draw_radii(sizes, {0, 2.0}, dim, random);
    double volume = 0;
    for (const double r : radii) volume += solid_volume(r, dim);
    EXPECT_NEAR(volume, 2, 0.5 * solid_volume(0.1, dim));
    SizeDistribution equal;
    equal.smallest = equal.largest = 0.2;
    const double one = solid_volume(0.1, dim);
    EXPECT_EQ(draw_radii(equal, {0, 2.4 * one}, dim, random).size(), 2u);
    EXPECT_EQ(draw_radii(equal, {0, 2.6 * one}, dim, random).size(), 3u);
    EXPECT_EQ(draw_radii(equal, {0, 0.1 * one}, dim, random).size(), 1u);
  }
}

TEST(SampleSizes, refuse_curves_and_ranges_that_are_none) {
  SizeDistribution sizes = sieve_curve(true);
  sizes.passing[1] = 0.8;
  EXPECT_EQ(message_of([&] { sizes.validate(); }),
            "passing fraction 3 of the size distribution is 0.7 after 0.8; it cannot fall");
  sizes = sieve_curve(true);
  sizes.passing[3] = 0.9;
  EXPECT_THROW(sizes.validate(), InputError);
  sizes = sieve_curve(true);
  sizes.diameters[1] = 0.5;
  EXPECT_THROW(sizes.validate(), InputError);
  sizes = {};
  sizes.smallest = 0.02;
  EXPECT_EQ(message_of([&] { sizes.validate(); }),
            "smallest of the size distribution is 0.02; it must be <= largest, which is 0.01");
  sizes.kind = SizeKind::log_normal;
  sizes.median = 1;
  sizes.smallest = 1000;
  sizes.largest = 2000;
  EXPECT_THROW(SizeSampler(sizes, 3), InputError);
}

}  // namespace
}  // namespace clack
